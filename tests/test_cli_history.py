"""Histories of texels and elements, and profiles of launches.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import csv
import io
import json
import os
import re
import struct
import unittest
import zlib

import json_rig
from cli_rig import EXAMPLES, HEADER, Rig

KERNELS = HEADER + """.visible .entry count(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  atom.global.add.u32 %r1, [%d1+4], 1;
  ret;
}
.visible .entry hand(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %q1, %r1, 3;
  @%q1 bra W;
  ld.global.u32 %r2, [%d1];
  st.global.u32 [%d1], 9;
W:
  bar.sync 0;
  setp.ne.u32 %q1, %r1, 40;
  @%q1 bra E;
  ld.global.u32 %r2, [%d1];
E:
  ret;
}
.visible .entry lanes(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %q1, %r1, 3;
  setp.eq.u32 %q2, %r1, 4;
  @%q1 st.global.u32 [%d1], 9;
  bar.warp.sync -1;
  @%q2 st.global.u32 [%d1], 8;
  @%q1 st.global.u32 [%d1], 7;
  ret;
}
.visible .entry trap(.param .u64 p)
{
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  st.global.u32 [%d1], 9;
  st.global.u32 [%d1+64], 9;
  ret;
}
.visible .entry texels(.param .u64 s)
{
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [s];
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 1;
  shl.b32 %r2, %r2, 2;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, 0x0201;
  mov.u32 %r5, 0x0403;
  sust.b.2d.v2.b16.trap [%d1, {%r2, %r3}], {%r4, %r5};
  ret;
}
.visible .entry split(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %q<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %laneid;
  setp.lt.u32 %q1, %r1, 5;
  @%q1 bra A;
  st.global.u32 [%d1], %r1;
  bra E;
A:
  st.global.u32 [%d1+4], %r1;
E:
  ret;
}
"""


def picture(data):
    """Rows of an 8-bit gray PNG."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8 : at + 18])
            assert (depth, color) == (8, 0)
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    lines, raw, above = [], zlib.decompress(packed), bytes(width)
    for y in range(height):
        kind, row = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1 : (y + 1) * (width + 1)])
        for x in range(width):
            a, b, c = row[x - 1] if x else 0, above[x], above[x - 1] if x else 0
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[x] = (row[x] + [0, a, b, (a + b) // 2, paeth][kind]) % 256
        lines.append(list(row))
        above = bytes(row)
    return lines


class Watching(Rig):
    def setUp(self):
        super().setUp()
        self.put("w.ptx", KERNELS)

    def told(self, kernel, *args, code=0):
        """Lines of histories, without "atoll: " and the number of the instruction, and what else was said."""
        err = self.atoll("run", "w.ptx", "-k", kernel, "-q", *args, code=code)[1]
        lines, others, last = [], [], 0
        for line in err.splitlines():
            match = re.fullmatch(r"atoll: (\S+@[\d,]+): instruction (\d+): (.*)", line)
            if not match:
                others.append(line)
                continue
            self.assertGreaterEqual(int(match[2]), last)
            last = int(match[2])
            lines.append(match[1] + ": " + match[3])
        return lines, others

    def test_updates_of_a_warp(self):
        lines, others = self.told("count", "-a", "p=buffer:u32[2]=5", "-g2", "-b32", "--history", "p@1", "--history=p@0")
        self.assertEqual(lines, [
            "p@1: thread (0, 0, 0) of block (%d, 0, 0) and 31 more of its warp: update %d -> %d by atom.add.u32 at w.ptx:8"
            % (b, 5 + 32 * b, 37 + 32 * b) for b in (0, 1)])
        self.assertEqual(others, [])

    def test_what_orders(self):
        lines = self.told("hand", "-a", "p=buffer:s32[1]=-1", "-g1", "-b64", "--history", "p@0")[0]
        where = "thread (%d, 0, 0) of block (0, 0, 0) "
        self.assertEqual(lines, [
            "p@0: " + where % 3 + "reads -1 by ld.u32 at w.ptx:18",
            "p@0: " + where % 3 + "writes -1 -> 9 by st.u32 at w.ptx:19; behind the access before it: the same thread",
            "p@0: " + where % 40 + "reads 9 by ld.u32 at w.ptx:24; behind the access before it: a barrier of the block"])
        lines = self.told("lanes", "-a", "p=buffer:f32[1]", "-g1", "-b32", "--history", "p@0")[0]
        self.assertEqual([line.partition("; ")[2] for line in lines],
                         ["", "behind the access before it: a barrier of the warp", ""])
        self.assertEqual(len(self.told("lanes", "-a", "p=buffer:u32[1]", "-g2", "-b32", "--history", "p@0")[0]), 6)

    def test_texels(self):
        for setting in ("", ":block-linear"):
            lines = self.told("texels", "-a", "s=surface:rg16uint:4x3" + setting, "-g3", "-b8", "--history=s@1,2",
                              "--history=s@3,0")[0]
            said = "thread (%d, 0, 0) of block (%d, 0, 0) and 1 more of its warp: write (0, 0) -> (513, 1027) by sust.b16 at w.ptx:59"
            self.assertEqual(lines, ["s@3,0: " + said % (6, 0), "s@1,2: " + said % (2, 2)])

    def test_one_memory_by_two_names(self):
        lines = self.told("texels", "-a", "s=surface:rg16uint:4x1:at=b", "--let", "b=buffer:u32[16]", "-g1", "-b8",
                          "--history=b@2", "--history=s@2,0")[0]
        self.assertEqual([line.split(": ")[0] for line in lines], ["b@2", "s@2,0"])
        self.assertIn("write 0 -> %d by" % (513 + 65536 * 1027), lines[0])

    def test_a_trap_comes_behind(self):
        lines, others = self.told("trap", "-a", "p=buffer:u32[1]", "-g1", "-b1", "--history=p@0", code=1)
        self.assertEqual(len(lines), 1)
        self.assertIn("writes 0 -> 9", lines[0])
        self.assertIn("out-of-bounds", others[0])

    def test_lines_are_bounded(self):
        lines, others = self.told("count", "-a", "p=buffer:u32[2]", "-g3000", "-b1", "--history=p@1")
        self.assertEqual((len(lines), others), (1000, ["atoll: accesses beyond these (--history-lines): 2000"]))
        lines, others = self.told("count", "-a", "p=buffer:u32[2]", "-g30", "-b1", "--history=p@1", "--history-lines=7")
        self.assertEqual((len(lines), others), (7, ["atoll: accesses beyond these (--history-lines): 23"]))

    def test_results_are_the_same(self):
        run = ("run", "w.ptx", "-k", "hand", "-q", "-a", "p=buffer:u32[1]=5", "-b64", "-g1", "-s", "p=p.raw")
        self.atoll(*run)
        plain = self.get("p.raw")
        self.atoll(*run, "--history=p@0", "--check=race", "--seed=3", "--profile=x.json")
        self.assertEqual(self.get("p.raw"), plain)

    def test_in_reports(self):
        given = ("run", "w.ptx", "-k", "hand", "-b", "64", "-a", "p=buffer:s32[1]=-1", "-q", "--report=r.json")
        said = self.atoll(*given, "--history", "p@0")[1].splitlines()
        report = json_rig.hold(self.get("r.json"), "report")
        rows = report["history"]
        self.assertEqual([(row["watched"], row["operation"], row["before"], row["after"], row["order"]) for row in rows],
                         [("p@0", "ld.u32", "-1", "-1", "first"), ("p@0", "st.u32", "-1", "9", "the same thread"),
                          ("p@0", "ld.u32", "9", "9", "a barrier of the block")])
        self.assertEqual([row["sides"][0]["thread"] for row in rows], [[3, 0, 0], [3, 0, 0], [40, 0, 0]])
        self.assertTrue(all(f"instruction {row['when']}:" in line and row["sides"][0]["place"] in line for row, line in zip(rows, said)))
        self.atoll(*given, "--history", "p@0", "--history-lines=1")
        report = json_rig.hold(self.get("r.json"), "report")
        self.assertEqual((len(report["history"]), report["history_untold"]), (1, 2))
        self.atoll(*given)
        self.assertNotIn("history", json_rig.hold(self.get("r.json"), "report"))

    def test_refused_histories(self):
        run = ("run", "w.ptx", "-k", "count", "-q", "-a", "p=buffer:u32[2]", "-b1", "-g1")
        for given in ("p", "p@", "@1", "p@x", "p@1,", "p@1,2,3,4", "p@-1", "p@99999999999999999999999"):
            self.refuse(2, "--history=%s: wanted NAME@X" % given, *run, "--history=" + given)
        self.refuse(2, "--history=p@2: wanted the number of one of 2 elements", *run, "--history=p@2")
        self.refuse(2, "--history=p@0,0: wanted the number of one of 2 elements", *run, "--history=p@0,0")
        self.refuse(2, "--history=q@0: no argument, bound surface or variable", *run, "--history=q@0")
        self.refuse(2, "--history-lines is of --history", *run, "--history-lines=3")
        self.refuse(2, "has 4 x 3 x 1 texels", "run", "w.ptx", "-k", "texels", "-q", "-a", "s=surface:rg16uint:4x3",
                    "--history=s@4,0")
        self.refuse(2, "65 are more than 64", *run, *(["--history=p@0"] * 65))

    # ---- profiles

    def stats(self, *args):
        err = self.atoll("run", "w.ptx", "-q", "--stats=json", *args)[1]
        return json_rig.hold(err.splitlines()[0], "stats")["stats"]

    def events(self, name):
        trace = json_rig.hold(self.get(name).decode(), "profile")
        events = trace["traceEvents"]
        tracks = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        slices = [e for e in events if e["ph"] == "X"]
        self.assertEqual({(e["pid"], e["tid"]) for e in slices} - tracks, set())
        return [e for e in slices if e["tid"] == 0], [e for e in slices if e["tid"]], trace

    def test_events(self):
        for order in (("--deterministic",), ("--seed=2",), ("--cooperative",)):
            stats = self.stats("-k", "hand", "-a", "p=buffer:u32[1]", "-b96", "-g5", "--profile=e.json", *order)
            blocks, turns, trace = self.events("e.json")
            self.assertEqual(trace["otherData"]["slices_untold"], 0)
            self.assertEqual(len(blocks), 5)
            self.assertEqual(len({e["name"] for e in blocks}), 5)
            turns.sort(key=lambda e: e["ts"])
            at = 0
            for turn in turns:  # one after the other, without a gap
                self.assertEqual(turn["ts"], at)
                at += turn["dur"]
            # a barrier that a warp comes to twice is one instruction of --stats
            self.assertTrue(0 <= at - stats["warp_instructions"] <= stats["barriers"] * 3, (at, stats))
            for turn in turns:  # within the block that it says
                name = "block (%d, %d, %d)" % tuple(turn["args"]["block"])
                block, = [b for b in blocks if b["name"] == name]
                self.assertEqual(block["pid"], turn["pid"])
                self.assertLessEqual(block["ts"], turn["ts"])
                self.assertGreaterEqual(block["ts"] + block["dur"], turn["ts"] + turn["dur"])

    def test_time_is_what_stats_count(self):
        stats = self.stats("-k", "split", "-a", "p=buffer:u32[2]", "-b96", "-g5", "--profile=e.json", "--seed=4")
        turns = self.events("e.json")[1]
        self.assertEqual(sum(e["dur"] for e in turns), stats["warp_instructions"])
        self.assertEqual(sum(e["args"]["lane_instructions"] for e in turns), stats["lane_instructions"])

    def test_lines(self):
        stats = self.stats("-k", "split", "-a", "p=buffer:u32[2]", "-b32", "-g3", "--profile=l.csv", "--profile=l.txt")
        rows = list(csv.DictReader(io.StringIO(self.get("l.csv").decode(), newline="")))
        of = {int(row["line"]): row for row in rows}
        self.assertEqual({row["file"] for row in rows}, {"w.ptx"})
        self.assertEqual(sum(int(row["executions"]) for row in rows), stats["warp_instructions"])
        self.assertEqual(sum(int(row["lanes"]) for row in rows), stats["lane_instructions"])
        self.assertEqual(stats["divergent_branches"], 3)
        first = KERNELS[: KERNELS.index("entry split")].count("\n") + 1
        self.assertEqual([int(of[first + 6]["divergent"]), sum(int(row["divergent"]) for row in rows)], [3, 3])
        for line, lanes in ((first + 7, 27), (first + 10, 5)):
            self.assertEqual([int(of[line][k]) for k in ("executions", "lanes", "accesses", "bytes")],
                             [3, 3 * lanes, 3 * lanes, 12 * lanes])
        lines = self.get("l.txt").decode().splitlines()
        self.assertEqual(len(lines), len(rows) + 1)
        self.assertRegex(lines[1], r"^ +3 +96 +0 +0 +0  w\.ptx:%d$" % int(rows[0]["line"]))

    def test_heat(self):
        for setting in ("", ":block-linear"):
            self.atoll("run", "w.ptx", "-k", "texels", "-q", "-a", "s=surface:rg16uint:6x4" + setting, "-g3", "-b7",
                       "--profile=s=h.png")
            rows = picture(self.get("h.png"))
            self.assertEqual(rows, [[255, 255, 255, 64, 0, 0]] * 3 + [[0] * 6])
        err = self.atoll("run", os.path.join(EXAMPLES, "sobel.ptx"), "-k", "sobel(src, dst, w, h)", "-a",
                         "src=surface:" + os.path.join(EXAMPLES, "gray.png"), "-a", "dst=surface:r8uint:256x256",
                         "--profile=src=src.png", "--profile=dst=dst.png")[1]
        self.assertIn("--profile=dst=dst.png: white is 1 accesses to a texel", err)
        self.assertEqual(picture(self.get("dst.png")), [[255] * 256] * 256)

    def test_slices_are_bounded(self):
        err = self.atoll("run", "w.ptx", "-k", "count", "-q", "-a", "p=buffer:u32[2]", "-b64", "-g10", "--profile=b.json",
                         "--profile-slices=7")[1]
        blocks, turns, trace = self.events("b.json")
        self.assertEqual((len(blocks) + len(turns), trace["otherData"]["slices_untold"]), (7, 23))
        self.assertIn("slices beyond those of --profile (--profile-slices): 23", err)

    def test_a_trap_has_a_profile(self):
        self.atoll("run", "w.ptx", "-k", "trap", "-q", "-a", "p=buffer:u32[1]", "-b1", "-g1", "--profile=t.json",
                   "--profile=t.txt", code=1)
        self.assertEqual(len(self.events("t.json")[1]), 1)
        self.assertTrue(self.get("t.txt"))

    def test_refused_profiles(self):
        run = ("run", "w.ptx", "-k", "count", "-q", "-a", "p=buffer:u32[2]", "-b1", "-g1")
        self.refuse(2, "--profile=x.pdf: the file must end in", *run, "--profile=x.pdf")
        self.refuse(2, "wanted NAME=FILE.png", *run, "--profile=x.png")
        self.refuse(2, "there is no surface of this name", *run, "--profile=p=x.png")
        self.refuse(2, "--profile-slices is of --profile", *run, "--profile-slices=3")
        self.refuse(3, "cannot write 'no/x.json'", *run, "--profile=no/x.json")
        self.refuse(2, "go to one file", *run, "--profile=x.json", "--profile=./x.json")
        self.refuse(2, "go to one file", *run, "--profile=x.json", "--report=x.json")
        self.refuse(2, "go to one file", *run, "--profile=x.txt", "--save=p=x.txt.raw", "--trace=x.txt")
        self.refuse(2, "there are none of command streams", "run", "--stream", "x", "--profile=x.json")
        os.symlink("/dev/full", self.path("full.csv"))
        self.refuse(3, "No space left on device", *run, "--profile=full.csv", "--profile=y.json", "--save=p=p.raw")

    def test_stats(self):
        stats = self.stats("-k", "hand", "-a", "p=buffer:u32[1]", "-b64", "-g2")
        self.assertEqual((stats["blocks"], stats["warps"], stats["barriers"]), (2, 4, 2))
        self.refuse(2, "wanted --stats or --stats=json", "run", "w.ptx", "--stats=xml")


if __name__ == "__main__":
    unittest.main()
