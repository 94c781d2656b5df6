"""Processes of an Open MPI job with different options or plans refuse to start, and name the difference.

usage: mismatches.py PLAN OTHER_PLAN, both for 3 ranks
"""

import subprocess
import sys

PLAN, OTHER = sys.argv[1:]
# Options of rank 2, and what they differ in.
OPTIONS = {
    "--bytes 2K": "sizes: 1048576 and 2048",
    "--dtype f64": "--dtype: f32 and f64",
    "--op max": "--op: sum and max",
    "--slots 4": "--slots: those of the plan and 4",
    "--slot-size 1K": "--slot-size: none and 1024",
    "--in-place": "--in-place: off and on",
    "--check-data": "--check-data: off and on",
    "--seed 3": "--seed: none and 3",
    "--jitter 2": "--jitter: none and 2",
    "--unproved": "--unproved: off and on",
    "--timeout 3": "--timeout: 10.00 s and 3.00 s",
    "--iterations 1": "--iterations: 20 and 1",
    "--warmup 1": "--warmup: 5 and 1",
    "--predict dgx1": "--predict: none and dgx1",
    "--compare mpi": "--compare: none and mpi",
}


def refuses(words, differences):
    command = ["mpirun.openmpi", "--oversubscribe", "-n", "2", "ccl-run", PLAN, ":", "-n", "1",
               "ccl-run", *words]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100)
    missing = [difference for difference in differences
               if f"ccl-run: error: ranks 0 and 2 differ in {difference}" not in run.stderr]
    if run.returncode != 2 or missing or run.stdout:
        print(f"{words}: exit code {run.returncode}, without {missing}:\n{run.stdout}{run.stderr}")
        return False
    return True


results = [refuses([PLAN, *" ".join(OPTIONS).split()], OPTIONS.values()),
           refuses([PLAN, PLAN], ["the number of plans: 1 and 2\n"]),
           refuses([OTHER], [f"plan {PLAN}: hash "]),
           refuses([PLAN + ".none"], [f"plan {PLAN}: hash "])]
# A value that is the default does not differ.
same = subprocess.run(["mpirun.openmpi", "--oversubscribe", "-n", "2", "ccl-run", PLAN, ":", "-n", "1",
                       "ccl-run", PLAN, "--iterations", "20", "--dtype", "f32"], timeout=100)
sys.exit(0 if all(results) and same.returncode == 0 else 1)
