#!/usr/bin/env python3
"""Write the table of the times of programs that use all links, as shares of the link bound.

usage: link_shares.py --bin DIR [--document FILE [--update]]

Simulates large buffers. Fails if a share is below its limit, or if the table in FILE is out of date;
--update updates it instead.
"""

import sys

from doc_tables import run, table

SIZE = "256M"
# Target, collective, program, options of cclc, least share of the bound in percent.
NODES = [
    ("ndv4", "allgather", "allgather_rails", "-p chunks=16 --protocol LL128 --instances 10", 88),
    ("ndv4", "reducescatter", "reducescatter_rails",
     "-p chunks=16 --protocol LL128 --instances 10", 80),
    ("ndv4", "allreduce", "allreduce_rails", "-p chunks=16 --protocol LL128 --instances 6", 80),
    ("ndv4", "broadcast", "broadcast_rails", "--protocol LL128 --instances 2", 80),
    ("dgx-h100", "allgather", "allgather_rails", "-p chunks=16 --instances 10", 90),
    ("dgx-h100", "reducescatter", "reducescatter_rails", "-p chunks=16 --instances 10", 90),
    ("dgx-h100", "broadcast", "broadcast_rails", "--protocol LL128 --instances 4", 80),
    ("ndv4", "allgather", "allgather_rotated_rings", "--protocol LL128 --instances 2", 50),
]
FOUR_NODES = [
    ("ndv4", "allgather", "allgather_rails",
     "--ranks 32 -p chunks=16 --protocol LL128 --instances 4", 88),
    ("ndv4", "reducescatter", "reducescatter_rails",
     "--ranks 32 -p chunks=16 --protocol LL128 --instances 10", 85),
    ("ndv4", "allreduce", "allreduce_rails",
     "--ranks 32 -p chunks=32 --protocol LL128 --instances 4", 88),
    ("ndv4", "broadcast", "broadcast_rails", "--ranks 32 --protocol LL128 --instances 2", 85),
    ("dgx-h100", "allgather", "allgather_rails", "--ranks 32 -p chunks=16 --instances 2", 90),
    ("dgx-h100", "reducescatter", "reducescatter_rails",
     "--ranks 32 -p chunks=16 --instances 6", 85),
    ("dgx-h100", "allreduce", "allreduce_rails", "--ranks 32 -p chunks=16 --instances 6", 88),
    ("dgx-h100", "broadcast", "broadcast_rails", "--ranks 32 -p chunks=64 --instances 4", 85),
]
GRIDS = [
    ("torus2d", "allgather", "allgather_grid", "--ranks 16 --instances 4", 90),
    ("torus2d", "reducescatter", "reducescatter_grid", "--ranks 16 --instances 4", 85),
    ("torus2d", "allreduce", "allreduce_grid", "--ranks 16 --instances 2", 99),
    ("torus2d", "broadcast", "broadcast_grid", "--ranks 16 -p chunks=128", 90),
    ("mesh2d", "allgather", "allgather_grid", "--ranks 16 --instances 4", 98),
    ("mesh2d", "reducescatter", "reducescatter_grid", "--ranks 16 --instances 4", 90),
    ("mesh2d", "broadcast", "broadcast_grid", "--ranks 16 -p chunks=128", 93),
    ("ring", "allgather", "allgather_grid", "--ranks 8 --instances 4", 97),
    ("ring", "reducescatter", "reducescatter_grid", "--ranks 8 --instances 4", 97),
    ("mi300x", "reducescatter", "reducescatter_direct", "-p chunks=14 --instances 8", 62),
    ("mi300x", "broadcast", "broadcast_multitree", "--instances 4", 80),
]


def make(tools, _):
    rows, wrong = [], []
    for target, collective, program, options, least in NODES + FOUR_NODES + GRIDS:
        plan = tools.plan(program, "--target", target, *options.split())
        result, = tools.results(plan, "--bytes", SIZE, "--dtype", "f16", bounds=True)
        bound = max(result["bound"]["throughput_ns"], result["bound"]["volume_ns"])
        share = 100 * bound / result["time_ns"]
        rows.append([target, collective, f"`{program} {options}`", f"{bound / 1000:,.1f}",
                     f"{result['time_ns'] / 1000:,.1f}", f"{share:.1f} %"])
        if share < least:
            wrong.append(f"{program} on {target}: {share:.1f} % of the bound, less than {least} %")
    head = ["target", "collective", "program and options", "bound", "time", "share"]
    return {"shares": table(head, rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
