#!/usr/bin/env python3
"""Compares ccl-tune with an exhaustive sweep by cclc and ccl-sim.

usage: sweep_plans.py TARGET COLLECTIVE --sizes FROM:TO[:FACTOR] [--bin BINDIR] [--set PATH=VALUE]
                      [--ranks N] [--most PERCENT] [--programs LIST] [--channels LIST] [--chunks LIST]
                      [--rings LIST] [--trees LIST] [--instances LIST] [--placements LIST]
                      [--slot-sizes LIST] [--mapper NAME] [-j N]

Compiles every bundled program of the collective, and plans that cclc synth finds, with every
protocol, number of instances, chunks, channels, rings, placement and size of slots, simulates each
plan with every size, and compares the fastest time of each size with that of the portfolio of
ccl-tune. The exit code is 1 if the portfolio is slower at a size by more than PERCENT (default: 2).
Without --bin the tools are those of the PATH.
"""

import argparse
import concurrent.futures
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
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--ranks")
    parser.add_argument("--programs")
    parser.add_argument("--instances", default="1,2,4,8,16,32")
    parser.add_argument("--channels", default="1,4")
    parser.add_argument("--chunks", default="1,8")
    parser.add_argument("--rings", default="1,8")
    parser.add_argument("--placements", default="linear")
    parser.add_argument("--slot-sizes", default="", help="sizes besides the target's, where plans choose them")
    parser.add_argument("--mapper", help="the PEs of a machine with levels")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--trees", default="1,2", help="trees of each root; empty: no plans of cclc synth")
    parser.add_argument("--most", type=float, default=2)
    return parser.parse_args()


def tool(args, name):
    return str(args.bin / name) if args.bin else name


def machine_of(args):
    """The options of a machine, which all tools have."""
    return [word for value in args.set for word in ("--set", value)] + (["--ranks", args.ranks] if args.ranks else [])


def settings_of(program, args):
    """All settings of the parameters that are swept."""
    names = {param["name"] for param in program["parameters"]}
    lists = []
    for name, values in (("channels", args.channels), ("chunks", args.chunks), ("rings", args.rings)):
        if name in names:
            lists.append([f"{name}={value}" for value in values.split(",")])
    return itertools.product(*lists)


def commands(args):
    """The words of cclc for every program with its parameters, and for synthesised plans."""
    programs = json.loads(subprocess.run([tool(args, "cclc"), "list", "--json"], check=True,
                                         stdout=subprocess.PIPE).stdout)
    programs = programs.get("programs", programs) if isinstance(programs, dict) else programs
    fixed = ["-p", f"buffers={'out_of_place' if args.collective in OUT_OF_PLACE else 'in_place'}"]
    if args.mapper:
        fixed += ["-p", f"mapper={args.mapper}"]
    for program in programs:
        if program["collective"] != args.collective:
            continue
        if args.programs and program["name"] not in args.programs.split(","):
            continue
        for settings in settings_of(program, args):
            yield [program["name"], *(word for setting in settings for word in ("-p", setting)), *fixed]
    if not args.programs:
        for trees in filter(None, args.trees.split(",")):
            yield ["synth", args.collective, "--trees", trees, *fixed]


def times_of(args, folder, number, options):
    """The time of each size with the plan of these options of cclc; empty if there is none."""
    plan, report = folder / f"plan{number}.bin", folder / f"report{number}.json"
    command = [tool(args, "cclc"), *options, "--target", args.target, *machine_of(args), "--no-verify", "-o", plan]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        return {}
    subprocess.run([tool(args, "ccl-sim"), plan, "--sweep", args.sizes, "--no-bounds", "--json", report],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    plan.unlink()
    if not report.exists():
        return {}
    rows = json.loads(report.read_text())["results"]
    report.unlink()
    return {row["bytes"]: row["time_ns"] for row in rows}


def sweep(args, folder):
    """The fastest time of each size, with the options of its plan."""
    slot_sizes = [[]] + [["--slot-size", size] for size in filter(None, args.slot_sizes.split(","))]
    every = [[*words, "--protocol", protocol, "--instances", instances, "--placement", placement, *slots]
             for words, protocol, instances, placement, slots
             in itertools.product(commands(args), PROTOCOLS, args.instances.split(","),
                                  args.placements.split(","), slot_sizes)]
    best, plans = {}, 0
    with concurrent.futures.ThreadPoolExecutor(args.j) as threads:
        for options, times in zip(every, threads.map(lambda each: times_of(args, folder, *each), enumerate(every))):
            plans += bool(times)
            for size, time in times.items():
                found = (time, " ".join(options))
                best[size] = min(best.get(size, found), found)
    print(f"{len(every)} compilations, {plans} plans run")
    return best


def tune(args, folder):
    """The time of each size in the portfolio."""
    command = [tool(args, "ccl-tune"), args.target, args.collective, "--runtime", "sim", "--sizes", args.sizes, *machine_of(args),
               "-j", str(args.j), "-o", folder / "tuned"]
    if args.programs:
        command += ["--programs", args.programs]
    if args.mapper:
        command += ["--mapper", args.mapper]
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
        if size not in swept:
            continue
        best, other = swept[size]
        more = (time / best - 1) * 100
        worst = max(worst, more)
        print(f"{size:12} {time:14.3f} ns {more:+7.2f} %  {command}  |  {other}")
    if not swept:
        sys.exit("no plan of the sweep runs")
    print(f"at most {worst:.2f} % slower than the sweep")
    return worst > args.most


if __name__ == "__main__":
    sys.exit(main())
