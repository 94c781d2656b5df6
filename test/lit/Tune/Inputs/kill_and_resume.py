"""Kills a run of ccl-tune after its first results, and repeats it: the output must be as expected.

usage: kill_and_resume.py FOLDER EXPECTED COMMAND...
"""

import pathlib
import signal
import subprocess
import sys
import time

folder, expected = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
command = sys.argv[3:] + ["--resume", str(folder)]

run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while run.poll() is None and not any(folder.glob("measures/*.json")):
    time.sleep(0.001)
run.send_signal(signal.SIGKILL)
run.wait()
# The run may have been faster than the signal: a later one finds only every second result.
for number, path in enumerate(sorted(folder.glob("measures/*.json"))):
    if number % 2:
        path.unlink()
found = {path: path.read_text() for path in folder.glob("measures/*.json")}
assert found, "no results"
output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
assert output == expected.read_text(), output
for path, text in found.items():
    assert path.exists(), path
assert len(list(folder.glob("measures/*.json"))) > len(found)
