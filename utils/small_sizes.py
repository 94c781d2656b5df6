#!/usr/bin/env python3
"""Write the table of the times of the best plans for small buffers, beside those of direct programs.

usage: small_sizes.py --bin DIR [--document FILE [--update]]

Tunes reduce-scatter and broadcast at 1 KiB, and compiles the programs of one step with every
protocol, with and without -O3. Fails if the tuned plan is slower by more than 5 %, or if the table
in FILE is out of date; --update updates it instead.
"""

import json
import sys

from doc_tables import run, table

SIZE = "1K"
WORST = 1.05
TARGETS = [("ndv4", 8), ("dgx-h100", 8), ("mi300x", 8), ("torus2d", 16), ("mesh2d", 16), ("ring", 8),
           ("fully-connected", 8)]
COLLECTIVES = ("reducescatter", "broadcast")


def direct_time(tools, collective, name, ranks):
    """The time of the program of one step with its best options in nanoseconds."""
    times = []
    for protocol in ("Simple", "LL", "LL128"):
        for level in ("-O2", "-O3"):
            plan = tools.scratch / "direct.bin"
            done = tools.run("cclc", f"{collective}_direct", "--target", name, "--ranks", ranks, "-p",
                             "buffers=in_place", "--protocol", protocol, level, "--no-verify", "-o", plan,
                             refusals=(1, 2))
            if done is not None:
                result, = tools.results(plan, "--bytes", SIZE, "--dtype", "f32")
                times.append(result["time_ns"])
    return min(times)


def tuned_rows(tools, name, ranks):
    """The rows of the portfolio, one per collective."""
    folder = tools.scratch / f"tuned-{name}"
    tools.run("ccl-tune", name, *COLLECTIVES, "--runtime", "sim", "--sizes", f"{SIZE}:{SIZE}", "--ranks", ranks, "-o", folder)
    return json.loads((folder / "portfolio.json").read_text())["rows"]


def make(tools, _):
    rows, wrong = [], []
    for name, ranks in TARGETS:
        for row in tuned_rows(tools, name, ranks):
            collective, time = row["collective"], row["points"][0]["time_ns"]
            direct = direct_time(tools, collective, name, ranks)
            rows.append([name, ranks, collective, f"{time / 1000:.2f}", f"{direct / 1000:.2f}",
                         f"{time / direct:.2f}"])
            if time > WORST * direct:
                wrong.append(f"{collective} on {name} with {ranks} ranks: {time / direct:.3f} times the "
                             "direct program")
    head = ["target", "ranks", "collective", "best plan", "direct program", "ratio"]
    return {"small": table(head, rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
