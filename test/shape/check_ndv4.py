#!/usr/bin/env python3
"""Compares the shape of all-reduce times on one NDv4 node with published ones.

usage: check_ndv4.py BINDIR

The published values (microsoft/msccl-leaderboard) are: 16 and 17 us at 1 KiB, all-pairs LL first, ring Simple
for large sizes, 378 us at 32 MiB.
"""

import sys

from shapes import KIB, MIB, Shapes


def main():
    shapes = Shapes(sys.argv[1], "ndv4", "1K:32M")
    expect = shapes.expect
    rings = {n: shapes.ring("Simple", n) for n in (8, 16, 24)}
    for n in (1, 2, 4):
        low = shapes.pairs("LL", n)
        expect(10 <= low[KIB] <= 20, f"all-pairs LL x{n}: floor of {low[KIB]} us")
        expect(low[16 * KIB] <= 1.1 * low[KIB], f"all-pairs LL x{n} is not flat to 16 KiB")
        for m, high in rings.items():
            faster = [low[size] < high[size] for size in sorted(low)]
            changes = [size for size, a, b in zip(sorted(low)[1:], faster, faster[1:]) if a != b]
            expect(faster[0] and len(changes) == 1 and 0.1 * MIB <= changes[0] <= 4 * MIB,
                   f"all-pairs LL x{n} and ring Simple x{m} cross at {changes}")
    low = shapes.ring("LL", 1)
    expect(10 <= low[KIB] <= 20 and low[16 * KIB] <= 1.1 * low[KIB], "ring LL: floor")
    for m, high in rings.items():
        expect(abs(high[32 * MIB] / 378.4 - 1) <= 0.25, f"ring x{m}: {high[32 * MIB]} us at 32 MiB")
    shapes.finish()


if __name__ == "__main__":
    main()
