"""usage: compare_exhaustive.py SEARCH EXHAUSTIVE: compares the times of two portfolios by size."""

import json
import pathlib
import sys


def times(folder):
    portfolio = json.loads((pathlib.Path(folder) / "portfolio.json").read_text())
    return {point["bytes"]: point["time_ns"] for row in portfolio["rows"] for point in row["points"]}


search, exhaustive = map(times, sys.argv[1:])
assert search.keys() == exhaustive.keys() and search
for size, time in sorted(search.items()):
    assert exhaustive[size] <= time <= exhaustive[size] * 1.02, (size, time, exhaustive[size])
