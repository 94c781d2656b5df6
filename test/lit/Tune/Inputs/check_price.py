"""Compares the times of ccl-tune --price with those of ccl-sim for the plans that model the selected algorithms.

usage: check_price.py TARGET OUTPUT PLAN...

Each PLAN is "SIZE=ARGUMENTS OF CCLC": the plan of what the file selects for SIZE. The best of the runtime is not
slower than what the file selects, and the percentages are those of the times.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

target, output = sys.argv[1:3]
rows = {}
for line in pathlib.Path(output).read_text().splitlines():
    fields = [field for field in re.split(r"  +", line) if field]
    if len(fields) == 10 and fields[0] != "size":
        rows[fields[0]] = fields


def microseconds(text):
    return float(text.removesuffix(" us"))


def check_slower(text, time, best):
    value = float(text.removesuffix(" %"))
    assert abs(value - (time / best - 1) * 100) < 0.11 + 0.001 / best * 200, (text, time, best)


for plan in sys.argv[3:]:
    size, arguments = plan.split("=", 1)
    row = rows.pop(size)
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/plan.json"
        subprocess.run(["cclc", *arguments.split(), "--target", target, "-o", file], check=True)
        shown = subprocess.run(["ccl-sim", file, "--target", target, "--bytes", size.replace("iB", "").replace(" ", "")],
                               check=True, capture_output=True, text=True).stdout
    nanoseconds = next(float(line.split()[1]) for line in shown.splitlines()
                       if re.match(r" +\d+[KMG]? +\d+\.\d{3} ", line))
    chosen, best = microseconds(row[3]), microseconds(row[5])
    assert abs(chosen - nanoseconds / 1000) < 0.0006, (row, nanoseconds)
    assert best <= chosen, row
    check_slower(row[6], chosen, best)
    check_slower(row[9], chosen, microseconds(row[8]))
assert all(row[3] == "-" for row in rows.values()), rows
