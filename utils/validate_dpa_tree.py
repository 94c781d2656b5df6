#!/usr/bin/env python3
"""Compare the tree all-reduce for DPAs with other algorithms, and check the claims of its document.

usage: validate_dpa_tree.py --bin DIR [--document FILE [--update]]

Runs the tree with every arity, and the other algorithms, on the target bluefield3 and prints
Markdown tables. The parallel centralized algorithm, a tree of arity R-1, counts as another algorithm. Fails
unless the tree is faster than that with 256 ranks, and slower for small messages with fewer ranks; with sends
instead of reads it must also be faster than recursive doubling with 256 ranks and small messages, and with reads
slower. Also fails if the tables between the markers in FILE are out of date; --update updates them instead.
"""

import sys

from doc_tables import options, run, table
from team_barrier import with_barriers

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
TREE_AT = 64  # number of ranks in the tables over streams and barriers
TEAMS = 1, 4, 16, 256  # threads of a node
PLACES = 4, 8, 63
TRIED = 4, 6, 8, 16  # arities in the tables over T and over reads
READS = {"scratch": "reads", "off": "sends"}
BARRIERS = 2, 4, 8, 16, 63


class Measurements:
    def __init__(self, tools):
        self.tools = tools

    def times(self, algorithm, ranks, changes=(), **parameters):
        """Microseconds for each size."""
        plan = self.tools.plan(f"allreduce_{algorithm}", "--ranks", ranks, *options(parameters))
        words = [word for change in changes for word in ("--set", change)]
        results = self.tools.results(plan, "--target", "bluefield3", "--sweep", SWEEP, *words)
        return [result["time_ns"] / 1000 for result in results]

    def trees(self, ranks, arities, changes=(), **parameters):
        return {k: self.times("tree", ranks, changes, arity=k, **parameters)
                for k in arities if k < ranks}

    def times_with_barrier(self, ranks, **parameters):
        """The same for a tree in which a barrier precedes the sums; its data are checked."""
        text = self.tools.run("cclc", "allreduce_tree", "--ranks", ranks, *options(parameters),
                              "--emit=text")
        plan = self.tools.scratch / "barrier.ccl"
        plan.write_text(with_barriers(text))
        self.tools.run("ccl-sim", plan, "--target", "bluefield3", "--bytes", 64, "--check-data")
        results = self.tools.results(plan, "--target", "bluefield3", "--sweep", SWEEP)
        return [result["time_ns"] / 1000 for result in results]


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
            if (size < SMALL or ranks == LARGE) and (time < parallel) != (ranks == LARGE):
                wrong.append(f"{ranks} ranks, {name}: the tree {time}, the others {others}")
            if time < others["recursive doubling"]:
                wrong.append(f"{ranks} ranks, {name}: recursive doubling is slower than the tree")
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


def gain_cells(trees, baseline, size):
    """The best tree and its arity, the time of BASELINE, and its ratio to the tree."""
    arity, time = best(trees, size)
    return [micro(time), arity, micro(baseline[size]), f"{baseline[size] / time:.2f}"]


def over_streams(measured):
    """T streams of the machine, in both phases, and T of the program, to reduce."""
    rows = []
    for streams in STREAMS:
        change = [f"pe.streams={streams}"]
        rows.append([streams,
                     *gain_cells(measured.trees(TREE_AT, TRIED, change),
                                 measured.times("centralized", TREE_AT, change, streams=0), 0),
                     *(micro(measured.times("tree", TREE_AT, arity=k, streams=streams)[0])
                       for k in PLACES)])
    return table(["T", "best tree", "its k", "centralized", "gain",
                  *(f"k = {k}, `streams=T`" for k in PLACES)], rows)


def gains(measured):
    """What the tree gains over the centralized algorithm with T streams in both phases."""
    rows, wrong = [], []
    for ranks in RANKS:
        for streams in TEAMS:
            change = [f"pe.streams={streams}"]
            trees = measured.trees(ranks, TRIED, change)
            star = measured.times("centralized", ranks, change, streams=0)
            row = [ranks, streams]
            for size, name in enumerate(SIZES):
                arity, time = best(trees, size)
                row.append(f"{star[size] / time:.2f} (k = {arity})")
                if ranks == LARGE and star[size] <= time:
                    wrong.append(f"{ranks} ranks, T = {streams}, {name}: the tree is slower")
            rows.append(row)
    return table(["ranks", "T", *SIZES], rows), wrong


def over_reads(measured, rivals):
    """Reads against messages that are sent. Returns the table and the failed claims."""
    rows, wrong = [], []
    for ranks in RANKS:
        measurements = []
        for reads in READS:
            change = [f"queue.one_sided_reads={reads}"]
            measurements.append((measured.trees(ranks, TRIED, change),
                                 measured.times("centralized", ranks, change, streams=0)))
        for size, name in enumerate(SIZES):
            rows.append([ranks, name, *(cell for trees, star in measurements
                                        for cell in gain_cells(trees, star, size))])
            sends = best(measurements[-1][0], size)[1]
            doubling = rivals[ranks]["recursive doubling"][size]
            if ranks == LARGE and size < SMALL and sends >= doubling:
                wrong.append(f"{ranks} ranks, {name}: with sends the tree is slower")
    heads = ["best tree", "its k", "centralized", "gain"]
    return table(["ranks", "size", *(f"{title}: {head}" for title in READS.values()
                                     for head in heads)], rows), wrong


def over_barrier(measured):
    """Waits of each sum for its own operand against a barrier before the first sum."""
    rows, wrong = [], []
    for arity in BARRIERS:
        row = [arity]
        times = zip(SIZES, measured.times("tree", TREE_AT, arity=arity),
                    measured.times_with_barrier(TREE_AT, arity=arity))
        for name, waits, barrier in times:
            row += [micro(waits), micro(barrier)]
            if barrier <= waits:
                wrong.append(f"k = {arity}, {name}: a barrier costs no time")
        rows.append(row)
    return table(["k", *(f"{size}: {what}" for size in SIZES for what in ("waits", "barrier"))],
                 rows), wrong


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
    won, slower = gains(measured)
    barriers, free = over_barrier(measured)
    reads, lost = over_reads(measured, rivals)
    return {"rivals": rows, "arities": over_arity(trees), "streams": over_streams(measured),
            "gains": won, "barrier": barriers, "reads": reads,
            "dispatch": over_local_dispatch(measured, rivals)}, wrong + slower + free + lost


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
