#!/usr/bin/env python3
"""Compares the shape of all-reduce times on DGX-1 with that of NCCL's tuning model.

usage: check_dgx1.py BINDIR

For 8 V100 the model has base latencies of 6.6, 14 and 8.4 us (LL, LL128, Simple), and 0.6, 1.9 and
3.4 us for each of the 14 hops of a ring; at most 39 GB/s of bus bandwidth with LL. Algorithms and
protocols are in the order of published measurements (microsoft/msccl-leaderboard).
"""

import pathlib
import sys
import tempfile

from shapes import GIB, KIB, MIB, Shapes

HOPS = 14
MODEL = {"LL": 6.6 + HOPS * 0.6, "LL128": 14 + HOPS * 1.9, "Simple": 8.4 + HOPS * 3.4}
# Neighbours in this order are connected by two links.
RING = [0, 1, 3, 2, 6, 7, 5, 4]


def main():
    folder = tempfile.TemporaryDirectory()
    target = pathlib.Path(folder.name) / "ring.json"
    nodes = ", ".join(f'{{"name": "gpu{gpu}"}}' for gpu in RING)
    target.write_text(f'{{"base": "dgx1", "name": "dgx1-ring", "nodes": [{nodes}]}}')
    shapes = Shapes(sys.argv[1], target, "1K:1G")
    rings = {name: shapes.ring(name, 4, "allreduce_bidirectional_ring") for name in MODEL}
    pairs = {n: shapes.pairs("LL", n) for n in (1, 2, 4)}

    for name, latency in MODEL.items():
        shapes.within(0.25, rings[name], {KIB: latency}, f"ring {name}")
    bus = 1.75 * GIB / rings["LL"][GIB] / 1e3
    shapes.expect(abs(bus / 39 - 1) <= 0.25, f"ring LL: {bus} GB/s of bus bandwidth")

    for n, low in pairs.items():
        shapes.expect(10 <= low[KIB] <= 20 and low[16 * KIB] <= 1.1 * low[KIB],
                      f"all-pairs LL x{n} is not flat to 16 KiB")
        shapes.expect(low[KIB] < rings["LL"][KIB], f"all-pairs LL x{n} is slower than ring LL")
        sizes = sorted(low)
        ahead = [low[size] < rings["Simple"][size] for size in sizes]
        changes = [size for size, a, b in zip(sizes[1:], ahead, ahead[1:]) if a != b]
        shapes.expect(len(changes) == 1 and 0.1 * MIB <= changes[0] <= 4 * MIB,
                      f"all-pairs LL x{n} and ring Simple cross at {changes}")
    shapes.expect(pairs[4][MIB] < pairs[1][MIB], "more instances do not help medium sizes")
    names = [min(rings, key=lambda name: rings[name][size]) for size in sorted(rings["LL"])]
    order = names[:1] + [b for a, b in zip(names, names[1:]) if a != b]
    shapes.expect(order == ["LL", "LL128", "Simple"], f"order of protocols: {order}")
    shapes.finish()


if __name__ == "__main__":
    main()
