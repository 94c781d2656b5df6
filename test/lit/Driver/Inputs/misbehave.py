"""Runs misbehaves.cpp with the settings on stdin, one run per line: [VARIABLE=VALUE] [OPTION]...; prints exit
codes and messages."""
import os
import subprocess
import sys

for line in sys.stdin:
    words = line.split()
    variables = dict(word.split("=") for word in words if word.startswith("MISBEHAVE="))
    options = [word for word in words if not word.startswith("MISBEHAVE=")]
    # A stopped program never returns, so its memory is not freed.
    leaks = {"ASAN_OPTIONS": "detect_leaks=0"}
    run = subprocess.run(["cclc", "misbehaves.cpp", *([] if "-o" in options else ["-o", "out.json"]), *options],
                         env={**os.environ, **leaks, **variables},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{' '.join(words)}: exit code {run.returncode}")
    print(run.stdout, end="")
