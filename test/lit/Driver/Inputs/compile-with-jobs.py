"""Compiles programs with 1, 2 and 3 jobs and compares the plans and the messages byte by byte.

usage: compile-with-jobs.py CCLC PLAN
"""

import subprocess
import sys

PROGRAMS = [
    "allreduce_ring --ranks 24", "allreduce_halving_doubling --ranks 24", "allreduce_onestep --ranks 8",
    "alltoall_two_step", "alltoall_hierarchical --ranks 24", "allreduce_hierarchical",
    "allgather_recursive_doubling --ranks 32", "reducescatter_direct --ranks 9 -O0",
    "broadcast_pipeline --ranks 5 --instances 3", "alltoall_bruck --ranks 20 -O1",
    "allreduce_double_binary_tree --ranks 19 --slots 2", "alltonext",
    "allreduce_tree --ranks 12 --max-threadblocks 1 --stats", "allreduce_rails --optimize-for path",
]


def main():
    cclc, plan = sys.argv[1:]
    differences = 0
    for program in PROGRAMS:
        results = []
        for jobs in "123":
            run = subprocess.run([cclc, *program.split(), "-j", jobs, "-o", plan],
                                 capture_output=True, check=True)
            with open(plan, "rb") as file:
                results.append((file.read(), run.stdout, run.stderr))
        if any(result != results[0] for result in results):
            differences += 1
            print(f"{program}: the output depends on the number of jobs")
    print(f"{len(PROGRAMS)} programs, {differences} differences")


if __name__ == "__main__":
    main()
