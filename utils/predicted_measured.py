#!/usr/bin/env python3
"""Write the tables of predicted and measured times of the library on this machine.

usage: predicted_measured.py --bin DIR [--document FILE [--update]] [--rounds N]

Calibrates by `ccl-run --calibrate`, executes the programs of the library by threads at several sizes,
all of it in turn and N times over (default: 15), and compares the minimum times with those that `ccl-sim`
predicts on the fastest of the calibrated targets: the processors of a virtual machine may be near each
other in one minute and far in the next. Pairs are two programs of the same collective, number of ranks and size whose measured times
differ by more than 20 %. Fails if their order is right for less than 80 % of them. The times differ
from run to run, so the tables in FILE are never compared; --update writes them.
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import statistics
import sys
import tempfile

from doc_tables import END, Tools, shown_table, table

RANKS = (2, 4, 8)
SIZES = {1 << 10: "1 KiB", 1 << 14: "16 KiB", 1 << 18: "256 KiB", 1 << 22: "4 MiB"}
EXECUTIONS = {1 << 10: 60, 1 << 14: 40, 1 << 18: 10, 1 << 22: 3}
DIFFERENT, WANTED = 1.2, 0.8
UNUSABLE = 2
SHOWN = ("allreduce", 4)  # the collective and ranks of the table of programs


def plans(tools):
    """(program, collective, ranks, file) of all programs that accept a number of ranks."""
    for program in json.loads(tools.run("cclc", "list", "--json")):
        for ranks in RANKS:
            path = tools.scratch / f"{program['name']}-{ranks}.json"
            done = tools.run("cclc", program["name"], "--ranks", ranks, "-o", path,
                             refusals=(UNUSABLE,))
            if done is not None and program["collective"] != "custom":
                yield program["name"], program["collective"], ranks, path


def message_time(target):
    """What a small message between the nearest processors takes, in nanoseconds."""
    return int(re.search(r": (\d+) to", json.loads(target.read_text())["// pairs"]).group(1))


def measure(tools, files, rounds):
    """By file and size, in nanoseconds: the least measured time, and that which the fastest target predicts.
    And the text of this target."""
    measured, predicted = collections.defaultdict(lambda: float("inf")), {}
    targets = [tools.scratch / f"here-{number}.json" for number in range(rounds)]
    for target in targets:
        tools.run("ccl-run", "--calibrate", "-o", target)
        for size, executions in EXECUTIONS.items():
            out = tools.run("ccl-run", *files, "--bytes", size, "--iterations", executions, "--warmup", 2,
                            "--timeout", 60, "--predict", target, "--json", "-")
            for plan in json.loads(out)["plans"]:
                result, = plan["results"]
                key = plan["file"], size
                measured[key] = min(measured[key], result["min_ns"])
                predicted[target, *key] = result["predicted_ns"]
    fastest = min(targets, key=message_time)
    return measured, {key: predicted[fastest, *key] for key in measured}, fastest.read_text()


def pairs(found, measured, predicted):
    """(ranks, size, whether the order is right) of all pairs with different times."""
    groups = collections.defaultdict(list)
    for _, collective, ranks, path in found:
        groups[collective, ranks].append(str(path))
    for (_, ranks), files in groups.items():
        for size in SIZES:
            for a, b in itertools.combinations([(f, size) for f in files], 2):
                if max(measured[a], measured[b]) > DIFFERENT * min(measured[a], measured[b]):
                    yield ranks, size, (measured[a] < measured[b]) == (predicted[a] < predicted[b])


def percent(share):
    return f"{share * 100:.0f} %"


def summary(found, measured, predicted):
    ordered = list(pairs(found, measured, predicted))
    errors = [(ranks, size, abs(predicted[str(path), size] / measured[str(path), size] - 1))
              for _, _, ranks, path in found for size in SIZES]

    def row(ranks, size, wanted):
        rights = [right for *key, right in ordered if wanted(*key)]
        wrong = [error for *key, error in errors if wanted(*key)]
        share = percent(sum(rights) / len(rights)) if rights else "–"
        return [ranks, size, len(wrong), len(rights), share, percent(statistics.median(wrong))]

    rows = [row(ranks, SIZES[size], lambda r, s, ranks=ranks, size=size: (r, s) == (ranks, size))
            for ranks in RANKS for size in SIZES]
    rows.append(row("all", "all", lambda r, s: True))
    head = ["ranks", "size", "programs", "pairs", "order right", "median error"]
    return table(head, rows), sum(right for *_, right in ordered) / max(len(ordered), 1)


def programs(found, measured, predicted):
    rows = []
    for name, collective, ranks, path in found:
        if (collective, ranks) == SHOWN:
            rows.append([f"`{name}`"] + [f"{measured[str(path), size] / 1e3:.1f} / "
                                         f"{predicted[str(path), size] / 1e3:.1f}" for size in SIZES])
    return table(["program", *SIZES.values()], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        found = list(plans(tools))
        measured, predicted, values = measure(tools, [path for *_, path in found], args.rounds)
    sums, share = summary(found, measured, predicted)
    made = {"summary": sums, "programs": programs(found, measured, predicted),
            "target": f"```json\n{values}```\n"}
    text = args.document.read_text() if args.document and args.update else ""
    for name, content in made.items():
        print(f"{name}\n\n{content}")
        if text:
            begin = f"<!-- predicted_measured.py: {name} -->\n"
            before, _, after = shown_table(text, begin)
            text = before + begin + content + END + after
    if text:
        args.document.write_text(text)
    if share < WANTED:
        print(f"the order of {percent(share)} of the pairs is right, not {percent(WANTED)}", file=sys.stderr)
    return share < WANTED


if __name__ == "__main__":
    sys.exit(main())
