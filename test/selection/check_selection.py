#!/usr/bin/env python3
"""Checks the files for the selection of NCCL, Open MPI and MPICH, with readers that follow the runtimes.

usage: check_selection.py WRITE_SELECTION

A reader takes the decision of the runtime for a call: the first matching row of NCCL's plugin, the last rule
of Open MPI whose ranks and bytes are not larger, the tree of conditions of MPICH. Random portfolios with gaps
and with programs that a runtime does not have are compared with the decision of each reader, around all
bounds. The readers reject what the runtimes reject: long lines, rules in another order, chains without an
end, unknown names.
"""

import json
import random
import re
import subprocess
import sys

TOOL = sys.argv[1]
problems = []

# Program: algorithm of NCCL; of Open MPI by number of the collective; of MPICH.
PROGRAMS = {
    "allgather": {
        "allgather_ring": ("ring", {0: 4}, "Allgather_intra_ring"),
        "allgather_bruck": (None, {0: 2}, "Allgather_intra_brucks"),
        "allgather_recursive_doubling": (None, {0: 3}, "Allgather_intra_recursive_doubling"),
        "allgather_allpairs": (None, {}, None),
    },
    "allreduce": {
        "allreduce_ring": ("ring", {2: 4}, None),
        "allreduce_double_binary_tree": ("tree", {}, None),
        "allreduce_recursive_doubling": (None, {2: 3}, "Allreduce_intra_recursive_doubling"),
        "allreduce_halving_doubling": (None, {2: 6}, "Allreduce_intra_reduce_scatter_allgather"),
        "allreduce_centralized": (None, {2: 1}, None),
        "allreduce_allpairs": (None, {}, None),
    },
    "reducescatter": {
        "reducescatter_ring": ("ring", {12: 3}, None),
        "reducescatter_halving": (None, {12: 2, 13: 3}, "Reduce_scatter{}_intra_recursive_halving"),
    },
    "alltoall": {
        "alltoall_direct": (None, {3: 1}, "Alltoall_intra_scattered"),
        "alltoall_bruck": (None, {3: 3}, "Alltoall_intra_brucks"),
        "alltoall_two_step": (None, {}, None),
    },
    "broadcast": {
        "broadcast_binomial": (None, {7: 6}, "Bcast_intra_binomial"),
        "broadcast_pipeline": ("ring", {7: 3}, None),
    },
    "reduce": {"reduce_binomial": (None, {11: 5}, "Reduce_intra_binomial")},
    "gather": {"gather_binomial": (None, {9: 2}, "Gather_intra_binomial")},
    "scatter": {"scatter_binomial": (None, {15: 2}, "Scatter_intra_binomial")},
    "alltonext": {"alltonext": (None, {}, None)},
}
OPEN_MPI = {"allgather": [0], "allreduce": [2], "alltoall": [3], "broadcast": [7], "gather": [9],
            "reduce": [11], "reducescatter": [12, 13], "scatter": [15]}
MPICH = {"allgather": ["allgather"], "allreduce": ["allreduce"], "alltoall": ["alltoall"],
         "broadcast": ["bcast"], "gather": ["gather"], "reduce": ["reduce"], "scatter": ["scatter"],
         "reducescatter": ["reduce_scatter", "reduce_scatter_block"]}
ALL_OF_MPICH = """allgather allgatherv allreduce alltoall alltoallv alltoallw barrier bcast exscan gather
    gatherv reduce reduce_scatter reduce_scatter_block scan scatter scatterv""".split()
NEIGHBOR = [f"neighbor_{name}" for name in "allgather allgatherv alltoall alltoallv alltoallw".split()]
INTRA_ONLY = {"exscan", "scan", *NEIGHBOR}


def expect(condition, *text):
    if not condition:
        problems.append(" ".join(map(str, text)))


def written(runtime, rows):
    text = "".join(" ".join(map(str, row.values())) + "\n" for row in rows)
    done = subprocess.run([TOOL, runtime], input=text, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.splitlines()


# NCCL: plugins/tuner/example


def nccl_rows(text):
    rows = []
    for line in text.splitlines():
        expect(len(line) < 255, "NCCL: a long line:", line)
        if line.startswith("#"):
            continue
        fields = line.split(",")
        expect(len(fields) == 10, "NCCL: fields of", line)
        expect(fields[0] in ("broadcast", "reduce", "allgather", "reducescatter", "allreduce"), line)
        expect(fields[3] in ("tree", "ring"), line)
        expect(fields[4] in ("ll", "ll128", "simple"), line)
        expect(int(fields[5]) >= 1, "NCCL takes -1 and 0 channels for 1:", line)
        expect(int(fields[2]) < 2 ** 63, line)
        rows.append(fields)
    return rows


def nccl_choice(rows, collective, size, nodes, ranks):
    for name, low, high, algorithm, protocol, channels, at_nodes, at_ranks, pipes, registered in rows:
        if name == collective and int(low) <= size <= int(high) and int(at_nodes) in (-1, nodes) and \
           int(at_ranks) in (-1, ranks) and pipes == registered == "-1":
            return algorithm, protocol, int(channels)
    return None


# Open MPI: coll_tuned_dynamic_file.c and coll_tuned_dynamic_rules.c


def open_mpi_rules(text):
    numbers = [word for line in text.splitlines() for word in line.split("#")[0].split()]
    expect(all(number == "0" or not number.startswith("0") for number in numbers), "an octal number")
    words = iter(map(int, numbers))
    collectives = {}
    for _ in range(next(words)):
        number = next(words)
        sizes = []
        for _ in range(next(words)):
            ranks = next(words)
            rules = [tuple(next(words) for _ in range(4)) for _ in range(next(words))]
            expect(rules[0][0] == 0, "Open MPI: the first rule is not of 0 bytes")
            expect(rules == sorted(rules, key=lambda rule: rule[0]), "Open MPI: the order of rules")
            expect(len({rule[0] for rule in rules}) == len(rules), "Open MPI: two rules of one size")
            sizes.append((ranks, rules))
        expect(number not in collectives and sizes == sorted(sizes), "Open MPI: the order of ranks")
        collectives[number] = sizes
    expect(not list(words), "Open MPI: numbers at the end")
    return collectives


def open_mpi_choice(collectives, number, ranks, size):
    """The algorithm, or 0 for the selection of Open MPI, and its segment size."""
    sizes = collectives.get(number)
    if not sizes:
        return 0, 0
    rules = sizes[0][1]
    for at, more in sizes:
        if at <= ranks:
            rules = more
    chosen = rules[0]
    for rule in rules:
        if rule[0] <= size:
            chosen = rule
    return chosen[1], chosen[3]


# MPICH: csel.c

BOOLEAN = re.compile(r"(is_commutative|is_sendbuf_inplace|is_op_built_in)=(yes|no)|comm_type=(intra|inter)"
                     r"|collective=\w+")
COMPARED = re.compile(r"(comm_size|avg_msg_size|total_msg_size)(?:<=(\d+)|=any)|count(<pow2|=any)")
DEFINED = {"avg_msg_size": {"allreduce", "bcast", "reduce", "alltoall"},
           "total_msg_size": {"allreduce", "bcast", "reduce", "alltoall", "alltoallv", "alltoallw",
                              "allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"}}


def mpich_tree(text):
    expect(len(text) % 4096 != 0, "MPICH: the length is a multiple of the page size")

    def pairs(items):
        expect(len({key for key, _ in items}) == len(items), "MPICH: two equal keys")
        return dict(items)

    tree = json.loads(text, object_pairs_hook=pairs)
    validate(tree, "")
    return tree


def validate(tree, collective):
    keys = list(tree)
    expect(keys, "MPICH: an empty object in", collective)
    for key, value in tree.items():
        if key.startswith("collective="):
            collective = key.split("=")[1]
        if key.startswith("algorithm="):
            expect(len(keys) == 1 and value == {}, "MPICH: a leaf with more keys")
            name = key.removeprefix("algorithm=MPIR_")
            expect(re.fullmatch(r"[A-Z][a-z_]+_(intra|inter|allcomm)_[a-z_]+", name), key)
            expect(name.lower().startswith(collective + "_"), "MPICH:", key, "in", collective)
            continue
        compared = COMPARED.fullmatch(key)
        expect(compared or BOOLEAN.fullmatch(key), "MPICH: unknown key", key)
        if compared:
            expect(keys[-1].endswith("=any"), "MPICH: a chain without an end", keys)
            expect(int(compared[2] or 0) < 2 ** 31, "MPICH: a bound of 32 bits", key)
            expect(compared[1] not in DEFINED or collective in DEFINED[compared[1]], key, "of", collective)
        validate(value, collective)


def mpich_choice(tree, call):
    """The function for a call: a dictionary of its properties. None: no leaf holds, and MPICH aborts."""
    for key, value in tree.items():
        if key.startswith("algorithm="):
            return key.removeprefix("algorithm=MPIR_")
        name, comparison, bound = re.fullmatch(r"(\w+?)(<=|=|<)(\w+)", key).groups()
        if comparison == "<=":
            holds = call[name] <= int(bound)
        elif comparison == "<":
            holds = call[name] < call[bound]
        else:
            holds = bound == "any" or call[name] == bound
        if holds:
            return mpich_choice(value, call)
    return None


def mpich_call(collective, ranks, size, **more):
    power = 1 << (ranks.bit_length() - 1)
    per_rank = size // ranks if collective == "alltoall" else size
    total = size * ranks if collective in ("allreduce", "bcast", "reduce") else size
    return {"collective": collective, "comm_type": "intra", "comm_size": ranks, "avg_msg_size": per_rank,
            "total_msg_size": total, "count": power, "pow2": power, "is_commutative": "yes",
            "is_sendbuf_inplace": "no", "is_op_built_in": "yes", **more}


# Portfolios


def random_rows(rng):
    rows = []
    for collective in rng.sample(sorted(PROGRAMS), rng.randint(1, 4)):
        for ranks in sorted(rng.sample([2, 3, 4, 6, 8, 16, 24], rng.randint(1, 3))):
            at = rng.choice([0, 1, 1024])
            for _ in range(rng.randint(1, 5)):
                high = at + rng.choice([0, 1000, 65535, 1 << 20, (1 << 31) - 1 - at, 1 << 33])
                rows.append({"collective": collective, "ranks": ranks, "per_node": rng.choice([1, 2, 8]),
                             "min": at, "max": max(at, high),
                             "program": rng.choice(sorted(PROGRAMS[collective])),
                             "protocol": rng.choice(["Simple", "LL", "LL128"]),
                             "channels": rng.randint(1, 8), "segment": rng.choice([0, 4096])})
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


def check_portfolio(rows):
    nccl, nccl_missing = written("nccl", rows)
    open_mpi, open_mpi_missing = written("openmpi", rows)
    mpich, mpich_missing = written("mpich", rows)
    expect([line.removeprefix("# not expressed: ") for line in nccl.splitlines()
            if line.startswith("# not")] == nccl_missing, "NCCL: comments")
    expect([line.removeprefix("# not expressed: ") for line in open_mpi.splitlines()
            if line.startswith("# not")] == open_mpi_missing, "Open MPI: comments")
    nccl, open_mpi, mpich = nccl_rows(nccl), open_mpi_rules(open_mpi), mpich_tree(mpich)
    groups = {}
    for row in rows:
        groups.setdefault((row["collective"], row["ranks"]), []).append(row)
    for (collective, ranks), group in groups.items():
        group.sort(key=lambda row: row["min"])
        for size in probes(group):
            row = row_of(group, size)
            of_nccl, of_open_mpi, of_mpich = \
                PROGRAMS[collective][row["program"]] if row else (None, {}, None)
            power = ranks & (ranks - 1) == 0
            if row and row["program"] == "allgather_recursive_doubling" and not power:
                of_open_mpi, of_mpich = {}, None
            if row and row["program"] == "broadcast_pipeline" and not row["segment"]:
                of_open_mpi = {}
            nodes = -(-ranks // group[0]["per_node"])
            want = (of_nccl, row["protocol"].lower(), row["channels"]) if of_nccl else None
            found = nccl_choice(nccl, collective, size, nodes, ranks)
            expect(found == want, "NCCL:", collective, ranks, size, found, "instead of", want)
            expect(nccl_choice(nccl, collective, size, nodes, ranks + 1) is None or
                   (collective, ranks + 1) in groups, "NCCL: a row for other ranks")
            for number in OPEN_MPI.get(collective, []):
                segment = row["segment"] if row and row["program"] == "broadcast_pipeline" else 0
                algorithm = of_open_mpi.get(number, 0)
                want = algorithm, segment if algorithm else 0
                found = open_mpi_choice(open_mpi, number, ranks, size)
                expect(found == want, "Open MPI:", number, ranks, size, found, "instead of", want)
                for other in (1, ranks - 1, ranks + 1, 1000):
                    if (collective, other) not in groups:
                        expect(open_mpi_choice(open_mpi, number, other, size) == (0, 0),
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
        of_nccl, of_open_mpi, of_mpich = PROGRAMS[row["collective"]][row["program"]]
        line = begin + "NCCL has no algorithm like " + row["program"]
        expect((line in nccl) == (of_nccl is None), "NCCL does not report", line)
        if of_mpich is None:
            expect(begin + "MPICH has no algorithm like " + row["program"] in mpich, "MPICH:", begin)
        if not of_open_mpi:
            expect(any(text.startswith(begin + "Open MPI") and "no algorithm" in text for text in open_mpi),
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
                            if chosen.endswith("recursive_halving"):
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


main()
