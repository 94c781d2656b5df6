#!/usr/bin/env python3
"""Write the table of the best plans for large buffers, as shares of what the machine allows.

usage: tuned_shares.py --bin DIR [--document FILE [--update]]

Tunes every machine for one size, and simulates the best plan: on several nodes and SIPs, and with
broken links. The last columns are the shares of the link bound and of the largest bound, which may be
that of the streams of the PEs, and the seconds of the processor. Fails if a share is below its limit;
takes about half an hour.
"""

import json
import resource
import sys

from doc_tables import run, table

# Machine, ranks, options, size; then the collectives with the least share of the link bound in
# percent. An asterisk: of the largest bound.
MACHINES = [
    ("ndv4", 16, "", "256M", {"allgather": 88, "broadcast": 80, "reducescatter": 80, "allreduce": 80}),
    ("ndv4", 32, "", "256M", {"allgather": 88, "broadcast": 80, "reducescatter": 80, "allreduce": 80}),
    ("ndv4", 16, "--set links.node0.nic0<->fabric=off", "256M",
     {"allgather": 80, "reducescatter": 70, "broadcast": 70, "allreduce": 70}),
    ("dgx-h100", 16, "", "256M", {"allgather": 90, "reducescatter": 90, "broadcast": 80, "allreduce": 80}),
    ("dgx-h100", 32, "", "256M", {"allgather": 90, "reducescatter": 85, "broadcast": 80, "allreduce": 80}),
    # No protocol of dgx1 carries more than 80 % payload.
    ("dgx1", 8, "", "256M", {"allgather": 74, "reducescatter": 69, "broadcast": 72, "allreduce": 72}),
    ("mi300x", 8, "", "256M", {"broadcast": 80, "reducescatter": 62}),
    ("mi300x", 8, "--set links.n0<->n1=off", "256M",
     {"allgather": 80, "reducescatter": 62, "broadcast": 80, "allreduce": 62}),
    ("mesh2d", 16, "", "256M", {"allgather": 98, "broadcast": 93, "reducescatter": 90}),
    ("mesh2d", 16, "--set links.n5<->n6=off", "256M", {"allgather": 90, "broadcast": 85, "reducescatter": 85}),
    ("torus2d", 16, "", "256M", {"allgather": 90, "broadcast": 90, "reducescatter": 85, "allreduce": 85}),
    ("ring", 8, "", "256M", {"allgather": 97, "reducescatter": 97}),
    ("ahbm", 32, "", "64M", {"allgather": "90*", "broadcast": "90*", "reducescatter": "50*", "allreduce": "50*"}),
    ("ahbm", 64, "--set sips.count=4", "64M",
     {"allgather": "90*", "broadcast": "90*", "reducescatter": "50*", "allreduce": "50*"}),
]


def best_plan(tools, machine, collective, size):
    """The time and the command of the best plan, and the bounds in nanoseconds."""
    target, ranks, options, _, _ = machine
    folder = tools.scratch / "tuned"
    tools.run("ccl-tune", target, collective, "--runtime", "sim", "--ranks", ranks, *options.split(), "--sizes", f"{size}:{size}",
              "-o", folder)
    [row] = json.loads((folder / "portfolio.json").read_text())["rows"]
    [result] = tools.results(folder / row["plan"], "--bytes", size, bounds=True)
    return result["time_ns"], row["command"], result["bound"]


def make(tools, _):
    rows, wrong = [], []
    for machine in MACHINES:
        target, ranks, options, size, limits = machine
        for collective, limit in limits.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            time, command, bound = best_plan(tools, machine, collective, size)
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            links = max(bound["throughput_ns"], bound["volume_ns"])
            shares = 100 * links / time, 100 * bound["bound_ns"] / time
            share = shares[str(limit).endswith("*")]
            name = " ".join([target, *options.replace("--set ", "").split()])
            rows.append([name, ranks, collective, f"`{command}`", f"{time / 1000:,.1f}", f"{shares[0]:.1f} %",
                         f"{shares[1]:.1f} %", f"{seconds:.0f}"])
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
            least = float(str(limit).rstrip("*"))
            if share < least:
                wrong.append(f"{collective} on {name} with {ranks} ranks: {share:.1f} %, less than {least:.0f} %")
    head = ["machine", "ranks", "collective", "best plan", "time in us", "of the link bound", "of the bound", "CPU in s"]
    return {"tuned": table(head, rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
