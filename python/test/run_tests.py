#!/usr/bin/env python3
"""Runs the tests of the package of Python.

usage: run_tests.py --bin DIR --package DIR

DIR has the tools, and the built package. Exits with 77 where NumPy or pytest is not installed.
"""

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--package", type=pathlib.Path, required=True)
    args = parser.parse_args()
    for module in ("numpy", "pytest"):
        if not importlib.util.find_spec(module):
            print(f"{module} is not installed")
            sys.exit(77)
    environment = dict(os.environ, CCLC_BIN=str(args.bin), PYTHONPATH=str(args.package.parent),
                       PYTHONDONTWRITEBYTECODE="1")
    tests = pathlib.Path(__file__).resolve().parent
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests], check=False,
                          env=environment)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
