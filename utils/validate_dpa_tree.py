#!/usr/bin/env python3
"""Time the tree all-reduce of DPAs against its rivals, and check what is said about it.

usage: validate_dpa_tree.py --bin DIR [--document FILE [--update]]

Runs the tree with every arity, and the others, on the target bluefield3 and prints Markdown tables.
Fails when the tree, with the best arity, is not the fastest for small messages, or when the
tables between the markers in FILE are others; --update writes them there instead.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

RANKS = 16, 64, 256
SWEEP, SIZES = "8:32K:16", ("8 B", "128 B", "2 KiB", "32 KiB")
SMALL = 2  # so many of the sizes
RIVALS = ("centralized", "ring", "recursive_doubling")
SHOWN = 2, 3, 4, 6, 7, 8, 12, 15, 16, 24, 32, 63, 64, 128, 255
STREAMS = 1, 2, 4, 8, 16, 32, 64, 256
LOCAL = 0, 50, 100, 200, 300, 500
TREE_AT = 64  # ranks of the table over streams
BEGIN, END = "<!-- validate_dpa_tree.py -->\n", "<!-- end -->\n"


class Tools:
    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch

    def run(self, tool, *args):
        command = [str(self.folder / tool), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def times(self, algorithm, ranks, changes=(), **parameters):
        """Microseconds for each of the sizes."""
        name = "-".join([algorithm, str(ranks), *(f"{k}{v}" for k, v in parameters.items())])
        plan = self.scratch / f"{name}.json"
        if not plan.exists():
            words = [word for k, v in parameters.items() for word in ("-p", f"{k}={v}")]
            self.run("cclc", f"allreduce_{algorithm}", "--ranks", ranks, *words, "-o", plan)
        words = [word for change in changes for word in ("--set", change)]
        report = json.loads(self.run("ccl-sim", plan, "--target", "bluefield3", "--sweep", SWEEP,
                                     "--json", "-", *words))
        return [result["time_ns"] / 1000 for result in report["results"]]

    def trees(self, ranks, arities, changes=()):
        return {k: self.times("tree", ranks, changes, arity=k) for k in arities if k < ranks}


def best(trees, size):
    """The arity that is fastest, the smallest of such, and its time."""
    arity = min(trees, key=lambda k: (trees[k][size], k))
    return arity, trees[arity][size]


def table(heads, rows):
    rule = "|" + "---|" * len(heads) + "\n"
    lines = ["| " + " | ".join(map(str, line)) + " |\n" for line in [heads, *rows]]
    return lines[0] + rule + "".join(lines[1:])


def micro(time):
    return f"{time:.2f}"


def compare(trees, rivals):
    """Tree against the others. Returns the table and the claims that fail."""
    rows, wrong = [], []
    for ranks in RANKS:
        for size, name in enumerate(SIZES):
            arity, time = best(trees[ranks], size)
            others = [rivals[ranks][rival][size] for rival in RIVALS]
            rows.append([ranks, name, *map(micro, others), micro(time), arity,
                         f"{min(others) / time:.2f}"])
            if size < SMALL and time >= min(others):
                wrong.append(f"{ranks} ranks, {name}: the tree is not the fastest")
    heads = ["ranks", "size", *(rival.replace("_", " ") for rival in RIVALS), "best tree", "its k",
             "gain"]
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


def over_streams(tools):
    rows = []
    arities = 4, 8, TREE_AT - 1
    for streams in STREAMS:
        trees = tools.trees(TREE_AT, SHOWN, [f"pe.streams={streams}"])
        arity, time = best(trees, 0)
        rows.append([streams, *(micro(trees[k][0]) for k in arities), micro(time), arity,
                     *(micro(tools.times("tree", TREE_AT, arity=k, streams=streams)[0])
                       for k in arities)])
    return table(["T", *(f"k = {k}" for k in arities), "best tree", "its k",
                  *(f"k = {k}, `streams=T`" for k in arities)], rows)


def over_local_dispatch(tools, rivals):
    rows = []
    for nanoseconds in LOCAL:
        row = [nanoseconds]
        for ranks in RANKS:
            change = [f"pe.local_dispatch={nanoseconds}e-9"]
            arity, time = best(tools.trees(ranks, SHOWN, change), 0)
            row += [micro(time), arity, f"{rivals[ranks]['recursive_doubling'][0] / time:.2f}"]
        rows.append(row)
    return table(["ns"] + [f"{r}: {what}" for r in RANKS for what in ("best tree", "its k", "gain")],
                 rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(options.bin.resolve(), pathlib.Path(scratch))
        trees = {ranks: tools.trees(ranks, range(2, ranks)) for ranks in RANKS}
        rivals = {ranks: {rival: tools.times(rival, ranks) for rival in RIVALS} for ranks in RANKS}
        first, wrong = compare(trees, rivals)
        tables = [first, over_arity(trees), over_streams(tools), over_local_dispatch(tools, rivals)]
    print("\n".join(tables), end="")
    if options.document:
        text = options.document.read_text()
        parts = text.split(BEGIN)
        shown = [part.split(END)[0] for part in parts[1:]]
        if len(shown) != len(tables):
            wrong.append(f"{options.document}: {len(shown)} tables instead of {len(tables)}")
        elif shown != tables and options.update:
            rest = [part.split(END, 1)[1] for part in parts[1:]]
            options.document.write_text(
                parts[0] + "".join(BEGIN + t + END + r for t, r in zip(tables, rest)))
        elif shown != tables:
            wrong.append(f"{options.document}: shows other tables")
    for claim in wrong:
        print(claim, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
