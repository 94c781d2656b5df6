#!/usr/bin/env python3
"""Kills, stops and withholds ranks of MPI jobs, and checks that the other ranks end with a diagnosis.

usage: try_faults.py --bin DIR [--library openmpi|mpich|threads] [--transport mpi|node] [OPTION]... [FAULT...]

FAULT is kill (kill -9), stop (kill -STOP) or missing (a program that never joins the job); by default
all. Each try executes the plan on 3 ranks, disturbs a random rank at a random time, and checks that

- the job ends within the time limits, with a code other than 0;
- the diagnosis names the rank, and in an execution a step and a threadblock of it;
- the last words of ccl-run name the rank;
- neither a process nor a file in /dev/shm or in the folders of the launcher in /tmp remains.

A rank that is missing is reported after ten times --timeout (default: 1), which limits the length of a
try. MPICH's launcher kills its process group if a rank is killed, unless -disable-auto-cleanup is given and
the ranks have groups of their own. Exit code 77: mpirun is missing.

Ranks that are threads are killed and stopped together. A process that is killed leaves nothing, and one
that goes on after twice its time limit completes: the time in which it was stopped does not count.
"""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 3
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def processes_of(launcher):
    """The processes below a launcher, by rank, and the name of the job, if it has one."""
    parents, ranks, jobs = {}, {}, {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        for entry in environment:
            name, _, value = entry.partition(b"=")
            if name in (b"PMIX_RANK", b"PMI_RANK"):
                ranks[int(folder.name)] = int(value)
            if name == b"PMIX_NAMESPACE":
                jobs[int(folder.name)] = int(value)

    def is_below(process):
        while process in parents:
            process = parents[process]
            if process == launcher:
                return True
        return False

    # Of a program that starts another one, the latter.
    below = {rank: process for process, rank in sorted(ranks.items()) if is_below(process)}
    return below, next((jobs[process] for process in below.values() if process in jobs), None)


def leftovers(launcher, job):
    """Files of the job; those of other jobs come and go."""
    names = [f"pid.{launcher}", *([f"{job:08x}"] if job else [])]
    paths = [*pathlib.Path("/dev/shm").iterdir(), *pathlib.Path("/tmp").glob("ompi.*/*")]
    return [str(path) for path in paths if any(name in path.name for name in names)]


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def command_of(library, tool, plan, fault, rank, timeout, transport):
    run = [str(tool), str(plan), "--bytes", "100K", "--iterations", "1000000", "--timeout", str(timeout),
           "--transport", f"{transport}:{library}"]
    command = [f"mpirun.{library}", *(["--oversubscribe"] if library == "openmpi" else [])]
    if library == "mpich" and fault == "kill":
        command, run = [*command, "-disable-auto-cleanup"], ["setsid", "-w", *run]
    if fault != "missing":
        return [*command, "-n", str(RANKS), *run]
    programs = [["sleep", "1000"] if r == rank else run for r in range(RANKS)]
    parts = [["-n", "1", *program] for program in programs]
    return [*command, *parts[0], *(word for part in parts[1:] for word in (":", *part))]


def attempt(library, tool, plan, fault, rank, delay, timeout, transport):
    """Returns what is wrong."""
    with tempfile.TemporaryFile("w+") as log:
        job = subprocess.Popen(command_of(library, tool, plan, fault, rank, timeout, transport), stdout=log, stderr=log,
                               env=ENVIRONMENT, start_new_session=True)
        begin = time.monotonic()
        if fault == "missing":
            processes, name = {}, None
            while len(processes) < RANKS and job.poll() is None and time.monotonic() - begin < 60:
                time.sleep(0.1)
                processes, name = processes_of(job.pid)
        else:
            # The head of the table is printed before the first execution.
            while b"bytes" not in os.pread(log.fileno(), 10000, 0):
                if job.poll() is not None or time.monotonic() - begin > 60:
                    job.terminate()
                    return "the job does not begin\n" + os.pread(log.fileno(), 10000, 0).decode()
                time.sleep(0.05)
            time.sleep(delay)
            processes, name = processes_of(job.pid)
            os.kill(processes[rank], signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
        try:
            code = job.wait(10 * timeout + 50)
        except subprocess.TimeoutExpired:
            job.terminate()
            job.wait()
            for process in processes.values():
                if is_alive(process):
                    os.kill(process, signal.SIGKILL)
            code = None
        log.seek(0)
        text = log.read()
    problems = []
    if code is None:
        problems.append("the job does not end")
    if code == 0:
        problems.append("exit code 0")
    if fault == "missing":
        expected = [r"no progress for [0-9.]+ s: rank \d waits in MPI_Init", rf"rank {rank}: process \d+ \(sleep\)"]
    else:
        # The program that has started a killed one ends later.
        state = "is stopped" if fault == "stop" else r"(no process of this rank|process \d+ \(setsid\))"
        # Between executions, the others wait in a barrier.
        expected = [rf"all wait for r{rank} tb\d+|waits in [a-zA-Z_ ]+( for)?|the MPI library aborts",
                    rf"rank {rank}( does not answer)?: .*{state}"]
    problems += [f"no '{pattern}'" for pattern in expected if not re.search(pattern, text)]
    words = [line for line in text.splitlines() if line.startswith("ccl-run: ")]
    # UCX aborts a rank that reads or attaches the memory of a killed one, and others may name either.
    aborted = re.search(r"process_vm_readv|UCX +ERROR shmat", text)
    if words and not aborted and not re.search(rf"\brank {rank}\b", words[-1]):
        problems.append(f"the last words are '{words[-1]}'")
    # Launchers kill stopped processes after a while.
    for _ in range(100):
        remain = [process for process in processes.values() if is_alive(process)]
        files = leftovers(job.pid, name)
        if not remain and not files:
            break
        time.sleep(0.1)
    problems += [f"process {process} remains" for process in remain]
    problems += [f"{file} remains" for file in files]
    return "".join(f"{problem}\n" for problem in problems) + text if problems else None


def attempt_threads(tool, plan, fault, delay, timeout):
    """Returns what is wrong."""
    endless = "1000000" if fault == "kill" else "5000"
    command = [str(tool), str(plan), "--bytes", "100K", "--iterations", endless, "--timeout", str(timeout)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGSTOP)
        if fault == "stop":
            time.sleep(2 * timeout)
            process.send_signal(signal.SIGCONT)
        code = process.wait(60)
        log.seek(0)
        text = log.read()
    expected = -signal.SIGKILL if fault == "kill" else 0
    problems = [] if code == expected and "error" not in text else [f"exit code {code}"]
    problems += [f"{file} remains" for file in leftovers(process.pid, None)]
    return "".join(f"{problem}\n" for problem in problems) + text if problems else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--library", default="openmpi", choices=["openmpi", "mpich", "threads"])
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1)
    parser.add_argument("--transport", default="mpi", choices=["mpi", "node"])
    parser.add_argument("faults", nargs="*")
    args = parser.parse_args()
    threads = args.library == "threads"
    faults = args.faults or ["kill", "stop", *([] if threads else ["missing"])]
    if not threads and not shutil.which(f"mpirun.{args.library}"):
        return 77
    generator = random.Random(args.seed)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "ring.json"
        subprocess.run([args.bin / "cclc", "allreduce_ring", "--ranks", str(RANKS), "-o", plan], check=True)
        for fault in faults:
            failed = 0
            for number in range(args.tries):
                rank, delay = generator.randrange(RANKS), generator.uniform(0, 0.5)
                tool = args.bin / "ccl-run"
                problem = (attempt_threads(tool, plan, fault, delay, args.timeout) if threads else
                           attempt(args.library, tool, plan, fault, rank, delay, args.timeout,
                                   args.transport))
                if problem:
                    failed += 1
                    print(f"{fault} rank {rank} after {delay:.2f} s, try {number}:\n{problem}")
            print(f"{args.library}, {fault}: {args.tries} tries, {failed} failed", flush=True)
            failures += failed
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
