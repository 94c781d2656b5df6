#!/usr/bin/env python3
"""Runs the tests of the package of Python.

usage: run_tests.py --bin DIR --package DIR [--preload FILE]

DIR has the tools, and the built package; FILE is the run-time of AddressSanitizer if these have it. Exits with 77 where
NumPy or pytest is not installed.
"""

import argparse
import importlib.util
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def python_with(preload, folder):
    """A Python with a library that the tools which it starts do not get, as they would by LD_PRELOAD."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loader = next(line.split()[-1] for line in maps if "/ld-linux" in line)
    python = folder / "python3"
    words = [loader, "--argv0", str(python), "--preload", preload, sys.executable]
    python.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--preload")
    args = parser.parse_args()
    for module in ("numpy", "pytest"):
        if not importlib.util.find_spec(module):
            print(f"{module} is not installed")
            sys.exit(77)
    environment = dict(os.environ, CCLC_BIN=str(args.bin), PYTHONPATH=str(args.package.parent),
                       PYTHONDONTWRITEBYTECODE="1")
    if args.preload:
        # Python leaves memory at its end, and releases of the module do not pair with allocations in libstdc++.
        environment.update(PYTHONMALLOC="malloc", ASAN_OPTIONS="detect_leaks=0:alloc_dealloc_mismatch=0")
    with tempfile.TemporaryDirectory() as folder:
        python = python_with(args.preload, pathlib.Path(folder)) if args.preload else sys.executable
        tests = pathlib.Path(__file__).resolve().parent
        done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests], check=False,
                              env=environment)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
