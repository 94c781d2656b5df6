#!/usr/bin/env python3
"""Packs the page of HTML reports into one file.

usage: make_report_page.py FOLDER CHARTS OUTPUT

FOLDER contains index.html, in which <!--styles: a.css b.css-->, <!--charts--> and
<!--scripts: a.js b.js--> are replaced by the listed style sheets, the library CHARTS and the listed
scripts, in this order. The scripts share one scope. Paths are relative to FOLDER.
"""

import pathlib
import re
import sys


def inside_script(text, name):
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        sys.exit(f"{name}: has text that ends or comments out a script")
    return text


def main():
    folder, charts, output = map(pathlib.Path, sys.argv[1:])
    page = (folder / "index.html").read_text()
    match = re.search(r"<!--scripts: ([-\w./\s]+?)-->", page)
    names = match.group(1).split()
    missing = {path.name for path in folder.glob("*.js")} - set(names)
    if missing:
        sys.exit(f"{folder}/index.html: does not name {', '.join(sorted(missing))}")
    styles = re.search(r"<!--styles: ([-\w./\s]+?)-->", page)
    sheets = "".join((folder / name).read_text() for name in styles.group(1).split())
    scripts = "\n".join(inside_script((folder / name).read_text(), name) for name in names)
    parts = {
        match.group(0): f"<script>\n'use strict';\n(() => {{\n{scripts}\n}})();\n</script>",
        styles.group(0): f"<style>\n{sheets}</style>",
        "<!--charts-->": f"<script>{inside_script(charts.read_text(), charts.name)}</script>",
    }
    for mark, text in parts.items():
        if page.count(mark) != 1:
            sys.exit(f"{folder}/index.html: has {mark} {page.count(mark)} times, not once")
        before, after = page.split(mark)
        page = before + text + after
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page)


if __name__ == "__main__":
    main()
