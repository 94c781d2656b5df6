"""Prints a plan: rank 0 adds N chunks of three ranks, each when it has arrived in scratch, in one threadblock.

usage: long_sums.py N
"""

import sys

chunks = int(sys.argv[1])
print("ccl.version 3")
print(f"exec.program @long_sums coll reduce ranks 4 chunks {chunks} root r0 inplace slots 8 {{")
print(f"  rank 0 scratch {3 * chunks} {{\n    tb 0 ch 0 {{")
for c in range(chunks):
    for r in range(3):
        print(f"      {3 * c + r}: re s[{3 * c + r}] -> i[{c}] dep tb{r + 1}:{c}")
print("    }")
for r in range(3):
    print(f"    tb {r + 1} recv r{r + 1} ch 0 {{")
    for c in range(chunks):
        print(f"      {c}: r -> s[{3 * c + r}] pub")
    print("    }")
print("  }")
for r in range(1, 4):
    print(f"  rank {r} {{\n    tb 0 send r0 ch 0 {{")
    for c in range(chunks):
        print(f"      {c}: s i[{c}]")
    print("    }\n  }")
print("}")
