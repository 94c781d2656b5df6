#!/usr/bin/env python3
"""Checks the files for the selection of NCCL, Open MPI and MPICH, with readers that follow the runtimes.

usage: check_selection.py WRITE_SELECTION

Random portfolios with gaps and with programs that a runtime does not have are compared with the decision of
each reader, around all bounds.
"""

import random
import subprocess
import sys

from readers import (expect, mpich_call, mpich_choice, mpich_tree, nccl_choice, nccl_rows, open_mpi_choice,
                     open_mpi_json, open_mpi_json_choice, open_mpi_rules, problems)

TOOL = sys.argv[1]

# Program with its parameters: algorithm of NCCL; of Open MPI by number of the collective; of MPICH.
PROGRAMS = {
    "allgather": {
        "allgather_ring": ("ring", {0: 4}, "Allgather_intra_ring"),
        "allgather_ring channels=2": ("ring", {0: 4}, "Allgather_intra_ring"),
        "allgather_bruck": (None, {0: 2}, "Allgather_intra_brucks"),
        "allgather_nvls": ("nvls", {}, None),
        "allgather_rotated_rings": ("ring", {}, None),
        "allgather_recursive_doubling": (None, {0: 3}, "Allgather_intra_recursive_doubling"),
        "allgather_allpairs": (None, {}, None),
    },
    "allreduce": {
        "allreduce_ring": ("ring", {2: 4}, None),
        "allreduce_double_binary_tree": ("tree", {}, None),
        "allreduce_double_binary_tree chunks=16": ("tree", {}, None),
        "allreduce_tree": (None, {}, None),
        "allreduce_tree arity=1": ("tree", {}, None),
        "allreduce_tree arity=1,chunks=8": ("tree", {}, None),
        "allreduce_tree arity=1,streams=1": (None, {}, None),
        "allreduce_nvls": ("nvls", {}, None),
        "allreduce_rotated_rings rings=2": ("ring", {}, None),
        "allreduce_recursive_doubling": (None, {2: 3}, "Allreduce_intra_recursive_doubling"),
        "allreduce_halving_doubling": (None, {2: 6}, "Allreduce_intra_reduce_scatter_allgather"),
        "allreduce_centralized": (None, {2: 1}, None),
        "allreduce_centralized streams=2": (None, {}, None),
        "allreduce_allpairs": (None, {}, None),
    },
    "reducescatter": {
        "reducescatter_ring": ("ring", {12: 3}, None),
        "reducescatter_direct": (None, {}, "Reduce_scatter{}_intra_pairwise"),
        "reducescatter_direct chunks=4": (None, {}, None),
        "reducescatter_rotated_rings": ("ring", {}, None),
        "reducescatter_halving": (None, {12: 2, 13: 3}, "Reduce_scatter{}_intra_recursive_halving"),
    },
    "alltoall": {
        "alltoall_direct": (None, {3: 1}, "Alltoall_intra_scattered"),
        "alltoall_bruck": (None, {3: 3}, "Alltoall_intra_brucks"),
        "alltoall_two_step": (None, {}, None),
    },
    "broadcast": {
        "broadcast_binomial": (None, {7: 6}, "Bcast_intra_binomial"),
        "broadcast_binomial chunks=4": (None, {7: 6}, None),
        "broadcast_direct": (None, {7: 1}, None),
        "broadcast_pipeline": ("ring", {7: 3}, None),
        "broadcast_pipeline chunks=2": ("ring", {7: 3}, None),
    },
    "reduce": {"reduce_binomial": (None, {11: 5}, "Reduce_intra_binomial"),
               "reduce_binomial chunks=2": (None, {11: 5}, None)},
    "gather": {"gather_binomial": (None, {9: 2}, "Gather_intra_binomial")},
    "scatter": {"scatter_binomial": (None, {15: 2}, "Scatter_intra_binomial")},
    "alltonext": {"alltonext": (None, {}, None)},
}
# Open MPI takes the size of their segments.
DIVIDED = {"broadcast_binomial", "broadcast_pipeline", "reduce_binomial"}
OPEN_MPI = {"allgather": [0], "allreduce": [2], "alltoall": [3], "broadcast": [7], "gather": [9],
            "reduce": [11], "reducescatter": [12, 13], "scatter": [15]}
MPICH = {"allgather": ["allgather"], "allreduce": ["allreduce"], "alltoall": ["alltoall"],
         "broadcast": ["bcast"], "gather": ["gather"], "reduce": ["reduce"], "scatter": ["scatter"],
         "reducescatter": ["reduce_scatter", "reduce_scatter_block"]}
ALL_OF_MPICH = """allgather allgatherv allreduce alltoall alltoallv alltoallw barrier bcast exscan gather
    gatherv reduce reduce_scatter reduce_scatter_block scan scatter scatterv""".split()
NEIGHBOR = [f"neighbor_{name}" for name in "allgather allgatherv alltoall alltoallv alltoallw".split()]
INTRA_ONLY = {"exscan", "scan", *NEIGHBOR}


def written(runtime, rows):
    text = "".join(" ".join(map(str, row.values())) + "\n" for row in rows)
    done = subprocess.run([TOOL, runtime], input=text, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.splitlines()


# Portfolios


def random_rows(rng):
    rows = []
    for collective in rng.sample(sorted(PROGRAMS), rng.randint(1, 4)):
        for ranks in sorted(rng.sample([2, 3, 4, 6, 8, 16, 24], rng.randint(1, 3))):
            at = rng.choice([0, 1, 1024])
            for _ in range(rng.randint(1, 5)):
                high = at + rng.choice([0, 1000, 65535, 1 << 20, (1 << 31) - 1 - at, 1 << 33])
                program, _, parameters = rng.choice(sorted(PROGRAMS[collective])).partition(" ")
                rows.append({"collective": collective, "ranks": ranks, "per_node": rng.choice([1, 2, 8, 24]),
                             "min": at, "max": max(at, high), "program": program,
                             "protocol": rng.choice(["Simple", "LL", "LL128"]),
                             "channels": rng.randint(1, 8), "segment": rng.choice([0, 4096]),
                             "parameters": parameters or "-", "switches": rng.choice([0, 1])})
                at = rows[-1]["max"] + rng.choice([1, 1, 100])
            for row in rows:  # one number of ranks per node for a collective and its ranks
                if (row["collective"], row["ranks"]) == (collective, ranks):
                    row["per_node"] = rows[-1]["per_node"]
    rng.shuffle(rows)
    return rows


def row_of(group, size):
    """The row for a size; the first and the last one hold beyond their bounds."""
    if size < group[0]["min"]:
        return group[0]
    if size > group[-1]["max"]:
        return group[-1]
    return next((row for row in group if row["min"] <= size <= row["max"]), None)


def probes(group):
    bounds = {row[key] for row in group for key in ("min", "max")}
    return sorted({max(0, bound + d) for bound in bounds | {0, 1 << 40} for d in (-1, 0, 1)})


def titled(row):
    return row["program"] if row["parameters"] == "-" else f"{row['program']} {row['parameters']}"


def algorithms_of(row):
    """The algorithms of the runtimes for the ranks and nodes of a row."""
    nccl, open_mpi, mpich = PROGRAMS[row["collective"]][titled(row)]
    nodes = -(-row["ranks"] // row["per_node"])
    # Rings pass several nodes through several ranks, but for a single ring. Trees are chains within a node, and
    # double binary trees over nodes of one rank.
    has_levels, is_rotated = nodes > 1 and row["per_node"] > 1, row["program"].endswith("_rotated_rings")
    is_single = row["channels"] == 1 and row["program"] != "broadcast_pipeline"
    if nccl == "ring" and has_levels != is_rotated and not (has_levels and is_single) or \
       row["program"] == "allreduce_tree" and nodes > 1 or \
       row["program"] == "allreduce_double_binary_tree" and (nodes == 1 or row["per_node"] > 1) or \
       nccl == "nvls" and (nodes > 1 or not row["switches"] or row["protocol"] != "Simple"):
        nccl = None
    if row["program"] == "broadcast_binomial" and nodes > 1:
        mpich = None  # whose tree has other ranks next to the root
    if row["program"] == "allgather_recursive_doubling" and row["ranks"] & (row["ranks"] - 1):
        open_mpi, mpich = {}, None
    return nccl, open_mpi, mpich


def check_portfolio(rows):
    nccl, nccl_missing = written("nccl", rows)
    open_mpi, open_mpi_missing = written("openmpi", rows)
    as_json, as_json_missing = written("openmpi-json", rows)
    mpich, mpich_missing = written("mpich", rows)
    expect([line.removeprefix("# not expressed: ") for line in nccl.splitlines()
            if line.startswith("# not")] == nccl_missing, "NCCL: comments")
    expect([line.removeprefix("# not expressed: ") for line in open_mpi.splitlines()
            if line.startswith("# not")] == open_mpi_missing, "Open MPI: comments")
    expect(as_json_missing == open_mpi_missing, "Open MPI: the JSON does not express the same")
    nccl, open_mpi, mpich = nccl_rows(nccl), open_mpi_rules(open_mpi), mpich_tree(mpich)
    as_json = open_mpi_json(as_json)
    groups = {}
    for row in rows:
        groups.setdefault((row["collective"], row["ranks"]), []).append(row)
    for (collective, ranks), group in groups.items():
        group.sort(key=lambda row: row["min"])
        for size in probes(group):
            row = row_of(group, size)
            of_nccl, of_open_mpi, of_mpich = algorithms_of(row) if row else (None, {}, None)
            nodes = -(-ranks // group[0]["per_node"])
            want = (of_nccl, row["protocol"].lower(), row["channels"]) if of_nccl else None
            found = nccl_choice(nccl, collective, size, nodes, ranks)
            expect(found == want, "NCCL:", collective, ranks, size, found, "instead of", want)
            expect(nccl_choice(nccl, collective, size, nodes, ranks + 1) is None or
                   (collective, ranks + 1) in groups, "NCCL: a row for other ranks")
            for number in OPEN_MPI.get(collective, []):
                algorithm = of_open_mpi.get(number, 0)
                want = algorithm, row["segment"] if algorithm and row["program"] in DIVIDED else 0
                found = open_mpi_choice(open_mpi, number, ranks, size)
                expect(found == want, "Open MPI:", number, ranks, size, found, "instead of", want)
                found = open_mpi_json_choice(as_json, number, ranks, size)
                expect(found == want, "Open MPI 6.0:", number, ranks, size, found, "instead of", want)
                for other in (1, ranks - 1, ranks + 1, 1000):
                    if (collective, other) not in groups:
                        expect(open_mpi_choice(open_mpi, number, other, size) == (0, 0) ==
                               open_mpi_json_choice(as_json, number, other, size),
                               "Open MPI: a rule for other ranks")
            if row and size < 2 ** 31:
                for name in MPICH.get(collective, []):
                    found = mpich_choice(mpich, mpich_call(name, ranks, size))
                    if of_mpich:
                        want = of_mpich.format("_block" if name.endswith("_block") else "")
                        expect(found == want, "MPICH:", name, ranks, size, found, "instead of", want)
    check_missing(rows, nccl_missing, open_mpi_missing, mpich_missing)
    check_complete(mpich)


def check_missing(rows, nccl, open_mpi, mpich):
    for row in rows:
        begin = f"{row['collective']} over {row['ranks']} ranks, {row['min']} to {row['max']} bytes: "
        end = " has no algorithm like " + titled(row).replace(",", " ")
        of_nccl, of_open_mpi, of_mpich = algorithms_of(row)
        expect((begin + "NCCL" + end in nccl) == (of_nccl is None), "NCCL does not report", begin, end)
        if of_mpich is None:
            expect(begin + "MPICH" + end in mpich, "MPICH:", begin)
        if not of_open_mpi:
            expect(any(text.startswith(begin + "Open MPI") and text.endswith(end) for text in open_mpi),
                   "Open MPI:", begin)


def check_complete(tree):
    """Every call of MPICH has an algorithm that is applicable to it."""
    for collective in ALL_OF_MPICH + NEIGHBOR:
        for name in (collective, "i" + collective):
            for comm in ("intra", "inter"):
                if comm == "inter" and collective in INTRA_ONLY:
                    continue
                for ranks in (1, 2, 3, 8, 1000):
                    for count in (0, ranks):
                        for yes in ("yes", "no"):
                            call = mpich_call(name, ranks, 1 << 30, comm_type=comm, count=count,
                                              is_commutative=yes, is_sendbuf_inplace=yes,
                                              is_op_built_in=yes)
                            chosen = mpich_choice(tree, call)
                            if not chosen:
                                expect(False, "MPICH aborts in", name, comm)
                                continue
                            kind = "allcomm" if "_allcomm_" in chosen else comm
                            expect(f"_{kind}_" in chosen, "MPICH:", name, comm, chosen)
                            if chosen.endswith(("recursive_halving", "scatter_intra_pairwise",
                                                "block_intra_pairwise")):
                                expect(yes == "yes", "MPICH: not commutative, but", chosen)
                            if chosen.endswith("reduce_scatter_allgather"):
                                expect(yes == "yes" and count >= call["pow2"], "MPICH:", chosen)
                            if "alltoall" in name and "neighbor" not in name and comm == "intra":
                                in_place = chosen.endswith(("inplace", "sendrecv_replace"))
                                expect(in_place == (yes == "yes"), "MPICH:", name, chosen)


def main():
    rng = random.Random(20250131)
    for _ in range(60):
        check_portfolio(random_rows(rng))
    check_portfolio([])
    for problem in sorted(set(problems))[:20]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
