#!/usr/bin/env python3
"""Checks the manual pages of all tools.

usage: check_man.py --bin DIR --pages DIR

Every option of the help text is a term of the page, no Markdown is left in the text, and groff, if
it is there, formats the page without a warning except for wide tables and long lines.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOOLS = ("cclc", "ccl-bound", "ccl-diff", "ccl-opt", "ccl-run", "ccl-sim", "ccl-tune")
LAYOUT = re.compile(r"table wider than line width|cannot adjust line|can't break line|around line")


def check(tool, page, environment, bin_folder):
    text = page.read_text()
    shown = re.sub(r"\\f[A-Z]", "", text.replace("\\-", "-"))
    if not text.startswith(f'.nh\n.TH {tool.upper()} 1 '):
        sys.exit(f"{page}: begins with {text[:60]!r}")
    help_text = subprocess.run([bin_folder / tool, "--help"], env=environment, text=True, check=True,
                               stdout=subprocess.PIPE).stdout
    options = {name for match in re.finditer(r"^  (-[-\w,]+)", help_text, re.MULTILINE)
               for name in match.group(1).split(",")}
    missing = sorted(name for name in options if not re.search(rf"(?<![-\w]){name}(?![-a-zA-Z])", shown))
    if missing:
        sys.exit(f"{page}: lacks {' '.join(missing)}")
    left = re.search(r"\]\([^)]*\.md", text)
    if left:
        sys.exit(f"{page}: a link is left: {left.group()}")
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-t", "-ww", "-Tutf8", page], text=True, check=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        warnings = [line for line in done.stderr.splitlines() if line and not LAYOUT.search(line)]
        if warnings:
            sys.exit("\n".join(warnings))
    return len(options)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--pages", type=pathlib.Path, required=True)
    args = parser.parse_args()
    if not args.pages.exists():
        print("there are no manual pages: go-md2man is not installed")
        sys.exit(77)
    environment = dict(os.environ, COLUMNS="400")
    count = sum(check(tool, args.pages / f"{tool}.1", environment, args.bin) for tool in TOOLS)
    print(f"{len(TOOLS)} pages describe {count} options")


if __name__ == "__main__":
    main()
