"""Compares the table of ccl-run --turns with the times in its JSON.

usage: check_turns.py TABLE JSON ROUNDS
"""

import json
import math
import re
import statistics
import sys

table, document, rounds = open(sys.argv[1]).read(), json.load(open(sys.argv[2])), int(sys.argv[3])
rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+) +(\S+) +([\d.]+) +([\d.]+) to ([\d.]+)  (\S+)$", table, re.MULTILINE)
expected = []
for size in document["turns"]:
    other = size["mpi_ns"] or size["plans"][0]["times_ns"]
    for plan in size["plans"]:
        times = plan["times_ns"]
        assert len(times) == len(other) == rounds and min(times) > 0
        ratios = sorted(a / b for a, b in zip(other, times))
        # The sign test: as many ratios are left out as have a tail of 2.5 % at most.
        out = max(k for k in range(rounds) if sum(math.comb(rounds, i) for i in range(k)) <= 0.025 * 2**rounds)
        expected.append((size["bytes"], plan["file"], statistics.median(ratios), ratios[out - 1], ratios[rounds - out]))
assert len(rows) == len(expected) > 0, (len(rows), len(expected))
for (bytes, _, _, predicted, ratio, low, high, file), (size, name, *values) in zip(rows, expected):
    assert (int(bytes), file) == (size, name), (bytes, file, size, name)
    for text, value in zip((ratio, low, high), values):
        assert abs(float(text) - value) <= 0.005001, (file, text, value)
    print(bytes, file, "predicted" if predicted != "-" else "not predicted")
