"""Errors of programs have the places and texts of their twins in C++; other exceptions pass."""

import gc
import os
import sys
import threading
import traceback

import cclc
import pytest
import twins

# The statements of programs of 2 ranks, on the same lines in both languages. The last one of them is wrong.
TWINS = [
    (["p.chunk(7, Input, 0);"], ["p.chunk(7, Input, 0)"]),
    (["p.chunk(1, Input, 1, 2);"], ["p.chunk(1, Input, 1, count=2)"]),
    (["p.chunk(1, Output, 0);"], ["p.chunk(1, Output, 0)"]),
    (["ChunkRef one = p.chunk(0, Input, 0).copy(1, Output, 0);", "one.reduce(p.chunk(0, Input, 0, 2));"],
     ["one = p.chunk(0, Input, 0).copy(1, Output, 0)", "one.reduce(p.chunk(0, Input, 0, 2))"]),
    (["ChunkRef old = p.chunk(0, Input, 0).copy(1, Output, 0);", "p.chunk(0, Input, 1).copy(1, Output, 0);",
      "old.copy(0, Output, 0);"],
     ["old = p.chunk(0, Input, 0).copy(1, Output, 0)", "p.chunk(0, Input, 1).copy(1, Output, 0)",
      "old.copy(0, Output, 0)"]),
    (["p.chunk(0, Input, 0);", "p.custom(1, 1);"], ["p.chunk(0, Input, 0)", "p.custom(1, 1)"]),
    (["p.expect(0, 2, {{0, 0}});"], ["p.expect(0, 2, [(0, 0)])"]),
    (["p.expect(0, 0, {{0, 0}});", "p.expect(0, 0, {{0, 1}});"],
     ["p.expect(0, 0, [(0, 0)])", "p.expect(0, 0, [(0, 1)])"]),
    (["p.chunk(0, Input, 0).copy(1, Output, 0, {.channel = -1});"],
     ["p.chunk(0, Input, 0).copy(1, Output, 0, channel=-1)"]),
    (["p.chunk(0, Input, 0).copy(1, Output, 0, {.priority = -1});"],
     ["p.chunk(0, Input, 0).copy(1, Output, 0, priority=-1)"]),
    (["p.chunk(0, Input, 0).copy(1, Output);"], ["p.chunk(0, Input, 0).copy(1, Output)"]),
    (["p.chunk(0, Input, 0, 2).split(3);"], ["p.chunk(0, Input, 0, 2).split(3)"]),
    (["p.chunk(0, Input, 0).group(p.chunk(1, Input, 0));"], ["p.chunk(0, Input, 0).group(p.chunk(1, Input, 0))"]),
    (["p.parallelize(0, [] {});"], ["p.parallelize(0).__enter__()"]),
    (["p.orbit({{.ranks = 0}}, [] {});"], ["p.orbit([cclc.Rotation(0)])"]),
    (["p.orbit({{.ranks = 2}}, [&] {", "  p.chunk(0, Input, 0).copy(1, Output, 0);", "  p.chunk(9, Input, 0);",
      "});"],
     ["for _ in p.orbit([cclc.Rotation(2)]):", "    p.chunk(0, Input, 0).copy(1, Output, 0)",
      "    p.chunk(9, Input, 0)"]),
    (["p.repetition();"], ["p.repetition()"]),
    (["p.root(2);"], ["p.root(2)"]),
    (["p.chunks(0);"], ["p.chunks(0)"]),
    (["p.communicator(\"all\", {{0, 5}});"], ["p.communicator(\"all\", [[0, 5]])"]),
    (["p.call(\"allgather\", 0);"], ["p.call(\"allgather\", 0)"]),
    (["p.enter(p.communicator(\"all\", {{0, 1}}), 1, \"up\");"],
     ["p.enter(p.communicator(\"all\", [[0, 1]]), 1, \"up\")"]),
    (["reduceScatterRing(p, {0, 1}, Input, {0});"], ["cclc.reduce_scatter_ring(p, [0, 1], Input, [0])"]),
    (["p.fail(\"the block does not fit\");"], ["p.fail(\"the block does not fit\")"]),
    (["p.refuse(\"the algorithm needs 4 ranks\");"], ["p.refuse(\"the algorithm needs 4 ranks\")"]),
    # The proof of the program, at no call.
    (["p.expect(0, 0, {{0, 0}});", "p.chunk(0, Input, 1).copy(0, Output, 0);"],
     ["p.expect(0, 0, [(0, 0)])", "p.chunk(0, Input, 1).copy(0, Output, 0)"]),
]


@pytest.fixture(scope="module", name="folder")
def make_folder(tmp_path_factory):
    """wrong.cpp and wrong.py, whose parameter chooses one of TWINS."""
    folder = tmp_path_factory.mktemp("wrong")
    cpp = ['#include "cclc/DSL/DSL.h"', "using namespace cclc::dsl;",
           'constexpr IntParam which{"which", "", 0, 0, 99};']
    python = ["import cclc", "from cclc import Input, Output", ""]
    for number, (one, other) in enumerate(TWINS):
        cpp += [f"static void case{number}(Program &p) {{", "p.custom(2, 2);", *one, "}"]
        python += [f"def case{number}(p):", "    p.custom(2, 2)", *("    " + line for line in other)]
        python += [""] * (len(cpp) - len(python))
    cpp += ["static void trace(Program &p) {",
            *(f"if (p.get(which) == {number}) case{number}(p);" for number in range(len(TWINS))), "}",
            "CCLC_PROGRAM(wrong) { d.ranks(2, 2).param(which).body(trace); }"]
    python += ["@cclc.program(ranks=(2, 2), which=cclc.Int(0, 0, 99))", "def wrong(p, which):",
               "    globals()[f'case{which}'](p)"]
    (folder / "wrong.cpp").write_text("\n".join(cpp) + "\n")
    (folder / "wrong.py").write_text("\n".join(python) + "\n")
    return folder


@pytest.mark.parametrize("which", range(len(TWINS)))
def test_twin(folder, which):
    code, expected = twins.tool("cclc", "wrong.cpp", "-p", f"which={which}", cwd=folder)
    assert code in (1, 2), expected
    program = twins.load(folder / "wrong.py")["wrong"]
    kind = cclc.UsageError if code == 2 else cclc.ProgramError
    with pytest.raises(kind):
        cclc.compile(folder / "wrong.cpp", which=which)
    with pytest.raises(kind) as caught:
        cclc.compile(program, which=which)
    error = caught.value
    text = "".join(map(str, error.messages)).replace(str(folder) + "/", "")
    assert twins.without_file(text) == twins.without_file(expected)
    is_proof = which == len(TWINS) - 1
    frames = traceback.extract_tb(error.__traceback__)
    called = [frame.lineno for frame in frames if frame.filename.endswith("wrong.py")]
    assert called[-1:] == ([] if is_proof else [error.messages[0].line])
    assert len(getattr(error, "__notes__", [])) == len(error.messages[0].notes)


def compile_body(body, **options):
    return cclc.compile(cclc.program("alltonext", name="body", buffers="out_of_place")(body), ranks=2, **options)


def pass_on(p):
    p.chunk(0, cclc.Input, 0).copy(1, cclc.Output, 0)


class Own(Exception):
    """An exception of a user."""


@pytest.mark.parametrize("error", [Own("mine"), SystemExit(3), KeyboardInterrupt()])
def test_exceptions_of_users(error):
    calls = []

    def body(p):
        calls.append(1)
        pass_on(p)
        raise error
    with pytest.raises(type(error)) as caught:
        compile_body(body)
    assert caught.value is error
    assert len(calls) == 1
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "body"


def test_recursion():
    def body(p):
        body(p)
    with pytest.raises(RecursionError):
        compile_body(body)


def test_swallowed_error():
    def body(p):
        try:
            p.chunk(9, cclc.Input, 0)
        except cclc.ProgramError as error:
            assert str(error).endswith("rank 9 is out of range: the program has 2 ranks")
        pass_on(p)
    with pytest.raises(cclc.ProgramError, match="rank 9 is out of range"):
        compile_body(body)


def test_error_that_becomes_another():
    def body(p):
        try:
            p.chunk(9, cclc.Input, 0)
        except cclc.ProgramError as error:
            raise Own("mine") from error
    with pytest.raises(Own) as caught:
        compile_body(body)
    assert isinstance(caught.value.__cause__, cclc.ProgramError)


def test_orbit_that_is_left():
    def body(p):
        for _ in p.orbit([cclc.Rotation(2)]):
            break
        try:
            for _ in p.orbit([cclc.Rotation(2)]):
                raise Own
        except Own:
            pass
        p.communicator("all", [[0, 1]])  # not inside of an orbit
        pass_on(p)
    assert compile_body(body).steps == 2


def test_arguments():
    def fails(text, call, kind=TypeError):
        def body(p):
            with pytest.raises(kind) as caught:
                call(p, p.chunk(0, cclc.Input, 0))
            assert str(caught.value) == text
            pass_on(p)
        assert compile_body(body).verify()
    fails("chunk() needs 'index'", lambda p, c: p.chunk(0, cclc.Input))
    fails("chunk() takes at most 4 positional arguments, not 5", lambda p, c: p.chunk(0, cclc.Input, 0, 1, 2))
    fails("copy() has no parameter 'ch'", lambda p, c: c.copy(1, ch=0))
    fails("copy() got two values for 'rank'", lambda p, c: c.copy(1, rank=0))
    fails("copy() takes at most 3 positional arguments, not 4", lambda p, c: c.copy(1, cclc.Output, 0, 0))
    fails("copy() needs 'buffer' with 'index'", lambda p, c: c.copy(1, index=0))
    fails("expected Input, Output or a result of scratch(), not str", lambda p, c: p.chunk(0, "i", 0))
    fails("expected a ChunkRef, not int", lambda p, c: c.reduce(3))
    fails("'str' object cannot be interpreted as an integer", lambda p, c: p.chunk("0", cclc.Input, 0))
    fails("4294967296 is too large", lambda p, c: p.chunk(1 << 32, cclc.Input, 0), OverflowError)
    fails("unknown direction 'up': it is N, E, intra_N, global_W, parent, ...", lambda p, c: p.neighbour(0, "up", 1),
          cclc.UsageError)


def test_objects_of_programs_that_have_ended():
    kept = []

    def body(p):
        kept.append((p, p.chunk(0, cclc.Input, 0), p.orbit([cclc.Rotation(2)])))
        if len(kept) > 1:
            kept[1][1].copy(1, cclc.Output, 0)
            kept[0][1].reduce(kept[1][1])
    with pytest.raises(cclc.ProgramError):
        compile_body(body)
    p, chunk, orbit = kept[0]
    for call in (lambda: p.ranks, lambda: p.chunk(0, cclc.Input, 0), lambda: chunk.copy(1)):
        with pytest.raises(cclc.UsageError, match="not traced any more"):
            call()
    assert (chunk.rank, chunk.index, chunk.count) == (0, 0, 1)
    assert chunk.buffer is cclc.Input
    assert list(orbit) == []


def test_chunks_of_another_program():
    outer = []

    def inner(p):
        with pytest.raises(cclc.UsageError, match="another program"):
            p.chunk(0, cclc.Input, 0).copy(1, cclc.Output, 0).reduce(outer[0])

    def body(p):
        outer.append(p.chunk(0, cclc.Input, 0))
        assert compile_body(inner).verify()
        pass_on(p)
    assert compile_body(body).verify()


def test_threads():
    """Bodies of two compilations run at the same time."""
    both = threading.Barrier(2, timeout=20)
    plans = []

    def body(p):
        both.wait()
        pass_on(p)
    threads = [threading.Thread(target=lambda: plans.append(compile_body(body))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [plan.steps for plan in plans] == [2, 2]


def memory():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_memory():
    """1,000 compilations, half of them with an error, take no more memory than 300."""
    def body(p, wrong):
        p.chunks(p.ranks)
        cclc.all_reduce_ring(p, list(range(p.ranks)), cclc.Output, list(range(p.ranks)))
        if wrong:
            p.chunk(0, cclc.Input, 0).copy(1, p.scratch("s"), 3)
    program = cclc.program("allreduce", wrong=cclc.Bool(False))(body)
    references = None
    for number in range(1000):
        try:
            cclc.compile(program, ranks=4, wrong=number % 2 == 1)
        except cclc.ProgramError:
            pass
        if number == 300:
            gc.collect()
            before, references = memory(), sys.getrefcount(body.__code__)
    gc.collect()
    if "ASAN_OPTIONS" not in os.environ:  # a sanitizer keeps what is freed
        assert memory() - before < 1 << 20
    after = sys.getrefcount(body.__code__)
    assert after == references
