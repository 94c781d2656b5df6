#!/usr/bin/env python3
"""Compare the times of plans with those of Open MPI's own algorithms of the same kind.

usage: compare_mpi.py --bin DIR [--rounds N] [--programs LIST] [--sizes LIST] [--document FILE --update]

Executes plans of two ranks by threads and by the processes of an Open MPI job, out of place and in place,
and in the same job the collective of the library with the same algorithm on the same buffers. A time is
the minimum of all executions of N rounds (default: 3), in which programs take turns. The limits are

- for processes below 64 KiB: the time of the library, and 150 ns for each step of the busiest rank;
- for processes from 64 KiB on: 1.10 times the time of the library;
- for threads: the time of the processes.

The machine must have two processors and nothing else to do. Prints the times in microseconds and the
number of faster plans from 1 MiB on, where the two are equal if the kernel copies all data once, and fails if a limit
is exceeded. --update writes the table in FILE. Exit code 77: mpirun is missing.
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
SIZES = [KIB << shift for shift in range(0, 15, 2)]
SHOWN = (KIB, 64 * KIB, MIB, 16 * MIB)  # in documents
RANKS, WARMUP = 2, 10
STEP_NS, SAME_KIND, SMALL, LARGE = 150, 1.10, 64 * KIB, MIB
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PLACEMENTS = {"out of place": "out_of_place", "in place": "in_place"}
SCRIPT = pathlib.Path(__file__).name

Pair = collections.namedtuple("Pair", "program algorithm segments")
PAIRS = [
    Pair("allreduce_ring", "ring", 1),
    Pair("allgather_ring", "ring", 1),
    Pair("reducescatter_ring", "recursive_halving", 1),
    Pair("alltoall_direct", "linear", 1),
    Pair("broadcast_binomial", "binomial", 1),
    Pair("broadcast_pipeline", "pipeline", 8),
    Pair("reduce_binomial", "binomial", 1),
]


def executions(size):
    """A tenth of a second at 5 GB/s, and at most 500."""
    return max(30, min(500, 500 * MIB // size))


def steps_of(path):
    """The steps of the busiest rank of a plan."""
    return max(sum(len(block["steps"]) for block in rank["threadblocks"])
               for rank in json.loads(path.read_text())["ranks"])


def execute(tools, plan, size, pair=None):
    """The result of ccl-run, by threads without a pair."""
    command = [tools.folder / "ccl-run", plan, "--bytes", size, "--iterations", executions(size), "--warmup", WARMUP,
               "--json", "-"]
    environment = dict(ENVIRONMENT)
    if pair:
        command = ["mpirun.openmpi", "-n", RANKS, *command, "--compare", f"mpi:{pair.algorithm}"]
        if pair.segments > 1:
            environment["OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize"] = str(size // pair.segments)
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)["plans"][0]["results"][0]


class Times:
    """The least times of a pair, placement and size, in nanoseconds."""

    def __init__(self):
        self.threads = self.processes = self.library = float("inf")
        self.pieces = 1

    def add(self, threads, processes):
        self.threads = min(self.threads, threads["min_ns"])
        self.processes = min(self.processes, processes["min_ns"])
        self.library = min(self.library, processes["mpi_min_ns"])
        self.pieces = processes["pieces"]

    def limit(self, size, steps):
        """The longest time of processes."""
        if size < SMALL:
            return self.library + STEP_NS * steps * self.pieces
        return self.library * SAME_KIND


def size_text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def microseconds(nanoseconds):
    return f"{nanoseconds / 1e3:.3g}" if nanoseconds < 1e6 else f"{nanoseconds / 1e3:,.0f}"


def make_table(times, sizes):
    rows = []
    for pair, placement in dict.fromkeys(key[:2] for key in times):
        cells = []
        for size in sizes:
            one = times[pair, placement, size]
            cells.append(" / ".join(map(microseconds, (one.threads, one.processes, one.library))))
        rows.append([f"`{pair.program}`, {placement}", pair.algorithm, *cells])
    return table(["program", "Open MPI", *map(size_text, sizes)], rows)


def exceeded(times, steps):
    """A line for each limit that is exceeded."""
    for (pair, placement, size), one in times.items():
        where = f"{pair.program}, {placement}, {size_text(size)}"
        if one.processes > one.limit(size, steps[pair, placement]):
            yield (f"{where}: processes take {microseconds(one.processes)} us, {one.processes / one.library:.2f} "
                   f"times as long as {pair.algorithm} of Open MPI: {microseconds(one.library)} us")
        if one.threads > one.processes:
            yield (f"{where}: threads take {microseconds(one.threads)} us, longer than processes: "
                   f"{microseconds(one.processes)} us")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", default=",".join(pair.program for pair in PAIRS))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    if not shutil.which("mpirun.openmpi"):
        return 77
    sizes = [int(size) for size in args.sizes.split(",")]
    pairs = [pair for pair in PAIRS if pair.program in args.programs.split(",")]
    times, plans = collections.defaultdict(Times), {}
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        for pair in pairs:
            for placement, buffers in PLACEMENTS.items():
                plans[pair, placement] = plan = tools.scratch / f"{pair.program}-{buffers}.json"
                tools.run("cclc", pair.program, "--ranks", RANKS, "-p", f"buffers={buffers}", "-o", plan)
        steps = {key: steps_of(plan) for key, plan in plans.items()}
        for _ in range(args.rounds):
            for (pair, placement), plan in plans.items():
                for size in sizes:
                    times[pair, placement, size].add(execute(tools, plan, size), execute(tools, plan, size, pair))
    print(make_table(times, sizes))
    large = [one for (*_, size), one in times.items() if size >= LARGE]
    print(f"{sum(one.processes < one.library for one in large)} of {len(large)} are faster from {size_text(LARGE)} on")
    if args.document and args.update:
        begin = f"<!-- {SCRIPT}: times -->\n"
        before, _, after = shown_table(args.document.read_text(), begin)
        args.document.write_text(before + begin + make_table(times, [s for s in SHOWN if s in sizes]) + END + after)
    slow = list(exceeded(times, steps))
    for line in slow:
        print(line, file=sys.stderr)
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
