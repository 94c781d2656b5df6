#!/usr/bin/env python3
"""Draws machines and checks that all parts are drawn, no line leads over another node and all names are legible.

usage: check_pictures.py BIN [--only TEXT] [--keep FOLDER]

The machines are the bundled ones in several sizes, further families, files of other tools, and those of the
folder that CCLC_CORPUS names. The picture is read from the DOT source, which has all positions, and if graphviz
is installed also from its SVG. At a width of 1,600 pixels, letters are at least 7 pixels high.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

PAGE = 1600  # pixels
SMALLEST = 7  # pixels
ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORTS = ROOT / "test/fuzz/corpus/import"

BUNDLED = ["ahbm", "ahbm-6sip-mesh", "ahbm-6sip-ring", "ahbm-6sip-torus", "alpha-beta", "bluefield3", "dgx-h100",
           "dgx1", "fully-connected", "ideal", "mesh2d", "mi300x", "ndv4", "ring", "torus2d"]
SIZES = ["dgx-h100 --set nodes=2", "dgx-h100 --set nodes=16", "dgx-h100 --set nodes=64", "ndv4 --set nodes=5",
         "bluefield3 --ranks 40", "alpha-beta --ranks 64", "alpha-beta --ranks 300", "fully-connected --ranks 15",
         "fully-connected --ranks 64", "fully-connected --ranks 200", "mesh2d --ranks 63", "torus2d --ranks 64",
         "torus2d --ranks 256", "torus2d --ranks 1024", "ring --ranks 50", "ring --ranks 128", "ring --ranks 1000",
         "ring --ranks 8 --set links.n1<->n2=off --set links.n4<->n5.bandwidth=1e9",
         "dgx-h100 --set nodes=2 --set links.node0.nic3<->fabric=off",
         "fully-connected --ranks 16 --set links.n3<->n5.bandwidth=1e9"]


def graph(name, **keys):
    return name, {"name": name, "family": "graph", **keys}


TREE = [{"name": "leaf", "down": 8, "up": 4, "bandwidth": 50e9}, {"name": "spine", "down": 4, "bandwidth": 50e9}]
SHAPES = dict([
    graph("absent", shape="torus", dimensions=[{"size": 6}, {"size": 5}], absent=[8, 20, 21]),
    graph("blocks", shape="mesh", dimensions=[{"size": 8, "block": 4, "border": {"bandwidth": 20e9}}, {"size": 4}],
          link={"bandwidth": 100e9}),
    graph("torus3d", shape="torus", dimensions=[{"size": 4}, {"size": 4}, {"size": 4}]),
    graph("torus4d", shape="torus", dimensions=[{"size": 3}, {"size": 3}, {"size": 2}, {"size": 2}]),
    graph("hypercube", shape="hypercube", ranks=16),
    graph("composed", shape="composed", dimensions=[{"size": 8, "kind": "switch", "name": "inside"},
                                                    {"size": 4, "kind": "ring", "name": "across"}]),
    graph("direct", shape="composed", dimensions=[{"size": 4, "kind": "fully_connected"},
                                                  {"size": 4, "kind": "fully_connected"}]),
    graph("fat-tree", shape="fat_tree", ranks=32, tiers=TREE),
    graph("large-tree", shape="fat_tree", ranks=512, tiers=[
        {"down": 16, "up": 8}, {"down": 8, "up": 8}, {"down": 4}]),
    graph("dense-tree", shape="fat_tree", ranks=128, tiers=[{"down": 8, "up": 16}, {"down": 16}]),
    graph("dragonfly", shape="dragonfly", dragonfly={"groups": 5, "routers": 4, "endpoints": 2}),
    graph("dragonfly9", shape="dragonfly", dragonfly={"groups": 9, "routers": 8, "endpoints": 3}),
    graph("coordinates", nodes=[{"name": f"core{x}_{y}"} for y in range(5) for x in range(7) if (x, y) != (3, 2)],
          links=[{"from": f"core{x}_{y}", "to": f"core{x + dx}_{y + dy}", "bandwidth": 1e9}
                 for y in range(5) for x in range(7) for dx, dy in ((1, 0), (0, 1))
                 if x + dx < 7 and y + dy < 5 and (3, 2) not in ((x, y), (x + dx, y + dy))]),
    ("rails", {"name": "rails", "family": "switched", "gpus_per_node": 8, "nodes": 16,
               "node_link": {"bandwidth": 450e9}, "nic": {"gpus_per_nic": 1, "bandwidth": 50e9},
               "fabric": {"shape": "fat_tree", "rails": "on",
                          "tiers": [{"name": "rail", "down": 16, "oversubscription": 2},
                                    {"name": "spine", "down": 8}]}}),
])
FILES = {"fabric.ibnetdiscover": "", "hwloc.xml": "", "hwloc-switch.xml": "", "nccl-pcie.xml": "",
         "nccl-gb10.xml": "", "nccl-hosts.xml": "", "nccl-nics.xml": "--nodes 2", "nccl-nvswitch.xml": "--nodes 3",
         "nccl-shared.xml": "", "nccl-uneven.xml": "", "nccl-xgmi-mesh.xml": "", "nccl-xgmi.xml": "", "rocm.txt": "",
         "tree.conf": "--node-bandwidth 25", "topology.yaml": "--node-bandwidth 25", "blocks.conf": "--node-bandwidth 25"}


class Picture:
    """Boxes by name as (left, low, right, high), lines as (from, to, points), texts as (x, y, size, text)."""

    def __init__(self):
        self.boxes, self.lines, self.texts, self.tooltips = {}, [], [], []
        self.hubs = set()
        self.width = 0

    def add_text(self, x, y, size, text, owner=None):
        self.texts.append((x, y, size, text, owner))


def points_of(text):
    return [tuple(map(float, pair.split(","))) for pair in text.split()]


def read_dot(text):
    picture = Picture()
    picture.width = float(re.search(r'bb="0,0,([\d.]+),', text)[1])
    for name, label, x, y, width, height, rest in re.findall(
            r'^ +(n\d+) \[label="(.*?)", pos="([\d.-]+),([\d.-]+)", width=([\d.]+), height=([\d.]+)(.*)\];$', text, re.M):
        x, y, half, tall = float(x), float(y), float(width) * 36, float(height) * 36
        picture.boxes[name] = (x - half, y - tall, x + half, y + tall)
        if "rounded" in rest:
            picture.hubs.add(name)
        lines = label.split("\\n")
        for i, line in enumerate(lines):
            picture.add_text(x, y + (len(lines) / 2 - 0.5 - i) * 11, 10, line, name)
        picture.tooltips.append((name, *re.findall(r'tooltip="(.*?)"', rest)))
    for begin, end, rest in re.findall(r"^ +(n\d+) -> (n\d+) \[(.*)\];$", text, re.M):
        spline = re.search(r'pos="(.*?)"', rest)[1].split()
        ends = [pair.partition(",")[2] for pair in spline if pair[0] in "se"]
        middle = points_of(" ".join(pair for pair in spline if pair[0] not in "se"))
        first = points_of(ends[0]) if spline[0][0] == "s" else []
        last = points_of(ends[-1]) if "e" in "".join(pair[0] for pair in spline) else []
        tooltip = re.search(r'tooltip="(.*?)"', rest)
        direction = re.search(r"dir=(\w+)", rest)[1]
        picture.lines.append((begin, end, first + middle + last, direction, tooltip[1] if tooltip else None))
    for label, place in re.findall(r'label="(.*?)"; fontsize=11.*lp="([\d.,-]+)"', text):
        picture.add_text(*points_of(place)[0], 11, label)
    return picture


def read_svg(text):
    """The same from the SVG of graphviz, whose y axis points down."""
    space = "{http://www.w3.org/2000/svg}"
    picture = Picture()
    root = ElementTree.fromstring(text)
    picture.width = float(root.get("viewBox").split()[2])
    for group in root.iter(space + "g"):
        kind, title = group.get("class"), group.findtext(space + "title")
        if kind == "node":
            shapes = [points_of(shape.get("points")) for shape in group.iter(space + "polygon")]
            shapes += [points_of(re.sub(r"[A-Z]", " ", shape.get("d"))) for shape in group.iter(space + "path")]
            xs, ys = zip(*(point for shape in shapes for point in shape))
            picture.boxes[title] = (min(xs), min(ys), max(xs), max(ys))
        elif kind == "edge":
            begin, end = title.split("->")
            path = next(group.iter(space + "path")).get("d")
            picture.lines.append((begin, end, points_of(re.sub(r"[A-Z]", " ", path)), None, None))
        for line in group.findall(space + "text") + group.findall(f"{space}g/{space}a/{space}text"):
            if kind in ("node", "cluster"):
                picture.add_text(float(line.get("x")), float(line.get("y")), float(line.get("font-size")), line.text,
                                 title if kind == "node" else None)
    return picture


def leads_over(a, b, box):
    """Whether the middle of the segment, cut to the columns of the box, or its ends there, are inside."""
    left, low, right, high = box
    (x0, y0), (x1, y1) = sorted((a, b))
    if x1 < left or x0 > right:
        return False
    if x1 - x0 < 1e-9:
        return max(min(y0, y1), low) < min(max(y0, y1), high)
    at = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (max(x0, left), min(x1, right))]
    return min(at) < high and max(at) > low and max(x0, left) < min(x1, right)


def line_faults(picture):
    for begin, end, points, *_ in picture.lines:
        for name, (left, low, right, high) in picture.boxes.items():
            inside = (left + 0.5, low + 0.5, right - 0.5, high - 0.5)
            if name not in (begin, end) and any(leads_over(a, b, inside) for a, b in zip(points, points[1:])):
                yield f"the line {begin} -> {end} leads over {name}"
        for name, (x, y) in ((begin, points[0]), (end, points[-1])):
            left, low, right, high = picture.boxes[name]
            if not (left - 6 <= x <= right + 6 and low - 6 <= y <= high + 6):
                yield f"the line {begin} -> {end} does not end at {name}"


def name_faults(picture):
    def area(text):
        x, y, size, letters, _ = text
        return x - 0.27 * size * len(letters), y - 0.45 * size, x + 0.27 * size * len(letters), y + 0.45 * size

    scale = min(1, PAGE / picture.width)
    texts = sorted(picture.texts)
    widest = max(area(text)[2] - area(text)[0] for text in texts)
    for i, text in enumerate(texts):
        if text[2] * scale < SMALLEST:
            yield f"'{text[3]}' is only {text[2] * scale:.1f} pixels high"
        left, low, right, high = area(text)
        if text[4]:
            box = picture.boxes[text[4]]
            if left < box[0] or right > box[2]:
                yield f"'{text[3]}' is wider than its box"
        for other in texts[i + 1:]:
            if other[0] - text[0] > widest:
                break
            x0, y0, x1, y1 = area(other)
            if x0 < right and x1 > left and y0 < high and y1 > low:
                yield f"'{text[3]}' and '{other[3]}' overlap"


def overlaps(boxes):
    items = sorted(boxes.items(), key=lambda item: item[1])
    for i, (name, (_, low, right, high)) in enumerate(items):
        for other, (left, bottom, _, top) in items[i + 1:]:
            if left >= right:
                break
            if bottom < high and top > low:
                yield f"the boxes {name} and {other} overlap"


def missing_parts(picture, machine):
    """Compares the numbers of nodes and links with those of the description."""
    nodes = sum(kind["number"] for kind in machine["nodes"])
    tooltips = [tooltip for name, *tooltip in picture.tooltips if name not in picture.hubs]
    if any(tooltips):
        drawn = [tuple(map(int, re.findall(r"\d+", tooltip[0]))) for tooltip in tooltips]
        if sum(endpoints for endpoints, _ in drawn) != machine["endpoints"]:
            yield f"{sum(endpoints for endpoints, _ in drawn)} of {machine['endpoints']} endpoints are drawn"
        if sum(number for _, number in drawn) != nodes:
            yield f"{sum(number for _, number in drawn)} of {nodes} nodes are drawn"
        return
    if len(tooltips) != nodes:
        yield f"{len(tooltips)} of {nodes} nodes are drawn"
    links = 0
    for *_, direction, tooltip in picture.lines:
        number = int((re.match(r"(\d+) links, ", tooltip or "") or [0, 1])[1])
        links += number * {"both": 2, "none": 0}.get(direction, 1)
    for text in picture.texts:
        for factor, number in re.findall(r"pairs: (?:(2) x )?(\d+) links?", text[3]):
            links += int(number) * int(factor or 1)
    present = sum(kind["number"] for kind in machine["links"] if kind["present"])
    if links != present:
        yield f"{links} of {present} links are drawn"
    absent = any(not kind["present"] for kind in machine["links"])
    if absent != any(direction == "none" and tooltip for *_, direction, tooltip in picture.lines):
        yield "missing links are not drawn" if absent else "links are drawn as missing"


def problems(folder, bin, name, arguments):
    dot, svg = folder / f"{name}.dot", folder / f"{name}.svg"
    result = subprocess.run([bin / "cclc", "targets", "describe", *arguments, "--json", "--dump", dot],
                            capture_output=True, text=True)
    if result.returncode != 0:
        yield result.stderr.strip()
        return
    picture = read_dot(dot.read_text())
    yield from missing_parts(picture, json.loads(result.stdout))
    pictures = [picture]
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg", "-o", svg, dot], check=True, capture_output=True)
        pictures.append(read_svg(svg.read_text()))
        if len(pictures[1].boxes) != len(picture.boxes) or len(pictures[1].lines) != len(picture.lines):
            yield "graphviz draws other parts"
    for one in pictures:
        yield from overlaps(one.boxes)
        yield from line_faults(one)
        yield from name_faults(one)


def machines(folder, bin):
    """Names and the arguments of `cclc targets describe`."""
    for target in BUNDLED + SIZES:
        yield re.sub(r"\W+", "-", target), target.split()
    for name, target in SHAPES.items():
        (folder / f"{name}.json").write_text(json.dumps(target))
        yield name, [folder / f"{name}.json"]
    files = {IMPORTS / name: options for name, options in FILES.items()}
    corpus = os.environ.get("CCLC_CORPUS")
    if corpus:
        files |= {path: "" for path in sorted(pathlib.Path(corpus, "topology").glob("*"))
                  if path.suffix in (".xml", ".ibnetdiscover") and "<algo" not in path.read_text()}
        for path in sorted(pathlib.Path(corpus, "machines").glob("*.json")):
            yield f"corpus-{path.stem}", [path]
    for path, options in files.items():
        target = folder / f"import-{path.name}.json"
        result = subprocess.run([bin / "cclc", "targets", "import", path, *options.split(), "-o", target],
                                capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"{path.name}: {result.stderr}")
        yield f"import-{path.name}", [target]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    failed = number = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        for name, target in machines(folder, arguments.bin):
            if arguments.only not in name:
                continue
            number += 1
            found = list(problems(folder, arguments.bin, name, target))
            failed += bool(found)
            for problem in found[:5]:
                print(f"{name}: {problem}")
            if len(found) > 5:
                print(f"{name}: {len(found) - 5} more")
    print(f"{number} pictures, {failed} with errors")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
