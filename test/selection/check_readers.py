#!/usr/bin/env python3
"""Compares how cclc reads tuning files with the loaders of the runtimes, written here once more.

usage: check_readers.py WRITE_SELECTION READ_SELECTION

Random files have what people write by hand: rows that overlap, unknown words, empty fields, numbers in any order,
conditions in any nesting. The decision for a call, and the rules that decide for no size, are compared. Files that
cclc writes are read as the rows they were written from.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from check_selection import MPICH as MPICH_CALLS
from check_selection import OPEN_MPI as OPEN_MPI_IDS
from check_selection import probes, random_rows, written
from readers import (NCCL_LEGAL, OPEN_MPI_NAMES, expect, mpich_call, mpich_choice, mpich_tree, nccl_choice, nccl_rows,
                     open_mpi_choice, open_mpi_json, open_mpi_json_choice, open_mpi_rules, problems)

SIZES = range(0, 340)
NAMES = {"allgather": "allgather", "allreduce": "allreduce", "alltoall": "alltoall", "bcast": "broadcast",
         "broadcast": "broadcast", "gather": "gather", "reduce": "reduce", "reduce_scatter": "reducescatter",
         "reduce_scatter_block": "reducescatter", "reducescatter": "reducescatter", "scatter": "scatter"}


def decisions(reader, text, calls, folder):
    """What cclc answers for calls (name, ranks, per_node, switches, element, bytes or "unused")."""
    file = folder / "tuning"
    file.write_text(text, newline="")
    lines = "".join(f"{NAMES[call[0]]} {' '.join(map(str, call))}\n" for call in calls)
    done = subprocess.run([sys.argv[2], reader, file], input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        expect(False, "not read:", done.stderr, text)
        return ["" for _ in calls]
    return done.stdout.splitlines()


def check(reader, text, name, shape, choose, folder, sizes=SIZES):
    """`choose` has the algorithm and the line for a size; lines of all rules are in its `lines`."""
    ranks, per_node, switches = shape
    calls = [(name, ranks, per_node, switches, 4, size) for size in sizes]
    found = decisions(reader, text, calls + [(name, ranks, per_node, switches, 4, "unused")], folder)
    used = set()
    for size, answer in zip(sizes, found):
        want, line = choose(size)
        used.add(line)
        expect(answer == f"{want} {line or '-'}", reader, name, shape, size, answer, "instead of", want, line, text)
    unused = {int(part.split(":")[0]) for part in found[-1].split("; ") if part}
    expect(unused == choose.lines - used, reader, name, shape, found[-1], "instead of", choose.lines - used, text)


class Choice:
    def __init__(self, function, lines):
        self.function, self.lines = function, set(lines)

    def __call__(self, size):
        return self.function(size)


# NCCL and RCCL

WORDS = [["allreduce", "allreduce", "allgather", "broadcast", "reducescatter", "allreduec"],
         ["ring", "tree", "nvls", "pat", "nvls_tree", "collnet_direct", "rign"], ["ll", "ll128", "simple", "Simple"]]


def number_of(text):
    found = re.match(r"\s*([+-]?\d+)", text)
    return int(found[1]) if found else 0


def nccl_line(rng):
    low = rng.randrange(0, 200)
    fields = [rng.choice(WORDS[0]), str(low), str(low + rng.randrange(-10, 120)), rng.choice(WORDS[1]),
              rng.choice(WORDS[2]), str(rng.choice([-1, 0, 1, 4])), str(rng.choice([-1, 1, 2])),
              str(rng.choice([-1, 8, 8, 4, -2]))]
    fields += [str(rng.choice([-1, 1, 2])), str(rng.choice([-1, 0, 1]))][:rng.choice([0, 0, 1, 2])]
    if rng.random() < 0.1:
        fields.insert(rng.randrange(9), rng.choice(["", " ", "9"]))
    if rng.random() < 0.1:
        fields.pop()
    if rng.random() < 0.2:
        fields = [rng.choice(["", " ", "\t"]) + field + rng.choice(["", "  "]) for field in fields]
    return rng.choice(["", "", "", "", "", "#", " #"]) + ",".join(fields) + rng.choice(["", "", "\r"])


def nccl_oracle(text, collective, shape, is_rccl):
    ranks, per_node, switches = shape
    nodes = -(-ranks // per_node)
    rows, lines = [], set()
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r") if is_rccl else line
        if line.startswith("#") or (is_rccl and line.lstrip(" \t").startswith("#")):
            continue
        fields = [part.strip(" \t") for part in line.split(",") if part][:10]
        if len(fields) < 8 or (is_rccl and "" in fields):
            continue
        is_known = fields[0] in NCCL_LEGAL and fields[3] in WORDS[1][:-1] and fields[4] in WORDS[2][:-1]
        name = fields[0] if fields[0] in NCCL_LEGAL else "allreduce"
        if name == collective:
            lines.add(number)
        if is_rccl and not is_known:
            continue
        algorithm = fields[3] if fields[3] in WORDS[1][:-1] else "ring"
        protocol = fields[4] if fields[4] in WORDS[2][:-1] else "simple"
        numbers = [number_of(field) for field in fields[5:]] + [-1, -1]
        is_legal = algorithm in NCCL_LEGAL[name] and (protocol == "simple" or algorithm in ("ring", "tree"))
        needs = {"nvls": nodes == 1 and switches, "nvls_tree": nodes > 1 and switches, "collnet_direct": nodes > 1,
                 "pat": nodes > 1 and per_node == 1}
        is_legal = is_legal and needs.get(algorithm, True)
        fits = name == collective and all(value in (-1, own)
                                          for value, own in zip(numbers[1:], (nodes, ranks, 1, 0)))
        if fits and is_legal:
            channels = numbers[0] if numbers[0] >= 1 else "own" if is_rccl or numbers[0] == 0 else 1
            low, high = (number_of(field) % 2 ** 64 for field in fields[1:3])
            rows.append((low, high, f"{algorithm} {protocol} {channels} 0", number))

    def choose(size):
        for low, high, result, number in rows:
            if low <= size <= high:
                return result, number
        return f"own - {'own' if is_rccl else 1} 0", None

    return Choice(choose, lines)


def check_nccl(rng, folder):
    text = "\n".join(nccl_line(rng) for _ in range(rng.randrange(1, 14))) + "\n"
    for reader in ("nccl", "rccl-tuner"):
        for collective in ("allreduce", "allgather"):
            shape = rng.choice([(8, 8, 0), (8, 8, 1), (8, 4, 0), (8, 1, 0)])
            choose = nccl_oracle(text, collective, shape, reader == "rccl-tuner")
            check(reader, text, collective, shape, choose, folder)


# Open MPI

OPEN_MPI = {"bcast": (7, 9, ["own", "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial",
                             "knomial", "scatter_allgather", "scatter_allgather_ring"]),
            "reduce_scatter_block": (13, 4, ["own", "basic_linear", "recursive_doubling", "recursive_halving",
                                             "butterfly"])}


def open_mpi_sets(rng):
    """Sets of a number of ranks and of rules: bytes, algorithm, fan, segment."""
    sets = []
    for _ in range(rng.randrange(1, 5)):
        sizes = [0] + [rng.randrange(0, 320) for _ in range(rng.randrange(0, 4))]
        if rng.random() < 0.7:
            sizes.sort()
        sets.append((rng.randrange(0, 12), [(size, rng.randrange(0, 5), rng.randrange(3), rng.choice([0, 1024]))
                                            for size in sizes]))
    return sorted(sets) if rng.random() < 0.6 else sets


def open_mpi_5(sets, ranks, size):
    """The indices of the set and of the rule."""
    chosen = 0
    for index, (least, _) in enumerate(sets):
        if least > ranks:
            break
        chosen = index
    rule = 0
    for index, (least, *_) in enumerate(sets[chosen][1]):
        if least > size:
            break
        rule = index
    return chosen, rule


def open_mpi_6(sets, ranks, size):
    before = -1
    for s, (number, rules) in enumerate(sets):
        last = 2 ** 31 - 1 if s + 1 == len(sets) else number - 1
        if before + 1 <= ranks <= last:
            for r, rule in enumerate(rules):
                highest = 2 ** 64 - 1 if r + 1 == len(rules) else (rules[r + 1][0] - 1) % 2 ** 64
                if rule[0] <= size <= highest:
                    return s, r
            return None
        before = last
    return None


def spelt(rng, number):
    return rng.choice([str, str, str, hex, lambda value: "0" + oct(value)[2:], lambda value: f"x{value}"])(number)


def check_open_mpi(rng, folder):
    name = rng.choice(sorted(OPEN_MPI))
    number, _, names = OPEN_MPI[name]
    sets = open_mpi_sets(rng)
    words, lines = [f"2 # collectives\n6 1 8 1 0 3 0 0\n{number} {len(sets)} # 99\n"], {}
    line = 4
    for s, (ranks, rules) in enumerate(sets):
        words.append(f"{spelt(rng, ranks)} # ranks\n{len(rules)}\n")
        line += 2
        for r, rule in enumerate(rules):
            words.append(" ".join(spelt(rng, value) for value in rule) + rng.choice(["\n", " # 7 8 9\n"]))
            lines[s, r] = line
            line += 1
    text = "".join(words)
    for reader, find in (("ompi", open_mpi_5), ("ompi-6", open_mpi_6)):
        for ranks in rng.sample(range(1, 13), 2):
            def choose(size, find=find, ranks=ranks):
                found = find(sets, ranks, size)
                if not found:
                    return "own - own 0", None
                _, algorithm, _, segment = sets[found[0]][1][found[1]]
                named = f"{names[algorithm]} simple" if algorithm else "own -"
                return f"{named} own {segment}", lines[found]
            check(reader, text, name, (ranks, 4, 0), Choice(choose, lines.values()), folder)


def check_open_mpi_json(rng, folder):
    name = rng.choice(sorted(OPEN_MPI))
    _, most, names = OPEN_MPI[name]
    communicators = []
    for _ in range(rng.randrange(1, 4)):
        rules = []
        for _ in range(rng.randrange(1, 4)):
            rule = {"msg_size_min": rng.randrange(0, 200), "msg_size_max": rng.choice([200, "inf", 80, "INFINITY"]),
                    "alg": rng.choice([rng.randrange(0, most + 1), rng.choice(names[1:]), "ignore", 99, "no"]),
                    "seg_size": rng.choice([0, 4096])}
            for key in rng.sample(["msg_size_min", "msg_size_max", "seg_size"], rng.randrange(0, 3)):
                del rule[key]
            rules.append(rule)
        communicator = {"comm_size_min": rng.choice([0, 4]), "comm_size_max": rng.choice([4, 8, 100]),
                        "comm_rank_distribution": rng.choice(["any", "single-node", "one-per-node"]), "rules": rules}
        if rng.random() < 0.5:
            del communicator["comm_rank_distribution"]
        communicators.append(communicator)
    text = json.dumps({"collectives": {"barrier": [{"rules": [{"alg": "tree"}]}], name: communicators}}, indent=1)
    lines = [number for number, line in enumerate(text.split("\n"), 1) if '"alg"' in line][1:]
    at = iter(lines)
    where = [[next(at) for _ in communicator["rules"]] for communicator in communicators]
    for ranks, per_node in ((4, 4), (8, 1), (8, 4)):
        nodes = -(-ranks // per_node)

        def choose(size, ranks=ranks, per_node=per_node, nodes=nodes):
            for c, communicator in enumerate(communicators):
                kind = communicator.get("comm_rank_distribution", "any")
                if not communicator["comm_size_min"] <= ranks <= communicator["comm_size_max"] or \
                   kind == "single-node" and nodes > 1 or kind == "one-per-node" and not (nodes > 1 and per_node == 1):
                    continue
                for r, rule in enumerate(communicator["rules"]):
                    highest = rule.get("msg_size_max", "inf")
                    highest = 2 ** 64 if isinstance(highest, str) else highest
                    alg = rule["alg"] if isinstance(rule["alg"], str) else \
                        names[rule["alg"]] if rule["alg"] <= most else "no"
                    alg = "own" if alg == "ignore" else alg
                    if alg in names and rule.get("msg_size_min", 0) <= size <= highest:
                        named = f"{alg} simple" if alg != "own" else "own -"
                        return f"{named} own {rule.get('seg_size', 0)}", where[c][r]
                return "own - own 0", None
            return "own - own 0", None
        check("ompi-6", text, name, (ranks, per_node, 0), Choice(choose, lines), folder)


# MPICH

MPICH = {"allreduce": ["recursive_doubling", "smp", "reduce_scatter_allgather"],
         "alltoall": ["brucks", "pairwise", "scattered"], "allgather": ["ring", "brucks"],
         "reduce_scatter_block": ["pairwise", "noncommutative"]}
COMPARED = {"allreduce": ["avg_msg_size", "total_msg_size", "count", "comm_size"],
            "alltoall": ["avg_msg_size", "total_msg_size", "comm_size"],
            "allgather": ["total_msg_size", "count", "comm_size"],
            "reduce_scatter_block": ["total_msg_size", "count", "comm_size"]}


def mpich_object(rng, name, depth):
    if depth == 0 or rng.random() < 0.2:
        return {f"algorithm=MPIR_{name.capitalize()}_intra_{rng.choice(MPICH[name])}": {}}
    kind = rng.choice(["compare", "compare", "pow2", "bool", "few"])
    below = lambda: mpich_object(rng, name, depth - 1)
    if kind == "bool" and name in ("allreduce", "reduce_scatter_block"):
        return {"is_commutative=yes": below(), "is_commutative=no": below()}
    if kind == "few" and "count" in COMPARED[name]:
        return {"count < pow2": below(), "count=any": below()}
    if kind == "pow2":
        return {"comm_size=pow2": below(), "comm_size=any": below()}
    key = rng.choice(COMPARED[name])
    bounds = [rng.choice([4, 8, 9]) if key == "comm_size" else rng.randrange(0, 100) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.6:
        bounds.sort()
    members = {f"{key}{rng.choice(['<', '<='] if key != 'count' else ['<='])}{bound}": below() for bound in bounds}
    members[f"{key}=any"] = below()
    return members


def mpich_walk(tree, call, below, counter):
    """The leaf for a call, and its number; as csel.c, which prunes what is above conditions on messages."""
    for key, value in tree.items():
        if key.startswith("algorithm="):
            return key.split("_intra_")[1], counter[id(tree)]
        name, comparison, bound = re.fullmatch(r"(\w+?) ?(<=|=|<) ?(\w+)", key).groups()
        if comparison == "=":
            holds = bound == "any" or call[name] == bound or \
                (bound == "pow2" and call["comm_size"] & (call["comm_size"] - 1) == 0)
        elif bound == "pow2":
            holds = call["count"] < call["pow2"]
        else:
            is_equal_too = comparison == "<=" or (name == "comm_size" and below)
            holds = call[name] < int(bound) + is_equal_too
        below = below or (name not in ("comm_size", "comm_type", "collective") and bound != "any")
        if holds:
            return mpich_walk(value, call, below, counter)
    return None


def leaves(tree):
    for key, value in tree.items():
        if key.startswith("algorithm="):
            yield tree
        else:
            yield from leaves(value)


def check_mpich(rng, folder):
    name = rng.choice(sorted(MPICH))
    tree = mpich_object(rng, name, 3)
    inter = {"algorithm=MPIR_Barrier_inter_bcast": {}}
    document = {"collective=barrier": {"comm_type=inter": inter, "comm_type=intra": {"composition=X": {}}},
                f"collective={name}": {"comm_type=inter": {"algorithm=MPIR_Y_inter_z": {}}, "comm_type=intra": tree}}
    text = json.dumps(document, indent=1)
    lines = [number for number, line in enumerate(text.split("\n"), 1) if "_intra_" in line]
    counter = {id(leaf): line for leaf, line in zip(leaves(tree), lines)}
    for ranks in (4, 8, 9):
        def choose(size, ranks=ranks):
            call = mpich_call(name, ranks, size)
            elements = size // 4
            call["count"] = elements // ranks if name in ("allgather", "reduce_scatter_block") else elements
            call["pow2"] = 4 if ranks == 4 else 8
            algorithm, line = mpich_walk(tree, call, False, counter)
            return f"{algorithm} simple own 0", line
        sizes = range(0, 100 * ranks * (4 if "count" in COMPARED[name] else 1) + 100)
        check("mpich", text, name, (ranks, 3, 0), Choice(choose, lines), folder, sizes)


# Files that cclc writes


def check_written(rng, folder):
    rows = random_rows(rng)
    texts = {name: written(name, rows)[0] for name in ("nccl", "openmpi", "openmpi-json", "mpich")}
    as_nccl, rules, as_json = nccl_rows(texts["nccl"]), open_mpi_rules(texts["openmpi"]), open_mpi_json(texts["openmpi-json"])
    tree, numbers = mpich_tree(texts["mpich"]), {number: name for name, number in OPEN_MPI_NAMES.items()}
    groups = {}
    for row in rows:
        groups.setdefault((row["collective"], row["ranks"], row["per_node"]), []).append(row)
    asked = {name: [] for name in texts}
    for (collective, ranks, per_node), group in groups.items():
        nodes = -(-ranks // per_node)
        for size in probes(group):
            site = (ranks, per_node, 1, 4, size)
            if collective in NCCL_LEGAL:
                asked["nccl"].append(((collective, *site), nccl_choice(as_nccl, collective, size, nodes, ranks)))
            for number in OPEN_MPI_IDS.get(collective, []):
                for name, choose, file in (("openmpi", open_mpi_choice, rules),
                                           ("openmpi-json", open_mpi_json_choice, as_json)):
                    asked[name].append(((numbers[number], *site), choose(file, number, ranks, size)))
            for name in MPICH_CALLS.get(collective, []) if size < 2 ** 31 // ranks else []:
                asked["mpich"].append(((name, *site), mpich_choice(tree, mpich_call(name, ranks, size, count=size // 4))))
    for name, answers in asked.items():
        # The form of a file tells its runtime, unless it has comments alone.
        reader = "nccl" if name == "nccl" and not as_nccl else "-"
        found = decisions(reader, texts[name], [call for call, _ in answers], folder)
        for answer, (call, want) in zip(found, answers):
            algorithm, protocol, channels, segment, _ = answer.split()
            if name == "nccl":
                got = (algorithm, protocol, int(channels)) if algorithm != "own" else None
            elif name == "mpich":
                got = f"{call[0].capitalize()}_intra_{algorithm}"
            else:
                got, want = (algorithm, int(segment)), (open_mpi_name(call[0], want[0]), want[1])
            expect(got == want, name, call, got, "instead of", want, texts[name])


NUMBERED = """allgather own linear bruck recursive_doubling ring
allreduce own basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner
alltoall own linear pairwise modified_bruck
bcast own basic_linear chain pipeline split_binary_tree binary_tree binomial
gather own basic_linear binomial
reduce own linear chain pipeline binary binomial
reduce_scatter own non-overlapping recursive_halving ring
reduce_scatter_block own basic_linear recursive_doubling recursive_halving
scatter own basic_linear binomial"""


def open_mpi_name(call, number):
    return next(line.split()[1 + number] for line in NUMBERED.splitlines() if line.split()[0] == call)


def main():
    rng = random.Random(20260131)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(15):
            for each in (check_nccl, check_open_mpi, check_open_mpi_json, check_mpich, check_written):
                each(rng, folder)
    for problem in sorted(set(problems))[:6]:
        print(problem[:3000])
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
