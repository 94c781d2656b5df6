"""Exchanges the numbers of the last two threadblocks of rank 0 of a plan as text IR, in place."""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
rank = re.search(r"  rank 0 \{\n.*?\n  \}\n", text, re.DOTALL).group()
blocks = re.findall(r"    tb \d+ .*?\n    \}\n", rank, re.DOTALL)
last, other = len(blocks) - 1, len(blocks) - 2
blocks[last], blocks[other] = blocks[other], blocks[last]
swapped = {str(last): str(other), str(other): str(last)}
body = "".join(re.sub(r"dep tb(\d+)", lambda m: "dep tb" + swapped.get(m[1], m[1]), block)
               for block in blocks)
body = re.sub(r"(?m)^    tb (\d+)", lambda m: "    tb " + swapped.get(m[1], m[1]), body)
text = text.replace(rank, "  rank 0 {\n" + body + "  }\n")
open(sys.argv[1], "w", encoding="utf-8").write("// kept\n" + text)
