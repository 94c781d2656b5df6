"""Renders the three pictures of programs with several numbers of ranks, and checks their sizes.

usage: picture_sizes.py FOLDER RANKS PROGRAM...

A picture is at most 60 inches wide and high, besides its title, and not much wider than high. One that
is folded says so, and how to get every node; the whole picture has them.
"""

import pathlib
import re
import subprocess
import sys

MOST, TITLE = 4320, 300
folder, numbers, programs = pathlib.Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
folder.mkdir(exist_ok=True)
LEVELS = ("chunk-dag", "inst-dag", "schedule")


def draw(program, ranks, *options):
    files = {level: folder / f"{program}-{ranks}.{level}.dot" for level in LEVELS}
    dumps = [word for level, file in files.items() for word in (f"--dump-{level}", file)]
    subprocess.run(["cclc", program, "--ranks", ranks, *dumps, *options, "-o", folder / "plan.json"], check=True)
    return {level: file.read_text() for level, file in files.items()}


def nodes(text):
    return len(re.findall(r"^ *(?:op|n|s|g)\d+ \[", text, re.MULTILINE))


wrong, folded = [], 0
for program in programs:
    for ranks in numbers:
        for level, text in draw(program, ranks).items():
            name = f"{program} {ranks} {level}"
            svg = subprocess.run(["dot", "-Tsvg", "-Gsplines=line"], input=text, capture_output=True, text=True,
                                 check=True).stdout
            width, height = map(int, re.search(r'<svg width="(\d+)pt" height="(\d+)pt"', svg).groups())
            if width > MOST + TITLE or height > MOST + TITLE or width > max(MOST / 2 + TITLE, 6 * height):
                wrong.append(f"{name}: {width} x {height}")
            operations = int(re.search(r"ranks?, (\d+) ", text).group(1))
            if "<B>folded</B>: a node is a " not in text:
                if nodes(text) != operations:
                    wrong.append(f"{name}: {nodes(text)} nodes for {operations} operations")
                continue
            folded += 1
            if "--dump-fold=none draws every node" not in text:
                wrong.append(f"{name}: does not say how to get every node")
            if nodes(text) < 2:
                wrong.append(f"{name}: one node represents all {operations}")
            if nodes(draw(program, ranks, "--dump-fold=none")[level]) != operations:
                wrong.append(f"{name}: --dump-fold=none does not draw {operations} operations")
print("\n".join(wrong) or f"{folded} folded, all of usable size")
sys.exit(bool(wrong))
