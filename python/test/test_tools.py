"""The tools take files in Python as they take those in C++."""

import json
import os
import shutil

import cclc
import pytest
import twins

PROGRAM = '''import cclc
import helper


@cclc.program("allreduce", how=cclc.Int(0, 0, 8, help="what it does"))
def ring(p, how):
    """Passes each chunk around the ring twice."""
    print("traced")
    helper.ring(p)
    if how:
        helper.ACTIONS[how - 1](p)


if __name__ == "__main__":
    print(cclc.compile(ring, ranks=4))
'''
HELPER = '''import ctypes
import os
import sys
from cclc import Input, Output


def ring(p):
    p.chunks(p.ranks)
    for c in range(p.ranks):
        total = p.chunk(c, Output, c)
        for hop in range(1, p.ranks):
            total = p.chunk((c + hop) % p.ranks, Output, c).reduce(total)
        for hop in range(p.ranks - 1):
            total = total.copy((c + hop) % p.ranks, Output, c)


def overrun(p):
    p.chunk(9, Input, 0)


def throw(p):
    raise ValueError("mine")


def leave(p):
    sys.exit(3)


def quit(p):
    os._exit(3)


def loop(p):
    while True:
        pass


def crash(p):
    ctypes.string_at(0)


def recurse(p):
    recurse(p)


def refuse(p):
    p.refuse("it needs more ranks")


ACTIONS = [overrun, throw, leave, quit, loop, crash, recurse, refuse]
'''


def line_of(text):
    return HELPER[:HELPER.index(text)].count("\n") + 1


@pytest.fixture(scope="module", name="folder")
def make_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "ring.py").write_text(PROGRAM)
    (folder / "helper.py").write_text(HELPER)
    return folder


def test_plan(folder):
    code, text = twins.tool("cclc", "ring.py", "--ranks", 4, "-o", "ring.json", cwd=folder)
    assert (code, text) == (0, "traced\n")
    plan = json.loads((folder / "ring.json").read_text())
    assert plan["files"] == ["helper.py"] and plan["parameters"] == {"how": "0"}
    proof = cclc.load(folder / "ring.json").verify()
    assert proof.ok
    code, text = twins.tool("cclc", "ring.py", "--ranks", 4, "--stats", cwd=folder)
    assert code == 0 and "ring: allreduce over 4 ranks" in text


def test_description(folder):
    code, text = twins.tool("cclc", "describe", "ring.py", cwd=folder)
    assert code == 0
    assert "Passes each chunk around the ring twice." in text
    assert "how = 0    integer 0..8" in text and "what it does" in text


AFTER = "after this call of the DSL"


@pytest.mark.parametrize("how, code, call, expected", [
    (1, 1, "p.chunk(9", "rank 9 is out of range: the program has 4 ranks"),
    (2, 1, "total.copy", f"program 'ring' ended with an exception {AFTER}: ValueError: mine"),
    (3, 1, "total.copy", f"program 'ring' ended with an exception {AFTER}: SystemExit: 3"),
    (4, 2, "total.copy", f"program 'ring' called _exit() {AFTER}"),
    (5, 1, "total.copy", f"program 'ring' was stopped {AFTER}: it ran for more than 1 s; check for an infinite loop, "
                         "or raise the limit with --trace-timeout SECONDS"),
    (6, 2, "total.copy", f"program 'ring' crashed {AFTER}: invalid access to memory"),
    (7, 1, "total.copy", f"program 'ring' ended with an exception {AFTER}: RecursionError: maximum recursion depth "
                         "exceeded"),
    (8, 2, "p.refuse", "it needs more ranks")])
def test_ends(folder, how, code, call, expected):
    found, text = twins.tool("cclc", "ring.py", "--ranks", 4, "-p", f"how={how}", "--trace-timeout", 1, "-o",
                             "x.json", cwd=folder)
    assert (found, text) == (code, f"traced\nhelper.py:{line_of(call)}: error: {expected}\n")


@pytest.mark.parametrize("text, expected", [
    ("def x(:\n", "file.py:1: error: SyntaxError: invalid syntax"),
    ("import cclc\nimport nothing\n", "file.py:2: error: ModuleNotFoundError: No module named 'nothing'"),
    ("import cclc\n", "file.py: error: declares no program: it needs one function with @cclc.program(...)"),
    ("import cclc\n@cclc.program('reduce')\ndef a(p): pass\n@cclc.program('reduce')\ndef b(p): pass\n",
     "file.py: error: declares 2 programs: it needs one function with @cclc.program(...)"),
    ("import cclc\n@cclc.program('sum')\ndef a(p): pass\n", "file.py: error: unknown collective 'sum'"),
    ("import cclc\ncclc.compile('allreduce_ring')\n", "file.py: error: cclc.compile() is for scripts, and a tool "
     "executes this file: call it below if __name__ == \"__main__\"")])
def test_files_that_are_no_programs(tmp_path, text, expected):
    (tmp_path / "file.py").write_text(text)
    assert twins.tool("cclc", "file.py", cwd=tmp_path) == (2, expected + "\n")


def test_tune(folder):
    code, text = twins.tool("ccl-tune", "ring", "allreduce", "--ranks", 4, "--sizes", "1K:64K:64", "--programs",
                            "ring.py", "-p", "how=0", "-j", 2, "--no-cache", "-o", "tuned", cwd=folder)
    assert code == 0, text
    rows = json.loads((folder / "tuned/portfolio.json").read_text())["rows"]
    assert {row["command"].split()[0] for row in rows} == {"ring.py"}
    plan = cclc.load_portfolio(folder / "tuned/portfolio.json").best("allreduce", 4, "1K")
    assert plan.points[0].picoseconds == plan.plan.simulate("ring", bytes="1K")[0].picoseconds


def test_without_the_package(folder, tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(os.path.join(twins.BIN, "cclc"), tmp_path / "bin")
    code, text = twins.tool(tmp_path / "bin/cclc", "ring.py", cwd=folder)
    assert (code, text) == (2, "ring.py: error: is a program in Python, and the package of Python is not installed "
                               "beside the tools: install python3-cclc\n")
