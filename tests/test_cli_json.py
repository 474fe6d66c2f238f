"""What commands write as JSON, held against docs/json-schema.json.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import json
import os
import unittest

import json_rig
from cli_rig import EXAMPLES, HEADER, Rig, npy

LITMUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "litmus", "global")


class Json(Rig):
    def document(self, kind, *args, code=0, stdin=b""):
        return json_rig.hold(self.atoll(*args, code=code, stdin=stdin)[0], kind)

    def test_what_the_rig_finds(self):
        good = '{"atoll":{"version":1,"kind":"list"},"table":"x","formats":[]}'
        json_rig.hold(good, "list")
        for bad in (good.replace("1", "2"), good.replace('"x"', "7"), good.replace("[]", "[{}]"),
                    good.replace("[]", '[],"more":1'), good.replace('"table":"x",', ""), good.replace("[]", "[],\"table\":\"x\"")):
            with self.assertRaises(AssertionError):
                json_rig.hold(bad, "list")

    def test_list(self):
        formats = self.document("list", "list", "formats", "--json")["formats"]
        self.assertIn({"name": "rg16float", "bytes": 4, "kind": "float", "bits": [16, 16]}, formats)
        self.assertEqual(len(formats), len(self.atoll("list", "formats")[0].splitlines()) - 1)
        for family, head in (("ptx", 1), ("sass", 0), ("visa", 0), ("ctm", 0)):
            for options in ((), ("--surface",)):
                rows = self.document("list", "list", family, "--json", *options)["instructions"]
                lines = self.atoll("list", family, *options)[0].splitlines()
                self.assertEqual(len(rows), len(lines) - head)
                for row, line in zip(rows, lines[head:]):
                    self.assertIn(row["syntax"] if "syntax" in row else row["summary"], line)
                    self.assertIn(row["name"], line)
        self.refuse(2, "--json and --markdown exclude each other", "list", "ptx", "--json", "--markdown")

    def test_explain(self):
        given = ("suld.b.2d.b32.trap", "ATOMS.CAST.SPIN", "ea020a0600470210")
        for row, one in zip(self.document("explain", "explain", "--json", *given)["instructions"], given):
            self.assertEqual(row["given"], one)
            text = self.atoll("explain", one)[0]
            self.assertIn("%s - %s\n" % (row["name"], row["summary"]), text)
            for fact in row["facts"]:
                self.assertIn("\n%s\n%s\n" % (fact["title"], "\n".join("  " + line for line in fact["lines"])), text)
        self.assertEqual(self.document("explain", "explain", "--json", "-b", "SM50", "XMAD")["instructions"][0]["family"], "sass")
        for bad in (("suld.b.2d.b32.trap", "nonsense"), ("-b", "SM99", "XMAD")):
            self.assertEqual(self.atoll("explain", "--json", *bad, code=2)[0], "")

    def test_diff(self):
        self.put("a.npy", npy("<u2", "(4,)", bytes([1, 0, 2, 0, 3, 0, 9, 0])))
        self.put("b.npy", npy("<u2", "(4,)", bytes([1, 0, 5, 0, 3, 0, 8, 0])))
        self.put("c.npy", npy("<u4", "(2,)", bytes(8)))
        same = self.document("diff", "diff", "--json", "a.npy", "a.npy")
        self.assertEqual((same["differs"], same["different"], same["elements"], same["message"]), (False, 0, 4, ""))
        other = self.document("diff", "diff", "--json", "a.npy", "b.npy", code=1)
        self.assertEqual((other["differs"], other["different"], other["worst"]), (True, 2, 1))
        self.assertIn("a.npy, b.npy: %s\n" % other["message"], self.atoll("diff", "a.npy", "b.npy", code=1)[0])
        self.assertEqual(self.document("diff", "diff", "--json", "a.npy", "b.npy", "--tolerance=3")["differs"], False)
        self.assertEqual(self.document("diff", "diff", "--json", "a.npy", "c.npy", code=1)["differs"], True)

    def test_check(self):
        self.put("good.ptx", HEADER + ".visible .entry k()\n{\n  ret;\n}\n")
        self.put("bad.ptx", HEADER + ".visible .entry k()\n{\n  foo.u32 1;\n}\n")
        self.assertEqual(self.document("check", "check", "--json", "good.ptx")["files"],
                         [{"file": "good.ptx", "diagnostics": [], "errors": 0, "warnings": 0, "exit_code": 0}])
        good, bad, none = self.document("check", "check", "--json", "good.ptx", "bad.ptx", "none.ptx", code=3)["files"]
        self.assertEqual((good["exit_code"], bad["exit_code"], none["exit_code"]), (0, 1, 3))
        self.assertEqual([(m["code"], m["line"]) for m in bad["diagnostics"]], [("unknown-opcode", 6)])
        lines = self.atoll("check", "--diagnostics=json", "bad.ptx", code=1)[0].splitlines()
        self.assertEqual([json.loads(line) for line in lines], bad["diagnostics"])
        self.assertEqual(len(self.document("check", "check", "--json", "--link", "good.ptx", "bad.ptx", code=1)["files"]), 1)

    def test_hazards(self):
        with open(os.path.join(EXAMPLES, "ctm", "copy.dpp"), encoding="utf-8") as file:
            self.put("late.dpp", file.read().replace("r1 wait", "r1"))
        file, = self.document("check", "check", "--hazards", "--json", "late.dpp", code=1)["files"]
        said = self.atoll("check", "--hazards", "late.dpp", code=1)[0].splitlines()
        self.assertEqual([m["message"] for m in file["diagnostics"]], said)
        self.assertEqual({m["code"] for m in file["diagnostics"]}, {"hazard"})

    def test_info(self):
        info = self.document("info", "info", "--json", os.path.join(EXAMPLES, "sobel.ptx"))
        self.assertEqual([k["name"] for k in info["kernels"]], ["sobel", "sobel_clamp", "sobel_zero", "sobel_trap"])

    def test_litmus(self):
        out = self.atoll("litmus", "--json", os.path.join(LITMUS, "SB+relaxed.litmus"))[0]
        for line in out.splitlines():
            json_rig.hold(line, "litmus")
        self.assertEqual(len(out.splitlines()), 1)

    def test_names_are_escaped(self):
        self.put('q"\x01.ptx', HEADER + ".visible .entry k()\n{\n  ret;\n}\n")
        self.assertEqual(self.document("info", "info", "--json", 'q"\x01.ptx')["file"], 'q"\x01.ptx')

    def test_dis(self):
        self.atoll("asm", os.path.join(EXAMPLES, "spin.sass"), "-o", "k.cubin")
        lines = self.document("disassembly", "dis", "k.cubin", "--json")["lines"]
        code = [line for line in lines if line.get("section") == ".text.count_cas"]
        self.assertIn({"section": ".text.count_cas", "address": 0x10, "word": "0xf0a81b8000070000", "text": "BAR.SYNC 0x0 ;"}, code)
        self.assertIn({"section": ".text.count_cas", "label": "count_cas"}, code)
        self.assertEqual([line["address"] for line in code if "address" in line],
                         [8 * i for i in range(max(line.get("address", 0) for line in code) // 8 + 1) if i % 4])
        self.assertTrue(all("word" in line for line in code if "address" in line))
        listing = self.atoll("dis", "k.cubin", "--hex")[0]
        self.assertEqual(len(lines), sum(1 for line in listing.splitlines() if line.strip() and not line.strip().startswith("//")))
        for line in lines:
            self.assertIn(line.get("text", line.get("label", line.get("word"))), listing)
        self.assertIn("?Y", " ".join(line.get("text", "") for line in self.document("disassembly", "dis", "k.cubin", "--control", "--json")["lines"]))
        for source, name in (("ctm/copy.dpp", "k.elf"), ("typed_atomic.visaasm", "k.isa")):
            self.atoll("asm", os.path.join(EXAMPLES, source), "-o", name)
            rows = self.document("disassembly", "dis", name, "--json")["lines"]
            text = self.atoll("dis", name)[0]
            self.assertTrue(rows and all(row.get("text", row.get("label")) in text for row in rows))
        self.refuse(2, "--json is of files of code, not of --words", "dis", "-b", "SM50", "--words", "--json", "-")

    def test_headers(self):
        self.atoll("surface", "pack", os.path.join(EXAMPLES, "gray.png"), "-o", "s.bin", "--header", "s.tic", "--address", "0x1200")
        header, = self.document("headers", "surface", "show", "s.tic", "--json")["headers"]
        self.assertEqual(header["surface"], {"format": "r8unorm", "layout": "block-linear", "extent": [256, 256, 1, 1],
                                             "bytes": 65536, "address": 0x1200})
        text = self.atoll("surface", "show", "s.tic")[0].splitlines()
        self.assertEqual([field["name"] for field in header["fields"]], [line.split()[0] for line in text[:-1]])
        for field, line in zip(header["fields"], text):
            self.assertEqual(int(line.split()[1], 0), field["value"])
            self.assertEqual(line.split()[2:], [field["meaning"]] if "meaning" in field else [])
        self.put("two.tic", bytes(32) + b"\xff" * 32)
        both = self.document("headers", "surface", "show", "two.tic", "--json")["headers"]
        self.assertTrue(len(both) == 2 and all("no_surface" in one and "surface" not in one for one in both))
        self.refuse(2, "--json is of show", "surface", "unpack", "s.bin", "--header", "s.tic", "-o", "a.png", "--json")


if __name__ == "__main__":
    unittest.main()
