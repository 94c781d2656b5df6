#!/usr/bin/env python3
"""Runs examples/ci, the repository of algorithms, on a copy: unchanged, with changes that must
fail and with changes that must pass.

usage: check_ci.py --bin DIR FOLDER
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RING = "programs/allreduce_two_way_ring.cpp"
MESH = "programs/allgather_mesh.cpp"


class Repository:
    """A copy of the example, and the output of its script."""

    def __init__(self, source, folder, tools):
        self.root = folder
        self.environment = dict(os.environ, CCLC_BIN=str(tools), NO_COLOR="1",
                                XDG_CACHE_HOME=str(folder.parent / "cache"))
        self.environment.pop("GITHUB_ACTIONS", None)
        self.environment.pop("GITHUB_STEP_SUMMARY", None)
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("build"))

    def check(self, *arguments, **environment):
        """Exit code and output of check.sh, run from another folder."""
        done = subprocess.run([self.root / "check.sh", *arguments], cwd="/", text=True, check=False,
                              env=dict(self.environment, **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def edit(self, name, old, new):
        path = self.root / name
        text = path.read_text()
        assert old in text, f"{name} has no '{old}'"
        path.write_text(text.replace(old, new))

    def golden(self):
        return {path.name: path.read_bytes() for path in (self.root / "golden").iterdir()}


def expect(result, code, *texts):
    """Checks the exit code and the lines that the output must contain."""
    lines = result[1].splitlines()
    missing = [text for text in texts if text not in lines]
    if result[0] != code or missing:
        sys.exit(f"{result[1]}\nexit code {result[0]}, not {code}" if result[0] != code
                 else f"{result[1]}\nno line {missing}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        repository = Repository(args.folder, pathlib.Path(scratch) / "algorithms", args.bin.resolve())
        accepted = repository.golden()

        # Unchanged, it passes, and there are no differences to accept.
        expect(repository.check(), 0, "golden/ring-8.json and build/ring-8.json are equivalent")
        expect(repository.check("--update"), 0, "golden/mesh-16.json: equivalent, not changed")
        assert repository.golden() == accepted
        # The committed files are the output of the compiler, and contain no paths of a machine.
        for path in (repository.root / "golden").iterdir():
            path.unlink()
        expect(repository.check("ring-8"), 1,
               "algorithms.txt:5: golden/ring-8.json is missing: create it with check.sh --update ring-8", "failed: ring-8")
        expect(repository.check("--update"), 0, "golden/ring-8.json: created, 240 steps")
        assert repository.golden() == accepted
        for name, content in accepted.items():
            assert scratch.encode() not in content and b'"/' not in content, name

        # A change of line numbers is not a difference.
        repository.edit(RING, "#include", "// One more line.\n#include")
        expect(repository.check("ring-8"), 0)

        # All chunks in one direction: correct, but slower. No other algorithm is affected.
        repository.edit(RING, "c < R ? 1 : R - 1", "1")
        slower = repository.check()
        expect(slower, 1, "failed: ring-8 ring-4-ll",
               "golden/mesh-16.json and build/mesh-16.json are equivalent",
               "gate time:+2% tripped: time at 4194304 bytes 50700.160 ns -> 74400.320 ns (+46.75%)",
               "if this change is intended, accept it with check.sh --update ring-8")
        assert repository.golden() == accepted
        page = pathlib.Path(scratch) / "summary.md"
        annotated = repository.check("ring-8", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page))
        assert "### build/ring-8.json" in page.read_text(), page.read_text()
        expect(annotated, 1,
               "::error title=ccl-diff build/ring-8.json::gate time:+2%25 tripped: time at 4194304 "
               "bytes 50700.160 ns -> 74400.320 ns (+46.75%25)")
        assert f"::warning file={RING},line=" in annotated[1], annotated[1]

        # Every failure is annotated, is on the page of the run and is a test case.
        broken = shutil.copytree(repository.root, pathlib.Path(scratch) / "broken")
        other = Repository(broken, pathlib.Path(scratch) / "broken-copy", args.bin.resolve())
        other.edit(MESH, "const int W = p.get(width)", "const int W = 0")
        (other.root / "golden/ring-8.json").write_text('{"cclc-plan": ')
        (other.root / "golden/ring-4-ll.json").rename(other.root / "golden/renamed.json")
        page = pathlib.Path(scratch) / "broken.md"
        failures = other.check(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page))
        expect(failures, 1, "failed: ring-8 ring-4-ll mesh-16 golden/renamed.json",
               "::error file=golden/ring-8.json,title=check.sh::not compared: restore this file, or "
               "create it again with check.sh --update ring-8",
               "::error file=algorithms.txt,line=6,title=check.sh::golden/ring-4-ll.json is missing: "
               "create it with check.sh --update ring-4-ll",
               f"::error file={MESH},title=cclc::program 'allgather_mesh' crashed before its first "
               "call of the DSL: arithmetic error, such as a division by 0",
               "::error file=golden/renamed.json,title=check.sh::no line of algorithms.txt has this "
               "name: remove the file, or restore the line")
        assert "accept it" not in failures[1], failures[1]
        text = page.read_text()
        assert text.count("Not compared:") == 3 and f"    {MESH}: error: program" in text, text
        suite = xml.etree.ElementTree.parse(other.root / "build/report.xml").getroot()[0]
        assert suite.get("failures") == "3", xml.etree.ElementTree.tostring(suite)
        assert [case.get("name") for case in suite] == ["ring-8", "ring-4-ll", "mesh-16"]
        assert "division by 0" in suite[2][0].text, suite[2][0].text
        # A table whose golden files would not be compared is refused.
        table = other.root / "algorithms.txt"
        rows = table.read_text()
        for row, why in (
                ("ring-8 | x.cpp | ring | 4K:8K", "ring-8 is the name of two lines, which would share a "
                 "golden file"),
                ("ring 9 | x.cpp | ring | 4K:8K", "the name 'ring 9' may have letters, digits, '_', "
                 "'.' and '-' only"),
                ("ring-9 | x.cpp | ring", "ring-9: a line has four columns: name | program and options "
                 "| target | sizes")):
            table.write_text(rows + row + "\n")
            expect(other.check("none"), 2, f"algorithms.txt:8: {why}")
        table.write_text(rows)

        expect(repository.check(CCLC_BIN="/nowhere", PATH="/usr/bin:/bin"), 2,
               "check.sh: cclc is not found: set CCLC_BIN to the folder of the tools")

        # Only the accepted algorithm passes.
        expect(repository.check("--update", "ring-8"), 0, "golden/ring-8.json: updated")
        expect(repository.check("ring-8"), 0)
        expect(repository.check(), 1, "failed: ring-4-ll")
        expect(repository.check("--update"), 0, "golden/ring-8.json: equivalent, not changed",
               "golden/ring-4-ll.json: updated", "golden/mesh-16.json: equivalent, not changed")
        expect(repository.check(), 0)

        # Two additional hops, back and forth between neighbours.
        repository.edit(MESH, "chunks = chunks.copy(rank(to, column)",
                        'chunks = chunks.copy(rank(to, column), p.scratch("detour"))'
                        '.copy(rank(to - step, column), p.scratch("detour"))'
                        '.copy(rank(to, column)')
        detour = repository.check("mesh-16")
        expect(detour, 1, "failed: mesh-16", "  ~ messages: 96 -> 192",
               "gate scratch:0 tripped: scratch chunks of a rank 0 -> 32")
        assert "gate time:+2% tripped" in detour[1], detour[1]

        # An incorrect program cannot be accepted.
        accepted = repository.golden()
        repository.edit(RING, "hop < 2 * R - 1", "hop < 2 * R - 2")
        for arguments in ["ring-8"], ["--update", "ring-8"]:
            wrong = repository.check(*arguments)
            expect(wrong, 1, "failed: ring-8")
            assert f"{RING}:" in wrong[1] and "error: wrong result" in wrong[1], wrong[1]
        assert repository.golden() == accepted

        # Unknown names and malformed tables.
        expect(repository.check("ring-9"), 2,
               "algorithms.txt: there is no ring-9; there are ring-8 ring-4-ll mesh-16")
        repository.edit("algorithms.txt", "| ring ", "ring ")
        expect(repository.check(), 2, "algorithms.txt:5: ring-8: a line has four columns: "
               "name | program and options | target | sizes")
        for name in ".github/workflows/plans.yml", ".gitlab-ci.yml":
            assert "./check.sh" in (repository.root / name).read_text(), name
    print("the example works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
