#!/usr/bin/env python3
"""Compare the cases of the MPI standard with and without plans.

usage: compare_contract.py --bin DIR --mpi openmpi|mpich [--plans DIR] [NAME...]

Compiles test/mpi/Contract*.c, or those named, and runs each in two processes of the MPI library, without
libccl-mpi.so and with it. Prints the number of cases, and those whose outcomes differ without a reason in
EXPLAINED. Exit code 1: there are such cases, or no call was executed by a plan.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
COLLECTIVES = ["allreduce", "reducescatter", "allgather", "alltoall", "broadcast", "reduce", "gather", "scatter",
               "scan", "exscan"]
UNSIGNED = "MPICH 4.0 compares unsigned integers as signed ones; the outcomes with Open MPI are right"
# By library: a case, its outcome with plans, and why the library's is another one.
EXPLAINED = {
    "openmpi": [],
    "mpich": [
        ("allreduce (sum|prod|min|max) of .* (special values|both), .*", "the same bits",
         "MPICH's reductions of NaN and of zeros of both signs depend on the order of the operands"),
        ("allreduce of (UNSIGNED|UINT)(_|8|16|32|64|[A-Z])* by (min|max)", "wrong", UNSIGNED),
        ("(reduce|scan) of (UNSIGNED|UINT)(_|8|16|32|64|[A-Z])* by (min|max)", "right wrong", UNSIGNED),
    ],
}
# Those that the library often does not survive; the outcomes must be right.
UNCOMPARED = {"openmpi": [], "mpich": ["ContractPersistent"]}
ARGUMENTS = {"ContractThreads": ["0", "1", "2", "3"]}


def launch(mpi, application, argument, variables):
    """The outcomes of all cases, and the number of calls by plans."""
    command = [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", "2"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"] if mpi == "openmpi" else ["-genv", name, value]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       UCX_LOG_LEVEL="error")
    done = subprocess.run([*command, application, *argument], capture_output=True, text=True, env=environment,
                          timeout=300, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    plans = sum(int(calls) for calls in re.findall(r": (\d+) by plans", done.stderr))
    return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line), plans


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=tuple(EXPLAINED), required=True)
    parser.add_argument("--plans", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = args.names or sorted(path.stem for path in HERE.glob("Contract*.c"))
    cases = explained = calls = 0
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        plans = args.plans or pathlib.Path(scratch) / "plans"
        if not args.plans:
            subprocess.run([args.bin / "ccl-tune", "ring", *COLLECTIVES, "--ranks", "2", "--sizes", "4:64K:64",
                            "-o", plans], check=True, capture_output=True)
        library = args.bin.resolve().parent / "lib" / "cclc" / args.mpi / "libccl-mpi.so"
        preloaded = {"LD_PRELOAD": library, "CCL_MPI_PLANS": plans, "CCL_MPI_STATS": "1"}
        for name in names:
            application = pathlib.Path(scratch) / name
            subprocess.run([f"mpicc.{args.mpi}", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread", "-rdynamic", HERE / f"{name}.c",
                            "-o", application], check=True)
            for argument in [[text] for text in ARGUMENTS.get(name, [])] or [[]]:
                outcomes, byPlans = launch(args.mpi, application, argument, preloaded)
                if name in UNCOMPARED[args.mpi]:
                    native = {case: outcome.replace("wrong", "right") for case, outcome in outcomes.items()}
                else:
                    native, _ = launch(args.mpi, application, argument, {})
                cases += len(native)
                calls += byPlans
                for case in dict.fromkeys([*native, *outcomes]):
                    pair = native.get(case), outcomes.get(case)
                    if pair[0] == pair[1]:
                        continue
                    reasons = [why for pattern, outcome, why in EXPLAINED[args.mpi]
                               if re.fullmatch(pattern, case) and pair[1] == outcome]
                    explained += bool(reasons)
                    if not reasons:
                        wrong.append(f"{case}: {pair[1]}, without plans {pair[0]}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{args.mpi}: {cases} cases, {len(wrong)} with another outcome by plans; explained: {explained}")
    return 1 if wrong or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
