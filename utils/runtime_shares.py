#!/usr/bin/env python3
"""Write the table of the best plans for each runtime of several machines.

usage: runtime_shares.py --bin DIR [--document FILE [--update]]

Tunes each machine for its runtimes. The times are those of the files that the runtimes load, which ccl-tune reads
back; the shares are of the largest lower bound of any plan, and a size that no plan serves has none. Fails if `ccl-sim
lint` refuses a folder.
"""

import json
import sys

from doc_tables import run, table

FACTOR = 256
SIZES = [1 << 10, 256 << 10, 64 << 20]
# Machine, ranks with their mapper, runtimes.
MACHINES = [
    ("mi300x", ["--ranks", 8], "rccl,msccl-executor,nccl,run"),
    ("ndv4", ["--ranks", 8], "msccl,mscclpp,nccl"),
    ("dgx1", ["--ranks", 8], "msccl,nccl"),
    ("dgx-h100", ["--ranks", 8], "mscclpp,nccl"),
    ("ahbm", ["--mapper", "leader_only"], "ahbm"),
]
COLLECTIVES = ("allreduce", "allgather")


def cell(point):
    if point is None:
        return "none"
    share = f", {100 * point['bound_share']:.0f} %" if point["bound_share"] else ""
    microseconds = point["time_ns"] / 1000
    return f"{microseconds:,.{1 if microseconds >= 1 else 2}f}{share}"


def make(tools, _):
    rows, sizes = [], f"{SIZES[0]}:{SIZES[-1]}:{FACTOR}"
    for target, ranks, runtimes in MACHINES:
        folder = tools.scratch / target
        tools.run("ccl-tune", target, *COLLECTIVES, *ranks, "--sizes", sizes, "--runtime", runtimes, "-o", folder)
        tools.run("ccl-sim", "lint", folder)
        portfolio = json.loads((folder / "portfolio.json").read_text())["rows"]
        for collective in COLLECTIVES:
            for runtime in runtimes.split(","):
                points = {point["bytes"]: point for row in portfolio
                          if (row["collective"], row["runtime"]) == (collective, runtime) for point in row["points"]}
                rows.append([target, collective, runtime, *(cell(points.get(size)) for size in SIZES)])
                print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    names = [f"{size >> 20} MiB" if size >> 20 else f"{size >> 10} KiB" for size in SIZES]
    return {"runtimes": table(["target", "collective", "runtime", *names], rows)}, []


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
