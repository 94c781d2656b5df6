#!/usr/bin/env python3
"""Compares a target with measured times, and fits its values to them.

FOLDER contains plans NAME.xml and their measured times NAME.csv, with the columns
`bytes` and `time_us`. Rows whose elements (float) do not fill the chunks evenly
are omitted, because runtimes use their own algorithm for these sizes.

  fit_target.py FOLDER --target mi300x              print the table of errors
  fit_target.py FOLDER --target mi300x --fit        fit the values, then print it
  fit_target.py FOLDER --target mi300x --leave-out  leave-one-out cross-validation
                                                    over the plans

The fit changes the values that the target lists under "//fitted". The result is
printed as values for `--set`; the target file is not changed.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys


class Plan:
    """A plan with its measured rows, {bytes: microseconds}."""

    def __init__(self, path, smallest, largest):
        self.path, self.name = path, path.stem
        text = path.read_text()
        chunks = int(re.search(r'nchunksperloop="(\d+)"', text)[1])
        self.protocol = re.search(r'proto="(\w+)"', text)[1]
        self.rows = {}
        with open(path.with_suffix(".csv"), newline="") as file:
            for row in csv.DictReader(file):
                size = int(row["bytes"])
                if smallest <= size <= largest and size % (4 * chunks) == 0:
                    self.rows[size] = float(row["time_us"])


class Simulator:
    def __init__(self, tool, target):
        self.tool, self.target = tool, target
        self.known = {}  # times by plan, values and factor

    def times(self, plan, values, factor=2):
        """{bytes: microseconds}, without the sizes that deadlock. The values of other protocols do
        not affect a plan, so that a change of one value simulates few plans again."""
        own = {key: value for key, value in values.items()
               if not key.startswith("protocols.") or key.split(".")[1] == plan.protocol}
        memo = (plan.name, factor, *own.items())
        if memo not in self.known:
            self.known[memo] = self.simulate(plan, own, factor)
        return self.known[memo]

    def simulate(self, plan, values, factor):
        command = [self.tool, str(plan.path), "--target", self.target, "--json", "-",
                   "--sweep", f"{min(plan.rows)}:{max(plan.rows)}:{factor}"]
        for key, value in values.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(done.stderr)
        return {row["bytes"]: row["time_ns"] / 1000 for row in json.loads(done.stdout)["results"]}

    def all_times(self, plans, values, factor=2):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda plan: self.times(plan, values, factor), plans))


def errors(plan, times):
    return [times[size] / measured - 1 if size in times else math.inf
            for size, measured in plan.rows.items()]


def median_error(plan, times):
    return statistics.median(abs(e) for e in errors(plan, times))


def cost(plans, all_times):
    """The mean over the plans of their mean logarithmic error. Plans with a large median have a
    larger weight; single outliers have little influence."""
    total = 0
    for plan, times in zip(plans, all_times):
        logs = [abs(math.log(times[size] / measured))
                for size, measured in plan.rows.items() if size in times]
        total += statistics.fmean(min(x, 0.5) + 4 * min(x, 0.5) ** 2 for x in logs)
        total += 2 * max(0, statistics.median(logs) - 0.04)
    return total / len(plans)


def fit(simulator, plans, values, rounds, log):
    """Coordinate descent with a separate step size for each value, which grows after an improvement."""
    values = dict(values)
    best = cost(plans, simulator.all_times(plans, values, 4))
    steps = dict.fromkeys(values, 0.1)
    for number in range(rounds):
        for key in values:
            before = values[key]
            for factor in (1 + steps[key], 1 / (1 + steps[key])):
                values[key] = float(f"{before * factor:.4g}")
                now = cost(plans, simulator.all_times(plans, values, 4))
                if now < best - 1e-6:
                    best = now
                    steps[key] *= 1.4
                    break
            else:
                values[key] = before
                steps[key] *= 0.5
        if log:
            print(f"round {number + 1}: cost {best:.5f}", file=sys.stderr)
        if max(steps.values()) < 0.004:
            break
    return values


def leave_out(simulator, plans, values, rounds):
    """Fits the values to all plans but one, and prints the error of that one, for each plan. The fit
    starts at values with one digit, because the values of the target know the plan."""
    start = {key: float(f"{value:.1g}") for key, value in values.items()}
    everything = []
    print("| plan | median error | largest |\n|---|---|---|")
    for out in plans:
        found = fit(simulator, [plan for plan in plans if plan is not out], start, rounds, False)
        own = [abs(e) for e in errors(out, simulator.times(out, found))]
        everything += own
        print(f"| {out.name} | {100 * statistics.median(own):.1f} % | {100 * max(own):.0f} % |",
              flush=True)
    print(f"\nall {len(everything)} rows: median {100 * statistics.median(everything):.2f} %")


def print_table(plans, all_times, rows):
    print("| plan | sizes | median error | largest | 64 KiB | 1 MiB | 16 MiB |")
    print("|---|---|---|---|---|---|---|")
    everything, medians = [], []
    for plan, times in zip(plans, all_times):
        found = [abs(e) for e in errors(plan, times)]
        everything += found
        medians.append(statistics.median(found))
        cells = []
        for size in (1 << 16, 1 << 20, 1 << 24):
            cells.append(f"{plan.rows[size]:.1f} / {times[size]:.1f}"
                         if size in plan.rows and size in times else "")
        print(f"| {plan.name} | {len(found)} | {100 * medians[-1]:.1f} % | {100 * max(found):.0f} % | "
              + " | ".join(cells) + " |")
    print(f"\nall {len(everything)} rows: median {100 * statistics.median(everything):.2f} %; "
          f"largest median of a plan: {100 * max(medians):.2f} %")
    if rows:
        for plan, times in zip(plans, all_times):
            print(f"\n{plan.name}\n     bytes   measured  simulated")
            for size, measured in plan.rows.items():
                got = f"{times[size]:10.2f} {100 * (times[size] / measured - 1):+6.1f} %" \
                    if size in times else "  deadlock"
                print(f"{size:10d} {measured:10.2f} {got}")


def fitted_values(path):
    document = json.loads(path.read_text())
    values = {}
    for key in document.get("//fitted", []):
        at = document
        for part in key.split("."):
            at = at[part]
        values[key] = at
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--target", required=True, help="file, or name of a bundled target")
    parser.add_argument("--ccl-sim", default="ccl-sim", help="path of ccl-sim (default: search PATH)")
    parser.add_argument("--from", dest="smallest", type=int, default=1 << 10)
    parser.add_argument("--to", dest="largest", type=int, default=1 << 27)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--bars", nargs=2, type=float, metavar=("ALL", "PLAN"),
                        help="fail if the median error of a plan, in percent, is larger")
    args = parser.parse_args()

    path = pathlib.Path(args.target)
    if path.suffix != ".json":
        path = pathlib.Path(__file__).parent.parent / "targets" / f"{args.target}.json"
    plans = [Plan(p, args.smallest, args.largest) for p in sorted(args.folder.glob("*.xml"))]
    plans = [plan for plan in plans if plan.rows]
    simulator = Simulator(args.ccl_sim, str(path))
    values = fitted_values(path)

    if args.leave_out:
        return leave_out(simulator, plans, values, args.rounds)
    if args.fit:
        values = fit(simulator, plans, values, args.rounds, True)
        for key, value in values.items():
            print(f"--set {key}={value:g}")
    all_times = simulator.all_times(plans, values)
    print_table(plans, all_times, args.rows)
    if args.bars:
        everything = [abs(e) for plan, times in zip(plans, all_times) for e in errors(plan, times)]
        over = [plan.name for plan, times in zip(plans, all_times)
                if 100 * median_error(plan, times) > args.bars[1]]
        if 100 * statistics.median(everything) > args.bars[0] or over:
            sys.exit(f"the median errors exceed the limits: {' '.join(over)}")


if __name__ == "__main__":
    main()
