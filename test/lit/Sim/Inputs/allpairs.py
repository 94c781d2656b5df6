"""Prints an all-pairs all-reduce as MSCCL XML: every rank sends each other rank its block, reduces
its own block with one threadblock per chunk, and sends the result to all other ranks.

allpairs.py RANKS PROTOCOL INSTANCES
"""

import sys

ranks, protocol, instances = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])


def allpairs():
    chunks = ranks * ranks * instances
    print(f'<algo name="allpairs" proto="{protocol}" nchannels="{instances}" '
          f'nchunksperloop="{chunks}" ngpus="{ranks}" coll="allreduce" inplace="1" '
          f'outofplace="0" minBytes="0" maxBytes="0">')
    for rank in range(ranks):
        print(f'  <gpu id="{rank}" i_chunks="{chunks}" o_chunks="0" '
              f's_chunks="{(ranks - 1) * ranks * instances}">')
        for instance in range(instances):
            for member in range(ranks):
                threadblock(rank, instance, member)
        print("  </gpu>")
    print("</algo>")


def threadblock(rank, instance, member):
    """Member 0 only reduces; the others exchange messages with one peer each as well."""
    first = instance * ranks  # threadblock
    base, scratch = instance * ranks * ranks, instance * (ranks - 1) * ranks
    peers = [p for p in range(ranks) if p != rank]
    peer = peers[member - 1] if member else -1
    steps = []

    def step(kind, src, dst, count, dep=None, published=0):
        dep = dep or (-1, -1)
        steps.append(f'      <step s="{len(steps)}" type="{kind}" srcbuf="{src[0]}" '
                     f'srcoff="{src[1]}" dstbuf="{dst[0]}" dstoff="{dst[1]}" cnt="{count}" '
                     f'depid="{dep[0]}" deps="{dep[1]}" hasdep="{published}"/>')

    def waits(deps):
        """Writes all but the last as nop; returns the last."""
        for dep in deps[:-1]:
            step("nop", ("i", -1), ("o", -1), 0, dep)
        return deps[-1] if deps else None

    others = [m for m in range(1, ranks) if m != member]
    if member:
        at = [p for p in range(ranks) if p != peer].index(rank)
        step("s", ("i", base + peer * ranks), ("s", scratch + at * ranks), ranks)
        at = ("s", scratch + (member - 1) * ranks)
        step("r", ("i", base + rank * ranks), at, ranks, None, 1)
    dep = waits([(first + m, 1) for m in others])
    mine = ("i", base + rank * ranks + member)
    for q in range(ranks - 1):
        step("re", ("s", scratch + q * ranks + member), mine, 1, dep if q == 0 else None,
             int(q == ranks - 2))
    if member:
        def last_reduction(m):
            served = 2 if m else 0
            return served + len([k for k in range(1, ranks) if k != m]) - 1 + ranks - 2
        dep = waits([(first + m, last_reduction(m)) for m in range(ranks) if m != member])
        place = ("i", base + rank * ranks)
        step("s", place, place, ranks, dep)
        place = ("i", base + peer * ranks)
        step("r", place, place, ranks)
    print(f'    <tb id="{first + member}" send="{peer}" recv="{peer}" chan="{instance}">')
    print("\n".join(steps))
    print("    </tb>")


allpairs()
