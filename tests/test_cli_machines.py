"""atoll run --check on machine code, vISA and CTM: tests/data/checks/machines has kernels in wrong and right versions.

A line "run: ARGS -> CHECK (CAUSE), ..." of a file's head says what is found, by all orders of words; "nothing": silence and
exit code 0. Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

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


if __name__ == "__main__":
    heed_signals()
    unittest.main()
