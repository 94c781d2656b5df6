#!/usr/bin/env python3
"""Write the table of the trees that cclc synth chooses, with their times.

usage: synth_choice.py --bin DIR [--document FILE [--update]]

Compares the plan of cclc synth without options with that of the fewest trees: shares of the link bound
for 256 MiB (64 MiB on ahbm), and times of 1 KiB in microseconds. Fails if a plan is slower than that of
the fewest trees, or takes more than 10 % longer with 1 KiB. Takes about 5 minutes.
"""

import re
import sys

from doc_tables import run, table

MACHINES = [
    ("dgx1", 8, ()),
    ("ndv4", 16, ()),
    ("dgx-h100", 16, ()),
    ("mi300x", 8, ()),
    ("torus2d", 16, ()),
    ("mesh2d", 16, ()),
    ("ring", 8, ()),
    ("ahbm", 32, ("-p", "mapper=cube_leaders")),
]
COLLECTIVES = ("allgather", "reducescatter", "allreduce", "broadcast")


def measured(tools, words, size, plan):
    """What the command prints, the share of the link bound in percent, and the time of 1 KiB."""
    text = tools.run("cclc", *words, "--no-verify", "-o", plan)
    [large] = tools.results(plan, "--bytes", size, bounds=True)
    [small] = tools.results(plan, "--bytes", "1K")
    links = max(large["bound"]["throughput_ns"], large["bound"]["volume_ns"])
    return text, 100 * links / large["time_ns"], small["time_ns"] / 1000


def make(tools, _):
    rows, wrong = [], []
    plan = tools.scratch / "trees.bin"
    for target, ranks, options in MACHINES:
        size = "64M" if target == "ahbm" else "256M"
        for collective in COLLECTIVES:
            words = ["synth", collective, "--target", target, "--ranks", ranks, *options]
            _, fewest, before = measured(tools, [*words, "--chunks", 1], size, plan)
            text, share, small = measured(tools, words, size, plan)
            [chosen] = re.findall(r"^chosen: (.*?);", text, re.MULTILINE)
            rows.append([f"{target}, {ranks} ranks", collective, f"`{chosen}`", f"{fewest:.1f} %", f"{share:.1f} %",
                         f"{before:.2f}", f"{small:.2f}"])
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
            if share < 0.985 * fewest or small > 1.1001 * before:
                wrong.append(f"{collective} on {target}: {share:.1f} % and {small:.2f} us")
    head = ["target", "collective", "chosen", "fewest trees", "chosen", "fewest trees, 1 KiB", "chosen, 1 KiB"]
    return {"choice": table(head, rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
