"""The page of a portfolio that ccl-tune writes, compared with portfolio.json and vary.json."""

import json
import subprocess

PROGRAMS = "allreduce_ring,allreduce_recursive_doubling,allgather_ring,allgather_allpairs"


def cells(reader, selector):
    return reader.ask("cells", selector)


def best_plans(text):
    """By collective, the words of the last two columns of the printed table: best plan and runner-up."""
    tables, rows = {}, None
    for line in text.splitlines():
        if line[:1].isalpha() and " on " in line:
            rows = tables[line.split()[0]] = []
        elif line.strip().startswith("size ") and "best plan" in line:
            column = line.index("best plan")
        elif not line.strip():
            rows = None
        elif rows is not None:
            rows.append(line[column:].split())
    return tables


def sees_results(reader, portfolio, name, printed):
    rows = [row for row in portfolio["rows"] if row["collective"] == name]
    points = [point for row in rows for point in row["points"]]
    reader.wait(f"{name} is shown", "text('title').startsWith(arguments[0])", name)
    reader.true("best, bound and programs", {"best plan", "lower bound"} < set(cells(reader, "#keys li")))
    reader.equal("sizes", len(cells(reader, "#best-table tbody tr")), len(points))
    shares = cells(reader, "#best-table tbody td:nth-child(4)")
    for point, share, time in zip(points, shares, cells(reader, "#best-table tbody td:nth-child(2)")):
        # The portfolio may be slower than the best plan by 1 %.
        best = float(time.removesuffix(" ns").replace(",", ""))
        reader.true(f"{best} is the best time", point["time_ns"] / 1.011 <= best <= point["time_ns"])
        expected = 100 * point["bound_share"] * point["time_ns"] / best
        shown = float(share.split(" %")[0])
        reader.true(f"a share of {expected}: {shown}", abs(shown - expected) <= (0.51 if shown > 9 else 0.06))
    reader.equal("runner-ups", [f"{best} {second}".split() for best, second in
                                zip(cells(reader, "#best-table tbody td:nth-child(5)"),
                                    cells(reader, "#best-table tbody td:nth-child(6)"))], printed[name])
    commands = cells(reader, "#portfolio-table tbody td:nth-child(5)")
    reader.equal("plans", commands, [row["command"] for row in rows])
    reader.equal("ranges", len(cells(reader, "#ranges span")), len(rows))
    ends = [int(text.removesuffix(" B").replace(",", "")) for text in
            cells(reader, "#portfolio-table tbody td:nth-child(2)")]
    reader.equal("ends of ranges", ends, [row["max_bytes"] for row in rows])


def check_tune(reader, bin, folder):
    """Two collectives, with changed hardware, on a phone and on a wide screen."""
    output = folder / "tuned"
    command = [bin / "ccl-tune", "ring", "allreduce", "allgather", "--ranks", "4", "--sizes", "4K:16M:64",
               "--programs", PROGRAMS, "--vary", "link.bandwidth=100e9:200e9:2", "-o", output]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    printed = best_plans(done.stdout)
    portfolio = json.loads((output / "portfolio.json").read_text())
    collectives = json.loads((output / "vary.json").read_text())["collectives"]
    reader.open(output / "report.html")
    for index, varied in enumerate(collectives):
        reader.ask("choose", "collective", str(index))
        sees_results(reader, portfolio, varied["collective"], printed)
        ratios = [[f"{point['speed_up']:.3f}" for point in variant["points"]] for variant in varied["variants"]]
        for row, expected in enumerate(ratios, 1):
            shown = cells(reader, f"#variant-table tbody tr:nth-child({row}) > :nth-child(n+2)")
            reader.equal("speed-ups", shown, expected)
        for row, one in enumerate(varied["elasticities"], 1):
            shown = cells(reader, f"#elasticity-table tbody tr:nth-child({row}) > :nth-child(n+3)")
            reader.equal("elasticities", [float(text) for text in shown],
                         [point["elasticity"] for point in one["points"]])
        before = cells(reader, "#front-table tbody tr")
        reader.ask("choose", "size", "0")
        reader.true("the front of another size", cells(reader, "#front-table tbody tr") != before)
    for width in (390, 1600):
        reader.browser.view(width, 1000, 1)
        reader.wait(f"charts fit {width} pixels", "chartsFit()")
        reader.equal(f"what is wider than {width} pixels", reader.ask("tooWide"), [])
        reader.equal("a page that scrolls sideways",
                     reader.browser.run("return document.documentElement.scrollWidth > innerWidth"), False)
        reader.looks_at_both_themes()
        for name in ("dark", "light"):
            reader.screenshot(f"{width}-{reader.ask('theme')}")
            reader.ask("click", "theme")
    reader.ends_silent()


def check_failures(reader, bin, folder):
    """The times without one part are those of portfolio.json, and the section is hidden without any."""
    output = folder / "failures"
    command = [bin / "ccl-tune", "ring", "allgather", "--ranks", "4", "--sizes", "4K:1M:256", "--programs",
               "allgather_ring", "-o", output]
    for options in ([], ["--survive", "link,rank"]):
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
        reader.open(output / "report.html")
        reader.equal("hidden sections", reader.browser.run("return document.getElementById('failures').hidden"),
                     not options)
    failures = json.loads((output / "portfolio.json").read_text())["failures"]
    points = [(failure["parts"], point) for failure in failures for row in failure["rows"] for point in row["points"]]
    shown = [cells(reader, f"#failures-table tbody tr > :nth-child({column})") for column in range(1, 10)]
    reader.equal("parts", list(zip(shown[0], shown[1])), [(parts[0], str(len(parts))) for parts, _ in points])
    for (_, point), before, unchanged, after in zip(points, shown[3], shown[4], shown[5]):
        for text, key in ((before, "before_ns"), (unchanged, "unchanged_ns"), (after, "time_ns")):
            found = None if text == "-" else float(text.removesuffix(" ns").replace(",", ""))
            reader.true(f"{key} {found}", found == point.get(key) or abs(found - point[key]) < 0.51)
    reader.screenshot("failures")
    reader.ends_silent()


def check_measured_plans(reader, bin, folder):
    """The measured times are those of the portfolio."""
    output = folder / "measured"
    subprocess.run([bin / "ccl-tune", "ring", "allreduce", "--ranks", "2", "--sizes", "4K:16K:4", "--programs",
                    "allreduce_ring,allreduce_onestep", "--measure", "threads", "--contestants", "2", "-o", output],
                   check=True, capture_output=True)
    reader.open(output / "report.html")
    reader.equal("hidden sections", reader.browser.run("return document.getElementById('measured').hidden"), False)
    portfolio = json.loads((output / "portfolio.json").read_text())
    points = {point["bytes"]: point for row in portfolio["rows"] for point in row["points"]}
    measured = cells(reader, "#measured-table tbody tr > :nth-child(3)")
    for text, size in zip(measured, (4096, 16384), strict=True):
        found = float(text.removesuffix(" ns").replace(",", ""))
        reader.true(f"{found} ns", abs(found - points[size]["measured_ns"]) < 0.51)
    reader.equal("used", cells(reader, "#measured-table tbody tr > :nth-child(6)"), ["plan", "plan"])
    reader.screenshot("measured")
    reader.ends_silent()
