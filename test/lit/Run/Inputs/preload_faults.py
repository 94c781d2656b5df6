"""Runs a job of two processes in which the library for MPI is not the same for both.

usage: preload_faults.py MODULES LIBRARY APPLICATION PLANS CHANGED

Prints the result of each job and the lines of the library.
"""

import pathlib
import shutil
import subprocess
import sys

MODULES, LIBRARY, APPLICATION, PLANS, CHANGED = sys.argv[1:]
HERE = {"LD_PRELOAD": f"{MODULES}/{LIBRARY}/libccl-mpi.so", "CCL_MPI_PLANS": PLANS}
OTHER = pathlib.Path(f"{APPLICATION}.other.so")
shutil.copy(HERE["LD_PRELOAD"], OTHER)
with OTHER.open("ab") as file:
    file.write(b"another build")
NONE = dict(HERE, CCL_MPI_PLANS="none")
WITHOUT = {"LD_PRELOAD": HERE["LD_PRELOAD"]}
JOBS = {
    "half of the job": (HERE, {}),
    "the other half": ({}, HERE),
    "off in rank 1": (HERE, dict(HERE, CCL_MPI="off")),
    "a changed portfolio": (HERE, dict(HERE, CCL_MPI_PLANS=CHANGED)),
    "no folder in rank 1": (HERE, NONE),
    "no folder": (NONE, NONE),
    "no variable": (WITHOUT, WITHOUT),
    "another library": (HERE, dict(HERE, LD_PRELOAD=str(OTHER))),
    "other memory": (HERE, dict(HERE, CCL_MPI_MEMORY="32M")),
    "wrong memory": (dict(HERE, CCL_MPI_MEMORY="64MB"),) * 2,
    "off": (dict(HERE, CCL_MPI="off", CCL_MPI_STATS="1"),) * 2,
    "plans": (dict(HERE, CCL_MPI_STATS="1"),) * 2,
}
for name, processes in JOBS.items():
    command = [f"mpirun.{LIBRARY}"]
    for variables in processes:
        command += [":"] if len(command) > 1 else []
        command += ["-n", "1", "env", *(f"{key}={value}" for key, value in variables.items()), APPLICATION, "small"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    print(f"{name}: {done.stdout.strip()}")
    for line in done.stderr.splitlines():
        if line.startswith("libccl-mpi"):
            print(line)
