#!/usr/bin/env python3
"""Compare the hierarchical all-to-all with the direct one.

usage: measure_alltoall.py --bin DIR [--document FILE [--update]]

Prints Markdown tables of the number of messages, the bytes and the memory of a representative, and
simulated times on the PEs of ahbm. Fails if the number of messages is not 2(N-G) + G(G-1), or if the
tables in FILE are out of date; --update updates them instead.
"""

import json
import sys

import doc_tables

RANKS = 8, 16, 32, 64, 128, 256
ARITIES = 2, 4, 8
SIZES = 2, 64, 512  # bytes from each rank to every other
LEADERS = 1, 2, 4, 8
# Slots hold almost all messages; otherwise large steps take several messages.
SHARED = ["--target", "ahbm", "--multiplex-queues"]
MACHINE = [*SHARED, "--set", "ipcq.slot_memory=hbm", "--set", "ipcq.slot_size=4194304"]


class Plan:
    def __init__(self, tools, program, ranks, **parameters):
        self.tools, self.ranks = tools, ranks
        name = "-".join([program, str(ranks), *(f"{k}{v}" for k, v in parameters.items())])
        self.path = tools.scratch / f"{name}.json"
        self.stats = json.loads(tools.run("cclc", program, *MACHINE, "--ranks", ranks,
                                          *doc_tables.options(parameters), "-o", self.path,
                                          "--stats=json"))
        self.steps = [[step for tb in rank["threadblocks"] for step in tb["steps"]]
                      for rank in json.loads(self.path.read_text())["ranks"]]

    def through(self, rank):
        """Chunks that a rank sends or receives."""
        moved = 0
        for step in self.steps[rank]:
            receives = step["op"].startswith("r") and step["op"] != "re"
            moved += (receives + step["op"].endswith("s")) * step.get("cnt", 1)
        return moved

    def time(self, size, machine=MACHINE):
        """Microseconds, for SIZE bytes from each rank to every other."""
        result, = self.tools.results(self.path, *machine, "--dtype", "i8", "--bytes",
                                     size * self.ranks)
        return f"{result['time_ns'] / 1000:,.2f}"


def compare(tools, wrong):
    rows = []
    for ranks in RANKS:
        direct = Plan(tools, "alltoall_direct", ranks)
        rows.append([ranks, "direct", f"{direct.stats['messages']:,}", direct.through(0),
                     direct.stats["scratch_max_per_rank"], *(direct.time(s) for s in SIZES)])
        for arity in ARITIES:
            plan = Plan(tools, "alltoall_hierarchical", ranks, arity=arity, flat_fallback=0)
            groups = min(arity, ranks)
            expected = 2 * (ranks - groups) + groups * (groups - 1)
            if plan.stats["messages"] != expected:
                wrong.append(f"{ranks} ranks, arity {arity}: {plan.stats['messages']} messages "
                             f"instead of {expected}")
            rows.append(["", arity, plan.stats["messages"], f"{plan.through(0):,}",
                         f"{plan.stats['scratch_max_per_rank']:,}",
                         *(plan.time(size) for size in SIZES)])
    return doc_tables.table(["N", "arity", "messages", "through a representative", "its scratch",
                             *(f"{size} B" for size in SIZES)], rows)


def over_slots(tools):
    """Times with the slots of the unchanged target: a step takes several messages."""
    rows = []
    for ranks in 16, 64, 256:
        plans = {"direct": Plan(tools, "alltoall_direct", ranks)}
        for arity in 4, 8:
            plans[arity] = Plan(tools, "alltoall_hierarchical", ranks, arity=arity, flat_fallback=0)
        for arity, plan in plans.items():
            rows.append([ranks, arity,
                         *(plan.time(size, SHARED) for size in SIZES)])
    return doc_tables.table(["N", "arity", *(f"{size} B" for size in SIZES)], rows)


def over_leaders(tools):
    rows = []
    for leaders in LEADERS:
        plan = Plan(tools, "alltoall_hierarchical", 64, arity=8, flat_fallback=0, leaders=leaders)
        rows.append([leaders, plan.stats["messages"], f"{plan.through(0):,}",
                     f"{plan.stats['scratch_max_per_rank']:,}", *(plan.time(s) for s in SIZES)])
    return doc_tables.table(["leaders", "messages", "through a leader", "its scratch",
                             *(f"{size} B" for size in SIZES)], rows)


def over_layouts(tools):
    rows = []
    for ranks in 11, 60, 61, 67:
        for layout in "ragged", "padded":
            plan = Plan(tools, "alltoall_hierarchical", ranks, arity=4, flat_fallback=0,
                        layout=layout)
            rows.append([ranks, layout, f"{plan.through(0):,}",
                         f"{plan.stats['scratch_max_per_rank']:,}", *(plan.time(s) for s in SIZES)])
    return doc_tables.table(["N", "layout", "through a representative", "its scratch",
                             *(f"{size} B" for size in SIZES)], rows)


def make(tools, _):
    wrong = []
    return {"direct and hierarchical": compare(tools, wrong), "slots": over_slots(tools),
            "leaders": over_leaders(tools),
            "layouts": over_layouts(tools)}, wrong


if __name__ == "__main__":
    sys.exit(doc_tables.run(__file__, __doc__, make))
