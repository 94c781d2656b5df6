#!/usr/bin/env python3
"""Compare the times of a plan by the transports threads, node and mpi of ccl-run.

usage: compare_transports.py --bin DIR [--mpi openmpi|mpich] [--rounds N] [--sizes LIST] [--document FILE --update]

Executes plans of two ranks in turn by each transport, N times over (default: 7), and prints the least times in
microseconds, and in parentheses the speed of node relative to threads. The machine must have two processors
and nothing else to do. --update writes the table in FILE. Exit code 77: mpirun is missing.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from doc_tables import END, Tools, shown_table, table

KIB, MIB = 1 << 10, 1 << 20
SIZES = [KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB]
RANKS = 2
TRANSPORTS = ("threads", "node", "mpi")
PLANS = [("allreduce_ring", "out_of_place"), ("allreduce_ring", "in_place"), ("allgather_ring", "out_of_place"),
         ("alltoall_direct", "out_of_place")]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def execute(tools, mpi, plan, size, transport):
    """The least time of an execution, in microseconds."""
    iterations = max(20, min(300, 200 * MIB // size))
    command = [tools.folder / "ccl-run", plan, "--transport", transport, "--bytes", size, "--iterations", iterations,
               "--json", "-"]
    if transport != "threads":
        command = [f"mpirun.{mpi}", "-n", RANKS, *command]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)["plans"][0]["results"][0]["min_ns"] / 1e3


def size_text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def shown(microseconds):
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:,.0f}"


def row(name, placement, times):
    """Cells: the least times by transport, and the speed of node relative to threads."""
    cells = []
    for by_transport in times.values():
        least = [min(by_transport[transport]) for transport in TRANSPORTS]
        cells.append(" / ".join(map(shown, least)) + f" ({least[0] / least[1]:.2f})")
    return [f"`{name}`, {placement.replace('_', ' ')}", *cells]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    if not shutil.which(f"mpirun.{args.mpi}"):
        return 77
    sizes = [int(size) for size in args.sizes.split(",")]
    times = collections.defaultdict(lambda: {size: collections.defaultdict(list) for size in sizes})
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        plans = {}
        for name, placement in PLANS:
            plans[name, placement] = tools.scratch / f"{name}-{placement}.json"
            tools.run("cclc", name, "--ranks", RANKS, "-p", f"buffers={placement}", "-o", plans[name, placement])
        for _ in range(args.rounds):
            for key, plan in plans.items():
                for size in sizes:
                    for transport in TRANSPORTS:
                        times[key][size][transport].append(execute(tools, args.mpi, plan, size, transport))
    made = table(["program", *map(size_text, sizes)], [row(*key, times[key]) for key in times])
    print(made)
    if args.document and args.update:
        begin = f"<!-- {pathlib.Path(__file__).name}: times -->\n"
        before, _, after = shown_table(args.document.read_text(), begin)
        args.document.write_text(before + begin + made + END + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
