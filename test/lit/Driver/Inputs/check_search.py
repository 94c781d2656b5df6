"""usage: check_search.py SCRATCH PROGRAM TARGET [OPTION...]: compares -O3 with -O1, -O2 and ccl-sim."""

import json
import math
import subprocess
import sys

scratch, program, target, *options = sys.argv[1:]
sets = options[:2] if options[:1] == ["--set"] else []
sizes = [4 << 10, 256 << 10]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled(level, file):
    return run("cclc", program, "--target", target, *options, "--min-bytes", "4K", "--max-bytes",
               "256K", level, "-o", file, "--explain=json")


def times(file):
    found = []
    for size in sizes:
        run("ccl-sim", file, "--target", target, *sets, "--bytes", str(size), "--json",
            scratch + ".times")
        found.append(json.load(open(scratch + ".times"))["results"][0]["time_ns"])
    return found


explanation = json.loads(compiled("-O3", scratch + ".3.json"))
compiled("-O2", scratch + ".2.json")
assert compiled("-O3", scratch + ".again.json")
assert open(scratch + ".3.json").read() == open(scratch + ".again.json").read()

choices = explanation["decisions"][0]["choices"]
taken = [choice["figures"] for choice in choices if choice["taken"]]
assert len(taken) == 1, taken
fast, usual = times(scratch + ".3.json"), times(scratch + ".2.json")
for size, time in zip(sizes, fast):
    assert int(taken[0][str(size)]) == int(time), (taken, fast)
first = choices[0]["figures"]
for size, time in zip(sizes, usual):
    assert int(first[str(size)]) == int(time), (first, usual)
# The search adds sizes between these two, which are included in its figures.
gain = sum(math.log(int(first[size]) / int(taken[0][size])) for size in first)
assert gain > -1e-3, (first, taken)
# The schedule of -O1 is one of the variants; more threadblocks must gain at least two percent.
compiled("-O1", scratch + ".1.json")
lost = sum(math.log(time / old) for time, old in zip(fast, times(scratch + ".1.json")))
assert lost < 0.05, (fast, lost)
