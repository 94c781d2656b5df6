#!/usr/bin/env python3
"""Measures builds from nothing, and says which units of a build take long.

usage: build_times.py --units BUILD
       build_times.py [--source DIR] [--row NAME --document FILE]

The first form prints the longest units of the build folder BUILD, and the sum of each room, from Ninja's log; the
seconds are those on the clock, with other units beside them.

The second configures DIR (default: this tree) in temporary folders, without ccache, and builds the preset
quickstart, and in order the tools and libraries and all with tests of the preset release. It prints
the processor time (user and system) and the time on the clock of each from nothing, and beside them the processor time of one
unit that is the same in all versions, for the speed of the machine. --row NAME replaces this row in the table
of FILE, or adds it.
"""

import argparse
import collections
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import doc_tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = {"quickstart": ("quickstart", ["cclc", "ccl-sim"]),
          "tools and libraries": ("release", ["tools/all", "lib/all", "programs/all"]),
          "all with tests": ("release", ["all"])}
# A unit that uses the standard library and LLVM as most do.
REFERENCE = """#include "llvm/Support/FormatVariadic.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <regex>
std::map<int, std::string> use(std::string s) {
  std::map<int, std::string> all;
  all[1] = llvm::formatv("{0} {1}", s, std::regex_replace(s, std::regex("a+b"), "c")).str();
  return all;
}
"""
HEAD = ["version", *[f"{stage}: {time} (s)" for stage in STAGES for time in ("processor", "clock")],
        "one unit: processor (s)"]


def units(build):
    last = {}
    for line in (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        last[output] = (int(end) - int(begin)) / 1000
    rooms = collections.Counter()
    for output, seconds in last.items():
        if output.endswith((".o", ".gch")):
            rooms[re.sub(r"(CMakeFiles/|\.dir/.*)", "", output)] += seconds
    print("longest units (s)")
    for output, seconds in sorted(last.items(), key=lambda row: -row[1])[:20]:
        print(f"{seconds:7.1f}  {output}")
    print("\nrooms (s)")
    for room, seconds in rooms.most_common(30):
        print(f"{seconds:7.1f}  {room}")
    print(f"{sum(rooms.values()):7.1f}  all units")


def timed(command, **options):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def reference(folder):
    source = folder / "reference.cpp"
    source.write_text(REFERENCE, encoding="utf-8")
    include = subprocess.run(["llvm-config-19", "--includedir"], capture_output=True, text=True, check=True).stdout
    command = ["g++", "-std=c++20", "-O2", f"-I{include.strip()}", "-c", source, "-o", folder / "reference.o"]
    return min(timed(command)[0] for _ in range(3))


def measure(source):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one = reference(folder)
        row, spent = [], {}
        for stage, (preset, targets) in STAGES.items():
            build = folder / preset
            subprocess.run(["cmake", "--preset", preset, "-B", build, "-DCCACHE=OFF"], cwd=source, check=True,
                           stdout=subprocess.DEVNULL)
            more = timed(["cmake", "--build", build, "--target", *targets])
            processor, clock = spent[preset] = [sum(pair) for pair in zip(spent.get(preset, (0, 0)), more)]
            row += [f"{processor:.0f}", f"{clock:.0f}"]
            print(f"{stage:<20} {processor:6.0f} s of processors {clock:6.0f} s on the clock", flush=True)
        one = min(one, reference(folder))
        print(f"{'one unit':<20} {one:8.1f}")
        units(build)
        return row + [f"{one:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--units", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=ROOT)
    parser.add_argument("--row")
    parser.add_argument("--document", type=pathlib.Path)
    args = parser.parse_args()
    if args.units:
        return units(args.units)
    row = [args.row, *measure(args.source)]
    if args.document:
        marker = f"<!-- {pathlib.Path(__file__).name} -->\n"
        before, shown, after = doc_tables.shown_table(args.document.read_text(encoding="utf-8"), marker)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines()[2:]]
        rows = [other for other in rows if other[0] != args.row] + [row]
        args.document.write_text(before + marker + doc_tables.table(HEAD, rows) + doc_tables.END + after,
                                 encoding="utf-8")
    return None


if __name__ == "__main__":
    sys.exit(main())
