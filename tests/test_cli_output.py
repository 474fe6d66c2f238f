"""What the command line writes: where, all or nothing, and what it says when that fails; help and exit codes.

Run by meson with ATOLL (the program) and EXAMPLES (the folder) in the environment."""

import fcntl
import os
import pty
import re
import signal
import stat
import struct
import subprocess
import tempfile
import termios
import time
import unittest

from cli_rig import ATOLL, EXAMPLES, HEADER, Rig, heed_signals, png

# out[tid] = tid; a warp instruction for each of `n` rounds
LOOP = HEADER + """
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
L: setp.eq.u32 %p, %r2, 0; @%p bra E; sub.u32 %r2, %r2, 1; bra L;
E: ret;
}
"""

# prints n lines of 64 bytes
PRINT = HEADER + """
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[65] = {TEXT};
.visible .entry k(.param .u32 n)
{
  .reg .u32 %r<3>; .reg .u64 %rd<3>; .reg .pred %p;
  ld.param.u32 %r1, [n];
L: setp.eq.u32 %p, %r1, 0; @%p bra E; sub.u32 %r1, %r1, 1;
  cvta.global.u64 %rd1, text; mov.u64 %rd2, 0;
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd1; st.param.b64 [a], %rd2;
    call.uni (r), vprintf, (f, a); }
  bra L;
E: ret;
}
""".replace("TEXT", ",".join(["46"] * 63 + ["10", "0"]))


def full_disk():
    """A folder on a file system of 64 KiB, or None."""
    if os.geteuid() != 0:
        return None
    folder = tempfile.mkdtemp()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True).returncode:
        os.rmdir(folder)
        return None
    return folder


class Output(Rig):
    def setUp(self):
        super().setUp()
        self.put("k.ptx", LOOP)
        self.put("print.ptx", PRINT)
        self.put("in.png", png(8, 8, 0, 8, [bytes(8)] * 8))

    ARGS = ("run", "k.ptx", "-a", "out=buffer:u32[4]", "-g", "1", "-b", "4", "-q")

    def run_to(self, stdout, *args):
        done = subprocess.run([ATOLL, *args], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=120)
        return done.returncode, done.stderr.decode()

    def test_inputs_are_not_overwritten(self):
        self.put("in.raw", bytes(16))
        os.symlink("in.raw", self.path("link.json"))
        run = (*self.ARGS[:3], "out=buffer:u32[4]@in.raw", *self.ARGS[4:], "-a", "n=1")
        for option in ("--report=json:k.ptx", "--report=json:in.raw", "--report=link.json", "--trace=./k.ptx",
                       "--trace=in.raw"):
            self.refuse(2, option + ": this is an input of the run", *run, option)
        os.symlink("k.ptx", self.path("k.raw"))
        self.refuse(2, "--save=out=k.raw: this is an input of the run", *run, "--save=out=k.raw")
        os.symlink("k.ptx", self.path("k.txt"))
        self.refuse(2, "--profile=k.txt: this is an input of the run", *run, "--profile=k.txt")
        self.refuse(2, "--diff=in.png: this is one of the files", "diff", "in.png", "in.png", "--diff=in.png")
        self.assertEqual(self.get("k.ptx").decode(), LOOP)
        self.atoll(*run, "--save=out=in.raw")
        self.assertEqual(self.get("in.raw"), struct.pack("<4I", 0, 1, 2, 3))

    def test_options_that_contradict_each_other(self):
        run = (*self.ARGS, "-a", "n=1")
        for other in ("--check=race", "--history=out@0", "--profile=p.txt", "--weak", "--seed=1", "--seeds=2"):
            said = " and %s exclude each other" % other.split("=")[0]
            self.refuse(2, "--engine=jit" + said, *run, "--engine=jit", other)
            self.refuse(2, "--threads=4" + said, *run, "-j4", other)
        self.refuse(2, "--engine=jit and --trace exclude each other", *run, "--engine=jit", "--trace=t")
        self.refuse(2, "--threads=4 and --deterministic exclude", *run, "-j4", "--deterministic")
        self.atoll(*run, "-j1", "--check=race", "--engine=interp")
        self.refuse(2, "beyond the largest seed", *run, "--seeds=3", "--seed=18446744073709551614")
        self.atoll(*run, "--seeds=2", "--seed=18446744073709551614")

    def test_zero_is_no_default(self):
        run = (*self.ARGS, "-a", "n=1")
        for option in ("--max-errors", "--history-lines", "--profile-slices", "--seeds", "--threads", "--limit-trace",
                       "--limit-instructions", "--limit-memory"):
            self.refuse(2, option + "=0: wanted a number", *run, option, "0")
        self.refuse(2, "--max-errors=0: wanted a number", "check", "k.ptx", "--max-errors=0")
        for option in ("--run=0", "--unroll=0", "--limit-candidates=0"):
            self.refuse(2, option + ": wanted a number", "litmus", "k.ptx", option)

    # ---- the standard output ----

    COMMANDS = (("list", "formats"), ("list", "formats", "--json"), ("list", "ptx"), ("version",), ("help",),
                ("run", "--help"), ("info", "k.ptx"), ("fmt", "k.ptx"), ("explain", "ATOMS.CAS"), ("lint", "sass"),
                ("run", "k.ptx", "--dump=lanes"), ("surface", "show", "h.tic"), ("dis", "k.cubin"), ("diff", "in.png", "k.ptx"),
                ("check", "--diagnostics=json", "bad.ptx"), ("asm", "-b", "SM50", "nop.sass"),
                ("run", "print.ptx", "-a", "n=10", "-g", "1", "-b", "1"),
                ("run", "k.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1", "--trace=-", "-b", "1", "-g", "1"),
                ("run", "k.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1", "--save", "out=-", "-b", "1", "-g", "1"),
                ("run", "k.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1", "--save", "out=-", "-b", "1", "-g", "1"))

    def test_outputs_that_cannot_be_written(self):
        """The reason was lost in a buffer: 'cannot write to standard output: Success'."""
        self.put("nop.sass", "NOP;\n")
        self.put("bad.ptx", HEADER + "foo\n")
        self.atoll("asm", "nop.sass", "-o", "k.cubin")
        self.atoll("surface", "pack", "in.png", "-o", "s.bin", "--header", "h.tic")
        for command in self.COMMANDS:
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.run_to(full, *command)[0], 3, command)
            with open("/dev/full", "wb") as full:
                err = self.run_to(full, *command)[1]
            said = err.count("cannot write to the standard output: No space left on device\n")
            self.assertEqual(said, 1, f"{command}\n{err}")

    def test_a_closed_output(self):
        done = subprocess.run(["sh", "-c", '"$0" list formats >&-', ATOLL], capture_output=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write to the standard output: Bad file descriptor", done.stderr)
        # files that are opened meanwhile do not get its place
        done = subprocess.run(["sh", "-c", '"$0" run print.ptx -a n=3 -g 1 -b 1 >&-', ATOLL], capture_output=True,
                              cwd=self.folder.name)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.get("print.ptx").decode(), PRINT)

    def test_a_reader_that_leaves(self):
        """As other programs do: the signal ends the program, without a word and without files."""
        before = sorted(os.listdir(self.folder.name))
        for args in (("list", "sass", "--markdown"), ("run", "print.ptx", "-a", "n=0x7fffffff", "-g", "1", "-b", "1"),
                     ("run", "k.ptx", "-a", "out=buffer:u32[100000]", "-a", "n=1", "--save", "out=-", "--let",
                      "b=buffer:u32[4]", "--save", "b=b.npy", "-g", "1", "-b", "1", "-q")):
            child = subprocess.Popen([ATOLL, *args], cwd=self.folder.name, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
            child.stdout.read(1)
            child.stdout.close()
            err = child.stderr.read().decode()
            child.stderr.close()
            self.assertEqual(child.wait(timeout=60), -signal.SIGPIPE, err)
            self.assertNotIn("error", err)
            self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_a_long_run_ends_when_its_output_fails(self):
        start = time.time()
        with open("/dev/full", "wb") as full:
            code, err = self.run_to(full, "run", "print.ptx", "-a", "n=0x7fffffff", "-g", "1", "-b", "1")
        self.assertEqual((code, err.count("No space left")), (3, 1), err)
        self.assertLess(time.time() - start, 60)

    def test_what_a_kernel_prints_comes_before_results(self):
        self.put("both.ptx", PRINT.replace(".param .u32 n", ".param .u32 n, .param .u64 out"))
        out = subprocess.run([ATOLL, "run", "both.ptx", "-a", "n=2", "-a", "out=buffer:u8[3]=65", "-g", "1", "-b", "1",
                              "--save", "out=-", "-q"], cwd=self.folder.name, stdout=subprocess.PIPE).stdout
        self.assertEqual(out, 2 * (63 * b"." + b"\n") + b"AAA")

    # ---- files ----

    def test_the_reason_is_the_true_one(self):
        os.mkdir(self.path("folder"))
        os.symlink("loop", self.path("loop"))
        for path, reason in (("in.png/x.png", "Not a directory"), ("none/x.raw", "No such file or directory"),
                             ("in.png/a/x.npy", "Not a directory"), ("loop", "Too many levels of symbolic links"),
                             ("folder", "Is a directory"), ("x" * 300 + ".npy", "File name too long")):
            said = "cannot write '%s': %s" % (path, reason)
            name = path if path.endswith((".png", ".npy", ".raw")) else None
            if name and not path.endswith(".png"):
                self.refuse(3, said, *self.ARGS, "-a", "n=1", "--save", "out=" + path)
            self.refuse(3, said, *self.ARGS, "-a", "n=1", "--trace", path)
            self.refuse(3, said, "fmt", "k.ptx", "-o", path)
            self.refuse(3, said, "surface", "pack", "in.png", "-o", path)
            self.refuse(3, said, "surface", "pack", "in.png", "-o", "ok.bin", "--header", path)
        self.put("s.ptx", HEADER + ".entry s(.param .u64 t) { ret; }")
        self.refuse(3, "cannot write 'in.png/x.png': Not a directory", "run", "s.ptx", "-a", "t=surface:r8uint:4x4",
                    "--save", "t=in.png/x.png", "-g", "1")

    def test_a_trace_is_whole_or_not_there(self):
        self.put("t.txt", "old")
        self.atoll(*self.ARGS, "-a", "n=5000", "--trace=t.txt")
        whole = self.get("t.txt")
        self.assertGreater(len(whole), 100000)
        # what ends a run does not end its trace
        self.refuse(4, "instruction limit", *self.ARGS, "-a", "n=5000", "--trace=t.txt", "--limit-instructions", "100")
        self.assertTrue(whole.startswith(self.get("t.txt")[:1000]))
        self.refuse(1, "out-of-bounds", "run", "k.ptx", "-a", "out=buffer:u32[3]", "-a", "n=1", "-g", "1", "-b", "4",
                    "--trace=t.txt")
        self.assertIn(b"st", self.get("t.txt"))
        # but a full disk does, and the old one stays
        folder = full_disk()
        if not folder:
            self.skipTest("no small file system can be mounted here")
        try:
            path = os.path.join(folder, "t.txt")
            with open(path, "w") as file:
                file.write("old")
            for n in ("5000", "0x7fffffff"):  # the second would trace for hours
                err = self.atoll(*self.ARGS, "-a", "n=" + n, "--trace", path, code=3)[1]
                self.assertIn("cannot write '%s': No space left on device" % path, err)
                with open(path) as file:
                    self.assertEqual(file.read(), "old")
                self.assertEqual(os.listdir(folder), ["t.txt"])
            err = self.atoll("run", "k.ptx", "-a", "out=buffer:u32[40000]", "-a", "n=1", "-g", "1", "-b", "4", "-q", "-s",
                             "out=" + path[:-3] + "npy", code=3)[1]
            self.assertIn("No space left on device", err)
            self.assertEqual(os.listdir(folder), ["t.txt"])
        finally:
            subprocess.run(["umount", folder])
            os.rmdir(folder)

    def test_a_killed_run_leaves_nothing(self):
        before = sorted(os.listdir(self.folder.name))
        for number in (signal.SIGKILL, signal.SIGHUP):
            child = subprocess.Popen([ATOLL, *self.ARGS, "-a", "n=0x7fffffff", "--trace=t.txt", "--save", "out=o.raw"],
                                     cwd=self.folder.name, stderr=subprocess.PIPE, preexec_fn=heed_signals)
            time.sleep(0.5)
            child.send_signal(number)
            self.end(child)
            left = [name for name in sorted(os.listdir(self.folder.name)) if name not in before]
            # file systems without nameless files keep a hidden one
            self.assertEqual([name for name in left if not name.startswith(".t.txt.")], [])

    def test_an_interrupt_while_a_pipe_is_awaited(self):
        os.mkfifo(self.path("pipe"))
        child = subprocess.Popen([ATOLL, *self.ARGS[:3], "out=buffer:u32[4]@pipe", *self.ARGS[4:], "-a", "n=1"],
                                 cwd=self.folder.name, stderr=subprocess.PIPE, preexec_fn=heed_signals)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted while 'pipe' was opened", self.end(child))
        self.assertEqual(child.returncode, 130)

    def test_inputs_without_an_end(self):
        said = "'/dev/zero' has more than "
        self.put("a.raw", bytes(16))
        self.refuse(3, said, *self.ARGS, "-a", "n=1", "--expect=out=/dev/zero")
        self.refuse(3, said, "diff", "a.raw", "/dev/zero")
        self.refuse(3, said, *self.ARGS[:3], "out=buffer:u32[4]@/dev/zero", *self.ARGS[4:], "-a", "n=1")
        self.refuse(3, said + "1073741824 bytes", *self.ARGS[:3], "out=buffer:@/dev/zero", *self.ARGS[4:], "-a", "n=1")

    def test_an_interrupted_run_keeps_its_trace(self):
        child = subprocess.Popen([ATOLL, *self.ARGS, "-a", "n=0x7fffffff", "--trace=t.txt", "--save", "out=o.raw"],
                                 cwd=self.folder.name, stderr=subprocess.PIPE, preexec_fn=heed_signals)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted", self.end(child))
        self.assertEqual(child.returncode, 130)
        self.assertTrue(os.path.exists(self.path("t.txt")))
        self.assertFalse(os.path.exists(self.path("o.raw")))

    def test_two_outputs_to_one_file(self):
        self.put("there.raw", b"")
        os.symlink("there.raw", self.path("link.raw"))
        os.link(self.path("there.raw"), self.path("hard.raw"))
        os.symlink("soon.raw", self.path("dangling.raw"))
        os.mkdir(self.path("folder"))
        args = (*self.ARGS, "-a", "n=1", "--let", "b=buffer:u32[1]")
        for one, other in (("x.raw", "x.raw"), ("x.raw", "./x.raw"), ("x.raw", "folder/../x.raw"), ("there.raw", "link.raw"),
                           ("there.raw", "hard.raw"), ("dangling.raw", "soon.raw"), ("-", "-"), ("-", "/dev/stdout"),
                           ("x.raw", self.path("x.raw"))):
            if not other.endswith(".raw") and other != "-":
                continue
            self.refuse(2, "go to one file", *args, "--save", "out=" + one, "--save", "b=" + other)
            self.refuse(2, "go to one file", *args, "--save", "out=" + one, "--trace=" + other)
        self.refuse(2, "are one file", "surface", "pack", "in.png", "-o", "x.bin", "--header", "./x.bin")
        self.atoll(*args, "--save", "out=x.raw", "--save", "b=folder/x.raw", "--save", "out=X.raw")
        # through a link that points to nothing yet
        self.atoll(*args, "--save", "out=dangling.raw")
        self.assertTrue(os.path.islink(self.path("dangling.raw")))
        self.assertEqual(self.get("soon.raw"), struct.pack("<4I", 0, 1, 2, 3))

    def test_results_have_the_modes_of_the_files_they_replace(self):
        self.put("a.raw", b"old")
        os.chmod(self.path("a.raw"), 0o604)
        self.atoll(*self.ARGS, "-a", "n=1", "--save", "out=a.raw", "--save", "out=b.raw", "--trace=a.txt")
        mask = os.umask(0)
        os.umask(mask)
        modes = [stat.S_IMODE(os.stat(self.path(name)).st_mode) for name in ("a.raw", "b.raw", "a.txt")]
        self.assertEqual(modes, [0o604, 0o666 & ~mask, 0o666 & ~mask])
        # pipes are written to, not replaced
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        self.atoll(*self.ARGS, "-a", "n=1", "--trace=pipe")
        self.assertIn(b"st", os.read(reader, 100000))
        os.close(reader)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    # ---- help, exit codes ----

    def test_help_and_version_are_words_too(self):
        for command in ("run", "check", "surface"):
            self.assertEqual(self.atoll("help", command), self.atoll(command, "--help"))
            self.assertEqual(self.atoll("--help", command), self.atoll(command, "-h"))
        self.assertEqual(self.atoll("version"), self.atoll("--version"))
        self.assertRegex(self.atoll("version")[0], r"^atoll \d+\.\d+\.\d+\nengines: interp (jit|\(no jit: .*\))\n$")
        self.assertEqual(self.atoll("help"), self.atoll("--help"))
        self.refuse(2, "unknown command 'walk'", "help", "walk")

    def test_exit_codes_are_documented_once(self):
        docs = os.path.join(EXAMPLES, "..", "docs")
        with open(os.path.join(docs, "cli.md")) as file:
            table = re.search(r"## Exit codes\n\n((?:\|.*\n)+)", file.read())[1]
        rows = dict(re.findall(r"\| (\d+) \| (.*) \|\n", table))
        with open(os.path.join(docs, "atoll.1.scd")) as file:
            page = re.search(r"# EXIT STATUS\n(.*?)\n# ", file.read(), re.S)[1]
        for code, meaning in re.findall(r"(?m)^  (\d+) +(.*)$", self.atoll("help")[0].split("exit codes:\n")[1]):
            self.assertTrue(rows.pop(code).startswith(meaning), code)
            self.assertIn("*%s*\n\t%s" % (code, meaning[0].upper() + meaning[1:]), page)
        self.assertFalse(rows)

    COMMAND_NAMES = ("run", "check", "info", "fmt", "dis", "asm", "list", "explain", "surface", "lint", "litmus", "diff",
                     "completion")

    def test_options_are_listed_once_and_in_the_manual_page(self):
        with open(os.path.join(EXAMPLES, "..", "docs", "atoll.1.scd")) as file:
            page = file.read()
        names = re.findall(r"(?m)^  (\w+) ", self.atoll("help")[0].split("commands:\n")[1].split("\n\n")[0])
        self.assertEqual(tuple(names), self.COMMAND_NAMES)
        for command in names:
            options = re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", self.atoll(command, "--help")[0])
            self.assertEqual(len(options), len(set(options)), command)
            for option in options:
                if option != "help":
                    self.assertTrue(re.search(r"\*(?:\w+ )?--%s(\*|=)" % option, page), "%s, of %s" % (option, command))

    def test_help_has_examples(self):
        for command in self.COMMAND_NAMES:
            self.assertTrue("atoll %s " % command in self.atoll(command, "--help")[0].split("options:\n")[1], command)
        self.assertGreater(self.atoll("run", "--help")[0].count("\n  atoll run "), 4)

    def on_terminal(self, *args, columns=0):
        """What is on a terminal that is standard error; one of no columns does not know how many it has."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen([ATOLL, *args], cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        said = b""
        try:
            while part := os.read(leader, 4096):
                said += part
        except OSError: # the other end is closed
            pass
        os.close(leader)
        self.assertEqual(child.wait(), 0)
        return said.decode()

    def test_progress(self):
        self.put("spin.ptx", HEADER + ".visible .entry k(.param .u32 n)\n{\n  .reg .u32 %r<3>; .reg .pred %p;\n  ld.param.u32 %r1, [n];\n"
                 "again:\n  sub.u32 %r1, %r1, 1;\n  setp.ne.u32 %p, %r1, 0;\n  @%p bra again;\n  ret;\n}\n")
        for check in ((), ("--check=init",)):
            for n in (1 << 17, 1 << 20, 1 << 23):
                words = ("run", "spin.ptx", "-g", "64", "-b", "32", "-a", f"n={n}", "--engine=interp", *check)
                shown = re.findall(r"\r\x1b\[K(\d+) of 64 blocks \((\d+) %\), [\d.]+ M warp instructions/s, (\d+) s(, \d+ s left|)", self.on_terminal(*words))
                if len(shown) > 4:
                    break
            self.assertGreater(len(shown), 4, "no progress was seen")
            done = [int(row[0]) for row in shown]
            self.assertEqual((done, done[-1]), (sorted(done), 64))
            self.assertTrue(all(abs(int(row[1]) - int(row[0]) * 100 / 64) <= 1 and bool(row[3]) == (row[0] != "0") for row in shown))
            self.assertNotIn("\x1b", self.on_terminal(*words, "-q"))
            self.assertNotIn("blocks (", "".join(self.atoll(*words)[:2]))
        lines = self.on_terminal(*words, columns=30).split("\r\x1b[K")[1:]
        self.assertTrue(all(len(line) <= 29 for line in lines), lines)
        self.assertRegex(lines[0], r"^\d+ of 64 blocks \(\d+ %\), ")

    def test_what_is_not_known_is_a_wrong_command_line(self):
        for words in (("foo",), ("foo.u32",), ("FOO",), ("-b", "SM50", "HADD2"), ("-b", "SM60", "IADD"),
                      ("suld.b.9d.b32.trap",), ("ATOMS.FOO",), ("ffffffffffffffff",), ("",),
                      ("IADD R1, R2",)):
            self.refuse(2, "error:", "explain", *words)
        self.refuse(2, "unknown table", "list", "colours")
        self.refuse(2, "", "lint", "colours")


if __name__ == "__main__":
    unittest.main()
