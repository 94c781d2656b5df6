"""Runs commands whose standard output cannot be written: each must end with exit code 2, and one
line on stderr unless the reader of a pipe has closed it. Commands are read from stdin, one per line."""
import os
import shlex
import subprocess
import sys


def pipe_without_reader():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


# The output, a function that subprocess calls in the child, and the expected message.
OUTPUTS = {
    "full disk": (lambda: os.open("/dev/full", os.O_WRONLY), None, "No space left on device"),
    "closed": (lambda: os.open("/dev/null", os.O_WRONLY), lambda: os.close(1), "Bad file descriptor"),
    "no reader": (pipe_without_reader, None, None),
}
wrong = 0
for line in filter(None, map(str.strip, sys.stdin)):
    for name, (open_output, prepare, reason) in OUTPUTS.items():
        output = open_output()
        run = subprocess.run(shlex.split(line), stdout=output, stderr=subprocess.PIPE, text=True,
                             preexec_fn=prepare, restore_signals=False)
        os.close(output)
        tool = line.split()[0]
        expected = [f"{tool}: error: cannot write standard output: {reason}"] if reason else []
        # Errors of an incorrect plan are located at the lines of its program.
        said = [text for text in run.stderr.splitlines() if not text.startswith("programs/")]
        if run.returncode != 2 or said != expected:
            wrong += 1
            print(f"{line} ({name}): exit code {run.returncode}, stderr: {run.stderr!r}")
print(f"{wrong} wrong")
sys.exit(wrong > 0)
