#!/usr/bin/env python3
"""Write the table of plans for parts of machines, and for machines with slow and missing links.

usage: degraded_shares.py --bin DIR [--document FILE [--update]]

Tunes all collectives with trees for 256 MiB (64 MiB on ahbm), and synthesises them without options. The
table shows the shares of the link bound. Fails if ccl-tune finds no plan with its least share, or a plan
of cclc synth does not run. Takes about half an hour.
"""

import json
import sys

from doc_tables import run, table

LINK = {"propagation": 1e-6}
SLOTS = {"slots": 8, "slot_size": 1 << 20, "credit_size": 0}
FILES = {
    "torus3d": {"family": "graph", "shape": "torus", "dimensions": [{"size": 3}] * 3,
                "link": {**LINK, "bandwidth": 100e9}, "queue": SLOTS},
    "fat-tree": {"family": "graph", "shape": "fat_tree", "tiers": [{"down": 4, "up": 2}, {"down": 4}],
                 "link": {**LINK, "bandwidth": 50e9}, "queue": SLOTS},
}
# Target and ranks, changes of links, the least share of any collective in percent.
MACHINES = [
    ("torus2d", "--ranks 16", ["n0<->n1=off"], 80),
    ("torus2d", "--ranks 16", ["n0->n1=off"], 80),
    ("torus2d", "--ranks 16", ["n0<->n1=off", "n5<->n9=off"], 80),
    ("torus2d", "--ranks 16", ["n0<->n1.bandwidth=50e9"], 80),
    ("torus3d", "--ranks 27", [], 90),
    ("torus3d", "--ranks 27", ["n0<->n1=off"], 80),
    ("ring", "--ranks 8", ["n0<->n1=off"], 94),
    ("ring", "--ranks 8", ["n0->n1=off"], 94),
    ("ring", "--ranks 8", ["n0<->n1.bandwidth=50e9"], 94),
    ("mesh2d", "--ranks 16", ["n5<->n6=off", "n5<->n9=off"], 80),
    ("mesh2d", "--ranks 16", ["n5<->n6.bandwidth=50e9"], 80),
    ("ndv4", "--endpoints 0-3,8-11", [], 85),
    ("ndv4", "--endpoints 0-3,8-9", [], 90),
    ("ndv4", "--ranks 16", ["node0.nic0<->fabric.bandwidth=12.5e9"], 58),
    ("dgx1", "--endpoints 0-5", [], 70),
    ("dgx1", "--ranks 8", ["gpu0<->gpu1=off"], 60),
    ("mi300x", "--endpoints 0-5", [], 95),
    ("dgx-h100", "--endpoints 0-3,8-11", [], 95),
    ("fat-tree", "--ranks 16", ["tier0.0<->*.bandwidth=12.5e9"], 60),
    ("ahbm", "--ranks 32", ["sip0.cube1.ucie_e*<->*.bandwidth=64e9"], 54),
]
COLLECTIVES = ("allgather", "reducescatter", "allreduce", "broadcast")


def share_of(tools, plan, size, sets):
    [result] = tools.results(plan, "--bytes", size, *sets, bounds=True)
    return 100 * max(result["bound"]["throughput_ns"], result["bound"]["volume_ns"]) / result["time_ns"]


def make(tools, _):
    rows, wrong = [], []
    for name, part, changes, least in MACHINES:
        target = name
        if name in FILES:
            target = tools.scratch / f"{name}.json"
            target.write_text(json.dumps({"name": name, "network": "cut-through", **FILES[name]}))
        size = "64M" if name == "ahbm" else "256M"
        mapper = ["-p", "mapper=cube_leaders"] if name == "ahbm" else []
        sets = [word for change in changes for word in ("--set", f"links.{change}")]
        shares = []
        for collective in COLLECTIVES:
            tools.run("cclc", "synth", collective, "--target", target, *part.split(), *sets, *mapper,
                      "-o", tools.scratch / "synth.bin")
            synthesised = share_of(tools, tools.scratch / "synth.bin", size, [])
            tools.run("ccl-tune", target, collective, "--runtime", "sim", *part.split(), *sets, "--sizes", f"{size}:{size}",
                      "-o", tools.scratch / "tuned")
            portfolio = json.loads((tools.scratch / "tuned" / "portfolio.json").read_text())
            tuned = share_of(tools, tools.scratch / "tuned" / portfolio["rows"][0]["plan"], size, [])
            shares.append(f"{synthesised:.0f}, {tuned:.0f}")
            if tuned < least:
                wrong.append(f"{collective} on {name} {part} {' '.join(changes)}: {tuned:.1f} %")
        rows.append([name, f"`{part}`", " ".join(f"`{change}`" for change in changes) or "-", *shares])
        print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
    return {"degraded": table(["target", "ranks", "changes of links", *COLLECTIVES], rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
