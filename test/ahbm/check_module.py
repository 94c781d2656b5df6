#!/usr/bin/env python3
"""Executes algorithm modules of AHBM that cclc writes, and compares them with the collectives.

usage: check_module.py BINDIR [TEST]

The tests D1 to D7 check the items of KernBench's ADR-0050, the contract of algorithm modules. `data` runs
every rank of every module with the runtime of runtime.py, on contributions that can be counted (one digit
of a large integer for each rank) and on 16-bit floats, and compares with the definition of the collective.
`queues` and `places` compare install plans with the connections and the endpoints of the plans.
`detects` checks that changed modules fail.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import runtime  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(sys.argv[1]).resolve()
FOLDER = tempfile.TemporaryDirectory()
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def cclc(*arguments):
    environment = dict(os.environ, XDG_CACHE_HOME=FOLDER.name)
    done = subprocess.run([BIN / "cclc", *arguments], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"cclc {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def load(text):
    module = types.ModuleType("emitted")
    exec(compile(text, "<module>", "exec"), module.__dict__)  # pylint: disable=exec-used
    return module


SMALL = ["--target", "ahbm", "--set", "cubes.width=2", "--set", "cubes.height=1", "--set", "cubes.pes=4"]
ONE_CUBE = ["--target", "ahbm", "--set", "cubes.width=1", "--set", "cubes.height=1", "--set", "cubes.pes=4"]
LRAB, LEVELS = "allreduce_lrab", "allreduce_hierarchical_3level"
EXAMPLES = HERE.parent.parent / "examples"
RINGS = EXAMPLES / "broadcast_rings.cpp"
# Program and options; PEs of a cube. These programs declare their neighbours.
DECLARED = [
    ([LRAB, "--target", "ahbm"], 8),
    ([LRAB, "--target", "ahbm", "-p", "root=corner", "-p", "forward=at_once"], 8),
    ([LRAB, "--target", "ahbm-6sip-ring"], 8),
    ([LRAB, "--target", "ahbm-6sip-torus"], 8),
    ([LRAB, "--target", "ahbm-6sip-torus", "-p", "buffers=both"], 8),
    ([LRAB, "--target", "ahbm-6sip-mesh", "--slots", "1"], 8),
    ([LRAB, *ONE_CUBE], 4),
    ([LRAB, *SMALL, "--set", "sips.count=1"], 4),
    ([LEVELS, *SMALL], 4),
    ([LEVELS, *SMALL, "-p", "pipeline=3", "--slots", "1"], 4),
    ([LEVELS, *SMALL, "--set", "sips.count=3", "--slots", "inf",
      "--max-channels", "1"], 4),
    ([LEVELS, "--target", "ahbm"], 8),
    (["allreduce_tree", *SMALL, "-p", "arity=1", "-p", "chunks=2"], 4),
    ([RINGS, "--target", "ahbm-6sip-torus", "-p", "chunks=3"], 8),
    ([HERE / "line_allgather.cpp", *ONE_CUBE], 4),
    ([HERE / "line_reducescatter.cpp", *ONE_CUBE], 4),
    ([HERE / "line_reducescatter.cpp", *ONE_CUBE, "-O0"], 4),
]
# The queues of these are assigned: rings and trees, several channels, several peers, groups of endpoints.
ASSIGNED = [
    (["allreduce_ring", *SMALL], 4),
    (["allreduce_ring", *ONE_CUBE, "-p", "channels=2"], 4),
    (["allreduce_ring", "--target", "ahbm", "--ranks", "8"], 8),
    (["allreduce_ring", *SMALL, "--placement", "snake", "--slots", "1"], 4),
    (["allreduce_bidirectional_ring", *SMALL, "-p", "mapper=cube_leaders"], 4),
    (["allreduce_bidirectional_ring", "--target", "ahbm-6sip-torus", "-p", "mapper=leader_only"], 8),
    (["allreduce_bidirectional_ring", *SMALL, "-p", "mapper=leader_only"], 4),
    (["allreduce_recursive_doubling", *SMALL, "--max-bytes", "64K"], 4),
    (["allreduce_recursive_doubling", *ONE_CUBE, "--instances", "2", "--slot-size", "4096"], 4),
    (["allreduce_halving_doubling", *SMALL], 4),
    (["allreduce_allpairs", *ONE_CUBE], 4),
    (["allreduce_grid", *SMALL], 4),
    (["allreduce_double_binary_tree", *SMALL], 4),
    (["allreduce_tree", *SMALL, "-p", "chunks=2"], 4),
    (["synth", "allreduce", *ONE_CUBE, "--trees", "1"], 4),
    (["synth", "broadcast", *ONE_CUBE, "--set", "sips.count=1", "--trees", "1"], 4),
    (["allgather_ring", *SMALL, "--endpoints", "1,3,9,12"], 4),
    (["allgather_recursive_doubling", *SMALL, "--endpoints", "9,1,12,3"], 4),
    (["allgather_bruck", *ONE_CUBE], 4),
    (["reducescatter_ring", *SMALL, "--endpoints", "0,5,6,7,9"], 4),
    (["reducescatter_direct", *ONE_CUBE], 4),
    (["broadcast_binomial", *SMALL, "-p", "mapper=cube_leaders"], 4),
    (["broadcast_multitree", *ONE_CUBE], 4),
    (["reduce_binomial", *ONE_CUBE, "-p", "root=3"], 4),
    (["alltoall_direct", *ONE_CUBE, "-p", "buffers=in_place"], 4),
    ([EXAMPLES / "mscclang" / "allreduce_binomial_tree.cpp", *ONE_CUBE], 4),
]
CASES = DECLARED + ASSIGNED


def compiled(arguments, *more):
    return load(cclc(*arguments, "--emit=ahbm-module", *more))


def definition(collective, data, n, root):
    """For each rank, pairs of an element of its tile and the contributions (rank, element) that it holds."""
    ranks = len(data)
    block = n // ranks
    for r in range(ranks):
        if collective == "allreduce":
            yield {e: [(q, e) for q in range(ranks)] for e in range(n)}
        elif collective == "reduce":
            yield {e: [(q, e) for q in range(ranks)] for e in range(n) if r == root}
        elif collective == "alltoall":
            yield {q * block + e: [(q, r * block + e)] for q in range(ranks) for e in range(block)}
        elif collective == "broadcast":
            yield {e: [(root, e)] for e in range(n)}
        elif collective == "allgather":
            yield {q * block + e: [(q, q * block + e)] for q in range(ranks) for e in range(block)}
        elif collective == "reducescatter":
            yield {r * block + e: [(q, r * block + e) for q in range(ranks)] for e in range(block)}
        else:
            raise ValueError(collective)


def difference(module, plan, pes, seed=0):
    """The first difference between the result of a module and its collective; None if there is none."""
    install = module.INSTALL_PLAN
    ranks, n = len(install["ranks"]), 3 * module.CHUNKS
    countable = [[(e + 1) << 16 * r for e in range(n)] for r in range(ranks)]
    # Sums of up to 96 ranks are exact in f16, whatever their order is.
    small = [[float((7 * r + e) % 16 if ranks <= 96 else (r + e) % 4) for e in range(n)] for r in range(ranks)]
    for data, rounding in ((countable, lambda x: x), (small, runtime.f16)):
        try:
            tiles, _, sent = runtime.execute(module, data, n, pes, rounding, seed)
        except (runtime.Fault, NameError) as fault:
            return str(fault)
        root = plan["collective"].get("root", 0)
        for r, required in enumerate(definition(install["collective"], data, n, root)):
            for element, contributions in required.items():
                if tiles[r][element] != sum(data[q][e] for q, e in contributions):
                    return f"rank {r}, element {element}: {tiles[r][element]}"
        for r, steps in enumerate(plan["ranks"]):
            sends = sum(step["op"] in ("s", "rcs", "rrs", "rrcs")
                        for tb in steps["threadblocks"] for step in tb["steps"])
            if sent.get(r, 0) != sends:
                return f"rank {r} sends {sent.get(r, 0)} messages, not {sends}"
    return None


def check_data():
    for arguments, pes in CASES:
        plan = json.loads(cclc(*arguments, "-o", "-"))
        world_sizes = [[], ["--world-size", str(plan["collective"]["ranks"])]]
        for more in world_sizes:
            module = compiled(arguments, *more)
            for seed in range(2):
                found = difference(module, plan, pes, seed)
                expect(found is None, f"{arguments} {more}: {found}")


def check_queues():
    for arguments, _ in ASSIGNED:
        plan, install = json.loads(cclc(*arguments, "-o", "-")), compiled(arguments).INSTALL_PLAN
        needed = {}  # by pair of ranks, the connections each way
        for r, rank in enumerate(plan["ranks"]):
            for tb in rank["threadblocks"]:
                if "send" in tb:
                    needed.setdefault((r, tb["send"]), set()).add(tb["channel"])
        rows = install["neighbours"]
        pairs = {(row[0], row[2]) for row in rows}
        expect(pairs == set(needed) | {(b, a) for a, b in needed}, f"{arguments}: the pairs of ranks")
        for a, b in pairs:
            number = sum((row[0], row[2]) == (a, b) for row in rows)
            most = max(len(needed.get((a, b), ())), len(needed.get((b, a), ())))
            expect(number == most, f"{arguments}: {number} queues of ranks {a} and {b}, not {most}")
        expect(len({(row[0], row[1]) for row in rows}) == len(rows), f"{arguments}: a direction has two queues")
    # A ring is one of opposite directions, also with two ranks.
    for arguments in (ASSIGNED[1][0], ASSIGNED[2][0], ASSIGNED[6][0]):
        for rank, direction, peer, at_peer in compiled(arguments).INSTALL_PLAN["neighbours"]:
            expect(at_peer == runtime.opposite(direction), f"{arguments}: {direction} of {rank} to {peer}")
    slots = compiled(ASSIGNED[8][0]).INSTALL_PLAN["queues"]
    expect(slots["slot_size"] == 4096, "the slots that the plan chooses")


def check_places():
    """The coordinates are those of the endpoints, and the ranks of a SIP have the tiles from 0 on."""
    for arguments, pes in ASSIGNED:
        endpoints = json.loads(cclc(*arguments, "-o", "-"))["endpoints"]
        cubes = 16 if "cubes.pes=4" not in arguments else 2 if "cubes.width=2" in arguments else 1
        install = compiled(arguments).INSTALL_PLAN
        tiles = {}
        for at, row in zip(endpoints, install["ranks"]):
            expect((row["sip"] * cubes + row["cube"]) * pes + row["pe"] == at, f"{arguments}: place of {row}")
            if install["rank"] == "sip":
                expect(row["tile"] == tiles.get(row["sip"], 0), f"{arguments}: tile of {row}")
                tiles[row["sip"]] = row["tile"] + 1
        expect(install["rank"] == "pe" or len(set(tiles.values())) == 1, f"{arguments}: rank = SIP")


def check_detects():
    declared = (LEVELS, *SMALL)
    detects_changes(declared, (
        ('src=tile0)\n', 'src=tile0 + tile0)\n'), ('    tl.store(base, tile0)\n', ''),
        ('dir="intra_E"', 'dir="intra_W"'), ('"n_slots": 4', '"n_slots": 0'), ('"pe": 1,', '"pe": 2,'),
        ('[0, "intra_E", 1],\n', ''), ('_stream_1, 1)', '_stream_2, 1)'),
        ('"slot_size": ', '"slot_size": 1, "x": '), ('tl.load(base,', 'tl.load(base + 2,')))
    assigned, _ = ASSIGNED[1]
    detects_changes(assigned, (
        ('"intra_E", 1, "intra_W"]', '"intra_E", 1, "intra_N"]'), ('[0, "intra_E", 1', '[0, "global_E", 1'),
        ('[0, "intra_E", 1, "intra_W"],\n', ''), ('dir="intra_S"', 'dir="intra_E"')))


def detects_changes(arguments, changes):
    text = cclc(*arguments, "--emit=ahbm-module")
    plan = json.loads(cclc(*arguments, "-o", "-"))
    expect(difference(load(text), plan, 4) is None, "the module itself fails")
    for old, new in changes:
        expect(text.count(old) > 0, f"the module has no {old!r}")
        found = difference(load(text.replace(old, new, 1)), plan, 4)
        expect(found is not None, f"{old!r} -> {new!r} is not detected")


def check_d1():
    module = compiled([LRAB, "--target", "ahbm"])
    kinds = {"ring_1d": module.SIP_TOPO_RING, "torus_2d": module.SIP_TOPO_TORUS,
             "mesh_2d_no_wrap": module.SIP_TOPO_MESH}
    expect(kinds == {"ring_1d": 0, "torus_2d": 1, "mesh_2d_no_wrap": 2}, "topology constants")
    expect(module.TOPO_NAME_TO_KIND == kinds, "TOPO_NAME_TO_KIND")
    expect(module.kernel is module.allreduce_lrab_kernel, "the alias kernel")


def check_d2():
    module = compiled([LRAB, "--target", "ahbm"])
    expect(runtime.parameters(module.kernel_args) == (["world_size", "n_elem"], ["cube_w", "cube_h"]),
           "the signature of kernel_args")
    expect(module.kernel_args(2, 128) == (128, 4, 4, 2), "the tuple of kernel_args")
    expect(tuple(module.INSTALL_PLAN["kernel_args"]) == module.kernel_args(2, module.INSTALL_PLAN["n_elem"]),
           "the kernel arguments of the install plan")
    sized = compiled([LEVELS, *SMALL, "-p", "pipeline=3"], "--max-bytes", "1000")
    expect(sized.INSTALL_PLAN["n_elem"] == 498, "n_elem of --max-bytes, a multiple of the chunks")
    for bad in ((3, 128, {}), (2, 0, {}), (2, 128, {"cube_w": 2})):
        raises(lambda bad=bad: module.kernel_args(bad[0], bad[1], **bad[2]), f"kernel_args{bad}")


def raises(call, what):
    try:
        call()
    except ValueError:
        return
    expect(False, f"{what} does not raise ValueError")


def check_d3():
    for arguments, _ in CASES[:4]:
        expect(runtime.parameters(compiled(arguments).kernel) ==
               (["t_ptr", "n_elem", "cube_w", "cube_h", "n_sips", "sip_rank", "sip_topo_kind", "sip_topo_w",
                 "sip_topo_h"], ["tl"]), "the nine arguments and tl")


def check_d4():
    arguments, pes = CASES[9]
    module, n = compiled(arguments), 6
    data = [[float(e) for e in range(n)] for _ in module.INSTALL_PLAN["ranks"]]
    logs = [runtime.execute(module, data, n, pes, runtime.f16, seed)[1] for seed in range(3)]
    expect(logs[0] == logs[1] == logs[2], "the calls depend on the interleaving")
    text = cclc(*arguments, "--emit=ahbm-module")
    for word in ("yield", "async", "import random", "open(", ".data"):
        expect(word not in text, f"the module contains {word}")


def check_d5():
    for target, topology in (("ahbm", ("ring_1d", 0, 0, 0)), ("ahbm-6sip-torus", ("torus_2d", 1, 2, 3)),
                             ("ahbm-6sip-mesh", ("mesh_2d_no_wrap", 2, 2, 3))):
        module = compiled([LRAB, "--target", target])
        given = module.INSTALL_PLAN["sip_topology"]
        expect((given["name"], given["kind"], given["w"], given["h"]) == topology, f"topology of {target}")
        for kind, w, h in ((0, 0, 0), (1, 2, 3), (2, 2, 3), (1, 3, 2), (7, 0, 0)):
            if (kind, w, h) != topology[1:]:
                raises(lambda m=module, k=kind, w=w, h=h: m.kernel(0, 8, 4, 4, 2, 0, k, w, h, tl=None),
                       f"{target}: kind {kind}")


def check_d6():
    entry = compiled([LRAB, "--target", "ahbm"]).INSTALL_PLAN["ccl_yaml"]
    expect(entry == {"defaults": {"algorithm": LRAB, "n_elem": 8},
                     "algorithms": {LRAB: {"module": "kernbench.ccl.algorithms." + LRAB}}}, "ccl_yaml")
    entry = compiled([LRAB, "--target", "ahbm"], "--world-size", "32").INSTALL_PLAN["ccl_yaml"]
    expect(entry["algorithms"][LRAB]["world_size"] == 32, "the world_size override")


def check_d7():
    module = compiled([LRAB, "--target", "ahbm"], "--world-size", "32")
    expect(module.INSTALL_PLAN["kernel_args"] == [8, 1, 1, 32], "rank = PE has one cube")
    rows = module.INSTALL_PLAN["ranks"]
    expect([row["sip_rank"] for row in rows] == list(range(32)), "rank = PE")
    expect(all(row["tile"] == 0 for row in rows), "every PE has a tensor")
    endpoints = json.loads(cclc(LRAB, "--target", "ahbm", "-o", "-"))["endpoints"]
    expect([(row["sip"] * 16 + row["cube"]) * 8 + row["pe"] for row in rows] == endpoints, "rank to PE")
    by_sip = compiled([LRAB, "--target", "ahbm"]).INSTALL_PLAN["ranks"]
    expect([row["sip_rank"] for row in by_sip] == [r // 16 for r in range(32)], "rank = SIP")
    one = compiled([LRAB, *ONE_CUBE])
    expect(one.kernel_args(2, 8, cube_w=1, cube_h=1) == (8, 1, 1, 2), "a single cube")


TESTS = {"D1": check_d1, "D2": check_d2, "D3": check_d3, "D4": check_d4, "D5": check_d5, "D6": check_d6,
         "D7": check_d7, "data": check_data, "queues": check_queues, "places": check_places, "detects": check_detects}


def main():
    for name in sys.argv[2:] or TESTS:
        before = len(problems)
        TESTS[name]()
        print(f"{name}: {'ok' if len(problems) == before else 'failed'}")
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))


main()
