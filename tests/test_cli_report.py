"""Reports of launches: SARIF, JUnit, JSON, HTML, annotations.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import html.parser
import json
import os
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree

import json_rig
from cli_rig import ATOLL, HEADER, Rig

RACE = os.path.join(os.environ["DATA"], "checks", "race", "tile.ptx")
RUN = ("-k", "wrong(a, b, s)", "-g1", "-b64", "-a", "a=buffer:u32[64]", "-a", "b=buffer:u32[64]", "-a", "s=0", "-q")

# A kernel that reads past its buffer; what its file is called needs escapes everywhere.
HOSTILE = 'a<b>&"c\x01%,:\xff.cu'
TRAP = """.file 1 "a<b>&\\"c\\".cu"
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  .loc 1 3 5
  ld.global.u32 %r1, [%d1+64];
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry count(.param .u64 p)
{
  .reg .b32 %r; .reg .b64 %d;
  ld.param.u64 %d, [p];
  mov.u32 %r, 0;
L:
  add.u32 %r, %r, 1;
  st.global.u32 [%d], %r;
  bra L;
}
"""
FINE = """.visible .entry k(.param .u64 p)
{
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [p];
  st.global.u32 [%d1], 7;
  ret;
}
"""


class Page(html.parser.HTMLParser):
    """Elements that are open, and those that were closed in the wrong order; text."""

    VOID = {"meta", "br", "hr", "img", "link", "input"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.text, self.tags, self.attributes = [], [], "", [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data


class Reports(Rig):
    def report(self, names, *args, code=0):
        """Runs it; returns (stdout, stderr)."""
        said = []
        for name in names:
            said += ["--report", name]
        done = subprocess.run([ATOLL, "run", *args, *said], cwd=self.folder.name, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def whole(self, name):
        return self.get(name).decode()

    def sarif(self, name):
        """Reads a SARIF file and holds it against what SARIF 2.1.0 requires."""
        log = json.loads(self.whole(name))
        self.assertEqual(log["version"], "2.1.0")
        self.assertEqual(len(log["runs"]), 1)
        run = log["runs"][0]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "atoll")
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for invocation in run["invocations"]:
            self.assertIsInstance(invocation["executionSuccessful"], bool)
        for result in run["results"]:
            self.assertTrue(result["message"]["text"])
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertIn(result["level"], ("none", "note", "warning", "error"))
            self.assertGreaterEqual(result["occurrenceCount"], 1)
            ids = [place["id"] for place in result["relatedLocations"]]
            self.assertEqual(len(ids), len(set(ids)))
            for place in result["locations"] + result["relatedLocations"]:
                physical = place.get("physicalLocation")
                if physical:
                    uri = physical["artifactLocation"]["uri"]
                    self.assertTrue(uri.isascii() and not set(uri) & set(' "<>\\^`{|}'), uri)
                    self.assertGreaterEqual(physical.get("region", {"startLine": 1})["startLine"], 1)
        return run

    def junit(self, name):
        """Reads a JUnit file; its counts must be those of its elements. Returns its test cases."""
        root = xml.etree.ElementTree.fromstring(self.get(name))
        self.assertEqual(root.tag, "testsuites")
        suite = root.find("testsuite")
        cases = suite.findall("testcase")
        for element in (root, suite):
            self.assertEqual(int(element.get("tests")), len(cases))
            self.assertEqual(int(element.get("failures")), len(suite.findall("testcase/failure")))
            self.assertEqual(int(element.get("errors")), len(suite.findall("testcase/error")))
            self.assertEqual(int(element.get("skipped")), len(suite.findall("testcase/skipped")))
            float(element.get("time"))
        for case in cases:
            self.assertTrue(case.get("name") and case.get("classname"))
        return cases

    def page(self, name):
        page = Page(self.whole(name))
        self.assertEqual((page.open, page.wrong), ([], []))
        for word in ("script", "link", "img", "iframe"):
            self.assertNotIn(word, page.tags)
        self.assertFalse([a for a in page.attributes if a[0] in ("src", "href")])
        return page.text

    def test_the_order_is_what_ran(self):
        for more, order, seed in (((), "parallel", 0), (("--weak",), "seeded", 1), (("--weak", "--seed=7"), "seeded", 7),
                                  (("--seed=0",), "seeded", 0), (("--history=b@0",), "deterministic", 0),
                                  (("--profile=p.txt",), "deterministic", 0), (("--deterministic",), "deterministic", 0),
                                  (("--check=sync", "--seed=3"), "seeded", 3), (("--check=sync",), "deterministic", 0)):
            self.report(["r.json"], RACE, *RUN, *more)
            report = json_rig.hold(self.whole("r.json"), "report")
            self.assertEqual((report["order"], report["seed"]), (order, seed), more)

    def test_a_race(self):
        out, err = self.report(["r.sarif", "r.xml", "r.json", "r.html", "github"], RACE, *RUN, "--check=race", code=1)
        self.assertEqual(out, "")
        run = self.sarif("r.sarif")
        self.assertEqual(run["invocations"][0]["exitCode"], 1)
        for result in run["results"]:
            self.assertTrue(result["ruleId"].startswith("race/"))
            self.assertEqual(len(result["properties"]["thread"]), 3)
            self.assertIn("shared 'tile'", result["properties"]["memory"])
            self.assertTrue(result["relatedLocations"])
        report = json_rig.hold(self.whole("r.json"), "report")
        self.assertEqual(report["atoll"], {"version": 1, "kind": "report"})
        self.assertEqual((report["status"], report["exit_code"], report["checks"]), ("findings", 1, ["race"]))
        self.assertEqual(len(report["items"]), len(run["results"]))
        self.assertEqual([item["message"] for item in report["items"]], [r["message"]["text"] for r in run["results"]])
        for item in report["items"]:
            self.assertEqual(len(item["sides"]), 2)
            self.assertIn("atoll: %s" % item["message"], err)
            self.assertIn(item["message"], self.page("r.html"))
        cases = self.junit("r.xml")
        self.assertEqual(len([c for c in cases if c.find("failure") is not None]), len(report["items"]))
        self.assertEqual([c.get("name") for c in cases if c.find("failure") is None], ["launch"])
        lines = [line for line in err.split("\n") if line.startswith("::error ")]
        self.assertEqual(len(lines), len(report["items"]))
        side = report["items"][0]["sides"][0]
        place = side["source"][0] if side["source"] else side
        place["file"] = os.path.join(os.path.dirname(RACE), place["file"]) # where it is found, beside the module
        self.assertIn("file=%s,line=%d" % (place["file"].replace(":", "%3A"), place["line"]), lines[0])

    def test_nothing_found(self):
        self.put("fine.ptx", HEADER + FINE)
        out, err = self.report(["a.sarif", "a.xml", "a.json", "a.html", "github"], "fine.ptx", "-a", "p=buffer:u32[1]",
                               "-q", "--check=race")
        self.assertEqual((out, err), ("", ""))
        self.assertEqual(self.sarif("a.sarif")["results"], [])
        self.assertEqual([c.get("name") for c in self.junit("a.xml")], ["launch", "race"])
        report = json_rig.hold(self.whole("a.json"), "report")
        self.assertEqual((report["status"], report["items"], report["stats"]["blocks"]), ("ok", [], 1))
        self.assertIn("Nothing was found.", self.page("a.html"))

    def test_a_trap(self):
        name = 'a<b>&"c".cu'
        self.put(name, "\n".join("line %d <i>&amp;" % i for i in range(1, 20)))
        self.put("t.ptx", HEADER + TRAP)
        err = self.report(["t.sarif", "t.xml", "t.json", "t.html", "github"], "t.ptx", "-k", "k", "-a", "p=buffer:u32[1]",
                          "-q", code=1)[1]
        run = self.sarif("t.sarif")
        self.assertEqual([r["ruleId"] for r in run["results"]], ["trap/out-of-bounds"])
        place = run["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(urllib.parse.unquote(place["artifactLocation"]["uri"]), name)
        self.assertEqual(place["region"], {"startLine": 3, "startColumn": 5})
        case, = self.junit("t.xml")
        self.assertEqual(case.find("error").get("type"), "trap.out-of-bounds")
        item, = json_rig.hold(self.whole("t.json"), "report")["items"]
        self.assertEqual(item["memory"], "element 16 of 'p' (1 x u32), 60 bytes past its end")
        self.assertEqual(item["sides"][0]["source"][0]["file"], name)
        self.assertEqual((item["sides"][0]["file"], item["sides"][0]["line"]), ("t.ptx", 10))
        text = self.page("t.html")
        self.assertIn("line 3 <i>&amp;", text)
        self.assertIn("line 6 <i>&amp;", text)
        self.assertNotIn("line 7", text)
        self.assertIn('::error file=a<b>&"c".cu,line=3,col=5,title=atoll%3A trap (out-of-bounds)::kernel', err)

    def test_places_are_in_files_of_the_user(self):
        """The innermost place of a chain of inlined calls that is in no header of a toolkit, as the file is found."""
        os.makedirs(self.path("m/sub"))
        for name in ("m/k.cu", "m/sub/h.cuh"):
            self.put(name, "\n" * 20)
        text = HEADER + TRAP.replace('"a<b>&\\"c\\".cu"', '"k.cu"\n.file 2 "HEAD"\n.file 3 "/opt/kit/include/atomics.hpp"')
        text = text.replace(".loc 1 3 5", ".loc 1 3 5\n.loc 2 9 2, function_name $L1, inlined_at 1 3 5\n"
                            ".loc 3 84 3, function_name $L2, inlined_at 2 9 2")
        text += '.section .debug_str\n{\n$L1:\n.b8 102,0\n$L2:\n.b8 103,0\n}\n'
        run = ("m/k.ptx", "-k", "k", "-a", "p=buffer:u32[1]", "-q")
        for header, wanted in (("sub/h.cuh", "m/sub/h.cuh,line=9"), ("/opt/kit/h.cuh", "m/k.cu,line=3"),
                               (self.path("m/sub/h.cuh"), "m/sub/h.cuh,line=9"), ("gone.cuh", "gone.cuh,line=9")):
            self.put("m/k.ptx", text.replace("HEAD", header))
            err = self.report(["t.sarif", "t.html", "github"], *run, code=1)[1]
            self.assertIn("::error file=%s," % wanted, err)
            result, = self.sarif("t.sarif")["results"]
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertEqual(uri, wanted.split(",")[0])
            self.assertEqual(len(result["relatedLocations"]), 2)
            self.assertIn("atomics.hpp:84", self.page("t.html"))

    def test_a_limit(self):
        self.put("t.ptx", HEADER + TRAP)
        self.report(["t.sarif", "t.xml", "t.json"], "t.ptx", "-k", "count", "-a", "p=buffer:u32[1]", "-q", "--limit-instructions=1000",
                    "--check=race,sync", code=4)
        self.assertEqual([r["ruleId"] for r in self.sarif("t.sarif")["results"]], ["limit/limit"])
        cases = self.junit("t.xml")
        self.assertEqual(cases[0].find("error").get("type"), "limit.limit")
        self.assertEqual([c.get("name") for c in cases if c.find("skipped") is not None], ["race", "sync"])
        report = json_rig.hold(self.whole("t.json"), "report")
        self.assertEqual((report["status"], report["exit_code"]), ("limit", 4))

    def test_differences(self):
        self.put("fine.ptx", HEADER + FINE)
        self.put("good.raw", b"\7\0\0\0")
        self.put("bad.raw", b"\6\0\0\0")
        self.report(["d.xml", "d.json"], "fine.ptx", "-a", "p=buffer:u32[1]", "-q", "--expect", "p=good.raw")
        self.assertEqual([c.get("name") for c in self.junit("d.xml")], ["launch", "expect p"])
        self.report(["d.xml", "d.json", "d.html"], "fine.ptx", "-a", "p=buffer:u32[1]", "-q", "--expect", "p=bad.raw", code=1)
        good, bad = self.junit("d.xml")
        self.assertEqual((bad.get("name"), bad.find("failure").get("type")), ("expect p", "expect.differs"))
        item, = json_rig.hold(self.whole("d.json"), "report")["items"]
        self.assertEqual((item["name"], item["file"]), ("p", "bad.raw"))
        self.assertTrue(item["message"].startswith("p is not as in 'bad.raw': 1 of 1 elements differ"), item["message"])

    def test_formats_are_said(self):
        self.put("fine.ptx", HEADER + FINE)
        run = ("fine.ptx", "-a", "p=buffer:u32[1]", "-q")
        out = self.report(["json:-"], *run)[0]
        self.assertEqual(json.loads(out)["kernel"], "k")
        self.report(["sarif:x.json", "junit:y"], *run)
        self.sarif("x.json")
        self.junit("y")
        for name in ("x", "x.txt", "github.txt", ".xml", "sarif:", "pdf:x.pdf"):
            self.refuse(2, "--report=%s: the file must end in" % name, "run", *run, "--report", name)

    def test_hostile_names(self):
        folder = os.fsencode(self.folder.name)
        path = os.path.join(folder, HOSTILE.encode("latin-1"))
        with open(path + b".ptx", "wb") as file:
            file.write((HEADER + TRAP.replace('.loc 1 3 5', '')).encode())
        done = subprocess.run([ATOLL, "run", path + b".ptx", "-k", "k", "-a", "p=buffer:u32[1]", "-q", "--report=" + "h.xml",
                               "--report=h.sarif", "--report=h.html", "--report=h.json", b"--report=" + path + b".json"],
                              cwd=self.folder.name, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.junit("h.xml")[0].get("classname").split("/")[-1], 'a<b>&"c\ufffd%,:\ufffd.cu.ptx')
        uri = self.sarif("h.sarif")["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(urllib.parse.unquote_to_bytes(uri), os.path.basename(path) + b".ptx")
        self.page("h.html")
        json_rig.hold(self.whole("h.json"), "report")
        with open(path + b".json", "rb") as file:
            self.assertEqual(file.read(), self.get("h.json"))

    def test_what_cannot_be_written(self):
        self.put("fine.ptx", HEADER + FINE)
        run = ("run", "fine.ptx", "-a", "p=buffer:u32[1]", "-q", "-s", "p=p.raw")
        self.refuse(3, "cannot write 'no/r.json'", *run, "--report=no/r.json")
        self.refuse(2, "--report=r.json and --report=./r.json go to one file", *run, "--report=r.json", "--report=./r.json")
        self.refuse(2, "go to one file", *run, "--report=json:p.raw")
        self.refuse(2, "go to one file", *run, "--report=json:t", "--trace=t")
        self.refuse(2, "there are none of command streams", "run", "--stream", "x", "--report=r.json")
        err = self.atoll(*run, "--report=json:/dev/full", "--report=r.xml", code=3)[1]
        self.assertIn("cannot write '/dev/full': No space left on device", err)
        self.assertFalse(os.path.exists(self.path("r.xml")))
        os.mkdir(self.path("shut"))
        os.chmod(self.path("shut"), 0o555)
        if os.geteuid():
            self.refuse(3, "cannot write 'shut/r.json'", *run, "--report=shut/r.json")
        self.refuse(3, "cannot write 'shut'", *run, "--report=json:shut")

    def test_a_launch_that_does_not_begin_has_no_report(self):
        self.put("fine.ptx", HEADER + FINE)
        self.refuse(2, "must be at most 1024", "run", "fine.ptx", "-a", "p=buffer:u32[1]", "-q", "-g1", "-b2000", "--report=r.json")

    def test_the_memory_of_checks_is_limited(self):
        self.put("fine.ptx", HEADER + FINE)
        err = self.atoll("run", "fine.ptx", "-a", "p=buffer:u32[1]", "-q", "--check=race", "--limit-memory=8192", code=4)[1]
        self.assertIn("kernel 'k': out of memory for what the checks keep", err)
        self.assertIn("limit of 8192 bytes", err)
        self.assertIn("(--limit-memory)", err)

    def test_a_module_that_does_not_load_has_no_report(self):
        self.put("bad.ptx", HEADER + ".visible .entry k() { foo; }\n")
        self.refuse(1, "unknown-opcode", "run", "bad.ptx", "--report=r.json")

    def test_findings_are_bounded(self):
        body = "".join("  st.global.u32 [%%d1+%d], %%r1;\n" % (4 * i) for i in range(300))
        self.put("many.ptx", HEADER + """.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
""" + body + "  ret;\n}\n")
        run = ("many.ptx", "-a", "p=buffer:u32[300]", "-b64", "-g1", "-q", "--check=race")
        err = self.report(["m.json", "m.sarif"], *run, code=1)[1]
        report = json_rig.hold(self.whole("m.json"), "report")
        self.assertEqual(len(report["items"]), 100)
        self.assertEqual((report["untold"], report["untold_times"]), (200, 200 * report["items"][0]["count"]))
        self.assertIn("beyond these (--max-errors): 200 (%d times)" % report["untold_times"], err)
        self.assertEqual(self.sarif("m.sarif")["properties"]["untold"], report["untold"])
        self.report(["m.json", "m.sarif"], *run, "--max-errors=1000", code=1)
        self.assertEqual(len(json_rig.hold(self.whole("m.json"), "report")["items"]), 300)
        self.assertEqual(len(self.sarif("m.sarif")["results"]), 300)

    def test_contention_where_it_is_asked_for(self):
        self.put("atom.ptx", HEADER + """.visible .entry k()
{
  .reg .b32 %r<2>; .shared .align 4 .b32 n;
  atom.shared.add.u32 %r1, [n], 1;
  ret;
}
""")
        self.report(["c.json"], "atom.ptx", "-b32", "-g1", "-q")
        self.assertNotIn("contention", json_rig.hold(self.whole("c.json"), "report"))
        self.report(["c.json", "c.html"], "atom.ptx", "-b32", "-g1", "-q", "--stats")
        row, = json_rig.hold(self.whole("c.json"), "report")["contention"]
        self.assertEqual((row["executions"], row["lanes"], row["passes"]), (1, 32, 32))
        self.assertEqual(row["distinct_addresses"][1], 1)
        self.assertIn("Atomics", self.page("c.html"))


ATOMICS = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 s)
{
.reg .b64 %rd<5>;
.reg .b32 %r<5>;
.shared .align 4 .b8 tile[128];
ld.param.u64 %rd1, [p];
ld.param.u64 %rd2, [s];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 8;
add.u64 %rd3, %rd1, %rd3;
red.global.add.u32 [%rd3], 1;
atom.add.u32 %r2, [%rd1+4], 1;
mov.u32 %r3, tile;
and.b32 %r2, %r1, 7;
shl.b32 %r2, %r2, 2;
add.u32 %r3, %r3, %r2;
red.shared.add.u32 [%r3], 1;
shl.b32 %r2, %r1, 2;
sub.u32 %r2, %r2, 64;
mov.u32 %r4, 0;
sured.b.add.2d.u32.zero [%rd2, {%r2, %r4}], %r1;
ret;
}
"""


class Contention(Rig):
    """What atomics cost: passes of lanes with one address, conflicts of banks, sectors of 32 bytes."""

    def run_atomics(self, *more, code=0):
        self.put("a.ptx", ATOMICS.encode())
        return self.atoll("run", "a.ptx", "-q", "-g2", "-b32", "-a", "p=buffer:u32[64]=0", "-a",
                          "s=surface:r32uint:64x4=0", *more, code=code)[1]

    def test_rows(self):
        lines = self.run_atomics("--contention=csv").splitlines()
        self.assertEqual(lines[0], "space,executions,lanes,passes,bank_conflicts,sectors," +
                         ",".join("addresses_%d" % i for i in range(1, 33)) + ",place")
        rows = [line.split(",") for line in lines[1:]]
        self.assertEqual([row[:6] for row in rows], [
            ["global", "2", "64", "2", "0", "16"],  # 32 addresses, 4 in a sector
            ["global", "2", "64", "64", "0", "2"],  # one address
            ["shared", "2", "64", "8", "0", "0"],   # 8 addresses, each of 4 lanes
            ["surface", "2", "32", "2", "0", "4"],  # the texels that the clamp policy does not drop
        ])
        self.assertEqual([[k for k in range(1, 33) if row[5 + k] != "0"] for row in rows], [[32], [1], [8], [16]])
        self.assertEqual([row[38] for row in rows], ['"a.ptx:%d"' % line for line in (14, 15, 20, 24)])

    def test_json_has_the_same(self):
        err = self.run_atomics("--contention", "--stats=json")
        rows = json_rig.hold(err, "stats")["contention"]
        self.assertEqual([(row["space"], row["passes"], row["sectors"]) for row in rows],
                         [("global", 2, 16), ("global", 64, 2), ("shared", 8, 0), ("surface", 2, 4)])

    def test_usual_counters_are_of_shared_memory_alone(self):
        rows = json_rig.hold(self.run_atomics("--stats=json"), "stats")["contention"]
        self.assertEqual([row["space"] for row in rows], ["shared"])
        self.assertIn("\nglobal ", self.run_atomics("--contention"))

    def test_refused(self):
        self.assertIn("--contention=tsv: wanted --contention or --contention=csv",
                      self.run_atomics("--contention=tsv", code=2))


if __name__ == "__main__":
    unittest.main()
