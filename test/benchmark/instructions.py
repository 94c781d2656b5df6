#!/usr/bin/env python3
"""Counts the instructions that the processor executes to compile programs and to simulate plans, per step.

usage: instructions.py BINDIR [--update] [PROGRAM...]

The counts are those of valgrind's callgrind, for the whole process of cclc or ccl-sim. They
do not depend on the load of the machine, but on compiler and C++ library: compare those of one
build environment. Prints the counts with their ratio to those in instructions.tsv, and the growth
exponent between the two sizes of a program, and lists the programs that need 5 % more; --update stores
the counts. With PROGRAM it counts only programs whose name contains it.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.tsv")
PROGRAMS = [
    "allreduce_ring --ranks 256", "allreduce_ring --ranks 512",
    "allreduce_halving_doubling --ranks 256", "allreduce_halving_doubling --ranks 1024",
    "alltoall_two_step -p nodes=16", "alltoall_two_step -p nodes=32",
    "allreduce_hierarchical -p nodes=16", "allreduce_hierarchical -p nodes=32",
    "alltoall_hierarchical --ranks 128", "alltoall_hierarchical --ranks 256",
]
# A program and the options of ccl-sim for its plan.
SIMULATIONS = [
    ("allreduce_ring --ranks 256", "--target ring --bytes 4M"),
    ("allreduce_lrab --target ahbm", "--sweep 4K:1M:16"),
    ("allreduce_lrab --target ahbm --set sips.count=64", "--bytes 4K"),
    ("alltoall_direct --ranks 64", "--target torus2d --bytes 1M"),
    ("allreduce_hierarchical -p nodes=4 --target ndv4", "--bytes 16M"),
]
LOSS = 1.05
STAGES = {
    "trace": "cclc::dsl::Tracer::run(",
    "lower": "cclc::lowerToInstr(", "copies": "cclc::removeDeadCopies(", "fuse": "cclc::fuse(",
    "schedule": "cclc::scheduleProgram(", "verify": "cclc::verifyPlan(",
    "write": "cclc::writePlanBin(",
}


def callgrind(command, folder, stages):
    """The instructions of a command in total and of each stage, whose function is given."""
    profile = os.path.join(folder, "profile")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *command],
                   check=True, capture_output=True)
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=99.9", profile],
                          capture_output=True, text=True, check=True).stdout
    counts = {}
    for line in text.splitlines():
        row = re.match(r"\s*([\d,]+) \(.*?\)\s+(.*)", line)
        if not row:
            continue
        number = int(row[1].replace(",", ""))
        if "PROGRAM TOTALS" in row[2]:
            counts["total"] = number
        for stage, function in stages.items():
            if function in row[2]:
                counts[stage] = max(counts.get(stage, 0), number)
    return counts


def count(bindir, program, simulation):
    """The steps of the plan, and the instructions in total and of each stage."""
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.bin")
        # The processor is slow under callgrind.
        command = [os.path.join(bindir, "cclc"), *program.split(), "--trace-timeout", "3600", "-o", plan]
        stats = subprocess.run([*command, "--stats"], capture_output=True, text=True, check=True)
        steps = int(re.search(r"^ *steps +(\d+)", stats.stdout + stats.stderr, re.M)[1])
        if simulation:
            command = [os.path.join(bindir, "ccl-sim"), plan, *simulation.split()]
        return steps, callgrind(command, folder, STAGES)


def stored():
    rows = {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as table:
            for line in table.read().splitlines()[1:]:
                program, _, total = line.split("\t")
                rows[program] = int(total)
    return rows


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    update = "--update" in arguments
    bindir, *wanted = [argument for argument in arguments if argument != "--update"]
    bindir = os.path.abspath(bindir)
    before, rows, last, losses = stored(), [], None, []
    print(f"{'instructions per step':<75}{'steps':>9}{'total':>8}{'ratio':>7}{'growth':>7}"
          + "".join(f"{stage:>9}" for stage in STAGES))
    for compiled, simulation in [(program, "") for program in PROGRAMS] + SIMULATIONS:
        program = f"{compiled}, ccl-sim {simulation}" if simulation else compiled
        if wanted and not any(name in program for name in wanted):
            continue
        steps, counts = count(bindir, compiled, simulation)
        total = counts["total"]
        ratio = f"{total / before[program]:.3f}" if program in before else "-"
        if program in before and total > LOSS * before[program]:
            losses.append(f"{program}: {total / before[program]:.3f} times the stored instructions")
        growth = ""
        if last and not simulation and last[0] == program.split()[0]:
            growth = f"{math.log(total / last[2]) / math.log(steps / last[1]):.2f}"
        last = (program.split()[0], steps, total)
        rows.append((program, steps, total))
        print(f"{program:<75}{steps:>9}{total / steps:>8.0f}{ratio:>7}{growth:>7}"
              + "".join(f"{counts.get(stage, 0) / steps:>9.0f}" for stage in STAGES), flush=True)
    for loss in losses:
        print(f"LOSS: {loss}")
    if update:
        with open(TABLE, "w", encoding="utf-8") as table:
            table.write("program\tsteps\tinstructions\n")
            for row in rows:
                table.write("\t".join(map(str, row)) + "\n")


if __name__ == "__main__":
    main()
