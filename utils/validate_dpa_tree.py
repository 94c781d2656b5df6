#!/usr/bin/env python3
"""Compare the tree all-reduce for DPAs with other algorithms, and check the claims of its document.

usage: validate_dpa_tree.py --bin DIR [--document FILE [--update]]

Runs the tree with every arity, and the other algorithms, on the target bluefield3 and prints
Markdown tables. The parallel centralized algorithm, a tree of arity R-1, counts as another algorithm. Fails
unless for small messages it is the fastest for up to 64 ranks and the tree for 256, or if the tables between
the markers in FILE are out of date; --update updates them instead.
"""

import sys

from doc_tables import options, run, table

RANKS = 16, 64, 256
SWEEP, SIZES = "8:32K:16", ("8 B", "128 B", "2 KiB", "32 KiB")
SMALL = 2  # the first of the sizes
LARGE = 256  # number of ranks for which a tree is faster than the star
RIVALS = {"centralized": ("centralized", {}), "ring": ("ring", {}),
          "recursive doubling": ("recursive_doubling", {}),
          "parallel centralized": ("centralized", {"streams": 0})}
SHOWN = 2, 3, 4, 6, 7, 8, 12, 15, 16, 24, 32, 63, 64, 128, 255
STREAMS = 1, 2, 4, 8, 16, 32, 64, 256
LOCAL = 0, 50, 100, 200, 300, 500
TREE_AT = 64  # number of ranks in the table over streams


class Measurements:
    def __init__(self, tools):
        self.tools = tools

    def times(self, algorithm, ranks, changes=(), **parameters):
        """Microseconds for each size."""
        plan = self.tools.plan(f"allreduce_{algorithm}", "--ranks", ranks, *options(parameters))
        words = [word for change in changes for word in ("--set", change)]
        results = self.tools.results(plan, "--target", "bluefield3", "--sweep", SWEEP, *words)
        return [result["time_ns"] / 1000 for result in results]

    def trees(self, ranks, arities, changes=()):
        return {k: self.times("tree", ranks, changes, arity=k) for k in arities if k < ranks}


def best(trees, size):
    """The fastest arity, the smallest one in case of a tie, and its time."""
    arity = min(trees, key=lambda k: (trees[k][size], k))
    return arity, trees[arity][size]


def micro(time):
    return f"{time:.2f}"


def compare(trees, rivals):
    """Compares the tree with the others. Returns the table and the failed claims."""
    rows, wrong = [], []
    for ranks in RANKS:
        proper = {k: times for k, times in trees[ranks].items() if k < ranks - 1}
        for size, name in enumerate(SIZES):
            arity, time = best(proper, size)
            others = {rival: rivals[ranks][rival][size] for rival in RIVALS}
            parallel = others["parallel centralized"]
            rows.append([ranks, name, *map(micro, others.values()), micro(time), arity,
                         f"{min(others.values()) / time:.2f}", f"{parallel / time:.2f}"])
            if size < SMALL and (time < min(others.values())) != (ranks == LARGE):
                wrong.append(f"{ranks} ranks, {name}: the tree {time}, the others {others}")
            if size < SMALL and ranks != LARGE and parallel > min(others.values()):
                wrong.append(f"{ranks} ranks, {name}: parallel centralized is not the fastest")
    heads = ["ranks", "size", *RIVALS, "best tree", "its k", "gain", "over parallel centralized"]
    return table(heads, rows), wrong


def over_arity(trees):
    rows = []
    for k in SHOWN:
        row = [k]
        for ranks in RANKS:
            for size in range(len(SIZES)):
                if k not in trees[ranks]:
                    row.append("")
                    continue
                time = micro(trees[ranks][k][size])
                row.append(f"**{time}**" if k == best(trees[ranks], size)[0] else time)
        rows.append(row)
    for label, value in (("best k", 0), ("its time", 1)):
        rows.append([label] + [value and micro(best(trees[r], s)[1]) or best(trees[r], s)[0]
                               for r in RANKS for s in range(len(SIZES))])
    return table(["k"] + [f"{r}: {size}" for r in RANKS for size in SIZES], rows)


def over_streams(measured):
    rows = []
    arities = 4, 8, TREE_AT - 1
    for streams in STREAMS:
        trees = measured.trees(TREE_AT, SHOWN, [f"pe.streams={streams}"])
        arity, time = best(trees, 0)
        rows.append([streams, *(micro(trees[k][0]) for k in arities), micro(time), arity,
                     *(micro(measured.times("tree", TREE_AT, arity=k, streams=streams)[0])
                       for k in arities)])
    return table(["T", *(f"k = {k}" for k in arities), "best tree", "its k",
                  *(f"k = {k}, `streams=T`" for k in arities)], rows)


def over_local_dispatch(measured, rivals):
    rows = []
    for nanoseconds in LOCAL:
        row = [nanoseconds]
        for ranks in RANKS:
            change = [f"pe.local_dispatch={nanoseconds}e-9"]
            arity, time = best(measured.trees(ranks, SHOWN, change), 0)
            row += [micro(time), arity, f"{rivals[ranks]['recursive doubling'][0] / time:.2f}"]
        rows.append(row)
    return table(["ns"] + [f"{r}: {what}" for r in RANKS for what in ("best tree", "its k", "gain")],
                 rows)


def make(tools, _):
    measured = Measurements(tools)
    trees = {ranks: measured.trees(ranks, range(2, ranks)) for ranks in RANKS}
    rivals = {ranks: {rival: measured.times(name, ranks, **parameters)
                      for rival, (name, parameters) in RIVALS.items()} for ranks in RANKS}
    rows, wrong = compare(trees, rivals)
    return {"rivals": rows, "arities": over_arity(trees), "streams": over_streams(measured),
            "dispatch": over_local_dispatch(measured, rivals)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
