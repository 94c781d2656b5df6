"""Writes a plan as text IR in which every threadblock has its first two steps the other way round."""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
text = re.sub(r"0: (.*)\n( *)1: (.*)\n", r"0: \3\n\g<2>1: \1\n", text)
open(sys.argv[2], "w", encoding="utf-8").write(text)
