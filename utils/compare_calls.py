#!/usr/bin/env python3
"""Compare MPI calls with measured plans with those of the MPI library.

usage: compare_calls.py --bin DIR [--mpi openmpi|mpich] [--launches N] [--in-place] [--plans DIR] [--document FILE --update]

ccl-tune --measure chooses plans for six collectives, 8 bytes to 16 MiB, of two processes, or they are those of
--plans. Then N jobs (default: 5) with libccl-mpi.so run test/benchmark/mpi_pairs.c, which calls each function and
the MPI library's own in turns. The table has the ratio of their times: of the medians of the jobs, the mean
and the upper end of its interval (Student's t, 95 % on one side), in bold type where a plan executes the calls. Fails
if an upper end is above 1.05. The machine must have two processors and nothing else to do. --update writes the table in
FILE. Exit code 77: the MPI library is missing.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from doc_tables import END, Tools, shown_table, table

SOURCE = pathlib.Path(__file__).parent.parent / "test" / "benchmark" / "mpi_pairs.c"
COLLECTIVES = ["allreduce", "reducescatter", "allgather", "alltoall", "reduce", "broadcast"]
SIZES = {8 << shift: name for shift, name in zip(range(0, 24, 3), ("8 B", "64 B", "512 B", "4 KiB", "32 KiB", "256 KiB", "2 MiB", "16 MiB"))}
ROUNDS, LIMIT = 31, 1.05
STUDENT = {2: 6.31, 3: 2.92, 4: 2.35, 5: 2.13, 6: 2.02, 7: 1.94, 8: 1.89, 9: 1.86, 10: 1.83}  # by jobs
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def launch(mpi, application, variables, in_place):
    """By collective and bytes, the median ratio of a call by its name to one of the library."""
    command = [f"mpirun.{mpi}", "-n", "2"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if mpi == "openmpi" else ["-genv", name, value]
    command += [application, "in-place" if in_place else "out-of-place", ROUNDS, *SIZES]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, check=False)
    if done.returncode:
        sys.exit("\n".join([" ".join(map(str, command)), done.stderr]))
    ratios = {}
    for line in done.stdout.splitlines():
        name, size, *times = line.split()
        times = list(map(float, times))
        ratios[name, int(size)] = statistics.median(a / b for a, b in zip(times[::2], times[1::2]))
    return ratios


def interval(ratios):
    """The mean of ratios and the upper end of its interval."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.mean(logs)
    return math.exp(mean), math.exp(mean + STUDENT[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs)))


def is_planned(portfolio, name, size):
    return any(row["collective"] == name and row["min_bytes"] <= size <= row["max_bytes"] for row in portfolio["rows"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--launches", type=int, default=5, choices=STUDENT)
    parser.add_argument("--in-place", action="store_true")
    parser.add_argument("--plans", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    if not shutil.which(f"mpicc.{args.mpi}"):
        return 77
    os.environ.update(ENVIRONMENT)
    all_ratios = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        plans, application = args.plans or tools.scratch / "plans", tools.scratch / "pairs"
        launcher = f"mpirun.{args.mpi} -n 2"
        if not args.plans:
            target = tools.scratch / "here.json"
            subprocess.run([*launcher.split(), tools.folder / "ccl-run", "--calibrate", "-o", target], check=True)
            tools.run("ccl-tune", target, *COLLECTIVES, "--ranks", 2, "--sizes", "8:16M:8", "--measure", launcher, "--resume",
                      tools.scratch / "results", "-o", plans)
        subprocess.run([f"mpicc.{args.mpi}", "-O2", SOURCE, "-o", application], check=True)
        library = tools.folder.parent / "lib" / "cclc" / args.mpi / "libccl-mpi.so"
        for _ in range(args.launches):
            variables = {"LD_PRELOAD": library, "CCL_MPI_PLANS": plans.resolve()}
            for cell, ratio in launch(args.mpi, application, variables, args.in_place).items():
                all_ratios[cell].append(ratio)
        portfolio = json.loads((plans / "portfolio.json").read_text())
    rows, slower = [], []
    for name in [*COLLECTIVES, "barrier"]:
        row = [name]
        for size in SIZES:
            if (name, size) not in all_ratios:
                row.append("")
                continue
            mean, upper = interval(all_ratios[name, size])
            text = f"{mean:.2f} ({upper:.2f})"
            row.append(f"**{text}**" if is_planned(portfolio, name, size) else text)
            if upper > LIMIT:
                slower.append(f"{name} {SIZES[size]}")
        rows.append(row)
    made = table(["", *SIZES.values()], rows)
    print(made + (f"above {LIMIT}: {', '.join(slower)}" if slower else f"none is above {LIMIT}"))
    if args.document and args.update:
        begin = f"<!-- {pathlib.Path(__file__).name}: ratios -->\n"
        before, _, after = shown_table(args.document.read_text(), begin)
        args.document.write_text(before + begin + made + END + after)
    return bool(slower)


if __name__ == "__main__":
    sys.exit(main())
