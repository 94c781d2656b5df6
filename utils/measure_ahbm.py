#!/usr/bin/env python3
"""Compare the all-reduce programs for the AHBM machine.

usage: measure_ahbm.py --bin DIR [--document FILE [--update]]

Simulates tiles of many sizes on six SIPs in a torus, determines the sizes at which one program
becomes faster than another, and prints Markdown tables. Fails if the results contradict a claim of
the document, or if a table between the markers in FILE is out of date; --update updates it instead.
"""

import sys

from doc_tables import run, table

TARGET = "ahbm-6sip-torus"
KIB, MIB = 1 << 10, 1 << 20
GRAIN = 256  # bytes; resolution of the search for a crossover
OWN, LARGE = "slots of 4 KiB", "slots of 256 KiB"
SIZES = {OWN: [64, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB]}
SIZES[LARGE] = SIZES[OWN] + [4 * MIB]
SLOTS = {OWN: [], LARGE: ["--set", "ipcq.slot_size=262144"]}


def leaders(program, placement="linear"):
    """One tile per cube."""
    return [f"allreduce_{program}", "-p", "mapper=cube_leaders", f"--placement={placement}"]


LEADERS = {
    "lrab": leaders("lrab"),
    "ring, linear": leaders("ring"),
    "ring, snake": leaders("ring", "snake"),
    "bidirectional ring, snake": leaders("bidirectional_ring", "snake"),
    "recursive doubling": leaders("recursive_doubling"),
    "halving-doubling": leaders("halving_doubling"),
    "double binary tree, auto": leaders("double_binary_tree", "auto"),
}
PIPELINES = {OWN: [1, 2, 8, 32], LARGE: [1, 2, 4, 8, 16, 32]}


def text_of(size):
    for unit, name in (MIB, "MiB"), (KIB, "KiB"):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} B"


class Measurements:
    def __init__(self, tools):
        self.tools, self.times = tools, {}

    def time(self, command, size, sets):
        """Nanoseconds of one run, in f16."""
        key = tuple(command), size, tuple(sets)
        if key not in self.times:
            plan = self.tools.plan(*command, "--target", TARGET)
            result, = self.tools.results(plan, "--bytes", size, "--dtype", "f16", *sets)
            self.times[key] = result["time_ns"]
        return self.times[key]

    def faster(self, command, than, sizes, sets):
        """The ranges of sizes at which command is faster, as text."""
        wins = lambda size: self.time(command, size, sets) < self.time(than, size, sets)
        edges = []
        for low, high in zip(sizes, sizes[1:]):
            if wins(low) == wins(high):
                continue
            first, last = low // GRAIN, high // GRAIN
            while last - first > 1:
                middle = (first + last) // 2
                if wins(middle * GRAIN) == wins(low):
                    first = middle
                else:
                    last = middle
            edges.append(last * GRAIN)
        ranges, begin = [], sizes[0] if wins(sizes[0]) else None
        for edge in edges:
            if begin is None:
                begin = edge
            else:
                ranges.append(f"below {text_of(edge)}" if begin == sizes[0] else
                              f"from {text_of(begin)} to {text_of(edge)}")
                begin = None
        if begin is not None:
            ranges.append("always" if begin == sizes[0] else f"from {text_of(begin)} on")
        return ", ".join(ranges) or "never"


def nanoseconds(times):
    """A table row with the minimum in bold."""
    return [f"**{t:.0f}**" if t == min(times) else f"{t:.0f}" for t in times]


def three_levels(chunks):
    return ["allreduce_hierarchical_3level", "-p", f"pipeline={chunks}", "--multiplex-queues"]


def claims(measured):
    """Pairs of a claim and whether the results confirm it."""
    own = lambda name, size: measured.time(LEADERS[name], size, SLOTS[OWN])
    rivals = [name for name in LEADERS
              if name not in ("lrab", "halving-doubling", "double binary tree, auto")]
    yield ("lrab beats the rings and recursive doubling at 64 KiB",
           all(own("lrab", 64 * KIB) < own(rival, 64 * KIB) for rival in rivals))
    yield ("it is the fastest of all up to 1 KiB, and at 16 KiB",
           all(own("lrab", size) < own(rival, size) for size in (64, KIB, 16 * KIB)
               for rival in LEADERS if rival != "lrab"))
    yield ("a double binary tree, well placed, beats it at 64 KiB",
           own("double binary tree, auto", 64 * KIB) < own("lrab", 64 * KIB))
    yield ("rings along the snake beat lrab from 256 KiB on",
           all(own(ring, size) < own("lrab", size) for size in (256 * KIB, MIB)
               for ring in ("ring, snake", "bidirectional ring, snake")))
    whole, cut = (measured.time(three_levels(n), 256 * KIB, SLOTS[LARGE]) for n in (1, 16))
    yield "16 chunks make a tile of 256 KiB almost four times as fast", 3.9 * cut < whole
    whole, cut = (measured.time(three_levels(n), MIB, SLOTS[OWN]) for n in (1, 8))
    yield "and nothing where pieces overlap already", 0.98 * whole < cut < 1.02 * whole


def tables(measured):
    """Pairs of a name and a table."""
    for which, sets in SLOTS.items():
        rows = [[text_of(size)] + nanoseconds([measured.time(c, size, sets)
                                               for c in LEADERS.values()])
                for size in SIZES[which]]
        yield f"leaders, {which}", table(["tile", *LEADERS], rows)
    rows = [[name] + [measured.faster(command, LEADERS["lrab"], SIZES[which], sets)
                      for which, sets in SLOTS.items()]
            for name, command in LEADERS.items() if name != "lrab"]
    yield "faster than lrab", table(["program", *SLOTS], rows)

    for which, sets in SLOTS.items():
        rows = []
        for size in SIZES[which]:
            times = [measured.time(three_levels(n), size, sets) for n in PIPELINES[which]]
            rows.append([text_of(size)] + nanoseconds(times) + [f"{times[0] / min(times):.2f}"])
        yield f"pipeline, {which}", table(["tile", *(f"n = {n}" for n in PIPELINES[which]),
                                           "best over n = 1"], rows)
    rows = [[str(n), measured.faster(three_levels(n), three_levels(1), SIZES[LARGE], SLOTS[LARGE])]
            for n in PIPELINES[LARGE][1:]]
    yield "faster than n = 1", table(["n", "faster than n = 1"], rows)


def make(tools, _):
    measured = Measurements(tools)
    return dict(tables(measured)), [f"does not hold: {claim}" for claim, holds in claims(measured)
                                    if not holds]


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
