"""The checks of algorithms accept right ones, and name the fault of others."""

import subprocess
import sys

import cclc
import pytest
from cclc import Input, Output, testing


def body(p, wrong=False):
    for rank in range(p.ranks):
        for to in range(p.ranks):
            if not (wrong and p.ranks == 5 and to == 0 and rank == 3):
                p.chunk(rank, Input, 0).copy(to, Output, rank)


direct = cclc.program("allgather", buffers="out_of_place", name="direct")(body)
incomplete = cclc.program("allgather", buffers="out_of_place", name="incomplete")(lambda p: body(p, wrong=True))


@cclc.program("allgather", buffers="out_of_place")
def even(p):
    if p.ranks % 2:
        p.refuse("the number of ranks must be even")
    body(p)


@cclc.program("allgather", buffers="out_of_place")
def never(p):
    p.refuse("no number of ranks is right")


def test_correct():
    assert testing.assert_correct(direct) == []
    assert testing.assert_correct(even, ranks=range(2, 8)) == [3, 5, 7]
    assert testing.assert_correct("allreduce_rails", ranks=iter((8, 16))) == [8]
    with pytest.raises(cclc.ProgramError, match="wrong result: r0:o.3.: expected r3:i.0., but it is undefined"):
        testing.assert_correct(incomplete)
    with pytest.raises(AssertionError, match="no number of ranks is accepted; 2: .*no number of ranks is right"):
        testing.assert_correct(never)


def test_time():
    plan = cclc.compile(direct, ranks=4)
    time = plan.simulate("ring", bytes="1M")[0].ns
    testing.assert_time(plan, "ring", below=time + 1)
    testing.assert_time(plan, "ring", below=f"{(time + 1) / 1e3} us", bytes=["1K", "1M"])
    with pytest.raises(AssertionError, match=f"direct takes {time / 1e3:g} us with 1048576 bytes, and must take less"):
        testing.assert_time(plan, "ring", below=time)
    with pytest.raises(ValueError, match="a time is a number of nanoseconds"):
        testing.assert_time(plan, "ring", below="20")


def test_golden(tmp_path, monkeypatch):
    golden = str(tmp_path / "direct.json")
    plan = cclc.compile(direct, ranks=4)
    with pytest.raises(AssertionError, match="does not exist"):
        testing.assert_golden(plan, golden)
    testing.assert_golden(plan, golden, update=True)
    testing.assert_golden(plan, golden)
    other = cclc.compile(even, ranks=6)
    with pytest.raises(AssertionError, match="even differs from .*direct.json"):
        testing.assert_golden(other, golden)
    monkeypatch.setenv("CCLC_UPDATE_GOLDEN", "1")
    testing.assert_golden(other, golden)
    monkeypatch.delenv("CCLC_UPDATE_GOLDEN")
    testing.assert_golden(other, golden)


def test_option_of_pytest(tmp_path):
    (tmp_path / "test_golden.py").write_text(
        "import cclc\nfrom cclc.testing import assert_golden\n"
        "def test():\n    assert_golden(cclc.compile('allreduce_ring', ranks=4), 'ring.json')\n")
    def run(*options):
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "cclc.testing", *options], cwd=tmp_path,
                              check=False, capture_output=True).returncode
    assert run() == 1
    assert run("--update-golden") == 0
    assert run() == 0
