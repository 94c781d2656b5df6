"""Compares the times of a choice with those of the plan that was written, in a report of ccl-sim.

usage: check_times.py REPORT REMARKS (of cclc --explain) | check_times.py REPORT PORTFOLIO.json
"""

import json
import re
import sys

report = json.load(open(sys.argv[1]))
simulated = {row["bytes"]: row["time_ns"] for row in report["results"]}
text = open(sys.argv[2]).read()
if sys.argv[2].endswith(".json"):
    [row] = json.loads(text)["rows"]
    chosen = {point["bytes"]: point["time_ns"] for point in row["points"]}
else:
    sizes = re.search(r"^variants \(ns by size\)(.*)", text, re.MULTILINE)[1].split()
    times = re.search(r"^\* (.*)", text, re.MULTILINE)[1].split()[-len(sizes):]
    chosen = dict(zip(map(int, sizes), map(int, times)))
    simulated = {size: int(time) for size, time in simulated.items()}
assert chosen, text
assert {size: simulated[size] for size in chosen} == chosen, (simulated, chosen)
