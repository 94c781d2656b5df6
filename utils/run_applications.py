#!/usr/bin/env python3
"""Runs real MPI applications on plans, and compares their results with those of the MPI library.

usage: run_applications.py --bin BINDIR [--ranks LIST] [--plans DIR] [--rounds N]

LAMMPS melts a Lennard-Jones crystal (its example "melt"); GROMACS simulates 884 molecules of water
with PME. Each runs twice on Open MPI: as it is, and with libccl-mpi.so preloaded, which executes the
plans of a portfolio that ccl-tune makes. Energies and temperatures may differ by a relative 1e-6,
because the order of a sum may differ. Prints the calls that plans executed; the exit code is 1 if
results differ, an application fails, or no plan ran. --plans takes another portfolio, which may leave all calls
to the library. --rounds executes
both N times more, in turns, and prints the ratio of the times of whole jobs. Debian's packages are lammps, lammps-examples
and gromacs; an application that is not installed is skipped.
"""

import argparse
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COLLECTIVES = ["allreduce", "alltoall", "allgather", "broadcast", "reduce"]
MELT = pathlib.Path("/usr/share/lammps/examples/melt/in.melt")
TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
"""
RUN_PARAMETERS = """integrator = md
dt = 0.001
nsteps = 100
nstenergy = 20
nstcalcenergy = 20
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen_vel = yes
gen_temp = 300
gen_seed = 7
"""
# Processes may outnumber processors, and a container's user is root.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


class Failed(Exception):
    pass


def run(command, folder, text=""):
    done = subprocess.run([str(word) for word in command], cwd=folder, env=ENVIRONMENT, input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def rows_of_numbers(text):
    """The lines that consist of numbers, of at least two."""
    rows = []
    for line in text.splitlines():
        try:
            row = [float(word) for word in line.split()]
        except ValueError:
            continue
        if len(row) > 1:
            rows.append(row)
    return rows


class Lammps:
    name, needs = "lammps", ("lmp",)
    installed = staticmethod(MELT.exists)

    def prepare(self, folder):
        shutil.copy(MELT, folder)

    def command(self, label):
        return ["lmp", "-in", MELT.name, "-log", "none"]

    def results(self, folder, label, printed):
        return rows_of_numbers(printed.partition("Step")[2].partition("Loop time")[0])


class Gromacs:
    name, needs = "gromacs", ("gmx_mpi",)
    installed = staticmethod(lambda: True)

    def prepare(self, folder):
        (folder / "topol.top").write_text(TOPOLOGY)
        (folder / "run.mdp").write_text(RUN_PARAMETERS)
        run(["gmx_mpi", "solvate", "-cs", "spc216.gro", "-box", 3, 3, 3, "-p", "topol.top", "-o", "conf.gro"], folder)
        run(["gmx_mpi", "grompp", "-f", "run.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "run.tpr",
             "-maxwarn", 5], folder)

    def command(self, label):
        return ["gmx_mpi", "mdrun", "-s", "run.tpr", "-deffnm", label, "-ntomp", 1, "-reprod", "-dlb", "no"]

    def results(self, folder, label, printed):
        run(["gmx_mpi", "energy", "-f", f"{label}.edr", "-o", f"{label}.xvg"], folder,
            "Potential\nTotal-Energy\nTemperature\n\n")
        return rows_of_numbers((folder / f"{label}.xvg").read_text())


def compare(expected, actual):
    if len(expected) < 5 or [len(row) for row in expected] != [len(row) for row in actual]:
        raise Failed(f"{len(expected)} and {len(actual)} rows of results")
    pairs = [(a, b) for old, new in zip(expected, actual) for a, b in zip(old, new)]
    different = [pair for pair in pairs if not math.isclose(*pair, rel_tol=1e-6, abs_tol=1e-6)]
    if different:
        raise Failed(f"{len(different)} of {len(pairs)} values differ, first {different[0]}")
    equal = sum(a == b for a, b in pairs)
    return f"{equal} of {len(pairs)} printed values equal"


def ratio_of_times(application, launch, preload, rounds, folder):
    """The median of the ratios of a job with plans to the job before, with the range of the ratios."""
    ratios = []
    for _ in range(rounds):
        times = []
        for way, options in (("native", []), ("plans", preload)):
            begin = time.monotonic()
            run([*launch, *options, *application.command(way)], folder)
            times.append(time.monotonic() - begin)
        ratios.append(times[1] / times[0])
    return f"; time {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) of the library's"


def execute(application, binaries, ranks, folder, args):
    """Runs the application with and without plans; returns a line for the table."""
    module = (binaries / "../lib/cclc/openmpi/libccl-mpi.so").resolve()
    plans = args.plans.resolve() if args.plans else folder / "plans"
    if not args.plans:
        run([binaries / "ccl-tune", "ring", *COLLECTIVES, "--ranks", ranks, "--sizes", "4:1M:512", "-o", plans], folder)
    application.prepare(folder)
    launch = ["mpirun.openmpi", "-n", ranks]
    preload = ["-x", f"LD_PRELOAD={module}", "-x", f"CCL_MPI_PLANS={plans}"]
    native = run([*launch, *application.command("native")], folder)
    planned = run([*launch, *preload, "-x", "CCL_MPI_STATS=1", *application.command("plans")], folder)
    calls = dict(re.findall(r"^  (\w+): (\d+) by plans", planned, re.MULTILINE))
    if not args.plans and not any(map(int, calls.values())):
        raise Failed("no call was executed by a plan")
    results = compare(application.results(folder, "native", native), application.results(folder, "plans", planned))
    results += "; by plans: " + ", ".join(f"{count} {name}" for name, count in calls.items())
    return results + (ratio_of_times(application, launch, preload, args.rounds, folder) if args.rounds else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks, separated by commas (default: 2,4)")
    parser.add_argument("--plans", type=pathlib.Path, help="a portfolio for all numbers of ranks (default: one is made)")
    parser.add_argument("--rounds", type=int, default=0)
    args = parser.parse_args()
    failed = False
    for application in (Lammps(), Gromacs()):
        missing = [need for need in application.needs + ("mpirun.openmpi",) if not shutil.which(need)]
        if missing or not application.installed():
            print(f"{application.name}: skipped, {' and '.join(missing) or 'its example'} not installed")
            continue
        for ranks in args.ranks.split(","):
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    print(f"{application.name}, {ranks} ranks:",
                          execute(application, args.bin.resolve(), ranks, pathlib.Path(scratch), args), flush=True)
                except (Failed, subprocess.TimeoutExpired) as failure:
                    print(f"{application.name}, {ranks} ranks: FAILED: {failure}", flush=True)
                    failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
