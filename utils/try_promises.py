#!/usr/bin/env python3
"""Compares the times that ccl-tune promises with those of ccl-sim for the plans that it writes.

usage: try_promises.py [--bin BINDIR] [--tries N] [--seed N] [--runtime NAME]

Tunes random collectives for random bundled targets, runtimes, numbers of ranks and ranges of five sizes, until N
sizes (default: 200) are compared: simulates the file that the runtime loads for the size in the form of the runtime,
and compares both times to the picosecond. Of a table of choices, the program of the row is compiled and simulated.
Sizes that no plan serves do not count. --runtime draws targets with this runtime only. Prints every difference with
the commands that show it, and the number of sizes; progress is on stderr. Exit code 1: there is a difference, or a
tool fails. Without --bin the tools are those of the PATH.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

COLLECTIVES = ("allreduce", "allgather", "reducescatter", "alltoall", "alltonext", "broadcast", "reduce", "gather",
               "scatter", "scan", "exscan")
# Beside sim: the runtimes of targets.
CHOICES = ("nccl", "ompi", "mpich")
RUNTIMES = {"mi300x": ("rccl", "msccl-executor", *CHOICES), "ndv4": ("msccl", "mscclpp", "msccl-executor", *CHOICES),
            "dgx-h100": ("mscclpp", "msccl-executor", *CHOICES), "dgx1": ("msccl", *CHOICES),
            "bluefield3": ("ompi", "mpich")}
# Target, options, numbers of ranks.
MACHINES = [
    *((target, "", (2, 3, 4, 5, 6, 8)) for target in
      ("ring", "mesh2d", "torus2d", "fully-connected", "ideal", "alpha-beta")),
    ("dgx1", "", (2, 3, 4, 8)),
    ("dgx-h100", "", (2, 4, 5, 8)),
    ("mi300x", "", (2, 4, 8)),
    ("ndv4", "", (4, 8)),
    ("bluefield3", "", (2, 3, 4)),
    ("ahbm", "--mapper leader_only", (2,)),
    ("ahbm-per-flit", "--mapper leader_only", (2,)),
    ("ahbm-6sip-mesh", "--mapper leader_only", (3, 6)),
    ("ahbm-6sip-ring", "--mapper leader_only", (3, 6)),
]


def runtimes(target):
    return ("sim", *RUNTIMES.get(target, ()))


def draw(rng, only):
    """The arguments of ccl-tune, and the target; the sizes lie between 256 B and 256 MiB, on a logarithmic scale."""
    target, options, ranks = rng.choice([machine for machine in MACHINES if not only or only in runtimes(machine[0])])
    size, factor = 4 * round(2 ** rng.uniform(6, 14)), rng.choice((2, 4, 8))
    runtime = only or rng.choice(runtimes(target))
    if runtime == "mscclpp":  # which takes multiples of the chunks of a plan
        size = max(1024, size - size % 1024)
    words = [target, rng.choice(COLLECTIVES), "--ranks", str(rng.choice(ranks)), "--sizes",
             f"{size}:{size * factor ** 4}:{factor}", "--runtime", runtime]
    return words + options.split(), target


def run(command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)


def differences(tools, words, target, folder):
    """For each size that a plan serves, None if both times are equal, otherwise what differs."""
    tune = [tools / "ccl-tune", *words, "-o", folder]
    done = run(tune)
    if done.returncode != 0:
        refused = ("serves", "executes no plan of", "that is modelled")
        return [] if any(text in done.stderr for text in refused) else [f"{shlex.join(map(str, tune))}\n{done.stderr}"]
    rows = json.loads((folder / "portfolio.json").read_text())["rows"]
    return [difference(tools, tune, target, folder, row, point) for row in rows if row["plan"] or row["command"]
            for point in row["points"]]


def difference(tools, tune, target, folder, row, point):
    times, plan, commands = folder / "times.json", folder / row["plan"], f"{shlex.join(map(str, tune))}\n"
    if row["runtime"] in CHOICES:
        plan = folder / "chosen.json"
        placement = [] if row["in_place"] else ["-p", "buffers=out_of_place"]
        make = [tools / "cclc", *row["command"].split(), "--target", target, "--ranks", row["ranks"], "-o", plan]
        done = run([*make, *placement])
        if done.returncode != 0:
            done = run(make)  # the program is for one placement
        commands += f"{shlex.join(map(str, make))}\n"
    simulate = [tools / "ccl-sim", plan, "--target", target, "--bytes", point["bytes"], "--json", times]
    done = run(simulate)
    commands += f"{shlex.join(map(str, simulate))}\n"
    if done.returncode != 0:
        return commands + done.stderr
    [result] = json.loads(times.read_text())["results"]
    promised, repeated = (round(1000 * each["time_ns"]) for each in (point, result))
    return None if promised == repeated else f"{commands}{promised} ps are promised, and {repeated} ps simulated\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runtime", choices=sorted({name for target, *_ in MACHINES for name in runtimes(target)}))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    tools = args.bin.resolve() if args.bin != pathlib.Path() else args.bin
    equal = different = folders = 0
    with tempfile.TemporaryDirectory() as folder:
        while equal + different < args.tries:
            folders += 1
            for found in differences(tools, *draw(rng, args.runtime), pathlib.Path(folder, str(folders))):
                equal += found is None
                different += found is not None
                if found:
                    print(found, flush=True)
            print(f"{equal} equal, {different} different", file=sys.stderr, flush=True)
    print(f"{equal} of {equal + different} promises are the times of the files, in {folders} portfolios")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
