"""Checks that each file of a portfolio takes the times that portfolio.json has, to the picosecond, in the form
that its runtime executes. A module of AHBM, and a choice among the algorithms of a runtime, is timed by the
plan of its command. The times after a failure are those of the machine without the first part: of a link, which is
turned off on any machine, or of a rank, without which the plan was made.

usage: check_times.py FOLDER [TARGET [OPTION...]]
"""

import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
portfolio = json.loads((folder / "portfolio.json").read_text())
target = sys.argv[2] if len(sys.argv) > 2 else portfolio["target"]
settings = sys.argv[3:] + [f"--set={each}" for each in portfolio["settings"]]
conditions = ["--dtype", portfolio["dtype"], "--network", portfolio["network"], "--no-bounds", "--json", "-"]


def plan_of(row):
    """The plan of a row, with the options of ccl-sim that it needs."""
    path = folder / row["plan"]
    if row["runtime"] in ("sim", "run"):
        return path, []
    if row["runtime"] in ("rccl", "msccl", "msccl-executor", "mscclpp"):
        return path, ["--target", target, *settings]
    program = row["command"].split()
    plan = folder.with_suffix(".plan.json")
    placed = [] if "buffers" not in row else ["-p", "buffers=in_place"]
    subprocess.run(["cclc", *program, "--target", target, *settings, "--ranks", str(row["ranks"]), *placed,
                    "-o", plan], check=True)
    return plan, []


def count(rows, off=()):
    """The number of times in rows, which are right with the links off."""
    points = 0
    for row in rows:
        path, options = plan_of(row)
        if off:
            options = ["--target", target, *settings, *off]
        for point in row["points"]:
            command = ["ccl-sim", path, "--bytes", str(point["bytes"]), *conditions, *options]
            report = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            result = json.loads(report.stdout)["results"][0]
            assert result["time_ns"] == point["time_ns"], (row, point, result["time_ns"])
            points += 1
    return points


print(f"{count(portfolio['rows'])} times")
for failure in portfolio.get("failures", []):
    off = ()
    if failure["without"] == "link":
        begin, end = failure["parts"][0].split(" <-> ")
        off = [f"--set=links.{begin}->{end}=off", f"--set=links.{end}->{begin}=off"]
    print(f"{count(failure.get('rows', []), off)} times without {failure['parts'][0]}")
