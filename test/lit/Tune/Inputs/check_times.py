"""Checks that each plan of a portfolio takes the times that portfolio.json has, to the picosecond.

usage: check_times.py FOLDER
"""

import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
portfolio = json.loads((folder / "portfolio.json").read_text())
points = 0
for row in portfolio["rows"]:
    for point in row["points"]:
        command = ["ccl-sim", folder / row["plan"], "--bytes", str(point["bytes"]), "--dtype", portfolio["dtype"],
                   "--network", portfolio["network"], "--no-bounds", "--json", "-"]
        report = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        result = json.loads(report.stdout)["results"][0]
        assert result["time_ns"] == point["time_ns"], (row, point, result["time_ns"])
        points += 1
print(f"{points} times")
