"""Readers of the selection files of NCCL, Open MPI and MPICH, which follow the runtimes.

A reader takes the decision of the runtime for a call: the first matching row of NCCL's plugin, the last rule
of Open MPI whose ranks and bytes are not larger, the tree of conditions of MPICH. What the runtimes reject is
added to `problems`: long lines, rules in another order, chains without an end, unknown names.
"""

import json
import re

problems = []


def expect(condition, *text):
    if not condition:
        problems.append(" ".join(map(str, text)))


# NCCL: plugins/tuner/example, and the functions of src/device/generate.py

NCCL_LEGAL = {"broadcast": {"ring"}, "reduce": {"ring"}, "allgather": {"ring", "pat", "nvls", "collnet_direct"},
              "reducescatter": {"ring", "pat", "nvls", "collnet_direct"},
              "allreduce": {"ring", "tree", "nvls", "nvls_tree", "collnet_direct", "collnet_chain"}}


def nccl_rows(text):
    rows = []
    for line in text.splitlines():
        expect(len(line) < 255, "NCCL: a long line:", line)
        if line.startswith("#"):
            continue
        fields = line.split(",")
        expect(len(fields) == 10, "NCCL: fields of", line)
        expect(fields[0] in ("broadcast", "reduce", "allgather", "reducescatter", "allreduce"), line)
        expect(fields[3] in NCCL_LEGAL[fields[0]], "NCCL skips", line)
        expect(fields[4] in ("ll", "ll128", "simple"), line)
        expect(fields[4] == "simple" or fields[3] in ("tree", "ring"), "NCCL skips", line)
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


# Open MPI 6.0: the same files with JSON

OPEN_MPI_NAMES = {"allgather": 0, "allreduce": 2, "alltoall": 3, "bcast": 7, "gather": 9, "reduce": 11,
                  "reduce_scatter": 12, "reduce_scatter_block": 13, "scatter": 15}
COMMUNICATOR_KEYS = {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"}
RULE_KEYS = {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"}


def open_mpi_json(text):
    document = json.loads(text)
    expect(document["rule_file_version"] == 3 and document["module"] == "tuned", "Open MPI: the head of the JSON")
    collectives = {}
    for name, communicators in document["collectives"].items():
        for communicator in communicators:
            expect(set(communicator) <= COMMUNICATOR_KEYS, "Open MPI ignores a key of", communicator)
            expect(communicator["rules"], "Open MPI: no rules for a communicator")
            for rule in communicator["rules"]:
                expect(set(rule) <= RULE_KEYS, "Open MPI ignores a key of", rule)
        collectives[OPEN_MPI_NAMES[name]] = communicators
    return collectives


def open_mpi_json_choice(collectives, number, ranks, size):
    """The algorithm, or 0 for the selection of Open MPI, and its segment size."""
    for communicator in collectives.get(number, []):
        if communicator.get("comm_size_min", 0) <= ranks <= communicator.get("comm_size_max", 2 ** 31 - 1):
            for rule in communicator["rules"]:
                highest = rule.get("msg_size_max", "inf")
                if rule.get("msg_size_min", 0) <= size and (highest == "inf" or size <= highest):
                    return rule["alg"], rule.get("seg_size", 0)
            return 0, 0
    return 0, 0


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
