"""Wrong arguments are exceptions of Python that name them; values of other packages and processes are accepted."""

import concurrent.futures
import copy
import functools
import multiprocessing
import pathlib
import pickle

import cclc
import numpy
import pytest


async def waiting(p):
    return p


class Refusing:
    """A body that is no function."""

    def __call__(self, p, why):
        p.refuse(why)


@pytest.fixture(scope="module", name="ring")
def make_ring():
    return cclc.compile("allreduce_ring", ranks=4)


@pytest.mark.parametrize("call, kind, text", [
    (lambda plan: cclc.compile("allreduce_ring", ranks=4.0), TypeError, "ranks cannot be 4.0"),
    (lambda plan: cclc.compile("allreduce_ring", ranks=10 ** 30), TypeError, "ranks cannot be 10+"),
    (lambda plan: cclc.compile(None), TypeError, "a program is the name of .*, not None"),
    (lambda plan: cclc.tune("ring", "allreduce", programs=3), TypeError, "a program is the name of .*, not 3"),
    (lambda plan: plan.simulate("ring", set=3), TypeError, "set cannot be 3"),
    (lambda plan: cclc.diff(plan, plan, target="ring", gate=[1]), TypeError, r"gate cannot be \[1\]"),
    (lambda plan: plan.simulate("ring", bytes=1e6), TypeError, "float"),
    (lambda plan: plan.simulate("ring", bytes=-1), cclc.UsageError, "-1 is not a size"),
    (lambda plan: plan.simulate("ring", bytes=2 ** 70), OverflowError, "too big"),
    (lambda plan: plan.simulate("ring", progress=3), TypeError, "not callable"),
    (lambda plan: plan.run(numpy.zeros((4, 4)), timeout=float("nan")), cclc.UsageError, "timeout is a number"),
    (lambda plan: plan.run_test("1K", timeout=-1), cclc.UsageError, "timeout is a number"),
    (lambda plan: cclc.load(None), TypeError, "str, bytes or os.PathLike"),
    (lambda plan: cclc.load("\udcff"), UnicodeEncodeError, "surrogates"),
    (lambda plan: cclc.read(None, "plan"), TypeError, "'NoneType' object to bytes"),
    (lambda plan: cclc.program(print), TypeError, r'the decorator has a collective: @cclc.program\("allreduce"\)'),
    (lambda plan: cclc.program(ranks=8)(print), TypeError, "the fewest and the default"),
    (lambda plan: cclc.program()(3), TypeError, "the body of a program is a function .*, not 3"),
    (lambda plan: cclc.program()(lambda p: (yield)), TypeError, "a function without yield"),
    (lambda plan: cclc.program()(waiting), TypeError, "a function without yield"),
])
def test_wrong(call, kind, text, ring):
    with pytest.raises(kind, match=text):
        call(ring)


@pytest.mark.parametrize("body", [Refusing(), Refusing().__call__, functools.partial(Refusing.__call__, Refusing())])
def test_bodies(body):
    program = cclc.program("allreduce", why=cclc.Choice("late", ["late", "early"]))(body)
    with pytest.raises(cclc.UsageError, match="test_arguments.py:[0-9]+: early"):
        cclc.compile(program, ranks=2, why="early")


def test_numbers_and_paths(ring, tmp_path):
    assert cclc.compile("allreduce_ring", ranks=numpy.int64(4), channels=numpy.int32(1)).steps == ring.steps
    assert [row.bytes for row in ring.simulate("ring", bytes=numpy.array([1024, 4096]))] == [1024, 4096]
    path = pathlib.Path(tmp_path) / "plan.bin"
    ring.save(path)
    for content in (path.read_bytes(), bytearray(path.read_bytes()), memoryview(path.read_bytes())):
        assert cclc.read(content, "plan.bin").steps == ring.steps
    assert cclc.load(bytes(path)).steps == ring.steps


def test_values(ring):
    one, other = ring.simulate("ring", bytes="1K:4K"), ring.simulate("ring", bytes="1K:4K")
    assert list(one) == list(other)
    assert one[0] in other and one[0] != one[1] and one[0] != 1
    assert repr(one) == "<simulation: 3 sizes>"
    assert repr(cclc.bound("ring", "allreduce", ranks=4)) == "<bounds: 1 size>"
    assert repr(cclc.diff(ring, ring)) == "<comparison: equivalent, 0 differences>"


def time(plan):
    """The time of a plan, in another process."""
    return plan.simulate("ring")[0].ns


def fail(number):
    return cclc.compile("allreduce_ring", ranks=number, channels=99)


def test_processes(ring):
    """Plans and exceptions are passed to other processes."""
    for made in (copy.copy(ring), copy.deepcopy(ring), pickle.loads(pickle.dumps(ring))):
        assert (made.write(), made.file) == (ring.write(), ring.file)
    on_node = cclc.compile("allreduce_onestep", ranks=8, target="dgx-h100")
    operations = cclc.read(on_node.write("mscclpp"), "plan.json")
    again = pickle.loads(pickle.dumps(operations))
    assert (again.write("mscclpp"), again.file) == (operations.write("mscclpp"), "plan.json")
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(time, ring).result() == time(ring)
        with pytest.raises(cclc.UsageError, match="channels") as caught:
            pool.submit(fail, 4).result()
    assert caught.value.messages[0].text in str(caught.value)
    with pytest.raises(cclc.ProgramError) as caught:
        cclc.compile(cclc.program("allreduce")(lambda p: p.chunk(9, cclc.Input, 0)), ranks=2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is cclc.ProgramError and again.messages == caught.value.messages
