"""Print times that ccl-sim has for plans on a target, as ccl-run --json writes them.

usage: simulated_results.py TARGET PLAN...
"""

import json
import subprocess
import sys

SIZES = [1 << 10, 1 << 15, 1 << 20]


def results(target, plan):
    for size in SIZES:
        done = subprocess.run(["ccl-sim", plan, "--target", target, "--bytes", str(size), "--no-bounds", "--json", "-"],
                              check=True, capture_output=True, text=True)
        yield {"bytes": size, "median_ns": json.loads(done.stdout)["results"][0]["time_ns"]}


target, *plans = sys.argv[1:]
print(json.dumps({"version": 1, "plans": [
    {"file": plan, "transport": "threads", "dtype": "f32", "results": list(results(target, plan))} for plan in plans]}))
