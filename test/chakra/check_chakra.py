#!/usr/bin/env python3
"""Checks the Chakra execution traces that ccl-sim writes against the plans and against ccl-sim's reports.

usage: check_chakra.py BINDIR

Traces are decoded with the schema of chakra.proto by protoc. The expectation comes from the JSON form of
the plan alone: the nodes of each step, the order of threadblocks, the waits, and the bytes of each message.
`detects` removes one dependence or message after the other from correct traces, each of which must be found.
"""

import collections
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import traces

BIN = pathlib.Path(sys.argv[1]).resolve()
FOLDER = tempfile.TemporaryDirectory()
ENVIRONMENT = dict(os.environ, XDG_CACHE_HOME=FOLDER.name)
problems = []

if not shutil.which("protoc"):
    print("needs protoc, of protobuf-compiler")
    sys.exit(77)

# The nodes of an instruction (docs/LangRef.md). A plain send or receive has a calculation if it costs time.
NODES = {"s": "send", "r": "recv", "cpy": "comp", "re": "comp", "nop": "comp", "rrc": "recv comp",
         "rcs": "recv comp send", "rrs": "recv comp send", "rrcs": "recv comp send"}
REDUCES = {"re", "rrc", "rrs", "rrcs"}

# Program with its options; options of the simulation; the bytes on the wire for a byte of payload, or None
# if they depend on the protocol.
CASES = [
    ("allreduce_ring --ranks 2", "--target fully-connected --bytes 64", 1),
    ("allreduce_ring --ranks 5 --instances 2", "--target fully-connected --bytes 1001 --dtype f16", 1),
    ("allreduce_ring --ranks 4 --no-fuse", "--target fully-connected --bytes 64K", 1),
    ("allreduce_ring --ranks 4 --fuse=rrs", "--target fully-connected --bytes 64K", 1),
    ("allreduce_ring --ranks 4", "--target fully-connected --bytes 64K --set queue.slot_size=1000", 1),
    ("allgather_ring --ranks 4 -p channels=2",
     "--target fully-connected --bytes 96K --set launch=5.5e-6 --set pe.dispatch=300e-9", 1),
    ("allreduce_halving_doubling --ranks 8",
     "--target fully-connected --bytes 64K --set queue.slot_size=4096", 1),
    ("broadcast_binomial --ranks 7 -p chunks=4", "--target fully-connected --bytes 1M", 1),
    ("alltoall_two_step -p nodes=2 -p ranks_per_node=4", "--target fully-connected --bytes 64K", 1),
    ("alltonext --target ndv4", "--bytes 64K", None),
    ("hierarchical_sequence --ranks 12", "--target fully-connected --bytes 96K", 1),
    ("allreduce_double_binary_tree --ranks 8 -p chunks=3",
     "--target fully-connected --bytes 33K --set pe.math.cycle=2e-9 --set pe.math.bytes_per_cycle=64", 1),
    ("allreduce_lrab --target ahbm", "--bytes 256K", 1),
    ("allreduce_ring --ranks 8 --target ndv4 --protocol LL", "--bytes 100000", 2),
    ("allreduce_allpairs --ranks 8 --target ndv4 --protocol LL128", "--bytes 100000", None),
    ("allreduce_ring --ranks 16 --target ndv4", "--bytes 4M", None),
    ("allreduce_allpairs --ranks 8 --target mi300x", "--bytes 1M", None),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=FOLDER.name)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")


class Problems:
    """Findings of one case."""

    def __init__(self):
        self.texts = []

    def expect(self, condition, *text):
        if not condition:
            self.texts.append(" ".join(map(str, text)))
        return condition


def topological(nodes, matches, found):
    """The nodes in an order of all dependences, those between ranks included."""
    missing, unlocks = {}, collections.defaultdict(list)
    for key, node in nodes.items():
        needs = [(node.rank, dep) for dep in node.deps]
        if key in matches:
            needs.append(matches[key])
        missing[key] = len(needs)
        for need in needs:
            found.expect(need in nodes, node.name, "of rank", node.rank, "depends on an absent node")
            unlocks[need].append(key)
    order = [key for key in nodes if not missing[key]]
    for key in order:
        for other in unlocks[key]:
            missing[other] -= 1
            if not missing[other]:
                order.append(other)
    found.expect(len(order) == len(nodes), len(nodes) - len(order), "nodes depend on each other")
    return order


def match(nodes, found):
    """The send of every receive. Equal tags of a pair, or an unmatched message, are errors."""
    sends, matches, per_pair = {}, {}, collections.defaultdict(lambda: [0, 0])
    for key, node in nodes.items():
        if node.kind == "comp":
            continue
        value = {name: value for name, (_, value) in node.attributes.items()}
        found.expect(value["comm_src" if node.kind == "send" else "comm_dst"] == node.rank,
                     node.name, "has another rank")
        found.expect(value["comm_size"] > 0 and value["comm_tag"] >= 0, node.name, "size or tag")
        message = value["comm_src"], value["comm_dst"], value["comm_tag"]
        per_pair[message][node.kind == "recv"] += value["comm_size"]
        if node.kind == "send":
            found.expect(message not in sends, "two sends of", message)
            sends[message] = key
    for key, node in nodes.items():
        if node.kind == "recv":
            value = {name: value for name, (_, value) in node.attributes.items()}
            message = value["comm_src"], value["comm_dst"], value["comm_tag"]
            if found.expect(message in sends, "no send of", message):
                matches[key] = sends.pop(message)
                found.expect(nodes[matches[key]].attributes["comm_size"] == node.attributes["comm_size"],
                             "sizes of", message)
    found.expect(not sends, "unmatched sends", list(sends))
    for message, (sent, received) in per_pair.items():
        found.expect(sent == received, message, sent, "bytes are sent and", received, "received")
    return matches


def chunk_bytes(plan, sim):
    """The bytes of a chunk: of the output for all-gather, else of the input."""
    collective = plan["collective"]
    by_ranks = {"allgather", "reducescatter", "alltoall", "gather", "scatter"}
    chunks = collective["input"] if collective["kind"] == "custom" else collective["chunks"]
    chunks *= collective["ranks"] if collective["kind"] in by_ranks else 1
    element = 2 if sim["dtype"] == "f16" else 4
    elements = -(-sim["results"][0]["bytes"] // element)
    return -(-elements // chunks) * element


def check_steps(plan, sim, nodes, factor, found):
    """Returns the nodes of each step, by rank, threadblock, piece and step."""
    named = {(node.rank, node.name): node for node in nodes.values()}
    found.expect(len(named) == len(nodes), "two nodes with one name")
    chunk = chunk_bytes(plan, sim)
    chains, sizes = {}, collections.Counter()
    letters = {"recv": "r", "comp": "c", "send": "s"}
    for rank in plan["ranks"]:
        r = rank["rank"]
        launch = named.pop((r, "launch"), None)
        found.expect(launch and not launch.deps and launch.kind == "comp", "launch of rank", r)
        for tb in rank["threadblocks"]:
            for piece in range(sim["results"][0]["pieces"]):
                for s, step in enumerate(tb["steps"]):
                    chain, part = [], 0
                    while True:
                        label = f"t{tb['tb']}_{piece}_{s}"
                        last = str(part) if part else ""
                        more = [named.pop((r, label + letter + last), None) for letter in "rcs"]
                        more = [node for node in more if node]
                        if not more:
                            break
                        kinds = " ".join(node.kind for node in more)
                        want = NODES[step["op"]]
                        also = {"s": "comp send", "r": "recv comp"}.get(step["op"], want)
                        found.expect(kinds in (want, also), "rank", r, label, step["op"], "is", kinds)
                        for node in more:
                            found.expect(node.name[-1 - len(last)] == letters[node.kind], node.name)
                            check_attributes(node, step, found)
                        chain += more
                        part += 1
                    found.expect(chain, "rank", r, label, "has no node")
                    chains[r, tb["tb"], piece, s] = chain
                    for node in chain:
                        if node.kind != "comp":
                            sizes[r, tb["tb"], s, node.kind] += node.attributes["comm_size"][1]
                            peer = tb["send"] if node.kind == "send" else tb["recv"]
                            other = "comm_dst" if node.kind == "send" else "comm_src"
                            found.expect(node.attributes[other][1] == peer, node.name, "has another peer")
            for s, step in enumerate(tb["steps"]):
                for kind in {"send", "recv"} & set(NODES[step["op"]].split()):
                    sent = sizes[r, tb["tb"], s, kind]
                    payload = step.get("cnt", 1) * chunk
                    found.expect(sent == payload * factor if factor else sent >= payload, "rank", r,
                                 tb["tb"], s, kind, sent, "bytes instead of", payload)
    found.expect(not named, "nodes without a step:", list(named)[:3])
    return chains


def check_attributes(node, step, found):
    kinds = {name: kind for name, (kind, _) in node.attributes.items()}
    if node.kind == "comp":
        want = {"is_cpu_op": "bool_val", "num_ops": "int64_val", "tensor_size": "int64_val"}
        found.expect(node.attributes["num_ops"][1] > 0 or step["op"] not in REDUCES, node.name, "num_ops")
    else:
        want = {"is_cpu_op": "bool_val", "comm_size": "int64_val", "comm_src": "int32_val",
                "comm_dst": "int32_val", "comm_tag": "int32_val"}
    found.expect(kinds == want, node.name, kinds)
    found.expect(node.attributes["is_cpu_op"][1] is False, node.name, "is_cpu_op")


def check_order(plan, pieces, nodes, order, chains, found):
    """Every dependence of the plan is a path of the trace of its rank, which messages do not shorten."""
    before = {}  # the ancestors of a node in its rank, as a set of bits, itself included
    for key in order:
        node = nodes[key]
        before[key] = 1 << node.id
        for dep in node.deps:
            before[key] |= before.get((node.rank, dep), 0)

    def precedes(a, b):
        return before.get((b.rank, b.id), 0) >> a.id & 1

    for rank in plan["ranks"]:
        r = rank["rank"]
        launch = next(node for node in nodes.values() if node.rank == r and node.name == "launch")
        for tb in rank["threadblocks"]:
            last = launch
            for piece in range(pieces):
                for s, step in enumerate(tb["steps"]):
                    chain = chains[r, tb["tb"], piece, s]
                    for node in chain:
                        found.expect(precedes(last, node), "rank", r, last.name, "precedes", node.name)
                        last = node
                    if "wait" in step:
                        other, awaited = step["wait"]
                        steps = rank["threadblocks"][other]["steps"]
                        done = next(i for i in range(awaited, len(steps)) if steps[i].get("pub"))
                        for node in chains[r, other, piece, done]:
                            found.expect(precedes(node, chain[0]), "rank", r, chain[0].name, "waits for",
                                         node.name)


def check_traces(plan, sim, nodes, factor):
    found = Problems()
    matches = match(nodes, found)
    order = topological(nodes, matches, found)
    chains = check_steps(plan, sim, nodes, factor, found)
    if not found.texts:
        check_order(plan, sim["results"][0]["pieces"], nodes, order, chains, found)
    sends = [node for node in nodes.values() if node.kind == "send"]
    return found, sends


def check_totals(sim, sends, endpoints, found):
    """Compares with the report of the simulation: messages, and bytes that leave each endpoint."""
    leaving = collections.Counter()
    for link in sim["results"][0]["links"]:
        leaving[link["link"].split(" -> ")[0]] += link["bytes"]
    sent = collections.Counter()
    for node in sends:
        sent[endpoints[node.rank]] += node.attributes["comm_size"][1]
    for endpoint, size in sent.items():
        found.expect(leaving[endpoint] == size, endpoint, "sends", size, "bytes instead of",
                     leaving[endpoint])


def time_of(nodes, order, matches, latency, rate):
    """The time if a send ends when its message has arrived, and nothing contends, in nanoseconds."""
    end = {}
    for key in order:
        node = nodes[key]
        begin = max([end[node.rank, dep] for dep in node.deps], default=0)
        if key in matches:
            begin = max(begin, end[matches[key]])
        if node.kind == "comp":
            begin += node.duration * 1000
        if node.kind == "send":
            begin += latency + node.attributes["comm_size"][1] / rate
        end[key] = begin
    return max(end.values())


def make(program, options):
    folder = pathlib.Path(FOLDER.name)
    for old in folder.glob("trace.*.et"):
        old.unlink()
    run(BIN / "cclc", *program.split(), "-o", "plan.json")
    run(BIN / "ccl-sim", "plan.json", *options.split(), "--emit-chakra", "trace", "--json", "sim.json",
        "--dump-target", "target.json")
    plan, sim = (json.loads((folder / name).read_text()) for name in ("plan.json", "sim.json"))
    nodes = {}
    ranks = plan["collective"]["ranks"]
    for rank in range(ranks):
        version, attributes, trace = traces.read(folder / f"trace.{rank}.et", rank)
        if version != "0.0.4" or attributes["plan"] != ("string_val", plan["name"]) or \
           attributes["rank"] != ("string_val", f"{rank} of {ranks}"):
            problems.append(f"{program}: metadata {attributes}")
        if len({node.id for node in trace}) != len(trace):
            problems.append(f"{program}: ids of rank {rank} are not unique")
        nodes.update({(rank, node.id): node for node in trace})
    if len(list(folder.glob("trace.*.et"))) != ranks:
        problems.append(f"{program}: more files than ranks")
    return plan, sim, nodes


def check_case(program, options, factor):
    plan, sim, nodes = make(program, options)
    found, sends = check_traces(plan, sim, nodes, factor)
    if "ndv4" in program + options or "fully-connected" in options:
        prefix = "node{}.gpu{}" if "ndv4" in program + options else "n{1}"
        endpoints = [prefix.format(r // 8, r % 8 if "ndv4" in program + options else r)
                     for r in range(plan["collective"]["ranks"])]
        check_totals(sim, sends, endpoints, found)
    if factor == 1:
        found.expect(len(sends) == sim["results"][0]["messages"], len(sends), "messages instead of",
                     sim["results"][0]["messages"])
    problems.extend(f"{program} {options}: {text}" for text in found.texts[:4])


def check_time():
    """A ring has no sends that overlap in a threadblock: its trace takes the time of the simulation."""
    for extra in ("", " --set launch=5e-6 --set pe.dispatch=2e-6",
                  " --set pe.math.cycle=1e-6 --set pe.math.bytes_per_cycle=16384"):
        plan, sim, nodes = make("allreduce_ring --ranks 5",
                                "--target fully-connected --network ideal --bytes 320K" + extra)
        found = Problems()
        matches = match(nodes, found)
        target = json.loads((pathlib.Path(FOLDER.name) / "target.json").read_text())
        link = target["link"]
        time = time_of(nodes, topological(nodes, matches, found), matches, link["propagation"] * 1e9,
                       link["bandwidth"] / 1e9)
        if abs(time - sim["results"][0]["time_ns"]) > 1e-3:
            problems.append(f"time of a ring{extra}: {time} instead of {sim['results'][0]['time_ns']} ns")


def check_detects():
    """Every single dependence of a fused plan with waits, and every message, matters."""
    plan, sim, nodes = make("allreduce_double_binary_tree --ranks 4",
                            "--target fully-connected --bytes 4K")
    if check_traces(plan, sim, nodes, 1)[0].texts:
        problems.append("detects: the trace has problems before it is changed")
    changes = 0
    for key, node in nodes.items():
        for i, dep in enumerate(node.deps):
            if dep == 0 and len(node.deps) > 1:
                continue  # every awaited node follows the launch
            changed = dict(nodes)
            changed[key] = copy.deepcopy(node)
            del changed[key].deps[i]
            changes += 1
            if not check_traces(plan, sim, changed, 1)[0].texts:
                problems.append(f"detects: not found: {node.name} of rank {node.rank} without {node.deps[i]}")
        if node.kind != "comp":
            for name, add in (("comm_size", 4), ("comm_tag", 1), ("comm_src", 1)):
                changed = dict(nodes)
                changed[key] = copy.deepcopy(node)
                kind, value = node.attributes[name]
                changed[key].attributes[name] = (kind, value + add)
                changes += 1
                if not check_traces(plan, sim, changed, 1)[0].texts:
                    problems.append(f"detects: not found: {name} of {node.name} of rank {node.rank}")
    if changes < 50:
        problems.append(f"detects: only {changes} changes")


def main():
    for case in CASES:
        check_case(*case)
    check_time()
    check_detects()
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


main()
