"""What the scripts have in common that keep measured tables in documents.

A table stands between the markers `<!-- SCRIPT.py -->` and `<!-- end -->`. Such a script is run with

  --bin DIR        folder of the tools
  --document FILE  fails if FILE shows other tables
  --update         writes them there instead
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

END = "<!-- end -->\n"


class Tools:
    """Runs the tools of a folder; plans go to a scratch folder."""

    def __init__(self, folder, scratch):
        self.folder, self.scratch = folder, scratch

    def run(self, tool, *args, refusal=False):
        """Standard output; none where the tool cannot do what is asked for (exit code 2) and
        that may be (REFUSAL)."""
        command = [str(self.folder / tool), *map(str, args)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if refusal and done.returncode == 2:
            return None
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def shown_tables(text, begin):
    return [part.split(END)[0] for part in text.split(begin)[1:]]


def run(script, about, make):
    """The main program of SCRIPT. MAKE gets the tools and the tables that the document shows (none
    with --update), and returns its tables and what is wrong with them."""
    begin = f"<!-- {pathlib.Path(script).name} -->\n"
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    text = options.document.read_text() if options.document else ""
    shown = shown_tables(text, begin)
    with tempfile.TemporaryDirectory() as scratch:
        tools = Tools(options.bin.resolve(), pathlib.Path(scratch))
        tables, wrong = make(tools, [] if options.update else shown)
    print("\n".join(tables), end="")
    if options.document and len(shown) != len(tables):
        wrong.append(f"{options.document}: {len(shown)} tables instead of {len(tables)}")
    elif options.document and shown != tables and options.update:
        parts = text.split(begin)
        rest = [part.split(END, 1)[1] for part in parts[1:]]
        options.document.write_text(
            parts[0] + "".join(begin + t + END + r for t, r in zip(tables, rest)))
    elif options.document and shown != tables:
        wrong.append(f"{options.document}: shows other tables")
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return bool(wrong)
