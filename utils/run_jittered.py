#!/usr/bin/env python3
"""Executes plans with random delays, and compares their results.

usage: run_jittered.py --bin DIR [--tools DIR] [--runs N] [--seed N] [--mpi PERCENT]

Each of N runs (default: 1000) takes a random plan: a program of the library for 2 to 16 ranks, fused or
unfused, for any buffers, or, if CCLC_CORPUS names the corpora of the tests, a published file that is
proved. It has a random type, operator, size and piece, and is executed by random numbers of threads, by
one thread for each threadblock, or by PERCENT (default: 20) by the processes of Open MPI, if it has at most four
ranks. The data are random and compared bit by bit with the plan's own order of operations. --tools has
cclc, if it is not in DIR: that of an ordinary build, if `ccl-run` in DIR is built with ThreadSanitizer
(see find_races.py), whose reports count as failures. Prints the command and the output of each failure.
"""

import argparse
import collections
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile

TYPES = ("f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8")
OPERATORS = ("sum", "prod", "min", "max", "avg")
SIZES = (1, 97, 1000, 10007, 100003, 400009)
PIECES = ("512", "8K", "128K")
MPI_RANKS = 4
# ThreadSanitizer needs the usual addresses of a process.
PREFIX = ["setarch", platform.machine(), "-R"] if shutil.which("setarch") else []
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   TSAN_OPTIONS="halt_on_error=0 exitcode=66")


def published():
    """Files that are proved with 8 slots, and their numbers of ranks."""
    corpus = os.environ.get("CCLC_CORPUS")
    if not corpus:
        return []
    folder = pathlib.Path(corpus) / "msccl-xml"
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    return [folder / row[0] for row in rows if "8:ok" in row[7]]


class Plans:
    def __init__(self, cclc, scratch, generator):
        self.cclc, self.scratch, self.random = cclc, scratch, generator
        self.programs = json.loads(self.run("list", "--json").stdout)
        self.files = published()
        self.made = 0

    def run(self, *arguments):
        return subprocess.run([str(self.cclc), *map(str, arguments)], capture_output=True, text=True, check=False)

    def compile(self):
        """A plan of the library, or None if the program refuses the request."""
        program, ranks = self.random.choice(self.programs)["name"], self.random.randint(2, 16)
        self.made += 1
        path = self.scratch / f"{program}-{self.made}.json"
        options = ["--ranks", ranks] if self.random.random() < 0.8 else []
        fuse = ["-O0"] if self.random.random() < 0.3 else []
        buffers = self.random.choice(["in_place", "out_of_place", "both"])
        for choice in (["-p", f"buffers={buffers}"], []):
            if self.run(program, *options, *fuse, *choice, "-o", path).returncode == 0:
                return path
        return None

    def next(self):
        """A plan and its number of ranks."""
        while True:
            if self.files and self.random.random() < 0.25:
                path = self.random.choice(self.files)
                return path, int(path.read_text(errors="replace").split('ngpus="')[1].split('"')[0])
            path = self.compile()
            if path and (ranks := json.loads(path.read_text())["collective"]["ranks"]) <= 64:
                return path, ranks


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpi", type=int, default=20)
    args = parser.parse_args()
    generator = random.Random(args.seed)
    percent = args.mpi if shutil.which("mpirun.openmpi") else 0
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as scratch:
        plans = Plans((args.tools or args.bin) / "cclc", pathlib.Path(scratch), generator)
        for number in range(args.runs):
            path, ranks = plans.next()
            kind = "published" if path in plans.files else "library"
            command = [*PREFIX, str(args.bin / "ccl-run"), str(path), "--iterations", "0", "--check-data", "--timeout",
                       "100", "--jitter", str(number), "--seed", str(number), "--dtype", generator.choice(TYPES),
                       "--op", generator.choice(OPERATORS), "--bytes", str(generator.choice(SIZES)),
                       "--slot-size", generator.choice(PIECES)]
            threads = generator.choice(["1", "2", "3", str(ranks), "threadblocks"])
            if ranks <= MPI_RANKS and generator.randrange(100) < percent:
                command = ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks), *command]
                kind += ", processes"
            else:
                command += ["--threads", threads]
                kind += ", threadblocks" if threads == "threadblocks" else ", threads"
            done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
            counts[kind] += 1
            if done.returncode or not done.stdout.rstrip().endswith("right") or "ThreadSanitizer" in done.stderr:
                failures += 1
                print(" ".join(command), done.returncode, done.stdout, done.stderr[-3000:], sep="\n", flush=True)
    runs = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"{args.runs} runs ({runs}): {failures} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
