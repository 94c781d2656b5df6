"""Compiles the plan of a portfolio by its command, and compares the time.

usage: check_command.py PORTFOLIO
"""

import json
import pathlib
import subprocess
import sys

row = json.loads(pathlib.Path(sys.argv[1]).read_text())["rows"][0]
plan = sys.argv[1] + ".plan"
subprocess.run(["cclc", *row["command"].split(), "--target", "mesh2d", "--ranks", str(row["ranks"]), "-o", plan],
               check=True)
point = row["points"][0]
report = subprocess.run(["ccl-sim", plan, "--bytes", str(point["bytes"]), "--json", "-"], check=True,
                        stdout=subprocess.PIPE)
assert json.loads(report.stdout)["results"][0]["time_ns"] == point["time_ns"], row
