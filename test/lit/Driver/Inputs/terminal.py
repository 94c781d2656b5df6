"""Runs a command on a pseudo-terminal and counts the escape sequences that it writes.

usage: terminal.py TERM COMMAND...
"""

import os
import pty
import sys

written = []


def read(fd):
    data = os.read(fd, 4096)
    written.append(data)
    return data


os.environ.pop("NO_COLOR", None)
os.environ["TERM"] = sys.argv[1]
if not sys.argv[1]:
    del os.environ["TERM"]
pty.spawn(sys.argv[2:], read)
print(f"\n{b''.join(written).count(27)} escape sequences")
