"""Compares an explanation with the statistics of the same compilation: FILE contains both."""

import json
import sys

decoder = json.JSONDecoder()
text = open(sys.argv[1]).read()
stats, end = decoder.raw_decode(text)
explanation, _ = decoder.raw_decode(text[end:].lstrip())
assert stats["format"] == "cclc-stats" and explanation["format"] == "cclc-explanation"

fused = {}
for remark in explanation["remarks"]:
    if remark["pass"] == "fuse":
        kind = remark["what"].split(",")[0] if remark["done"] else "left"
        fused[kind] = fused.get(kind, 0) + remark["count"]
for kind in ("rcs", "rrcs", "rrs"):
    assert fused.get(kind, 0) == stats["passes"]["fuse." + kind], (kind, fused, stats["passes"])
# One remark per send before fusion, which is one per message.
assert sum(fused.values()) == stats["messages"], (fused, stats["messages"])
taken = [c for d in explanation["decisions"] for c in d["choices"] if c["taken"]]
assert [int(c["figures"]["steps"]) for c in taken] == [stats["steps"]], (taken, stats["steps"])
