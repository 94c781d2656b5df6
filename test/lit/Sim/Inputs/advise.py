#!/usr/bin/env python3
"""Checks the advice of ccl-sim on prepared cases.

usage: advise.py OUTPUT

In each case one thing is wrong. The first row of the advice must name it. Then each change is made
exactly as it is printed, and the run must take the promised time.
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
     "cclc allreduce_centralized -p root=10 --ranks 16 --target mesh2d"),
]


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
    for cause, compilation, run, change in CASES:
        plan = compiled(["cclc", *shlex.split(compilation)], "now")
        options = shlex.split(run)
        report = simulated(plan, options + ["--advise"])
        now = report["results"][-1]["time_ns"]
        rows = report["advice"]
        problems = []
        if not rows or not rows[0]["cause"].startswith(cause):
            problems.append(f"the first cause is {rows and rows[0]['cause']!r}")
        elif rows[0]["change"] != change:
            problems.append(f"the first change is {rows[0]['change']!r}")
        if [row["time_ns"] for row in rows] != sorted(row["time_ns"] for row in rows):
            problems.append("the rows are not in the order of their times")
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
        print(f"{'wrong' if problems else 'right'}: {cause.strip()}")
        for problem in problems:
            print(f"  {problem}")
        failures += bool(problems)
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
