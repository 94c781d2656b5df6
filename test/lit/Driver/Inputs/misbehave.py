"""Runs misbehaves.cpp in the ways that stdin lists, one a line: [VARIABLE=VALUE] [OPTION]...; prints exit codes
and messages."""
import os
import subprocess
import sys

for line in sys.stdin:
    words = line.split()
    variables = dict(word.split("=") for word in words if word.startswith("MISBEHAVE="))
    options = [word for word in words if not word.startswith("MISBEHAVE=")]
    # A program that is stopped never returns, so what it allocated is not freed.
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"}
    run = subprocess.run(["cclc", "misbehaves.cpp", "-o", "out.json", *options],
                         env={**os.environ, **leaks, **variables},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{' '.join(words)}: exit code {run.returncode}")
    print(run.stdout, end="")
