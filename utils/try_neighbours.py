#!/usr/bin/env python3
"""Compares the winners of ccl-tune with plans that differ from them in one or two options.

usage: try_neighbours.py [--bin BINDIR] [--tries N] [--changes N] [--seed N]

Each of N tries (default: 60) tunes a random collective for a random bundled target, number of ranks and size, takes the
fastest candidate, and makes --changes (default: 10) random changes of one or two of its options: parameters, instances,
protocol, placement, slots, schedule, fusion and aggregation. cclc compiles each, and ccl-sim times it. Prints every plan
that is faster by more than 0.5 %, with the commands that show it, and the numbers of tries and changes; progress is on
stderr. Exit code 1: there is such a plan, or a tool fails. Without --bin the tools are those of the PATH.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

COLLECTIVES = ("allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce", "gather", "scatter")
MACHINES = [*((target, (3, 4, 6, 8)) for target in ("ring", "mesh2d", "torus2d", "fully-connected")),
            ("dgx1", (4, 8)), ("dgx-h100", (4, 8)), ("mi300x", (4, 8)), ("ndv4", (8,)), ("bluefield3", (3, 4)),
            ("ahbm", (2, 4))]
GAIN = 0.995


def run(command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Options:
    """The options of a command of cclc; a parameter is '-p name'."""

    def __init__(self, command):
        words, self.head, self.values = shlex.split(command), [], {}
        while words and not words[0].startswith("-"):
            self.head.append(words.pop(0))
        while words:
            word = words.pop(0)
            if word == "-p":
                name, value = words.pop(0).split("=")
                self.values["-p " + name] = value
            elif words and not words[0].startswith("-"):
                self.values[word] = words.pop(0)
            else:
                self.values[word] = ""

    def words(self):
        out = list(self.head)
        for name, value in self.values.items():
            out += ["-p", f"{name[3:]}={value}"] if name.startswith("-p ") else [name, value] if value else [name]
        return out

    def toggle(self, name):
        if name in self.values:
            del self.values[name]
        else:
            self.values[name] = ""


def change(rng, options, parameters, protocols):
    """Changes one option at random."""
    def step(name, usual):
        number = int(options.values.get(name, usual))
        options.values[name] = str(max(1, rng.choice((number * 2, number // 2))))

    kinds = ["instances", "placement", "goal", "-O1", "--no-fuse", "--aggregate", *parameters]
    kinds += ["protocol"] if protocols else []
    kinds += ["--slot-size"] if "--slot-size" in options.values else []
    kind = rng.choice(kinds)
    if kind in parameters:
        spec = parameters[kind]
        if spec["type"] == "integer":
            step(f"-p {kind}", spec["default"] or 1)
        else:
            choices = spec.get("choices") or ["yes", "no"]
            options.values[f"-p {kind}"] = rng.choice(choices)
    elif kind == "instances":
        step("--instances", 1)
    elif kind == "--slot-size":
        step("--slot-size", 1)
    elif kind == "placement":
        options.values["--placement"] = rng.choice(("linear", "snake", "auto"))
    elif kind == "goal":
        options.values.pop("-O1", None)
        options.values["--optimize-for"] = rng.choice(("balance", "path", "steps", "threadblocks"))
    elif kind == "protocol":
        options.values["--protocol"] = rng.choice(protocols)
    else:
        if kind == "-O1":
            options.values.pop("--optimize-for", None)
        options.toggle(kind)


def best_candidate(folder, size):
    """The command and the time in ps of the fastest candidate of a folder of results."""
    found = []
    for path in (folder / "measures").iterdir():
        measure = json.loads(path.read_text())
        found += [(each["time_ps"], measure["candidate"]) for each in measure["runs"]
                  if each["bytes"] == size and not measure["refusal"] and each["time_ps"] < 1 << 62]
    return min(found, default=None)


def time_of(tools, command, size, folder):
    """The time in ps of a plan; None if it is not compiled or does not run."""
    plan, times = folder / "plan.json", folder / "times.json"
    if run([*command, "-o", plan]).returncode != 0:
        return None
    if run([tools / "ccl-sim", plan, "--bytes", size, "--no-bounds", "--json", times]).returncode != 0:
        return None
    [result] = json.loads(times.read_text())["results"]
    return round(1000 * result["time_ns"])


class Tries:
    def __init__(self, tools, rng):
        self.tools, self.rng, self.changes, self.faster = tools, rng, 0, 0
        listed = json.loads(run([tools / "cclc", "list", "--json"]).stdout)
        fixed = ("buffers", "mapper", "root", "nodes", "ranks_per_node", "flat_fallback")
        self.parameters = {program["name"]: {spec["name"]: spec for spec in program["parameters"]
                                             if spec["name"] not in fixed} for program in listed}

    def draw(self, folder, changes):
        """Whether a plan was found."""
        rng = self.rng
        target, numbers = rng.choice(MACHINES)
        collective, ranks = rng.choice(COLLECTIVES), rng.choice(numbers)
        size = 4 * round(2 ** rng.uniform(8, 22))
        # Without it, ccl-tune chooses one by the number of ranks, and cclc does not.
        mapper = ["--mapper", "all_pes"] if target == "ahbm" else []
        tune = [self.tools / "ccl-tune", target, collective, "--ranks", ranks, "--sizes", f"{size}:{size}",
                "--runtime", "sim", "--resume", folder / "results", *mapper]
        if run(tune).returncode != 0 or not (best := best_candidate(folder / "results", size)):
            return False
        time, command = best
        described = json.loads(run([self.tools / "cclc", "targets", "describe", target, "--json"]).stdout)
        protocols = list(described["pe"].get("protocols", {}))
        for _ in range(changes):
            options = Options(command)
            parameters = self.parameters.get(options.head[0], {})
            for _ in range(rng.choice((1, 2))):
                change(rng, options, parameters, protocols)
            made = [self.tools / "cclc", *options.words(), "--target", target, "--ranks", ranks, *mapper]
            if collective == "alltoall":
                made += ["-p", "buffers=out_of_place"]
            other = time_of(self.tools, made, size, folder)
            self.changes += other is not None
            if other is not None and other < GAIN * time:
                self.faster += 1
                print(f"{shlex.join(map(str, tune))}\n{command}: {time} ps\n{shlex.join(map(str, made))}: {other} ps, "
                      f"{100 * (other / time - 1):+.1f} %", flush=True)
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--changes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tries = Tries(args.bin.resolve() if args.bin != pathlib.Path() else args.bin, random.Random(args.seed))
    done = drawn = 0
    with tempfile.TemporaryDirectory() as scratch:
        while done < args.tries:
            folder = pathlib.Path(scratch, str(drawn))
            folder.mkdir()
            drawn += 1
            done += tries.draw(folder, args.changes)
            if drawn % 10 == 0:
                print(f"{done} tries, {tries.changes} changes, {tries.faster} faster", file=sys.stderr, flush=True)
    print(f"{done} winners, {tries.changes} changed plans that run, {tries.faster} faster by more than 0.5 %")
    return 1 if tries.faster else 0


if __name__ == "__main__":
    sys.exit(main())
