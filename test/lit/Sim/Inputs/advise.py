#!/usr/bin/env python3
"""Checks the advice of ccl-sim on prepared cases.

usage: advise.py OUTPUT

In each case one thing is wrong. The first row of the advice must name it. Then each change is made
exactly as it is printed, and the run must take the promised time. Variants have other sizes, machines
and numbers of ranks; for them the first change is not given.
"""

import json
import shlex
import subprocess
import sys

# The beginning of the first cause, the arguments of cclc, those of ccl-sim, and the change.
CASES = [
    ("slow link: n2->n3 ", "allreduce_ring --ranks 8 --target ring",
     "--bytes 16M --set 'links.n2->n3.bandwidth=5e9'",
     "--set 'links.n2->n3.bandwidth=100000000000'"),
    ("few slots: sends wait for the only slot, ", "broadcast_pipeline --ranks 8 --target ring",
     "--bytes 4M --slots 1 --set queue.slot_size=65536", "--slots 4"),
    ("wrong placement: ", "allreduce_ring --target mesh2d --ranks 16", "--bytes 1M",
     "cclc allreduce_ring --ranks 16 --placement snake --target mesh2d"),
    ("one direction idle: 8 of 8 ", "allreduce_ring --ranks 8 --target ring", "--bytes 64M",
     "cclc allreduce_grid --target ring"),
    ("wrong protocol: Simple is slower than LL ", "allreduce_ring --target ndv4 --set nodes=1",
     "--bytes 16K", "cclc allreduce_ring --protocol LL --target ndv4 --set nodes=1"),
    ("too many channels: ", "allreduce_ring --ranks 4 --target ring --instances 32",
     "--bytes 64K --set pe.streams=1 --set pe.dispatch=1e-6",
     "cclc allreduce_ring --ranks 4 --instances 1 --target ring --set pe.streams=1 "
     "--set pe.dispatch=1e-6"),
    ("straggler: rank 3 starts 20.000 us late",
     "allreduce_recursive_doubling --ranks 8 --target ring", "--bytes 64K --skew 3=20e-6",
     "--skew 3=0"),
    ("dispatch-bound", "allreduce_ring --ranks 8 --target ring --no-fuse",
     "--bytes 64K --set pe.dispatch=2e-5",
     "cclc allreduce_recursive_doubling --target ring --set pe.dispatch=2e-5"),
    ("small pieces: a chunk goes in 2048 pieces ", "allreduce_lrab --target ahbm",
     "--bytes 256K --set ipcq.slot_size=128", "--set ipcq.slot_size=32768"),
    ("wrong root: ", "allreduce_centralized --target mesh2d --ranks 16", "--bytes 64K",
     "cclc allreduce_centralized -p root=6 --ranks 16 --target mesh2d"),
]

RING = "--ranks 8 --target ring"
VARIANTS = [
    ("slow link: n4->n5 ", "allgather_ring --ranks 12 --target ring",
     "--bytes 4M --set 'links.n4->n5.bandwidth=20e9'"),
    ("slow link: n5<->n6 ", "allreduce_grid --ranks 16 --target torus2d",
     "--bytes 64M --set 'links.n5<->n6.bandwidth=10e9'"),
    ("slow link: n0->n3 ", "alltoall_direct --ranks 6 --target fully-connected",
     "--bytes 6M --set 'links.n0->n3.bandwidth=2e9'"),
    ("slow link: node0.gpu2->node0.switch ", "allreduce_ring --target dgx-h100 --ranks 8",
     "--bytes 64M --set 'links.node0.gpu2->node0.switch.bandwidth=10e9'"),
    ("few slots: ", "broadcast_pipeline --ranks 16 --target ring",
     "--bytes 16M --slots 1 --set queue.slot_size=131072"),
    ("few slots: ", "broadcast_pipeline --ranks 12 --target mesh2d",
     "--bytes 8M --slots 1 --set queue.slot_size=65536"),
    ("few slots: ", f"broadcast_pipeline {RING}", "--bytes 4M --slots 2 --set queue.slot_size=16384"),
    ("wrong placement: ", "allgather_ring --target mesh2d --ranks 36", "--bytes 36M"),
    ("wrong placement: ", "reducescatter_ring --target mesh2d --ranks 16", "--bytes 4M"),
    ("wrong placement: ", "allreduce_ring --target torus2d --ranks 64", "--bytes 1M"),
    ("one direction idle: ", f"allgather_ring {RING}", "--bytes 64M"),
    ("one direction idle: ", "allreduce_ring --ranks 12 --target ring", "--bytes 256M"),
    ("one direction idle: ", "reducescatter_ring --ranks 6 --target ring", "--bytes 96M"),
    ("wrong protocol: Simple ", "allreduce_ring --target ndv4 --set nodes=2", "--bytes 8K"),
    ("wrong protocol: LL ", "allreduce_ring --target ndv4 --set nodes=1 --protocol LL",
     "--bytes 256M"),
    ("wrong protocol: Simple ", "allreduce_allpairs --target mi300x", "--bytes 16K"),
    ("wrong protocol: LL ", "allgather_ring --target dgx1 --protocol LL", "--bytes 64M"),
    ("too many channels: ", "allgather_ring --ranks 6 --target ring --instances 16",
     "--bytes 24K --set pe.streams=1 --set pe.dispatch=1e-6"),
    ("too many channels: ", "allreduce_allpairs --ranks 8 --target fully-connected --instances 8",
     "--bytes 64K --set pe.streams=1 --set pe.dispatch=2e-6"),
    ("too many channels: ",
     "allreduce_ring --ranks 16 --target mesh2d --placement snake --instances 16",
     "--bytes 256K --set pe.streams=2 --set pe.dispatch=1e-6"),
    ("straggler: rank 0 starts 50.000 us late", "allgather_ring --ranks 6 --target ring",
     "--bytes 64K --skew 0=50e-6"),
    ("straggler: rank 5 starts 1000.000 us late",
     "allreduce_allpairs --ranks 16 --target fully-connected", "--bytes 1M --skew 5=1e-3"),
    ("straggler: rank 2 starts 100.000 us late", "allreduce_ring --target ndv4 --set nodes=1",
     "--bytes 1M --skew 2=1e-4"),
    ("straggler: the engines of rank 7 ", f"allreduce_ring {RING}",
     "--bytes 1M --set pe.math.bytes_per_cycle=16 --set pe.math.cycle=1e-9 --skew 7=x20"),
    ("dispatch-bound", "allgather_ring --ranks 16 --target ring", "--bytes 16K --set pe.dispatch=5e-5"),
    ("dispatch-bound", "allreduce_ring --ranks 16 --target fully-connected",
     "--bytes 16K --set pe.dispatch=2e-5"),
    ("dispatch-bound", "allreduce_ring --ranks 6 --target mesh2d", "--bytes 12K --set pe.dispatch=1e-4"),
    ("small pieces: ", f"allreduce_ring {RING}",
     "--bytes 8M --set queue.slot_size=1024 --set pe.dispatch=1e-7"),
    ("small pieces: ", "broadcast_pipeline --ranks 4 --target ring",
     "--bytes 1M --set queue.slot_size=256"),
    ("small pieces: ", "allreduce_lrab --target ahbm --set sips.count=4",
     "--bytes 128K --set ipcq.slot_size=256"),
    ("wrong root: ", "allreduce_centralized --target mesh2d --ranks 25", "--bytes 32K"),
    ("wrong root: ", "broadcast_direct --target mesh2d --ranks 16", "--bytes 64K"),
    ("wrong root: ", "allreduce_centralized --target mesh2d --ranks 49", "--bytes 16K"),
]


def weighted(row, compilation, run):
    """The gain that decides the order."""
    cause, other = row["cause"], row["tool"] == "cclc" and row["change"].split()[1] != compilation.split()[0]
    if cause.startswith("too few channels"):
        return row["gain"] * 0.5
    if other:
        return row["gain"] * 0.85
    if cause.startswith("wrong placement") or (cause.startswith("few slots") and "--slots" not in run):
        return row["gain"] * 0.99
    return row["gain"]


def main():
    folder = sys.argv[1]

    def compiled(words, name):
        plan = f"{folder}.{name}.bin"
        subprocess.run(words + ["-o", plan], check=True, stdout=subprocess.DEVNULL)
        return plan

    def simulated(plan, options):
        out = subprocess.run(["ccl-sim", plan, *options, "--json", "-"], check=True,
                             capture_output=True, text=True).stdout
        return json.loads(out)

    failures = 0
    for cause, compilation, run, *change in CASES + VARIANTS:
        plan = compiled(["cclc", *shlex.split(compilation)], "now")
        options = shlex.split(run)
        report = simulated(plan, options + ["--advise"])
        now = report["results"][-1]["time_ns"]
        rows = report["advice"]
        problems = []
        if not rows or not rows[0]["cause"].startswith(cause):
            problems.append(f"the first cause is {rows and rows[0]['cause']!r}")
        elif change and rows[0]["change"] != change[0]:
            problems.append(f"the first change is {rows[0]['change']!r}")
        order = [round(weighted(row, compilation, run), 9) for row in rows]
        if order != sorted(order, reverse=True):
            problems.append("the rows are not in order")
        for row in rows:
            words = shlex.split(row["change"])
            if row["tool"] == "cclc":
                then = simulated(compiled(words, "then"), options)
            else:
                kept = list(options)
                if "--slots" in words and "--slots" in kept:
                    at = kept.index("--slots")
                    del kept[at:at + 2]
                then = simulated(plan, kept + words)
            time = then["results"][-1]["time_ns"]
            if time != row["time_ns"] or abs((now - time) / now - row["gain"]) > 1e-9:
                problems.append(f"{row['change']} takes {time} ns, not {row['time_ns']}")
        print(f"{'wrong' if problems else 'right'}: {cause.strip()}: {compilation}")
        for problem in problems:
            print(f"  {problem}")
        failures += bool(problems)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
