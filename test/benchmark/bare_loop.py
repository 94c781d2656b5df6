#!/usr/bin/env python3
"""Compares ccl-sim with an event loop that is written for one plan (BareLoop.cpp).

usage: bare_loop.py BINDIR [--times]

Checks that both have the same times of rings, to the picosecond, and the same numbers of messages. Then prints the
instructions of both, counted by callgrind for whole processes, without lower bounds: those of the bare loop per
message, and for ccl-sim their ratio to the bare loop, with the parts that read the plan, compare its ranks, prove it
and simulate it. Few ranks stand for all, unless one link is slower than others. With --times it only checks the times.
"""

import json
import os
import subprocess
import sys
import tempfile

from instructions import callgrind

# Slots and links limit the last three; with 1 MiB per slot they have pieces.
TIMES = [("allreduce", 2, 4), ("allreduce", 7, 1), ("allreduce", 64, 64 << 10), ("allgather", 16, 1 << 20),
         ("allgather", 100, 12345), ("allreduce", 3, 3333333), ("allreduce", 8, 100 << 20), ("allgather", 2, 64 << 20)]
RANKS, BYTES = 1024, 4 << 20
PARTS = {"read": ["cclc::readAnyPlan(", "cclc::unroll("],
         "compare": ["cclc::findRolledForm("],
         "prove": ["cclc::provePlan("],
         "simulate": ["cclc::simulate("]}


class Rings:
    def __init__(self, bindir, folder):
        self.bindir, self.folder = bindir, folder

    def bare(self, collective, ranks, size):
        return [f"{self.bindir}/bare-loop", collective, str(ranks), str(size)]

    def compile(self, collective, ranks, *options):
        plan = os.path.join(self.folder, "plan.bin")
        subprocess.run([f"{self.bindir}/cclc", f"{collective}_ring", "--ranks", str(ranks), *options, "-o", plan],
                       check=True)
        return plan

    def simulation(self, plan, size, *options):
        return [f"{self.bindir}/ccl-sim", plan, "--target", "ring", "--bytes", str(size), "--no-bounds", *options]

    def check(self, collective, ranks, size):
        """Compares time and messages."""
        report = os.path.join(self.folder, "report.json")
        subprocess.run([*self.simulation(self.compile(collective, ranks), size), "--json", report], check=True,
                       stdout=subprocess.DEVNULL)
        with open(report, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
        found = [round(result["time_ns"] * 1000), result["messages"]]
        bare = subprocess.run(self.bare(collective, ranks, size), check=True, capture_output=True, text=True)
        expected = [int(word) for word in bare.stdout.split()]
        if found != expected:
            sys.exit(f"{collective}, {ranks} ranks, {size} bytes: ccl-sim has {found[0]} ps and {found[1]} messages, "
                     f"the bare loop {expected[0]} ps and {expected[1]} messages")

    def print_ratio(self, collective, *options, differ=False):
        slower = ["--set", "links.n0->n1.bandwidth=99e9"] if differ else []
        messages = RANKS * (RANKS - 1) * (2 if collective == "allreduce" else 1)
        bare = callgrind(self.bare(collective, RANKS, BYTES), self.folder, {})["total"]
        counts = callgrind(self.simulation(self.compile(collective, RANKS, *options), BYTES, *slower),
                           self.folder,
                           {name: name for names in PARTS.values() for name in names})
        parts = [sum(counts.get(name, 0) for name in names) / bare for names in PARTS.values()]
        name = " ".join([collective, *options, *(["one slower link"] if differ else [])])
        print(f"{name:<28}{bare / messages:>12.0f}{counts['total'] / bare:>8.2f}"
              + "".join(f"{part:>10.2f}" for part in parts), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        rings = Rings(os.path.abspath(sys.argv[1]), folder)
        for ring in TIMES:
            rings.check(*ring)
        print(f"the times of {len(TIMES)} rings are equal")
        if sys.argv[2:] == ["--times"]:
            return
        print(f"\n{f'{RANKS} ranks':<28}{'bare loop':>12}{'ratio':>8}" + "".join(f"{part:>10}" for part in PARTS))
        for collective in ["allreduce", "allgather"]:
            rings.print_ratio(collective)
            rings.print_ratio(collective, "--rolled=on")
            rings.print_ratio(collective, differ=True)


if __name__ == "__main__":
    main()
