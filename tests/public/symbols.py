#!/usr/bin/env python3
"""What a library shows is what its header declares, no more and no less: symbols.py HEADER FILE [--instrumented]
FILE is libatoll.a, or libatoll.so or libctm.so, which must have a soname. --instrumented: sanitizers and coverage add names of the
compiler's, which begin with two underscores."""
import re
import subprocess
import sys

from names import names

header, library, *options = sys.argv[1:]
shared = not library.endswith(".a")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


shown = set()
for line in run("nm", "-P", "--extern-only", "--defined-only", *(["--dynamic"] if shared else []), library).splitlines():
    fields = line.split()
    if len(fields) >= 2 and not line.endswith(":"):
        shown.add(fields[0].split("@")[0])
if options == ["--instrumented"]:
    shown = {name for name in shown if not name.startswith("__")}
name = "libctm" if header.endswith("amDeviceManaged.h") else "libatoll"
wanted = set((names(header, "am", (0, 5)) if name == "libctm" else names(header))[1])
problems = [f"shown, but not declared: {name}" for name in sorted(shown - wanted)]
problems += [f"declared, but not shown: {name}" for name in sorted(wanted - shown)]
if shared:
    soname = re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", library))
    if not soname or not re.fullmatch(name + r"\.so\.\d+", soname[1]):
        problems.append(f"the soname is {soname[1] if soname else 'missing'}")
print("\n".join(problems) or f"{library}: {len(shown)} names")
sys.exit(1 if problems else 0)
