#!/usr/bin/env python3
"""Reads the plans of every version, in all forms (test/versions).

usage: check_versions.py BIN

Each has the version of its folder in its bytes, is proved with the reduction order that it had then,
and stays equivalent in every form of today. There is a plan for every version before that of the tools.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# The order of reductions, as printed when the file was added.
RING = "3df31d5702188f33"
HASHES = {("v1", "ring.json"): RING, ("v1", "ring.ccl"): RING, ("v1", "ring.bin"): RING,
          ("v2", "ring.json"): "014dfbe90353da41", ("v2", "next.ccl"): "2d00dbce662cf06f", ("v2", "ring.bin"): RING,
          ("v3", "ring.json"): RING, ("v3", "ring.ccl"): RING, ("v3", "ring.bin"): RING,
          # The proof of a rolled plan has no hash.
          ("v4", "ring.json"): None, ("v4", "ring.ccl"): None, ("v4", "ring.bin"): None,
          ("v5", "ring.json"): RING, ("v5", "ring.ccl"): RING, ("v5", "ring.bin"): RING,
          ("v6", "switch.json"): "036c1e52d5dd32f1", ("v6", "switch.ccl"): "036c1e52d5dd32f1", ("v6", "switch.bin"): "036c1e52d5dd32f1"}


def version_in(path):
    data = path.read_bytes()
    if path.suffix == ".bin":
        return struct.unpack("<I", data[8:12])[0]
    return int(re.search(rb'^(?:"version":|ccl\.version) (\d+)', data, re.MULTILINE).group(1))


def output(*command, code=0):
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check(tools, folder):
    future = folder / "future.ccl"
    future.write_text("ccl.version 4000000\n")
    newest = int(re.search(r"reads up to (\d+)", output(tools / "ccl-opt", future, code=2)).group(1))
    files = {(path.parent.name, path.name): path for path in sorted(HERE.glob("v*/*"))}
    if set(files) != set(HASHES):
        sys.exit(f"files and expected hashes differ: {sorted(set(files) ^ set(HASHES))}")
    for version in range(1, newest):
        forms = {pathlib.Path(name).suffix for place, name in files if place == f"v{version}"}
        if forms != {".json", ".ccl", ".bin"}:
            sys.exit(f"test/versions/v{version} has {sorted(forms)}, not one plan in each form")
    for (place, name), path in files.items():
        if version_in(path) != int(place[1:]):
            sys.exit(f"{path} has version {version_in(path)}")
        text = output(tools / "ccl-sim", "verify", path)
        known = HASHES[place, name]
        verdict = text.removesuffix(", same bits on all ranks\n").rstrip("\n")  # of an all-reduce
        if not verdict.endswith(f"reduction hash {known}" if known else "ok with 4 slots, needs 2"):
            sys.exit(text)
        for form in ("json", "text", "bin"):
            now = folder / f"now.{form}"
            output(tools / "cclc", "convert", path, "--emit", form, "-o", now)
            output(tools / "ccl-diff", path, now)
    return f"{len(files)} plans of {len({place for place, _ in files})} versions; the tools read up to {newest}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        print(check(pathlib.Path(sys.argv[1]), pathlib.Path(scratch)))
