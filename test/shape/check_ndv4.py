#!/usr/bin/env python3
"""Compares the shape of all-reduce times on one NDv4 node with published ones.

usage: check_ndv4.py BINDIR

The published values (microsoft/msccl-leaderboard) are: 16 and 17 us at 1 KiB, all-pairs LL first, ring Simple
for large sizes, 378 us at 32 MiB.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

KIB, MIB = 1 << 10, 1 << 20
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def main():
    bindir = pathlib.Path(sys.argv[1])
    allpairs = pathlib.Path(__file__).parent.parent / "lit" / "Sim" / "Inputs" / "allpairs.py"
    folder = tempfile.TemporaryDirectory()

    def times(plan):
        out = subprocess.run([bindir / "ccl-sim", plan, "--target", "ndv4", "--sweep", "1K:32M",
                              "--json", "-"], capture_output=True, text=True, check=True).stdout
        return {row["bytes"]: row["time_ns"] / 1000 for row in json.loads(out)["results"]}

    def ring(protocol, instances):
        plan = pathlib.Path(folder.name) / f"ring.{protocol}.{instances}.json"
        subprocess.run([bindir / "cclc", "allreduce_ring", "--target", "ndv4", "--protocol",
                        protocol, "--instances", str(instances), "-o", plan], check=True)
        return times(plan)

    def pairs(instances):
        plan = pathlib.Path(folder.name) / f"pairs.{instances}.xml"
        plan.write_text(subprocess.run([sys.executable, allpairs, "8", "LL", str(instances)],
                                       capture_output=True, text=True, check=True).stdout)
        return times(plan)

    rings = {n: ring("Simple", n) for n in (8, 16, 24)}
    for n in (1, 2, 4):
        low = pairs(n)
        expect(10 <= low[KIB] <= 20, f"all-pairs LL x{n}: floor of {low[KIB]} us")
        expect(low[16 * KIB] <= 1.1 * low[KIB], f"all-pairs LL x{n} is not flat to 16 KiB")
        for m, high in rings.items():
            faster = [low[size] < high[size] for size in sorted(low)]
            changes = [size for size, a, b in zip(sorted(low)[1:], faster, faster[1:]) if a != b]
            expect(faster[0] and len(changes) == 1 and 0.1 * MIB <= changes[0] <= 4 * MIB,
                   f"all-pairs LL x{n} and ring Simple x{m} cross at {changes}")
    low = ring("LL", 1)
    expect(10 <= low[KIB] <= 20 and low[16 * KIB] <= 1.1 * low[KIB], "ring LL: floor")
    for m, high in rings.items():
        expect(abs(high[32 * MIB] / 378.4 - 1) <= 0.25, f"ring x{m}: {high[32 * MIB]} us at 32 MiB")
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
