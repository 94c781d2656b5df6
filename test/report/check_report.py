#!/usr/bin/env python3
"""Opens reports in a browser and operates them as their readers do.

usage: check_report.py BIN [--screenshots FOLDER]

BIN contains cclc and ccl-sim. Exits with 77 if Chromium and its driver are not installed.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import webdriver
from reader import Reader


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def results_of(path):
    return json.loads(path.read_text())["results"]


def steps_of(path):
    """Name and source line of every step, in the order of the plan."""
    plan = json.loads(path.read_text())
    steps = []
    for rank in plan["ranks"]:
        for tb in rank["threadblocks"]:
            for number, step in enumerate(tb["steps"]):
                file, line = plan["locations"][step["loc"]][:2]
                steps.append((f"r{rank['rank']} tb{tb['tb']} step {number} ({step['op']})",
                              f"{plan['files'][file]}:{line}"))
    return steps


def senders_of(path):
    """By receiving step, the name of the sending step: the n-th of the same connection."""
    sends, receives, number = {}, {}, 0
    for rank in json.loads(path.read_text())["ranks"]:
        for tb in rank["threadblocks"]:
            for local, step in enumerate(tb["steps"]):
                name = f"r{rank['rank']} tb{tb['tb']} step {local} ({step['op']})"
                if step["op"] in ("s", "rcs", "rrs", "rrcs"):
                    sends.setdefault((rank["rank"], tb["send"], tb["channel"]), []).append(name)
                if step["op"] in ("r", "rcs", "rrc", "rrs", "rrcs"):
                    connection = (tb["recv"], rank["rank"], tb["channel"])
                    receives.setdefault(connection, []).append(number)
                number += 1
    return {step: name for key in receives for step, name in zip(receives[key], sends[key])}


def segments_of(result):
    """(cause, length, begin) of the critical path, in picoseconds."""
    return [(s["cause"], round(s["length_ns"] * 1000), round(s["from_ns"] * 1000))
            for s in result["critical_path"]["segments"]]


def check_sweep(reader, bin, folder):
    """An all-reduce of 32 cubes on AHBM, over four sizes: a report with all of its parts."""
    plan, page, numbers = folder / "ahbm.json", folder / "ahbm.html", folder / "numbers.json"
    run(bin / "cclc", "allreduce_lrab", "--target", "ahbm", "-o", plan)
    run(bin / "ccl-sim", plan, "--sweep", "4K:256K:4", "--dtype", "f16", "--report", page,
        "--critical-path", "--what-if", "--json", numbers)
    results, steps = results_of(numbers), steps_of(plan)
    reader.open(page)
    reader.changes_screens()
    reader.looks_at_both_themes()
    reader.goes_through_with_tab()
    reader.compares_times(results)
    reader.asks_what_if(json.loads(numbers.read_text())["what_if"])
    spans = reader.hovers(steps)
    reader.asks_what_waits_are_for(senders_of(plan))
    reader.zooms()
    reader.clicks(steps, spans)
    reader.follows_path(segments_of(results[-1]))
    reader.reads_phases(results[-1])
    reader.walks()
    reader.slides()
    reader.moves_about_the_machine()
    reader.points_at_a_link(results[-1]["links"])
    reader.looks_into_a_chunk(32)
    reader.ask("choose", "size", "0")
    reader.wait("the smallest size is shown", "size() === arguments[0]", str(results[0]["bytes"]))
    reader.hovers(steps)
    reader.ends_silent()


def check_comparison(reader, bin, folder):
    """Two plans for the same collective, on two nodes of GPUs: one time axis, and the differences."""
    new, old, page = folder / "new.json", folder / "old.json", folder / "comparison.html"
    run(bin / "cclc", "allreduce_hierarchical", "--target", "ndv4", "-o", new)
    run(bin / "cclc", "allreduce_ring", "--ranks", "16", "--target", "ndv4", "-o", old)
    run(bin / "ccl-sim", new, "--baseline", old, "--sweep", "64K:4M:8", "--report", page)
    times = []
    for plan in (new, old):
        numbers = folder / "numbers.json"
        run(bin / "ccl-sim", plan, "--bytes", "4M", "--json", numbers)
        times.append(results_of(numbers)[0]["time_ns"])
    reader.open(page)
    reader.screenshot("overview")
    name, *shown, change = reader.ask("cells", "#comparison-table tbody tr:first-child > *")
    reader.equal("the first row", [name, *shown], ["time", *(f"{t:,.3f} ns" for t in times)])
    rows = reader.ask("cells", "#comparison-table tbody tr > :first-child")
    for phase in ("reduce-scatter in each node", "all-gather"):
        reader.true(f"{phase} is compared", f"critical path: phase {phase}" in rows)
    part = 100 * (times[0] / times[1] - 1)
    reader.true(f"the change is {part}: {change}", abs(int(change.rstrip(" %")) - part) <= 0.51)
    reader.equal("one time axis", reader.ask("range", 0), reader.ask("range", 1))
    reader.hovers(steps_of(new), 0)
    reader.hovers(steps_of(old), 1)
    reader.ask("zoom", 1e8, 2e8)
    reader.wait("the other timeline follows", "shows(1e8, 2e8, 1)")
    reader.screenshot("timelines")
    for plan, which in ((old, "1"), (new, "0")):
        reader.ask("choose", "plan", which)
        run(bin / "ccl-sim", plan, "--bytes", "4M", "--critical-path", "--json", numbers)
        [result] = results_of(numbers)
        reader.follows_path(segments_of(result), int(which))
        reader.points_at_a_link(result["links"])
    reader.looks_at_both_themes()
    reader.ends_silent()


ONE_MESSAGE = """ccl.version 2
exec.program @message coll custom ranks 4 outofplace slots 8 {
  input 1
  output 1
  expect r3:o[0] = r0:i[0]
  rank 0 {
    tb 0 send r3 ch 0 {
      0: s i[0]
    }
  }
  rank 1 {
  }
  rank 2 {
  }
  rank 3 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
  }
}
"""


def check_row(reader, bin, folder):
    """A row of four in a torus, and a message over the link that closes it."""
    plan, page = folder / "message.ccl", folder / "row.html"
    plan.write_text(ONE_MESSAGE)
    run(bin / "ccl-sim", plan, "--target", "torus2d", "--set", "width=4", "--set", "height=1",
        "--bytes", "1M", "--report", page)
    reader.open(page)
    reader.follows_a_link_beside_a_row(["n0", "n1", "n2", "n3"])
    reader.ends_silent()


def check_large(reader, bin, folder):
    """A plan of 100,000 steps opens in less than three seconds and responds quickly."""
    plan, page = folder / "large.json", folder / "large.html"
    run(bin / "cclc", "allreduce_ring", "--ranks", "225", "-o", plan)
    run(bin / "ccl-sim", plan, "--target", "ring", "--bytes", "1M", "--report", page)
    reader.true(f"{page.stat().st_size} bytes are few", page.stat().st_size < 3_000_000)
    shown = min(reader.open(page) for _ in range(3))
    reader.true(f"drawn in {shown} s, less than 3 s", shown < 3)
    reader.equal("phases", reader.ask("cells", "#phase-table tbody button"),
                 ["reduce-scatter", "all-gather"])
    reader.true("100,000 steps", reader.ask("steps") > 100_000)
    time = reader.ask("zoomTime")
    print(f"{reader.name}: a zoom takes {time:.1f} ms")
    reader.true(f"a zoom takes {time} ms", time < 150)  # beside other tests
    reader.ask("zoomOut")
    reader.zooms()
    reader.ask("zoom", 1e8, 1.5e8)
    reader.ask("zoomRows", 3, 20)
    reader.wait("the rows are near", "lastRow() < 21")
    reader.screenshot("near")
    reader.looks_into_a_deep_tree(225)
    reader.ends_silent()


def check_all(bin, screenshots, folder):
    browser = webdriver.Browser()
    try:
        for part in (check_sweep, check_comparison, check_row, check_large):
            part(Reader(browser, screenshots), bin, folder)
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    args = parser.parse_args()
    if not webdriver.is_available():
        print("chromium and chromedriver are not installed")
        sys.exit(77)
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        check_all(args.bin, args.screenshots, pathlib.Path(folder))


if __name__ == "__main__":
    main()
