#!/usr/bin/env python3
"""Compile and prove every file of a folder of user programs through cclc, with default parameters.

usage: compile_examples.py --bin DIR FOLDER
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    wrong = []
    files = sorted(args.folder.rglob("*.cpp"))
    with tempfile.TemporaryDirectory() as scratch:
        for file in files:
            plan = pathlib.Path(scratch) / f"{file.stem}.json"
            done = subprocess.run([args.bin / "cclc", file, "-o", plan], capture_output=True,
                                  text=True, check=False)
            if done.returncode == 0:
                done = subprocess.run([args.bin / "ccl-sim", "verify", plan],
                                      capture_output=True, text=True, check=False)
            # No diagnostics: in particular no note that a result was not checked.
            if done.returncode or done.stderr:
                wrong.append(f"{file}: exit code {done.returncode}\n{done.stderr}")
    print("".join(wrong) or f"{len(files)} programs are right")
    return bool(wrong) or len(files) < 29


if __name__ == "__main__":
    sys.exit(main())
