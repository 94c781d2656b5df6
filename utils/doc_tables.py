"""Common functions of the scripts that generate measured tables in documents.

A table is between the markers `<!-- SCRIPT.py: NAME -->` and `<!-- end -->`. The options of such a
script are

  --bin DIR        folder of the tools
  --document FILE  fail if the tables in FILE are out of date
  --update         update the tables in FILE instead
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

END = "<!-- end -->\n"


class Tools:
    """Runs the tools of a folder; plans go to a scratch folder."""

    def __init__(self, folder, scratch):
        self.folder, self.scratch, self.plans = folder, scratch, {}

    def plan(self, *command):
        """The plan that cclc COMMAND writes; a command is executed only once."""
        key = " ".join(map(str, command))
        if key not in self.plans:
            path = self.scratch / f"{len(self.plans)}.bin"
            self.run("cclc", *command, "-o", path)
            self.plans[key] = path
        return self.plans[key]

    def run(self, tool, *args, refusals=()):
        """Standard output; None if the tool ends with one of the exit codes REFUSALS."""
        command = [str(self.folder / tool), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode in refusals:
            return None
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def results(self, plan, *args, bounds=False):
        """The results of ccl-sim, one per size."""
        if not bounds:
            args = *args, "--no-bounds"
        return json.loads(self.run("ccl-sim", plan, "--json", "-", *args))["results"]


def options(parameters):
    return [word for key, value in parameters.items() for word in ("-p", f"{key}={value}")]


def table(head, rows):
    rule = "|" + "---|" * len(head) + "\n"
    lines = ["| " + " | ".join(map(str, line)) + " |\n" for line in [head, *rows]]
    return lines[0] + rule + "".join(lines[1:])


def shown_table(text, begin):
    """The text before, between and after the markers."""
    before, rest = text.split(begin)
    shown, after = rest.split(END, 1)
    return before, shown, after


def stale_figures(text):
    """The times in the text between tables that are in no table."""
    begin = r"<!-- \w+\.py: .*? -->\n"
    tables = "".join(re.findall(f"{begin}(.*?){END}", text, flags=re.DOTALL))
    prose = re.sub(f"{begin}.*?{END}", "", text, flags=re.DOTALL)
    shown = set(re.findall(r"[\d,]+\.\d\d", tables))
    return [figure for figure in re.findall(r"([\d,]+\.\d\d)\s*µs", prose) if figure not in shown]


def run(script, about, make):
    """The main program of SCRIPT. MAKE gets the tools and a function that returns the table with a
    given name in the document (nothing with --update); it returns its tables by name and a list of
    failed checks."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    text = args.document.read_text() if args.document else ""

    def begin(name):
        return f"<!-- {pathlib.Path(script).name}: {name} -->\n"

    def shown(name):
        return "" if args.update or not text else shown_table(text, begin(name))[1]

    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(args.bin.resolve(), pathlib.Path(scratch))
        tables, wrong = make(tools, shown)
    for name, made in tables.items():
        print(f"{name}\n\n{made}")
        if not args.document:
            continue
        before, old, after = shown_table(text, begin(name))
        if args.update:
            text = before + begin(name) + made + END + after
        elif old != made:
            wrong.append(f"{args.document}: shows another table for {name}")
    wrong += [f"{args.document}: {figure} µs is in no table" for figure in stale_figures(text)]
    if args.update and args.document:
        args.document.write_text(text)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return bool(wrong)
