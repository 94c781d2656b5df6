#!/usr/bin/env python3
"""Checks that the tools write the same bytes every time, in every build.

usage: check_determinism.py BINDIR [BINDIR...]

Runs a set of commands twice with the tools of each folder and compares all output;
compilations of plans whose order varies between runs of other compilers are run twenty times with the
tools of the first folder.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

PROGRAMS = [
    "allreduce_ring", "allreduce_ring --ranks 13 -p channels=4 --instances 2",
    "allreduce_recursive_doubling --ranks 12 -p chunks=3", "allreduce_hierarchical",
    "allreduce_hierarchical --no-fuse --slots 1", "allgather_ring --ranks 9 -p buffers=both",
    "reducescatter_ring --ranks 9 -p buffers=out_of_place", "alltoall_direct --ranks 10",
    "broadcast_binomial --ranks 21 -p root=3 -p chunks=2",
    "allreduce_lrab --target ahbm", "allreduce_lrab --target ahbm-6sip-torus -p root=corner",
    "allreduce_ring --target ndv4 --ranks 16",
]

# Programs for which MSCCLang's compiler, whose order depends on addresses, has up to eight different outputs.
RUNS = 20
OFTEN = [
    "cclc alltoall_two_step -p nodes=4 --optimize-for=steps --emit=xml",
    "cclc allreduce_allpairs --emit=xml", "cclc allgather_recursive_doubling --ranks 16 --emit=xml",
    "cclc allreduce_hierarchical -p nodes=4 --max-threadblocks=12 --emit=json --explain",
    "cclc allreduce_hierarchical --emit=xml --xml-dialect=rccl",
    "cclc alltoall_three_step --emit=xml --xml-dialect=msccl-executor",
    "cclc allreduce_halving_doubling --target ndv4 -O3 --emit=bin --explain=json",
]


def commands():
    yield "cclc allreduce_lrab --target ahbm --emit=ahbm-module"
    for program in PROGRAMS:
        for form in ("json", "text --print-locs", "xml", "bin", "mscclpp"):
            yield f"cclc {program} --emit={form}"
        yield f"cclc {program} --stats=json"
        yield (f"cclc {program} --dump-chunk-dag chunk.dot --dump-inst-dag inst.dot "
               f"--dump-schedule schedule.dot && cat chunk.dot inst.dot schedule.dot")
        yield f"cclc {program} --print-after-all -o /dev/null"
        yield (f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d "
               f"--sweep 1K:1M:32 --dtype bf16 --seed 11 --slots inf --json - ")
        for network in ("fifo", "ideal", "maxmin", "per-flit"):
            yield (f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d "
                   f"--network {network} --bytes 200K --json - ")
        yield "ccl-sim plan.json --verify-only --slots 1 --json -"
    yield "cclc allreduce_lrab --target ahbm -o plan.json && ccl-sim plan.json --bytes 64K"
    yield ("cclc allreduce_lrab --target ahbm -o plan.json && "
           "ccl-sim plan.json --bytes 64K --trace -")
    for target in ("ahbm", "ndv4 --ranks 16", "mi300x"):
        yield (f"cclc allreduce_ring --target {target} -o plan.json && "
               "ccl-sim plan.json --bytes 64K --report -")
    yield "cclc allreduce_ring --target ahbm -o plan.json && ccl-sim plan.json --bytes 64K"
    yield "cclc list --json && cclc targets --json && cclc describe allreduce_lrab"


def digest(command, env, folder):
    run = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True)
    return (hashlib.sha256(run.stdout + b"|" + run.stderr).hexdigest(), run.returncode,
            len(run.stdout) + len(run.stderr))


def digests(bindir, runs):
    env = dict(os.environ, PATH=bindir + os.pathsep + os.environ["PATH"], NO_COLOR="1")
    result = {}
    with tempfile.TemporaryDirectory() as temp:
        for command in commands():
            result[command] = digest(command, env, temp)
        for command in OFTEN:
            outcomes = {digest(command, env, temp) for _ in range(runs)}
            result[command] = outcomes.pop() if len(outcomes) == 1 else ("unsteady", 1, 1)
    return result


def main():
    reference = digests(os.path.abspath(sys.argv[1]), RUNS)
    different = 0
    for bindir in sys.argv[1:]:
        for command, got in digests(os.path.abspath(bindir), 1).items():
            if got != reference[command]:
                different += 1
                print(f"{bindir}: {command}: {got}, not {reference[command]}")
    silent = [command for command, (_, _, size) in reference.items() if size == 0]
    unsteady = [command for command, got in reference.items() if got[0] == "unsteady"]
    for command in unsteady:
        print(f"{RUNS} runs are not the same: {command}")
    for command in silent:
        print(f"wrote nothing: {command}")
    print(f"{len(reference)} commands, {different} different")
    return 1 if different or silent or unsteady else 0


if __name__ == "__main__":
    sys.exit(main())
