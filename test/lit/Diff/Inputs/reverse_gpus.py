"""Writes the gpu elements of an MSCCL XML file in reverse order."""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
gpus = re.findall(r"  <gpu .*?</gpu>\n", text, re.DOTALL)
head, tail = text.split(gpus[0])[0], text.split(gpus[-1])[1]
open(sys.argv[2], "w", encoding="utf-8").write(head + "".join(reversed(gpus)) + tail)
