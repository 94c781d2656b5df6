#!/usr/bin/env python3
"""Write the table of the best plans for each runtime of a machine.

usage: runtime_shares.py --bin DIR [--document FILE [--update]]

Tunes a machine for its runtimes. The times are those of the files that the runtimes load, which ccl-tune reads
back; the shares are of the largest lower bound of any plan. Fails if `ccl-sim lint` refuses the folder.
"""

import json
import sys

from doc_tables import run, table

SIZES = "1K:64M:256"
# Machine, ranks, runtimes.
MACHINES = [
    ("mi300x", 8, "rccl,msccl-executor,nccl,run"),
]
COLLECTIVES = ("allreduce", "allgather")


def cell(point):
    share = f", {100 * point['bound_share']:.0f} %" if point["bound_share"] else ""
    return f"{point['time_ns'] / 1000:,.1f}{share}"


def make(tools, _):
    rows, sizes = [], []
    for target, ranks, runtimes in MACHINES:
        folder = tools.scratch / target
        tools.run("ccl-tune", target, *COLLECTIVES, "--ranks", ranks, "--sizes", SIZES, "--runtime", runtimes, "-o", folder)
        tools.run("ccl-sim", "lint", folder)
        portfolio = json.loads((folder / "portfolio.json").read_text())["rows"]
        for collective in COLLECTIVES:
            for runtime in runtimes.split(","):
                points = [point for row in portfolio if (row["collective"], row["runtime"]) == (collective, runtime)
                          for point in row["points"]]
                sizes = [point["bytes"] for point in points]
                rows.append([target, collective, runtime, *map(cell, points)])
                print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    names = [f"{size >> 20} MiB" if size >> 20 else f"{size >> 10} KiB" for size in sizes]
    return {"runtimes": table(["target", "collective", "runtime", *names], rows)}, []


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
