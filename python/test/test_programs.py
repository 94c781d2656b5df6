"""Programs in Python give the plans of their twins in C++."""

import json
import os
import sys
import types

import cclc
import pytest
import random_programs
import twins

PROGRAMS = 40


def test_random_programs(tmp_path):
    makers = [random_programs.Maker(seed) for seed in range(PROGRAMS)]
    (tmp_path / "random.cpp").write_text(random_programs.cpp_source(makers))
    (tmp_path / "random.py").write_text(random_programs.python_source(makers))
    program = twins.load(tmp_path / "random.py")["random"]
    statements = 0
    for number, maker in enumerate(makers):
        expected = twins.plan_of("random.cpp", "--ranks", maker.ranks, "-p", f"which={number}", cwd=tmp_path)
        plan = cclc.compile(program, ranks=maker.ranks, which=number)
        assert plan.write("text") == expected
        statements += len(maker.statements)
    assert statements > 20 * PROGRAMS


@cclc.program("allreduce", name="allreduce_ring", buffers="both", channels=cclc.Int(1, 1, 32))
def ring(p, channels):
    R = p.ranks
    p.chunks(R)
    rotation = [cclc.Rotation(R, chunks=1)]
    for _ in p.orbit(rotation):
        for c in range(R):
            p.chunk(0, cclc.Input, c).copy(0, cclc.Output, c)
    for _ in p.orbit(rotation):
        via = {"channel": p.repetition() % channels} if channels > 1 else {}
        p.phase("reduce-scatter")
        total = p.chunk(0, cclc.Output, 0)
        for hop in range(1, R):
            total = p.chunk(hop, cclc.Output, 0).reduce(total, **via)
        p.phase("all-gather")
        for hop in range(R - 1):
            total = total.copy(hop, cclc.Output, 0, **via)


@cclc.program("allreduce", name="allreduce_nvls", buffers="both", for_switches=True)
def nvls(p):
    R = p.ranks
    p.chunks(R)
    everyone = list(range(R))
    for rank in everyone:
        total = p.chunk(rank, cclc.Input, rank).copy(rank, cclc.Output, rank)
        p.multicast(everyone, p.reduce_from(everyone, total, cclc.Input, rank), cclc.Output, rank)


@cclc.program("allgather", name="rails", ranks=(4, 8))
def rails(p):
    """The building blocks: rings, scopes and neighbours."""
    half = p.ranks // 2
    p.neighbour(0, "E", 1)
    with p.aggregate():
        for r in range(p.ranks):
            p.chunk(r, cclc.Input, 0).copy(r, cclc.Output, r)
    cclc.all_gather_ring(p, list(range(half)), cclc.Output, list(range(half)), channel=1)
    cclc.all_gather_ring(p, list(range(half, 2 * half)), cclc.Output, list(range(half, 2 * half)))
    with p.parallelize(2):
        for r in range(half):
            p.chunk(r, cclc.Output, 0, half).copy(r + half, cclc.Output, 0)
            p.chunk(r + half, cclc.Output, half, half).copy(r, cclc.Output, half)


RAILS = """#include "cclc/DSL/DSL.h"
using namespace cclc::dsl;
static void trace(Program &p) {
  int half = p.ranks() / 2;
  p.neighbour(0, cclc::Direction::E, 1);
  p.aggregate([&] {
    for (int r = 0; r < p.ranks(); ++r)
      p.chunk(r, Input, 0).copy(r, Output, r);
  });
  std::vector<int> first, second;
  for (int r = 0; r < half; ++r) {
    first.push_back(r);
    second.push_back(half + r);
  }
  Via via;
  via.channel = 1;
  allGatherRing(p, first, Output, first, via);
  allGatherRing(p, second, Output, second);
  p.parallelize(2, [&] {
    for (int r = 0; r < half; ++r) {
      p.chunk(r, Output, 0, half).copy(r + half, Output, 0);
      p.chunk(r + half, Output, half, half).copy(r, Output, half);
    }
  });
}
CCLC_PROGRAM(rails) { d.collective(AllGather).ranks(4, 8).body(trace); }
"""


@pytest.mark.parametrize("ranks, channels", [(1, 1), (5, 1), (8, 3)])
def test_ring(ranks, channels):
    expected = twins.plan_of("allreduce_ring", "--ranks", ranks, "-p", f"channels={channels}")
    assert cclc.compile(ring, ranks=ranks, channels=channels).write("text") == expected


@pytest.mark.parametrize("buffers", ["in_place", "out_of_place"])
def test_switches(buffers):
    bundled = cclc.compile("allreduce_nvls", ranks=4, buffers=buffers).write("text")
    assert cclc.compile(nvls, ranks=4, buffers=buffers).write("text") == bundled


def test_building_blocks(tmp_path):
    (tmp_path / "rails.cpp").write_text(RAILS)
    expected = twins.plan_of("rails.cpp", "--ranks", 6, cwd=tmp_path)
    assert cclc.compile(rails, ranks=6).write("text") == expected


@cclc.program("custom", name="hierarchical_sequence", ranks=(1, 11), arity=cclc.Int(4, 2, 64))
def calls(p, arity):
    R = p.ranks
    p.custom(1 + R, 2 * R)
    for r in range(R):
        for i in range(R):
            p.expect(r, i, [(i, 0)])
            p.expect(r, R + i, [(i, 1 + r)])
    world = cclc.HierarchicalCommunicator(p, arity=arity, flat_fallback=1)
    world.all_gather(1, (cclc.Input, 0, 1), (cclc.Output, 0, R))
    world.all_to_all(2, (cclc.Input, 1, R), (cclc.Output, R, R))


CALLS = """#include "cclc/DSL/DSL.h"
#include "cclc/DSL/Hierarchy.h"
using namespace cclc::dsl;
constexpr IntParam arity{"arity", "", 4, 2, 64};
static void trace(Program &p) {
  int R = p.ranks();
  p.custom(1 + R, 2 * R);
  for (int r = 0; r < R; ++r)
    for (int i = 0; i < R; ++i) {
      p.expect(r, i, {{i, 0}});
      p.expect(r, R + i, {{i, 1 + r}});
    }
  HierarchicalCommunicator world(p, {.arity = p.get(arity), .flatFallback = 1});
  world.allGather(1, {Input, 0, 1}, {Output, 0, R});
  world.allToAll(2, {Input, 1, R}, {Output, R, R});
}
CCLC_PROGRAM(hierarchical_sequence) { d.ranks(1, 11).param(arity).body(trace); }
"""


def test_hierarchies(tmp_path):
    (tmp_path / "calls.cpp").write_text(CALLS)
    expected = twins.plan_of("calls.cpp", "--ranks", 11, "-p", "arity=3", cwd=tmp_path)
    assert cclc.compile(calls, ranks=11, arity=3).write("text") == expected


def test_parameters():
    seen = []

    @cclc.program("allreduce", ranks_from=lambda size, **others: 2 * size, size=cclc.Int(2, 1, 4),
                  fast=cclc.Bool(False), tree=cclc.Choice("left", ["left", "right"]))
    def program(p, size, fast, tree):
        seen.append((p.ranks, size, fast, tree))
        cclc.all_reduce_ring(p, list(range(p.ranks)), cclc.Output, list(range(p.ranks)))

    for given in ({}, {"size": 3, "fast": True, "tree": "right"}, {"param": {"fast": "on"}}):
        with pytest.raises(cclc.ProgramError, match="chunks|range"):
            cclc.compile(program, **given)
    assert seen == [(4, 2, False, "left"), (6, 3, True, "right"), (4, 2, True, "left")]
    with pytest.raises(cclc.UsageError, match="size"):
        cclc.compile(program, size=9)


def test_geometry():
    seen = []

    @cclc.program("broadcast", mapper="all_pes")
    def program(p):
        seen.extend(p.geometry)
        for r in range(1, p.ranks):
            p.chunk(0, cclc.Input, 0).copy(r, cclc.Output, 0)
        p.chunk(0, cclc.Input, 0).copy(0, cclc.Output, 0)

    cclc.compile(program, target="ahbm-6sip-ring", set={"ipcq.multiplex": True})
    assert [level.name for level in seen[:3]] == ["sip", "cube", "pe"]
    assert (seen[0].kind, seen[0].width * seen[0].height) == ("ring_1d", 6)


def test_locations(tmp_path, monkeypatch):
    """The lines of a plan are those of its calls, also in functions that the program calls; files below the folder
    of the process have relative names."""
    def pass_on(p, r):
        p.chunk(r, cclc.Input, 0).copy(r + 1, cclc.Output, 0)

    @cclc.program("alltonext", buffers="out_of_place")
    def program(p):
        pass_on(p, 0)
        p.chunk(
            1, cclc.Input, 0).copy(2, cclc.Output, 0)

    first = pass_on.__code__.co_firstlineno + 1
    second = program.body.__code__.co_firstlineno + 4
    for folder, file in ((os.path.dirname(__file__), os.path.basename(__file__)), (tmp_path, __file__)):
        monkeypatch.chdir(folder)
        plan = json.loads(cclc.compile(program, ranks=3).write("json"))
        assert plan["locations"] == [[0, first], [0, second]]
        assert plan["files"] == [file]


def test_cells_of_notebooks(monkeypatch):
    """IPython keeps the numbers of its cells by the names of their code, which are temporary files."""
    code = "/tmp/ipykernel_42/123.py"
    shell = types.SimpleNamespace(compile=types.SimpleNamespace(_filename_map={code: 5}))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    names = {"cclc": cclc}
    text = """@cclc.program("alltonext", buffers="out_of_place")
def pass_on(p, wrong=False):
    p.chunk(0, cclc.Input, 0).copy(1 if p.ranks == 2 else 9, cclc.Output, 0)
"""
    exec(compile(text, code, "exec"), names)  # pylint: disable=exec-used
    plan = json.loads(cclc.compile(names["pass_on"], ranks=2).write("json"))
    assert (plan["files"], plan["locations"]) == (["In[5]"], [[0, 3]])
    with pytest.raises(cclc.ProgramError, match=r"^In\[5\]:3: rank 9 is out of range"):
        cclc.compile(names["pass_on"], ranks=3)
