"""What tests of the command line share: a folder of their own, running atoll there, files of pictures and arrays."""

import ast
import os
import re
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib

ATOLL = os.environ["ATOLL"]
EXAMPLES = os.environ["EXAMPLES"]
HEADER = ".version 7.0\n.target sm_75\n.address_size 64\n"


def png(width, height, color, depth, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def npy(descr, shape, data):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n" % (descr, shape)
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data


def npy_read(data):
    length = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10 : 10 + length].decode().strip())
    return head, data[10 + length :]


def jit_missing():
    """Why there is no engine that compiles; None: there is one."""
    out = subprocess.run([ATOLL, "version"], capture_output=True, check=True).stdout.decode()
    missing = re.search(r"\(no jit: (.*)\)", out)
    return missing and missing[1]


def engine_env():
    """The environment for runs that compile: no cache, and no leak checker, as gcc 12's crashes now and then in processes that opened libLLVM."""
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return dict(os.environ, ATOLL_CACHE="", ASAN_OPTIONS=options)


def heed_signals():
    """For the child of a test: who runs the tests (nohup, a shell in the background) may have signals ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Rig(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def atoll(self, *args, code=0, stdin=b""):
        """Runs it; returns (stdout, stderr) as text."""
        done = subprocess.run([ATOLL, *args], cwd=self.folder.name, input=stdin, capture_output=True, timeout=120)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"atoll {' '.join(args)}\n{out}\n{err}")
        return out, err

    def refuse(self, code, word, *args, stdin=b""):
        """Wants a failure that says `word` and leaves no file behind."""
        before = sorted(os.listdir(self.folder.name))
        err = self.atoll(*args, code=code, stdin=stdin)[1]
        self.assertIn(word, err)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def end(self, child):
        """Waits for a child that a signal was sent to; returns its stderr. It does not outlive the test."""
        try:
            return child.communicate(timeout=60)[1]
        finally:
            child.kill()
