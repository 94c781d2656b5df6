#!/usr/bin/env python3
"""Write the tables of the speed of the tools, with their memory, their growth and the limit of the machine.

usage: performance.py --bin DIR [--document FILE [--update]]

Measures the processor time and the memory of whole processes: the least of several runs. The counts of
instructions and the growth exponents come from test/benchmark/instructions.tsv, which
test/benchmark/instructions.py --update writes, and the figures of other tools from
utils/performance_peers.tsv. Times differ from run to run, so that the tables are only updated, never compared.
"""

import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import time

from doc_tables import run, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["allreduce_ring --ranks 256", "allreduce_ring --ranks 512", "allreduce_ring --ranks 1024",
            "allreduce_halving_doubling --ranks 1024", "alltoall_two_step -p nodes=32",
            "allreduce_hierarchical -p nodes=32", "alltoall_hierarchical --ranks 256"]
# What cclc compiles in place of the programs of another compiler, and ccl-sim simulates.
OURS = {
    ("compile the ring all-reduce", "64 ranks"): "allreduce_ring --ranks 64",
    ("compile the ring all-reduce", "128 ranks"): "allreduce_ring --ranks 128",
    ("compile the ring all-reduce", "256 ranks"): "allreduce_ring --ranks 256",
    ("compile the hierarchical all-reduce", "64 ranks"): "allreduce_hierarchical -p nodes=8",
    ("compile the two-step all-to-all", "256 ranks"): "alltoall_two_step -p nodes=32",
    ("compile recursive halving and doubling", "64 ranks"): "allreduce_halving_doubling --ranks 64",
    ("compile recursive halving and doubling", "128 ranks"): "allreduce_halving_doubling --ranks 128",
    ("simulate the ring all-reduce", "1024 ranks"): "allreduce_ring --ranks 1024",
}
# Large programs and machines: the command of a compilation, and that of a simulation of its plan.
SIPS = "--target ahbm --set sips.count=64"
LARGE = [("allreduce_ring --ranks 4096 --rolled=off", None),
         ("allreduce_ring --ranks 65536", "--target ring --bytes 64M"),
         ("allreduce_ring --ranks 1024", "--target ring --bytes 64M"),
         (f"allreduce_lrab {SIPS}", "--bytes 4K"),
         (f"allreduce_hierarchical_3level -p pipeline=8 {SIPS}", "--bytes 32K"),
         ("alltoall_hierarchical --ranks 1024", None)]
STAGES = ["trace", "lower and fuse", "schedule", "unroll", "verify", "write"]


# Measures a process. The system counts the memory of the process that started it as its own, so that it is
# started by an interpreter without modules, which is smaller than any compilation.
LAUNCHER = """
import posix, sys
process = posix.posix_spawn(sys.argv[1], sys.argv[1:], posix.environ,
                            file_actions=[(posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)])
_, status, usage = posix.wait4(process, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def measure(command, times=3):
    """The least processor time of a process in seconds, and its peak memory in bytes."""
    best = None
    for _ in range(times):
        launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
        status, spent, peak = subprocess.run(launcher, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        if status != "0":
            sys.exit(f"failed: {' '.join(command)}")
        if best is None or float(spent) < best[0]:
            best = float(spent), int(peak) * 1024
    return best


def compile_command(tools, program):
    return [str(tools.folder / "cclc"), *program.split(), "--emit=bin", "-o", str(tools.scratch / "plan.bin")]


def steps_of(tools, program):
    stats = tools.run("cclc", *program.split(), "--stats", "-o", "/dev/null")
    return int(re.search(r"^ *steps +(\d+)", stats, re.M)[1])


def copy_speed():
    """Bytes per second that one core copies in memory."""
    source = bytearray(1 << 28)
    target, best = bytearray(source), math.inf
    for _ in range(5):
        began = time.process_time()
        target[:] = source
        best = min(best, time.process_time() - began)
    return len(source) / best


def stored_counts():
    """By program: steps and instructions; by name of the program: the growth exponent."""
    counts, growth = {}, {}
    with open(ROOT / "test/benchmark/instructions.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            name, steps, total = row["program"].split()[0], int(row["steps"]), int(row["instructions"])
            for other, (s, t) in counts.items():
                if other.split()[0] == name:
                    growth[name] = math.log(total / t) / math.log(steps / s)
            counts[row["program"]] = steps, total
    return counts, growth


def stages_of(tools, program):
    """The share of the processor time of each stage, in percent."""
    done = subprocess.run([*compile_command(tools, program), "--time-passes"], capture_output=True, text=True,
                          check=True).stderr
    times = {}
    for line in done.splitlines():
        row = re.match(r" *\d+ +(\d+) +\d+ % +[\d.]+ \w+  (\w[\w ]*)$", line)
        if row:
            times[row[2]] = int(row[1])
    return [f"{100 * times.get(stage, 0) / times['total']:.0f}" for stage in STAGES]


def compiled(tools):
    """The tables of speed and of stages."""
    counts, growth = stored_counts()
    rows, stages, efforts = [], [], []
    for program in PROGRAMS:
        steps = steps_of(tools, program)
        spent, memory = measure(compile_command(tools, program))
        name = program.split()[0]
        instructions = f"{counts[program][1] / counts[program][0]:.0f}" if program in counts else "-"
        size = os.path.getsize(tools.scratch / "plan.bin") / steps
        efforts.append((spent, memory))
        rows.append([f"`{program}`", steps, f"{spent:.3f}", f"{steps / spent / 1e6:.2f}", instructions,
                     f"{growth[name]:.2f}" if name in growth else "-", f"{memory / steps:.0f}", f"{size:.1f}"])
        stages.append([f"`{program}`", *stages_of(tools, program)])
    # Measured last, because the memory of this process counts for the processes that it starts.
    bandwidth = copy_speed()
    for row, (spent, memory) in zip(rows, efforts):
        # Every byte of the peak is written once and read once.
        row.append(f"{spent / (2 * memory / bandwidth):.0f}")
    head = ["program", "steps", "processor time (s)", "million steps/s", "instructions per step",
            "growth exponent", "bytes of memory per step", "bytes of plan per step", "times the limit"]
    note = f"\nOne core copies {bandwidth / 1e9:.1f} GB/s.\n"
    return table(head, rows) + note, table(["program", *(f"{stage} (%)" for stage in STAGES)], stages)


def peers(tools):
    measured, rows = {}, []
    with open(ROOT / "utils/performance_peers.tsv", encoding="utf-8") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    for key, program in OURS.items():
        if key[0].startswith("compile"):
            measured[key] = f"{measure(compile_command(tools, program), 5)[0]:.3f} s"
            continue
        plan = tools.plan(*program.split())
        command = [str(tools.folder / "ccl-sim"), str(plan), "--target", "ring", "--bytes", "64M", "--no-bounds"]
        messages = steps_of(tools, program) - 1024  # a step of each rank only receives
        measured[key] = f"{messages / measure(command)[0] / 1e3:.0f} k messages/s"
    for row in listed:
        rows.append([row["work"], row["size"], row["tool"], f"{row['figure']} {row['unit']}",
                     measured[row["work"], row["size"]], row["source"]])
    return table(["work", "size", "other tool", "its figure", "here", "what it ran"], rows)


def large(tools):
    """The table of compilations and simulations of thousands of ranks."""
    rows = []
    for program, options in LARGE:
        row = [f"`{program}`", *seconds_and_megabytes(compile_command(tools, program))]
        if options:
            command = [str(tools.folder / "ccl-sim"), str(tools.scratch / "plan.bin"), *options.split(), "--no-bounds"]
            row += [f"`{options}`", *seconds_and_megabytes(command)]
        rows.append(row + ["-"] * (6 - len(row)))
    return table(["program", "compilation (s)", "its memory (MB)", "simulated with", "simulation (s)",
                  "its memory (MB)"], rows)


def seconds_and_megabytes(command):
    spent, memory = measure(command)
    return f"{spent:.2f}", f"{memory / 1e6:.0f}"


def make(tools, shown):
    if shown("compile"):
        return {name: shown(name) for name in ("compile", "stages", "large", "peers")}, []
    thousands = large(tools)  # first: compiled() increases the memory of this process
    speed, stages = compiled(tools)
    return {"compile": speed, "stages": stages, "large": thousands, "peers": peers(tools)}, []


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
