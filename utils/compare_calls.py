#!/usr/bin/env python3
"""Compare the times of small MPI calls by plans with those of the MPI library.

usage: compare_calls.py --bin DIR [--mpi openmpi|mpich] [--rounds N] [--document FILE --update]

Runs test/benchmark/mpi_calls.c in two processes with and without libccl-mpi.so, in turn and N times over
(default: 5), and prints the least times in microseconds. The machine must have two processors and
nothing else to do. --update writes the table in FILE. Exit code 77: the MPI library is missing.
"""

import argparse
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from doc_tables import END, Tools, shown_table, table

SOURCE = pathlib.Path(__file__).parent.parent / "test" / "benchmark" / "mpi_calls.c"
COLLECTIVES = ["allreduce", "reducescatter", "allgather", "alltoall", "reduce", "broadcast"]
WAYS = ("MPI library", "plan")


def launch(mpi, application, variables):
    """The times that the application prints, in nanoseconds by collective."""
    command = [f"mpirun.{mpi}", "-n", "2"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if mpi == "openmpi" else ["-genv", name, value]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run([*command, application], capture_output=True, text=True, env=environment, check=False)
    statistics = [line for line in done.stderr.splitlines() if " by plans" in line]
    missed = [line.strip() for line in statistics if not line.endswith(" 0 by the MPI library")]
    if done.returncode or missed or ("CCL_MPI_STATS" in variables) != bool(statistics):
        sys.exit("\n".join([" ".join(map(str, command)), *missed, done.stderr]))
    return {name: float(time) for name, time in (line.split() for line in done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    if not shutil.which(f"mpicc.{args.mpi}"):
        return 77
    least = collections.defaultdict(lambda: float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        plans, application = tools.scratch / "plans", tools.scratch / "calls"
        tools.run("ccl-tune", "ring", *COLLECTIVES, "--ranks", 2, "--sizes", "4:64:4", "-o", plans)
        subprocess.run([f"mpicc.{args.mpi}", "-O2", SOURCE, "-o", application], check=True)
        library = tools.folder.parent / "lib" / "cclc" / args.mpi / "libccl-mpi.so"
        preloaded = {"LD_PRELOAD": library, "CCL_MPI_PLANS": plans}
        # Statistics take the time of each call: they are not part of what is measured.
        launch(args.mpi, application, {**preloaded, "CCL_MPI_STATS": "1"})
        for _ in range(args.rounds):
            for way, variables in zip(WAYS, ({}, preloaded)):
                for name, time in launch(args.mpi, application, variables).items():
                    least[way, name] = min(least[way, name], time)
    names = list(dict.fromkeys(name for _, name in least))
    made = table(["", *names], [[way, *(f"{least[way, name] / 1e3:.2f}" for name in names)] for way in WAYS])
    print(made)
    if args.document and args.update:
        begin = f"<!-- {pathlib.Path(__file__).name}: times -->\n"
        before, _, after = shown_table(args.document.read_text(), begin)
        args.document.write_text(before + begin + made + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
