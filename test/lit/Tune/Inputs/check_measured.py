"""Compares a portfolio of ccl-tune --measure with the measurements that it keeps.

usage: check_measured.py PORTFOLIO MEASURED library|threads SIZE...

Each size is served by a row, whose times are the medians of its confirming jobs, or by a gap of the library. Ranges end at
sizes that were measured or, between two plans, at their geometric mean.
"""

import json
import pathlib
import statistics
import sys

portfolio, sizes = json.loads(pathlib.Path(sys.argv[1]).read_text()), [int(size) for size in sys.argv[4:]]
files = [json.loads(path.read_text()) for path in pathlib.Path(sys.argv[2]).glob("*.json")]
with_library = sys.argv[3] == "library"


def rounds(plan, size, kind):
    """All rounds of the confirming jobs."""
    command = plan.replace(" -p ", " ")
    return [time for file in files if file["bytes"] == size and file["plan"].replace(" -p ", " ") == command
            for job in file["jobs"] if job["confirms"] for time in job[kind]]


for size in sizes:
    rows = [row for row in portfolio["rows"] if row["min_bytes"] <= size <= row["max_bytes"]]
    gaps = [gap for gap in portfolio.get("gaps", []) if gap["min_bytes"] <= size <= gap["max_bytes"]]
    assert len(rows) + len(gaps) == 1, (size, rows, gaps)
    if gaps:
        assert with_library and gaps[0]["library"] is True, gaps
        continue
    (point,) = [point for point in rows[0]["points"] if point["bytes"] == size]
    plans = rounds(rows[0]["command"], size, "plan_ns")
    if with_library:
        others = rounds(rows[0]["command"], size, "other_ns")
        assert point["library_ns"] == statistics.median(others), (point, statistics.median(others))
        assert statistics.median(b / a for a, b in zip(plans, others)) > 1.05
    else:
        assert "library_ns" not in point, point
    if plans:
        assert point["measured_ns"] == statistics.median(plans), (point, statistics.median(plans))
covered = sorted((part["min_bytes"], part["max_bytes"]) for part in portfolio["rows"] + portfolio.get("gaps", []))
assert covered[0][0] == sizes[0] and covered[-1][1] == sizes[-1], covered
assert all(first[1] + 1 == second[0] for first, second in zip(covered, covered[1:])), covered
print("right:", len(sizes), "sizes")
