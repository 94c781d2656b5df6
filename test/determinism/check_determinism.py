#!/usr/bin/env python3
"""Checks that the tools write the same bytes every time, whoever built them.

usage: check_determinism.py BINDIR [BINDIR...]

Runs a set of commands twice with the tools of each folder and compares everything they write.
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


def commands():
    for program in PROGRAMS:
        for form in ("json", "text --print-locs", "xml", "bin", "mscclpp"):
            yield f"cclc {program} --emit={form}"
        yield f"cclc {program} --stats=json"
        yield (f"cclc {program} --dump-chunk-dag chunk.dot --dump-inst-dag inst.dot "
               f"--dump-schedule schedule.dot && cat chunk.dot inst.dot schedule.dot")
        yield f"cclc {program} --print-after all -o /dev/null"
        yield (f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d "
               f"--sweep 1K:1M:32 --dtype bf16 --seed 11 --slots inf --json - ")
        for network in ("fifo", "ideal", "maxmin", "per-flit"):
            yield (f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d "
                   f"--network {network} --bytes 200K --json - ")
        yield "ccl-sim plan.json --verify-only --slots 1 --json -"
    yield "cclc allreduce_lrab --target ahbm -o plan.json && ccl-sim plan.json --bytes 64K"
    yield "cclc allreduce_ring --target ahbm -o plan.json && ccl-sim plan.json --bytes 64K"
    yield "cclc list --json && cclc targets --json && cclc describe allreduce_lrab"


def digests(bindir):
    env = dict(os.environ, PATH=bindir + os.pathsep + os.environ["PATH"], NO_COLOR="1")
    result = {}
    with tempfile.TemporaryDirectory() as temp:
        for command in commands():
            run = subprocess.run(command, shell=True, cwd=temp, env=env, capture_output=True)
            digest = hashlib.sha256(run.stdout + b"|" + run.stderr).hexdigest()
            result[command] = (digest, run.returncode, len(run.stdout) + len(run.stderr))
    return result


def main():
    reference = digests(os.path.abspath(sys.argv[1]))
    different = 0
    for bindir in sys.argv[1:]:
        for command, got in digests(os.path.abspath(bindir)).items():
            if got != reference[command]:
                different += 1
                print(f"{bindir}: {command}: {got}, not {reference[command]}")
    silent = [command for command, (_, _, size) in reference.items() if size == 0]
    for command in silent:
        print(f"wrote nothing: {command}")
    print(f"{len(reference)} commands, {different} different")
    return 1 if different or silent else 0


if __name__ == "__main__":
    sys.exit(main())
