"""Kills a process or the launcher of a job that executes plans, and prints how many processes are left.

usage: preload_kill.py MODULES LIBRARY APPLICATION PLANS

The application is Soak.c.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

MODULES, LIBRARY, APPLICATION, PLANS = sys.argv[1:]


def processes():
    """Those of the application."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "exe") == APPLICATION:
                found.append(int(path.name))
        except OSError:
            pass  # has ended, or is of another user
    return sorted(found)


def wait(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


# Open MPI leaves its shared memory when the launcher is killed.
scratch = tempfile.TemporaryDirectory()
os.environ["OMPI_MCA_btl_vader_backing_directory"] = scratch.name
for victim in ("process", "launcher"):
    command = [f"mpirun.{LIBRARY}", "-n", "2"]
    for name, value in {"LD_PRELOAD": f"{MODULES}/{LIBRARY}/libccl-mpi.so", "CCL_MPI_PLANS": PLANS}.items():
        command += ["-x", f"{name}={value}"] if LIBRARY == "openmpi" else ["-genv", name, value]
    with subprocess.Popen([*command, APPLICATION, "1000000000", "50", "10", "64"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as launcher:
        wait(lambda: len(processes()) == 2)
        time.sleep(1)  # plans are executed
        os.kill(processes()[0] if victim == "process" else launcher.pid, signal.SIGKILL)
        wait(lambda: not processes())
        left = processes()
        print(f"killed {victim}: {len(left)} processes left")
        for process in left:
            os.kill(process, signal.SIGKILL)
        try:
            launcher.wait(20)
        except subprocess.TimeoutExpired:
            launcher.kill()  # Open MPI 4.1 sometimes does not end after an aborted job
