#!/usr/bin/env python3
"""Compares all-reduce times on one DGX H100 with published ones.

usage: check_h100.py BINDIR

The published times of MSCCL++ (8 ranks, microseconds) are those of its small-message kernel, of its
kernels with NVLink SHARP with and without scratch, and of its plan without scratch. The simulation
has no reductions in the network: it uses the all-pairs algorithm that each of them replaces.
docs/machine-model.md has the table.
"""

import sys

from shapes import GIB, KIB, MIB, Shapes

SMALL = {KIB: 4.65, 16 * KIB: 5.47, 32 * KIB: 6.24}
ZERO_COPY = {KIB: 5.45, 16 * KIB: 6.40, 32 * KIB: 7.45, 64 * KIB: 8.03, 128 * KIB: 7.28,
             256 * KIB: 7.72, 512 * KIB: 8.70, MIB: 10.56, 4 * MIB: 22.8, 16 * MIB: 70.0,
             64 * MIB: 256, GIB: 3909}
PLAN = {KIB: 6.4, 16 * KIB: 6.5, 32 * KIB: 6.5, 64 * KIB: 6.6, 128 * KIB: 6.8, 256 * KIB: 7.4,
        512 * KIB: 8.3, MIB: 10.3, 4 * MIB: 22, 16 * MIB: 68, 64 * MIB: 252, GIB: 3900}
SCRATCH = {KIB: 6.10, 16 * KIB: 6.68, 32 * KIB: 8.02, 64 * KIB: 8.09, 128 * KIB: 9.58,
           256 * KIB: 12.6, 512 * KIB: 14.5, MIB: 19.5, 4 * MIB: 44.7, 16 * MIB: 105, 64 * MIB: 298,
           GIB: 3997}
TOLERANCE = 0.25


def part(table, low, high):
    return {size: time for size, time in table.items() if low <= size <= high}


def main():
    shapes = Shapes(sys.argv[1], "dgx-h100", "1K:1G")
    one_phase, two_phase = shapes.one_phase("LL", 2), shapes.pairs("LL", 1)
    simple = {n: shapes.pairs("Simple", n) for n in (1, 2, 4, 8)}
    ring = {name: shapes.ring(name, 16) for name in ("LL", "LL128", "Simple")}

    def compare(name, published, *algorithms):
        for what, times, low, high in algorithms:
            shapes.within(TOLERANCE, times, part(published, low, high), f"{name}, {what}")

    compare("small-message kernel", SMALL, ("one phase", one_phase, KIB, 32 * KIB))
    compare("without scratch", ZERO_COPY, ("one phase", one_phase, KIB, 32 * KIB),
            ("two phases", two_phase, 64 * KIB, 64 * KIB),
            ("Simple x8", simple[8], 128 * KIB, 64 * MIB), ("ring", ring["Simple"], GIB, GIB))
    compare("plan", PLAN, ("Simple x8", simple[8], KIB, 64 * MIB),
            ("ring", ring["Simple"], GIB, GIB))
    compare("through scratch", SCRATCH, ("two phases", two_phase, KIB, 64 * KIB),
            ("Simple x1", simple[1], 128 * KIB, MIB), ("Simple x2", simple[2], 4 * MIB, 4 * MIB),
            ("Simple x4", simple[4], 16 * MIB, 64 * MIB), ("ring", ring["Simple"], GIB, GIB))

    # MSCCL++ selects one phase up to 16 KiB, two phases up to 64 KiB, then the kernels with signals.
    algorithms = {"one phase": one_phase, "two phases": shapes.pairs("LL", 2), "Simple": simple[8]}
    for size in sorted(one_phase):
        fastest = min(algorithms, key=lambda name: algorithms[name].get(size, float("inf")))
        want = "one phase" if size <= 16 * KIB else "two phases" if size <= 64 * KIB else "Simple"
        shapes.expect(fastest == want or size > 64 * MIB, f"{fastest} is fastest at {size} bytes")
    expect_protocols(shapes, ring)
    shapes.finish()


def expect_protocols(shapes, ring):
    """LL is the fastest protocol of a ring for small messages, then LL128, then Simple."""
    names = [min(ring, key=lambda name: ring[name][size]) for size in sorted(ring["LL"])]
    order = names[:1] + [b for a, b in zip(names, names[1:]) if a != b]
    shapes.expect(order == ["LL", "LL128", "Simple"], f"order of protocols: {order}")


if __name__ == "__main__":
    main()
