"""atoll run --seeds and --weak: results of many orders, exit codes, options.

Run by meson with ATOLL (the program) in the environment."""

import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

import json_rig
from cli_rig import ATOLL, Rig, heed_signals

# Neighbours exchange values through shared memory; in the second kernel behind a barrier of the warp.
KERNELS = """.version 8.0
.target sm_75
.address_size 64
.shared .align 4 .b32 buffer[32];
""" + "".join("""
.visible .entry %s(.param .u64 out)
{
    .reg .b32 %%r<8>; .reg .b64 %%rd<4>;
    ld.param.u64 %%rd0, [out]; mov.u32 %%r0, %%tid.x; shl.b32 %%r1, %%r0, 2; mov.u32 %%r2, buffer;
    add.u32 %%r2, %%r2, %%r1; xor.b32 %%r3, %%r2, 4; add.u32 %%r4, %%r0, 1;
    st.shared.u32 [%%r2], %%r4;
    %s
    ld.shared.u32 %%r5, [%%r3];
    cvt.u64.u32 %%rd1, %%r1; add.u64 %%rd1, %%rd1, %%rd0; st.global.u32 [%%rd1], %%r5;
    ret;
}
""" % kernel for kernel in (("wrong", ""), ("right", "bar.warp.sync -1;")))


class Seeds(Rig):
    def setUp(self):
        super().setUp()
        self.put("k.ptx", KERNELS.encode())

    def run_seeds(self, kernel, code, *more):
        return self.atoll("run", "k.ptx", "-q", "-k", kernel, "-a", "out=buffer:u32[32]", "-g1", "-b32", *more,
                          code=code)

    def test_one_result(self):
        self.assertEqual(self.run_seeds("right", 0, "--seeds=60")[0], "60 orders, seeds 1 to 60: one result\n")
        self.assertEqual(self.run_seeds("right", 0, "--seeds=9", "--weak", "--check=race", "--seed=40")[0],
                         "9 orders, seeds 40 to 48: one result\n")

    def test_results_differ(self):
        out = self.run_seeds("wrong", 1, "--seeds=300")[0]
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^300 orders, seeds 1 to 300: \d+ different results$")
        self.assertRegex(lines[1], r"^  seeds 1, .* and \d+ more$")
        self.assertRegex(lines[2], r"^  seeds? \d+.*: out element \d+: \d+; with seed 1: \d+$")
        self.assertEqual(out, self.run_seeds("wrong", 1, "--seeds=300")[0])

    def test_weak_shows_more(self):
        lines = self.run_seeds("wrong", 1, "--seeds=10", "--weak")[0].splitlines()
        self.assertRegex(lines[0], r"^10 orders, seeds 1 to 10: \d+ different results$")

    def test_an_order_that_fails(self):
        """What the orders before it gave is told all the same, also in reports."""
        trap = "or.b32 %r6, %r5, %r0; setp.eq.u32 %p, %r6, 0; @%p trap;"
        self.put("t.ptx", KERNELS.replace("ld.shared.u32 %r5, [%r3];", "ld.shared.u32 %r5, [%r3]; .reg .pred %p;"
                                          "{ " + trap + " }").encode())
        run = ("run", "t.ptx", "-q", "-k", "wrong", "-a", "out=buffer:u32[32]", "-g1", "-b32", "--report=r.json",
               "--weak", "--seeds=50", "--seed=")
        first = next(seed for seed in range(1, 100) if not self.traps(run[:-2] + ("--seed=%d" % seed,)))
        out, err = self.atoll(*run[:-1], "--seed=%d" % first, code=1)
        self.assertRegex(out, r"^after \d+ of 50 orders, seeds %d to \d+: " % first)
        last = int(re.search(r"note: with seed (\d+)\n", err)[1])
        self.assertIn("seeds %d to %d: " % (first, last - 1), out)
        self.assertIn("trapped", err)
        report = json_rig.hold(self.get("r.json"), "report")
        self.assertEqual((report["status"], report["exit_code"]), ("trap", 1))

    def traps(self, run):
        return subprocess.run([ATOLL, *run], cwd=self.folder.name, capture_output=True, timeout=60).returncode == 1

    def test_a_wrong_command_has_no_seed(self):
        self.assertNotIn("seed", self.atoll("run", "k.ptx", "-k", "right", "-a", "gone=1", "--seeds=9", code=2)[1])

    def test_results_are_the_first_seeds(self):
        self.run_seeds("wrong", 0, "--seed=7", "--save=out=one.raw")
        self.run_seeds("wrong", 1, "--seed=7", "--seeds=100", "--weak", "--save=out=other.raw")
        self.run_seeds("wrong", 0, "--seed=7", "--weak", "--save=out=weak.raw")
        self.assertEqual(self.get("other.raw"), self.get("weak.raw"))
        self.assertEqual(len(self.get("one.raw")), 128)

    def test_rows_are_told_apart(self):
        for more in (("--seeds=300",), ("--seeds=60", "--weak")):
            rows = [line.split(": ", 1)[1] for line in self.run_seeds("wrong", 1, *more)[0].splitlines()[2:]]
            self.assertEqual(len(rows), len(set(rows)))

    def test_reports_tell_of_all_orders(self):
        reports = ("--report=r.json", "--report=r.xml", "--report=r.sarif", "--report=r.html", "--report=github")
        out, err = self.run_seeds("wrong", 1, "--seeds=10", "--weak", *reports)
        rows = [line.strip() for line in out.splitlines()[2:]]
        report = json_rig.hold(self.get("r.json"), "report")
        self.assertEqual((report["status"], report["exit_code"], report["seeds"]), ("differs", 1, 10))
        self.assertEqual([item["message"] for item in report["items"]], rows)
        self.assertEqual({(item["check"], item["cause"]) for item in report["items"]}, {("seeds", "differs")})
        suite = xml.etree.ElementTree.fromstring(self.get("r.xml"))
        self.assertEqual(int(suite.get("failures")), len(rows))
        self.assertEqual(len(json.loads(self.get("r.sarif"))["runs"][0]["results"]), len(rows))
        self.assertEqual(err.count("::error title=atoll%3A seeds (differs)::seed"), len(rows))
        self.assertIn(": differs", self.get("r.html").decode())

    def test_reports_of_one_result(self):
        self.run_seeds("right", 0, "--seeds=3", "--report=r.json", "--report=r.xml")
        report = json_rig.hold(self.get("r.json"), "report")
        self.assertEqual((report["status"], report["exit_code"], report["seeds"], report["items"]), ("ok", 0, 3, []))
        cases = xml.etree.ElementTree.fromstring(self.get("r.xml")).findall("testsuite/testcase")
        self.assertEqual([case.get("name") for case in cases], ["launch", "seeds"])

    def test_reports_of_later_seeds(self):
        self.run_seeds("right", 0, "--save=out=right.raw")
        err = self.run_seeds("wrong", 1, "--seeds=300", "--expect=out=right.raw", "--report=r.json")[1]
        seed = int(re.search(r"not as expected with seed (\d+)", err).group(1))
        items = json_rig.hold(self.get("r.json"), "report")["items"]
        self.assertEqual([item["seed"] for item in items if item["check"] == "expect"], [seed])

    def test_the_standard_output_is_the_reports(self):
        out, err = self.run_seeds("right", 0, "--seeds=3", "--report=json:-")
        json_rig.hold(out, "report")
        self.assertIn("3 orders, seeds 1 to 3: one result\n", err)

    def test_findings(self):
        err = self.run_seeds("wrong", 1, "--seeds=3", "--check=race")[1]
        self.assertEqual(err.count("atoll: race"), 1)
        self.assertIn("atoll: note: found with seed 1\n", err)

    def test_expectation(self):
        self.run_seeds("right", 0, "--save=out=right.raw")
        self.run_seeds("right", 0, "--seeds=5", "--expect=out=right.raw")
        self.assertIn("atoll: note: not as expected with seed ",
                      self.run_seeds("wrong", 1, "--seeds=20", "--weak", "--expect=out=right.raw")[1])

    def start(self, **streams):
        self.put("long.ptx", KERNELS.encode())
        words = ("run", "long.ptx", "-k", "right", "-a", "out=buffer:u32[32]", "-g1", "-b32", "--seeds=10000000", "--weak")
        return subprocess.Popen([ATOLL, *words], cwd=self.folder.name, preexec_fn=heed_signals, **streams)

    def test_interrupted(self):
        child = self.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, err)
        self.assertRegex(out, r"^after (\d+) of 10000000 orders, seeds 1 to \1: one result\n$")
        self.assertIn("interrupted", err)
        self.assertNotIn("\x1b", err)

    def test_progress(self):
        leader, follower = pty.openpty()
        child = self.start(stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        said = ""
        while len(shown := re.findall(r"\r\x1b\[Korder (\d+) of 10000000, [\d:]+( s)?, [\d:]+( s)? left", said)) < 4:
            said += os.read(leader, 4096).decode()
        child.send_signal(signal.SIGINT)
        said = ""
        try:
            while part := os.read(leader, 4096).decode():
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(leader)
        self.assertEqual(child.wait(), 130)
        self.assertEqual([int(row[0]) for row in shown], sorted(int(row[0]) for row in shown))
        self.assertRegex(said, r"\r\x1b\[Katoll: .*interrupted")

    def test_refused(self):
        for more in (("--seeds=2", "--deterministic"), ("--weak", "--deterministic"), ("--seeds=2", "--dump=lanes")):
            self.assertIn("exclude each other", self.run_seeds("right", 2, *more)[1])
        self.assertIn("not of its target", self.run_seeds("right", 2, "--weak", "--target=sm_60")[1])

    def test_lanes_of_old_targets_keep_step(self):
        self.assertIn("independent", self.run_seeds("wrong", 0, "--dump=lanes")[0])
        self.assertNotIn("independent", self.run_seeds("wrong", 0, "--dump=lanes", "--target=sm_60")[0])
        self.run_seeds("wrong", 0, "--seeds=100", "--target=sm_60")


if __name__ == "__main__":
    heed_signals()
    unittest.main()
