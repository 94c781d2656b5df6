"""What belongs to the process: interrupts, the time of the import and of traces, names of symbols, and stubs."""

import ast
import collections.abc
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import types

import cclc
import pytest

CALLS = {
    "a body": "cclc.compile(forever)",
    "a body that calls": "cclc.compile(calling)",
    "a compilation": "cclc.compile('allreduce_allpairs', target='fully-connected', ranks=64, O=3)",
    "a search in threads": "cclc.tune('torus2d', 'allreduce', sizes='1K:1G', jobs=2)",
    "a simulation": "cclc.compile('allreduce_ring', ranks=256).simulate('fully-connected', bytes='1K:4G')",
    "advice": "cclc.compile('allreduce_ring', target='ring', ranks=64).simulate(bytes='4G', slots=2, advise=True)",
    "a bound": "cclc.bound('mesh2d', 'alltoall', ranks=1024)",
}
PRELUDE = """
import cclc

@cclc.program('allreduce')
def forever(p):
    while True:
        pass

@cclc.program('allreduce', buffers='in_place')
def calling(p):
    while True:
        p.chunk(0, cclc.Input, 0).copy(0, cclc.Output, 0)

print('ready', flush=True)
"""


@pytest.mark.parametrize("call", CALLS)
def test_interrupt(call):
    with subprocess.Popen([sys.executable, "-c", PRELUDE + CALLS[call]], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            assert process.poll() is None, process.stderr.read()
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert process.returncode == -signal.SIGINT
    assert time.monotonic() - sent < 10


@pytest.fixture(scope="module", name="large")
def make_large():
    """A plan of 800,576 steps, and its files."""
    plan = cclc.compile("allreduce_allpairs", ranks=448, O=1)
    return {"plan": plan, "json": plan.write("json"), "text": plan.write("text")}


ONE_STAGE = {
    "read JSON": lambda large: cclc.read(large["json"], "large.json"),
    "read text": lambda large: cclc.read(large["text"], "large.ccl"),
    "write JSON": lambda large: large["plan"].write("json"),
    "verify": lambda large: large["plan"].verify(),
    "describe": lambda large: cclc.describe("ring", ranks=512),
}


@pytest.mark.parametrize("call", ONE_STAGE)
def test_signals(call, large):
    """Handlers of signals run during a call that has no stages, and their exceptions end it."""
    handled = []

    def handle(*_):
        handled.append(1)
        if len(handled) == 2:  # the first may be that of a call that has returned
            raise KeyboardInterrupt
    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            ONE_STAGE[call](large)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_time_of_import():
    """The processor time of `import cclc` beyond that of the interpreter, without NumPy."""
    code = ("import sys, time; begin = time.process_time(); import cclc; "
            "print(time.process_time() - begin, 'numpy' in sys.modules)")
    found = [subprocess.check_output([sys.executable, "-c", code], text=True).split() for _ in range(5)]
    assert all(numpy == "False" for _, numpy in found)
    assert min(float(seconds) for seconds, _ in found) < 0.03


def traced(program, ranks):
    """The processor time of the trace of a program."""
    marks = []
    cclc.compile(program, ranks=ranks, progress=lambda stage: marks.append((stage, time.process_time())))
    at = [stage for stage, _ in marks].index("trace")
    return marks[at + 1][1] - marks[at][1]


@cclc.program("allreduce", name="allreduce_allpairs", buffers="both", parts=cclc.Int(1, 1, 64))
def all_pairs(p, parts):
    R = p.ranks
    p.chunks(R * parts)
    for r in range(R):
        p.chunk(r, cclc.Input, 0, R * parts).copy(r, cclc.Output, 0)
    p.phase("scatter")
    arrived = p.scratch("arrived")
    for j in range(R):
        for r in range(R):
            if r != j:
                p.chunk(r, cclc.Output, j * parts, parts).copy(j, arrived, r * parts)
    p.phase("reduce")
    for c in range(R * parts):
        total = p.chunk(c // parts, cclc.Output, c)
        for r in range(R):
            if r != c // parts:
                total.reduce(p.chunk(c // parts, arrived, r * parts + c % parts))
    p.phase("gather")
    for j in range(R):
        for r in range(R):
            if r != j:
                p.chunk(j, cclc.Output, j * parts, parts).copy(r)


def test_time_of_traces():
    """A trace takes at most four times that of the bundled program in C++."""
    assert cclc.compile(all_pairs, ranks=4, parts=2).write("text") == cclc.compile(
        "allreduce_allpairs", ranks=4, parts=2).write("text")
    ratio = min(traced(all_pairs, 64) for _ in range(5)) / min(traced("allreduce_allpairs", 64) for _ in range(5))
    assert ratio < 4, ratio


def test_symbols():
    """Other extensions have an LLVM and an operator new of their own."""
    extension = next(pathlib.Path(cclc.__file__).parent.glob("_cclc.*.so"))
    lines = subprocess.check_output(["nm", "-D", "--defined-only", extension], text=True).splitlines()
    assert [line.split()[-1] for line in lines if line.split()[1] in "TDBR"] == ["PyInit__cclc"]


def members(names, text):
    """The public functions, classes with members, and values of a stub."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {each.name if isinstance(each, ast.FunctionDef) else each.target.id
                                for each in node.body if isinstance(each, (ast.FunctionDef, ast.AnnAssign))}
            for base in node.bases:
                base = getattr(base, "value", base).id
                names[node.name].update(dir(collections.abc.Sequence) if base == "Sequence" else names.get(base) or ())
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = None


def keywords(function):
    """The keywords of a function in the stub, with their types and defaults."""
    stub = pathlib.Path(cclc.__file__).with_name("__init__.pyi")
    found = next(node.args for node in ast.parse(stub.read_text(encoding="utf-8")).body
                 if isinstance(node, ast.FunctionDef) and node.name == function)
    return {each.arg: (ast.unparse(each.annotation), default and ast.unparse(default))
            for each, default in zip(found.kwonlyargs, found.kw_defaults)}


@pytest.mark.parametrize("function", ["compile", "graph", "synth"])
def test_keywords(function):
    """The docstring has the keywords of the stub, and the options of compilations are the same everywhere."""
    described = re.findall(r"^  (\w+): ", getattr(cclc, function).__doc__, flags=re.MULTILINE)
    assert sorted(described) == sorted(keywords(function))
    options = keywords("compile")
    if function == "synth":
        options["target"] = ("_Path", None)  # which it needs
    assert {name: keywords(function).get(name) for name in options} == options


def test_help():
    """All functions and methods have a docstring, beside the signature that pybind11 makes."""
    public = [value for name, value in vars(cclc).items() if not name.startswith("_")]
    methods = [value for kind in public if inspect.isclass(kind) for name, value in vars(kind).items()
               if not name.startswith("_") and callable(value)]
    for function in methods + [value for value in public if inspect.isroutine(value)]:
        text = re.sub(r"^\w+\(.*\) -> .*$", "", function.__doc__ or "", count=1, flags=re.MULTILINE)
        assert text.strip(), function


def test_stubs():
    """The stub has the names of the package, and of its classes."""
    stub = pathlib.Path(cclc.__file__).with_name("__init__.pyi")
    expected = {}
    members(expected, stub.read_text(encoding="utf-8"))
    public = {name for name, value in vars(cclc).items()
              if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public == {name for name in expected if not name.startswith("_")}
    for name, found in expected.items():
        if name.startswith("_"):
            continue
        kind = getattr(cclc, name)
        if not inspect.isclass(kind) or issubclass(kind, Exception) or name in ("Int", "Bool", "Choice", "Algorithm"):
            continue
        assert {each for each in dir(kind) if not each.startswith("_")} == {
            each for each in found if not each.startswith("_")}, name
