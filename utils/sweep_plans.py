#!/usr/bin/env python3
"""Compares ccl-tune with an exhaustive sweep by cclc and ccl-sim.

usage: sweep_plans.py --bin BINDIR TARGET COLLECTIVE --sizes FROM:TO[:FACTOR] [--ranks N] [--most PERCENT]
                      [--programs LIST] [--channels LIST] [--chunks LIST] [--instances LIST]

Compiles every bundled program of the collective with every protocol, number of instances, chunks
and channels, simulates each plan with every size, and compares the fastest time of each size with
that of the portfolio of ccl-tune. The exit code is 1 if the portfolio is slower at a size by more
than PERCENT (default: 2).
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

PROTOCOLS = ("Simple", "LL", "LL128")
OUT_OF_PLACE = ("alltoall", "alltonext", "sendrecv")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target")
    parser.add_argument("collective")
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--ranks")
    parser.add_argument("--programs")
    parser.add_argument("--instances", default="1,2,4,8,16,32")
    parser.add_argument("--channels", default="1,4")
    parser.add_argument("--chunks", default="1,8")
    parser.add_argument("--most", type=float, default=2)
    return parser.parse_args()


def settings_of(program, args):
    """All settings of the parameters that are swept."""
    names = {param["name"] for param in program["parameters"]}
    lists = []
    for name, values in (("channels", args.channels), ("chunks", args.chunks)):
        if name in names:
            lists.append([f"{name}={value}" for value in values.split(",")])
    return itertools.product(*lists)


def sweep(args, folder):
    """The fastest time of each size, with the options of its plan."""
    best = {}
    programs = json.loads(subprocess.run([args.bin / "cclc", "list", "--json"], check=True,
                                         stdout=subprocess.PIPE).stdout)
    programs = programs.get("programs", programs) if isinstance(programs, dict) else programs
    buffers = "out_of_place" if args.collective in OUT_OF_PLACE else "in_place"
    plan, report = folder / "plan.json", folder / "report.json"
    for program in programs:
        if program["collective"] != args.collective:
            continue
        if args.programs and program["name"] not in args.programs.split(","):
            continue
        for settings, protocol, instances in itertools.product(
                settings_of(program, args), PROTOCOLS, args.instances.split(",")):
            options = [word for setting in settings for word in ("-p", setting)]
            options += ["--protocol", protocol, "--instances", instances]
            command = [args.bin / "cclc", program["name"], *options, "-p", f"buffers={buffers}", "--target",
                       args.target, "--no-verify", "-o", plan]
            if args.ranks:
                command += ["--ranks", args.ranks]
            if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
                continue
            subprocess.run([args.bin / "ccl-sim", plan, "--sweep", args.sizes, "--json", report],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for row in json.loads(report.read_text())["results"]:
                found = (row["time_ns"], " ".join([program["name"], *options]))
                best[row["bytes"]] = min(best.get(row["bytes"], found), found)
    return best


def tune(args, folder):
    """The time of each size in the portfolio."""
    command = [args.bin / "ccl-tune", args.target, args.collective, "--sizes", args.sizes, "-o", folder / "tuned"]
    if args.ranks:
        command += ["--ranks", args.ranks]
    if args.programs:
        command += ["--programs", args.programs]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    portfolio = json.loads((folder / "tuned" / "portfolio.json").read_text())
    return {point["bytes"]: (point["time_ns"], row["command"])
            for row in portfolio["rows"] for point in row["points"]}


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tuned, swept = tune(args, folder), sweep(args, folder)
    worst = 0.0
    for size, (time, command) in sorted(tuned.items()):
        best, other = swept[size]
        more = (time / best - 1) * 100
        worst = max(worst, more)
        print(f"{size:12} {time:14.3f} ns {more:+7.2f} %  {command}  |  {other}")
    print(f"at most {worst:.2f} % slower than the sweep")
    return worst > args.most


if __name__ == "__main__":
    sys.exit(main())
