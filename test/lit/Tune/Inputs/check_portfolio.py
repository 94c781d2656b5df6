"""Checks portfolio.json: its ranges, and the times of its plans, with ccl-sim.

usage: check_portfolio.py FOLDER FROM TO
"""

import json
import pathlib
import subprocess
import sys

folder, first, last = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
portfolio = json.loads((folder / "portfolio.json").read_text())
assert portfolio["version"] == 1 and portfolio["target"] == "ndv4", portfolio
collectives = {}
for row in portfolio["rows"]:
    assert row["ranks"] == 8 and row["ranks_per_node"] == 8 and row["in_place"], row
    collectives.setdefault(row["collective"], []).append(row)
assert list(collectives) == ["allreduce", "allgather"], list(collectives)
for rows in collectives.values():
    end = first - 1
    for row in rows:
        assert row["min_bytes"] == end + 1 and row["max_bytes"] >= row["min_bytes"], row
        end = row["max_bytes"]
        plan = json.loads((folder / row["plan"]).read_text())
        assert plan["protocol"] == row["protocol"], row
        assert row["runtime"] == "run", row
        assert row["points"], row
        for point in row["points"]:
            assert row["min_bytes"] <= point["bytes"] <= row["max_bytes"], row
            report = subprocess.run(["ccl-sim", folder / row["plan"], "--bytes", str(point["bytes"]), "--json", "-",
                                     "--check-data"], check=True, stdout=subprocess.PIPE)
            result = json.loads(report.stdout)["results"][0]
            assert result["time_ns"] == point["time_ns"] and result["data_ok"], (row, result["time_ns"])
            assert 0 < point["bound_share"] <= 1, point
    assert end == last, rows
