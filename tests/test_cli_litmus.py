"""atoll litmus: verdicts as herd prints them, runs, JSON, what is wrong with a test, limits.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import json
import os
import re
import unittest

from cli_rig import Rig

CLASSICS = os.path.join(os.environ["DATA"], "litmus")

SB = """PTX SB
{ x = 0; y = 0; }
 P0                         | P1                         ;
 st.relaxed.gpu.u32 [x], 1  | st.relaxed.gpu.u32 [y], 1  ;
 ld.relaxed.gpu.u32 r0, [y] | ld.relaxed.gpu.u32 r0, [x] ;
exists (P0:r0 = 0 /\\ P1:r0 = 0)
"""
VERDICT = """Test SB Allowed
States 4
0:r0=0; 1:r0=0;
0:r0=0; 1:r0=1;
0:r0=1; 1:r0=0;
0:r0=1; 1:r0=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (P0:r0 = 0 /\\ P1:r0 = 0)
Observation SB Sometimes 1 3
Time SB #
Model ptx75

"""
ONE = "PTX one\n{ x = 0; }\n P0 ;\n st.u32 [x], 1 ;\nforall (x = 1)\n"


class Litmus(Rig):
    def litmus(self, text, *options, code=0):
        self.put("t.litmus", text)
        out, err = self.atoll("litmus", "t.litmus", *options, code=code)
        return re.sub(r"(Time \S+) [0-9.]+", r"\1 #", out), err

    def test_verdicts_are_printed_as_herd_does(self):
        self.assertEqual(self.litmus(SB)[0], VERDICT)
        self.assertEqual(self.litmus(SB, "--model=ptx60")[0], VERDICT.replace("ptx75", "ptx60"))
        self.assertEqual(self.litmus(SB, "--all")[0], VERDICT.replace("ptx75", "ptx60") + VERDICT)

    def test_assertions_that_do_not_hold_are_exit_code_1(self):
        out, _ = self.litmus(SB.replace("exists", "~exists"), code=1)
        self.assertTrue(out.startswith("Test SB Forbidden\n"))
        self.assertIn("\nNo\nWitnesses\n", out)
        self.litmus(SB.replace("exists", "forall"), code=1)
        fences = SB.replace(" ld", " fence.sc.gpu | fence.sc.gpu ;\n ld", 1)
        out, _ = self.litmus(fences.replace("exists", "~exists"))
        self.assertIn("\nOk\nWitnesses\nPositive: 0 Negative: 4\n", out)
        self.litmus(fences)  # exists is a question, no claim

    def test_runs_say_what_is_seen(self):
        out, _ = self.litmus(SB, "--run=20")
        self.assertRegex(out, r"0:r0=0; 1:r0=1;  allowed, seen \d+ times\n")
        out, _ = self.litmus(ONE, "--run=20")
        self.assertRegex(out, r"\[x\]=1;  required, seen \d+ times\n")

    def test_json(self):
        out, _ = self.litmus(SB, "--json", "--run=20", "--all")
        reports = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([r["model"] for r in reports], ["ptx60", "ptx75"])
        for report in reports:
            self.assertEqual(report["test"], "SB")
            self.assertEqual(len(report["states"]), 4)
            self.assertEqual(report["states"][0]["values"], {"0:r0": 0, "1:r0": 0})
            self.assertEqual(report["states"][0]["standing"], "allowed")
            self.assertGreater(sum(s["seen"] for s in report["states"]), 0)
            self.assertEqual(report["other_states"], [])
            self.assertEqual(report["conditions"][0]["observation"], "Sometimes")

    def test_the_dialect_and_aliases_run(self):
        for name in ("Alias+F", "Proxy+MP+gen+sur+F+apart", "MP+rel+acq", "MP+bar", "Bar+named", "Bar+quorum+all"):
            out, _ = self.atoll("litmus", os.path.join(CLASSICS, name + ".litmus"), "--run=50")
            self.assertNotIn("FORBIDDEN", out)
            self.assertIn("seen", out)

    def test_blocks_that_wait_for_later_ones_run(self):
        for name, states in (("Wait+both+relaxed", 2), ("Wait+both+rel+acq", 1), ("Wait+ring", 1)):
            out, err = self.atoll("litmus", os.path.join(CLASSICS, name + ".litmus"), "--run=40")
            self.assertEqual(len(re.findall(r"seen \d+ times", out)), states)
            self.assertNotIn("error", err)
            self.assertNotIn("not looked at", out)

    def test_what_cannot_be_run_is_judged_all_the_same(self):
        out, err = self.atoll("litmus", os.path.join(CLASSICS, "Proxy+gen+F+con.litmus"), "--run", code=3)
        self.assertIn("Observation Proxy+gen+F+con Never", out)
        self.assertIn("this cannot be run", err)
        for name in ("Bar+quorum+some", "Bar+register"):
            _, err = self.atoll("litmus", os.path.join(CLASSICS, name + ".litmus"), "--run=2", code=3)
            self.assertIn("this cannot be run", err)
        stuck = "PTX stuck\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 0 | bar.cta.sync 1 ;\n"
        out, err = self.litmus(stuck + " | st.weak x, 1 ;\nexists (x = 1)", "--run=2", code=3)
        self.assertIn("Observation stuck Always 1 0", out)
        self.assertNotIn("seen", out)
        self.assertRegex(err, r"t.litmus:4:2: kernel 'litmus' trapped at line 4 \(barrier-deadlock\)")
        _, err = self.litmus(ONE.replace("st.u32", "ldx.u32"), "--run", code=3)
        self.assertEqual(err.count("t.litmus:4:2:"), 2)  # of the model, and of PTX
        _, err = self.atoll("litmus", "gone.litmus", "--run", code=3)
        self.assertEqual(err.count("gone.litmus"), 1)

    def test_a_model_without_proxies_says_so(self):
        path = os.path.join(CLASSICS, "Alias+F.litmus")
        _, err = self.atoll("litmus", path, "--model=ptx60", code=3)
        self.assertIn(":6:2: ptx60 has no proxies", err)
        out, err = self.atoll("litmus", path, "--all")
        self.assertIn("Model ptx75", out)
        self.assertIn("note: not by ptx60", err)

    def test_mistakes_have_places(self):
        self.assertIn("t.litmus:4:2: 'ldx.u32'", self.litmus(ONE.replace("st.u32", "ldx.u32"), code=3)[1])
        self.assertIn("t.litmus:2:8: '}' where", self.litmus(ONE.replace("x = 0;", "x = "), code=3)[1])
        self.assertIn("--model=ptx1: known: ptx60, ptx75", self.litmus(ONE, "--model=ptx1", code=2)[1])
        self.assertIn("--run=x: wanted a number", self.litmus(ONE, "--run=x", code=2)[1])
        self.atoll("litmus", "none.litmus", code=3)
        self.atoll("litmus", code=2)

    def test_limits(self):
        rows = "".join(
            "|".join(" atom.exch.b32 r%d, [x], %d " % (row, 6 * row + i + 1) for i in range(6)) + ";\n" for row in range(3)
        )
        text = "PTX large\n{ x = 0; }\n" + "|".join(" P%d " % i for i in range(6)) + ";\n" + rows + "exists (x = 1)\n"
        self.assertIn("candidate executions", self.litmus(text, "--limit-candidates=1000", code=4)[1])
        self.assertIn("the time is over", self.litmus(text, "--timeout=0.2", code=4)[1])

    def test_the_others_are_told(self):
        self.put("bad.litmus", ONE.replace("st.u32", "ldx.u32"))
        self.put("one.litmus", ONE)
        out, err = self.atoll("litmus", "gone.litmus", "bad.litmus", "one.litmus", code=3)
        self.assertIn("Test one Required", out)
        self.assertIn("gone.litmus", err)
        self.assertIn("bad.litmus:4:2: 'ldx.u32'", err)

    def test_loops_that_are_left_are_told(self):
        loop = "PTX loop\n{ x = 0; }\n P0 | P1 ;\n L: | st.relaxed.gpu.u32 [x], 1 ;\n"
        loop += " ld.relaxed.gpu.u32 r0, [x] | ;\n setp.eq.u32 p0, r0, 0 | ;\n @p0 bra L | ;\nforall (P0:r0 = 1)\n"
        out, err = self.litmus(loop)
        self.assertIn("Observation loop Always", out)
        self.assertIn("warning: loops were left after 2 rounds", err)

    def test_nothing_is_said_of_what_no_execution_ends(self):
        loop = "PTX loop\n{ x = 0; }\n P0 ;\n L: ;\n atom.add.u32 r0, [x], 1 ;\n setp.lt.u32 p0, r0, 5 ;\n @p0 bra L ;\n"
        for condition in ("~exists (P0:r0 = 5)", "forall (P0:r0 = 6)"):
            out, err = self.litmus(loop + condition, code=4)
            self.assertIn("\nUnknown\nWitnesses\nPositive: 0 Negative: 0\n", out)
            self.assertIn("Observation loop Unknown 0 0", out)
            self.assertIn("no execution ends within them", err)
            self.assertIn("--unroll", err)
        out, _ = self.litmus(loop + "~exists (P0:r0 = 5)", "--json", code=4)
        condition = json.loads(out)["conditions"][0]
        self.assertEqual((condition["holds"], condition["observation"]), (None, "Unknown"))
        out, err = self.litmus(loop + "~exists (P0:r0 = 5)", "--unroll=5", code=1)
        self.assertIn("Observation loop Always 1 0", out)
        both = os.path.join(CLASSICS, "Wait+both+relaxed.litmus")
        self.assertIn("Sometimes", self.atoll("litmus", both)[0])


if __name__ == "__main__":
    unittest.main()
