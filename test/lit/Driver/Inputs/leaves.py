"""Prints the output of ibnetdiscover for 31 leaves with 18 hosts each and 18 spines, without 26 uplinks.

The cable of port 19 + s of leaf l ends at port l + 1 of spine s. With an argument all are present.
"""
import sys

LEAVES, HOSTS, SPINES, MISSING = 31, 18, 18, 26
absent = set() if sys.argv[1:] else {(l, (5 * l) % SPINES) for l in range(2, 2 + MISSING)}


def switch(kind, number, ports):
    print(f'switchguid=0x{kind}{number}({kind}{number})\nSwitch\t36 "S-{kind}{number}"\t# "{kind}{number}" enhanced port 0')
    for port, (peer, back, name) in sorted(ports.items()):
        print(f'[{port}]\t"{peer}"[{back}]\t# "{name}" lid 1 4xEDR')
    print()


cables = [(l, s) for l in range(LEAVES) for s in range(SPINES) if (l, s) not in absent]
for leaf in range(LEAVES):
    hosts = {h + 1: (f"H-n{leaf}h{h}", 1, f"n{leaf}h{h} mlx5_0") for h in range(HOSTS)}
    up = {19 + s: (f"S-spine{s}", leaf + 1, f"spine{s}") for l, s in cables if l == leaf}
    switch("leaf", leaf, hosts | up)
for spine in range(SPINES):
    switch("spine", spine, {l + 1: (f"S-leaf{l}", 19 + spine, f"leaf{l}") for l, s in cables if s == spine})
for leaf in range(LEAVES):
    for host in range(HOSTS):
        print(f'caguid=0x{leaf}{host}\nCa\t1 "H-n{leaf}h{host}"\t# "n{leaf}h{host} mlx5_0"')
        print(f'[1](1)\t"S-leaf{leaf}"[{host + 1}]\t# lid 1 lmc 0 "leaf{leaf}" lid 2 4xEDR\n')
