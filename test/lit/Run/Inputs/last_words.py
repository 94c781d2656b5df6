"""Runs a job whose rank 1 is at fault: the last words of ccl-run name this rank, and no other is said to be lost.

The launcher sometimes ends before it has passed on the last words; they must arrive in one of five runs.
"""

import subprocess
import sys

texts = []
while len(texts) < 5 and not (texts and texts[-1].endswith("the job has ended because of rank 1")):
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ccl-run: ")]
    texts.append("\n".join(lines))
    if done.returncode == 0 or any("rank 0 does not" in line or "rank 0:" in line for line in lines):
        sys.exit(done.stdout)
if not texts[-1].endswith("the job has ended because of rank 1"):
    sys.exit("\n\n".join(texts))
