"""atoll run --check on machine code, vISA and CTM: tests/data/checks/machines has kernels in wrong and right versions.

A line "run: ARGS -> CHECK (CAUSE), ..." of a file's head says what is found, by all orders of words; "nothing": silence and
exit code 0. Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import json
import os
import re
import unittest

from cli_rig import Rig, heed_signals

FOLDER = os.path.join(os.environ["DATA"], "checks", "machines")


class Machines(Rig):
    def run_file(self, name):
        with open(os.path.join(FOLDER, name), "rb") as file:
            data = file.read()
        self.put(name, data)
        lines = re.findall(r"^(?://|#) run: (.*) -> (.*)$", data.decode(), re.M)
        self.assertTrue(lines, name)
        for arguments, found in lines:
            wanted = set() if found == "nothing" else set(found.split(", "))
            with self.subTest(file=name, run=arguments):
                err = self.atoll("run", name, "-q", *arguments.split(), code=1 if wanted else 0)[1]
                self.assertEqual(set(re.findall(r"^atoll: (\w+ \([\w-]+\)): ", err, re.M)), wanted, err)

    def test_all(self):
        names = sorted(os.listdir(FOLDER))
        self.assertGreaterEqual(len(names), 11)
        for name in names:
            self.run_file(name)

    def test_reports_name_lines(self):
        name = "surfaces.sass"
        with open(os.path.join(FOLDER, name), "rb") as file:
            self.put(name, file.read())
        self.atoll("run", name, "-q", "-k", "race", "-b64", "-g1", "-a", "0=surface:r32uint:1d:64=0", "-a", "1=buffer:u32[64]=0",
                   "--check=race", "--report=github:g.txt", "--report=r.sarif", code=1)
        self.assertTrue(self.get("g.txt").startswith(b"::error file=surfaces.sass,line=11,title=atoll%3A race (unordered)::"))
        other = json.loads(self.get("r.sarif"))["runs"][0]["results"][0]["relatedLocations"][0]
        self.assertEqual(other["physicalLocation"]["region"]["startLine"], 13)

    def test_the_warp_that_holds(self):
        """Of warps that wait for ever one that others wait for is told."""
        with open(os.path.join(os.environ["EXAMPLES"], "spin.sass"), "rb") as file:
            self.put("spin.sass", file.read())
        err = self.atoll("run", "spin.sass", "-q", "-k", "lock_wait", "-b64", "-g1", "-a", "0=buffer:u32[2]=0", "--check=sync",
                         code=1)[1]
        self.assertIn("lanes 1-31 of warp 1 spin for ever", err)
        self.assertIn("sync (endless-wait): thread (33, 0, 0)", err)


if __name__ == "__main__":
    heed_signals()
    unittest.main()
