"""Writes a plan as text IR with the first two steps of every threadblock exchanged."""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
text = re.sub(r"0: (.*)\n( *)1: (.*)\n", r"0: \3\n\g<2>1: \1\n", text)
open(sys.argv[2], "w", encoding="utf-8").write(text)
