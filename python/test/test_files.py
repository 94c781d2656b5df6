"""compile() takes files of programs as the tool does."""

import os
import signal
import subprocess
import sys
import time

import cclc
import pytest
import twins

CPP = """#include "cclc/DSL/DSL.h"
using namespace cclc::dsl;
constexpr IntParam hops{"hops", "number of copies", 1, 1, 8};
static void trace(Program &p) {
  ChunkRef c = p.chunk(0, Input, 0).copy(1, Output, 0);
  STATEMENT
  p.chunk(1, Input, 0).copy(2, Output, 0);
}
CCLC_PROGRAM(pass_on) {
  d.collective(AllToNext).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace).param(hops).body(trace);
}
"""
PYTHON = """import cclc

@cclc.program("alltonext", buffers="out_of_place", hops=cclc.Int(1, 1, 8))
def pass_on(p, hops):
    p.chunk(0, cclc.Input, 0).copy(1, cclc.Output, 0)
    p.chunk(1, cclc.Input, 0).copy(2, cclc.Output, 0)
"""


@pytest.fixture(name="write")
def make_write(tmp_path, monkeypatch):
    """Writes the program with a statement into a file of the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(statement="", name="pass_on.cpp"):
        (tmp_path / name).write_text(CPP.replace("STATEMENT", statement))
        return tmp_path / name
    return write


@pytest.mark.parametrize("given, words", [
    ({"hops": 2, "O": 1, "jobs": 2}, "-p hops=2 -O1 -j 2"),
    ({"param": {"hops": 2}, "slots": "inf", "fuse": ["rcs", "rrs"], "aggregate": True},
     "-p hops=2 --slots inf --fuse rcs,rrs --aggregate"),
    ({"fuse": False, "verify": False, "max_bytes": "1M", "protocol": "LL"},
     "--no-fuse --no-verify --max-bytes 1M --protocol LL"),
    ({"target": "ring", "set": {"link.bandwidth": 1e9}, "endpoints": [0, 2, 1]},
     "--target ring --set link.bandwidth=1000000000.0 --endpoints 0,2,1")])
def test_cpp(write, given, words):
    write()
    code, text = twins.tool("cclc", "pass_on.cpp", "--ranks", 3, *words.split(), "-o", "plan.json")
    assert code == 0, text
    plan = cclc.compile("pass_on.cpp", ranks=3, **given)
    with open("plan.json", encoding="utf-8") as file:
        assert plan.write("json") == file.read()
    assert plan.file == ""
    stages = []
    cclc.compile("pass_on.cpp", ranks=3, progress=stages.append)
    assert stages == ["cclc pass_on.cpp"]


def test_forms(write):
    assert cclc.compile(write(), ranks=3, emit="xml", xml_dialect="msccl").verify()
    with pytest.raises(cclc.ProgramError, match="illegal for rccl"):
        cclc.compile(write(), ranks=3, emit="xml", xml_dialect="rccl")


@pytest.mark.parametrize("statement, kind, text", [
    ("p.chunk(9, Input, 0);", cclc.ProgramError, "rank 9 is out of range: the program has 3 ranks"),
    ("p.chunk(0, Inputs, 0);", cclc.UsageError, "does not compile with c\\+\\+: .*Inputs.* was not declared"),
    ("*(volatile int *)0 = 1;", cclc.UsageError, "program 'pass_on' crashed after this call of the DSL"),
    ('p.refuse("it needs, say: 100 % more");', cclc.UsageError, "it needs, say: 100 % more")])
def test_errors(write, statement, kind, text):
    write(statement)
    with pytest.raises(kind, match=text) as caught:
        cclc.compile("pass_on.cpp", ranks=3)
    message = caught.value.messages[0]
    assert (message.file, message.line) == ("pass_on.cpp", 5 if "crashed" in text else 6)


def test_wrong_arguments(write):
    write()
    with pytest.raises(cclc.UsageError, match="hop"):
        cclc.compile("pass_on.cpp", ranks=3, hop=2)
    with pytest.raises(TypeError, match="ranks cannot be 'x'"):
        cclc.compile("pass_on.cpp", ranks="x")
    with pytest.raises(cclc.UsageError, match="none.cpp"):
        cclc.compile("none.cpp")


def test_python(tmp_path):
    (tmp_path / "pass_on.py").write_text(PYTHON)
    plan = cclc.compile(tmp_path / "pass_on.py", ranks=3, hops=2)
    assert plan.steps == 4
    paths = list(sys.path)
    cclc.compile(tmp_path / "pass_on.py", ranks=3)
    assert sys.path == paths
    (tmp_path / "empty.py").write_text("import cclc\n")
    with pytest.raises(cclc.UsageError, match="empty.py declares no program"):
        cclc.compile(str(tmp_path / "empty.py"))


def test_interrupt(write):
    """Ctrl-C ends the tool as well."""
    write("for (;;) {}")
    code = "import cclc; print('ready', flush=True); cclc.compile('pass_on.cpp', ranks=3)"
    with subprocess.Popen([sys.executable, "-c", code], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
