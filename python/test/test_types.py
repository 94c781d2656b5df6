"""The stub agrees with the package, and lets a type checker find wrong calls in programs of users."""

import os
import pathlib
import re
import subprocess
import sys

import cclc
import pytest

pytest.importorskip("mypy", reason="the package mypy is not installed")

PROGRAM = """from collections.abc import Sequence

import cclc
from cclc import Input, Output
from cclc.testing import assert_correct


@cclc.program("allreduce", buffers="in_place", channels=cclc.Int(1, min=1, max=32))
def ring(p: cclc.Program, channels: int) -> None:
    R = p.ranks
    p.chunks(R)
    for c in range(R):
        total: cclc.ChunkRef = p.chunk(c, Output, c)
        for hop in range(1, R):
            total = p.chunk((c + hop) % R, Output, c).reduce(total, channel=c % channels)
        for hop in range(R - 1):
            total = total.copy((c + hop) % R, Output, c, channel=c % channels)


def fastest(plans: Sequence[cclc.Plan], target: str) -> cclc.Plan:
    return min(plans, key=lambda plan: plan.simulate(target, bytes="1M")[0].ns)


plans = [cclc.compile(ring, ranks=8, O=level, fuse=["rcs"], channels=2) for level in (1, 2)]
plans.append(cclc.compile("my_ring.cpp", ranks=8, target="ring", set={"link.bandwidth": 50e9}))
best = fastest(plans, "ring")
proof = best.verify(slots=2)
needed: int | None = proof.slots_needed
machine: cclc.Machine = cclc.describe("ring")
cclc.graph(ring, "inst-dag", ranks=4, rank=0).save("ring.svg")
found: list[str] = [each.text for each in cclc.lint("ring.xml")]
refused = assert_correct(ring, ranks=range(2, 9))
"""
# Wrong calls, and what is found.
WRONG = [
    ('cclc.compile(ring, ranks="8")', 'Argument "ranks" to "compile" has incompatible type "str"; expected "Optional[int]"'),
    ("best.simulate()[0].seconds", '"Timing" has no attribute "seconds"'),
    ('cclc.graph(ring, "dag")', 'Argument 2 to "graph" has incompatible type "Literal[\'dag\']"; expected '),
    ('ring(best)', 'Argument 1 to "__call__" of "Algorithm" has incompatible type "Plan"; expected "Program"')]
# What classes of pybind11 have and a stub does not say: their metaclass, a constructor that raises, and attributes
# without a setter.
OF_PYBIND11 = re.compile(r"cclc\.\w+(\.\w+)? (is inconsistent, metaclass differs|is inconsistent, stub does not have "
                         r"\*args argument \"args\"|is read-only at runtime but not in the stub)")


def run(folder, module, *words):
    """The output of a checker; the package is found where it is tested."""
    path = str(pathlib.Path(cclc.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-m", module, *words], cwd=folder, text=True, check=False,
                          env=dict(os.environ, MYPYPATH=path), capture_output=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_program(tmp_path):
    lines = PROGRAM.count("\n")
    (tmp_path / "user.py").write_text(PROGRAM + "".join(call + "\n" for call, _ in WRONG))
    found = [line for line in run(tmp_path, "mypy", "--strict", "--cache-dir", os.devnull, "--no-error-summary", "user.py")
             .splitlines() if ": error: " in line]
    assert len(found) == len(WRONG), found
    for number, (line, (_, error)) in enumerate(zip(found, WRONG), lines + 1):
        assert line.startswith(f"user.py:{number}: error: {error}")


def test_stub(tmp_path):
    differences = [line for line in run(tmp_path, "mypy.stubtest", "cclc", "--ignore-missing-stub", "--concise").splitlines()
                   if not OF_PYBIND11.fullmatch(line)]
    assert not differences
