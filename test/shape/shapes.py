"""Plans whose times are compared with published ones, and their times on a target."""

import json
import pathlib
import subprocess
import sys
import tempfile

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
RANKS = 8
ALLPAIRS = pathlib.Path(__file__).parent.parent / "lit" / "Sim" / "Inputs" / "allpairs.py"


class Shapes:
    """Times of all-reduces of 8 ranks, {bytes: microseconds}, and the problems that were found."""

    def __init__(self, bindir, target, sizes):
        self.bindir, self.target, self.sizes = pathlib.Path(bindir), target, sizes
        self.folder = tempfile.TemporaryDirectory()
        self.problems = []

    def times(self, plan):
        """Without the sizes at which the plan deadlocks."""
        done = subprocess.run([self.bindir / "ccl-sim", plan, "--target", self.target, "--sweep",
                               self.sizes, "--json", "-"], capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(done.stderr)
        return {row["bytes"]: row["time_ns"] / 1000 for row in json.loads(done.stdout)["results"]}

    def path(self, *parts):
        return pathlib.Path(self.folder.name) / ".".join(map(str, parts))

    def ring(self, protocol, instances, program="allreduce_ring"):
        plan = self.path(program, protocol, instances, "json")
        subprocess.run([self.bindir / "cclc", program, "--ranks", str(RANKS), "--protocol", protocol,
                        "--instances", str(instances), "-o", plan], check=True, capture_output=True)
        return self.times(plan)

    def pairs(self, protocol, instances):
        """Reduce-scatter and all-gather, in which each rank sends to each other one."""
        plan = self.path("pairs", protocol, instances, "xml")
        plan.write_text(subprocess.run([sys.executable, ALLPAIRS, str(RANKS), protocol,
                                        str(instances)], capture_output=True, text=True,
                                       check=True).stdout)
        return self.times(plan)

    def one_phase(self, protocol, instances):
        """Each rank sends its whole input to each other one, and reduces everything."""
        plan = self.path("one", protocol, instances, "xml")
        plan.write_text(one_phase(protocol, instances))
        return self.times(plan)

    def expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def within(self, share, got, published, what):
        """Compares two tables of times, by size."""
        for size, want in published.items():
            self.expect(size in got and abs(got[size] / want - 1) <= share,
                        f"{what}, {size} bytes: {got.get(size)} us, published {want} us")

    def finish(self):
        print("\n".join(self.problems))
        sys.exit(bool(self.problems))


def one_phase(protocol, instances):
    """Threadblock m of an instance exchanges the chunks of the instance with one peer (except for m
    = 0), and reduces chunk m when all exchanges of its instance are complete."""
    chunks = RANKS * instances
    lines = [f'<algo name="one_phase" proto="{protocol}" nchannels="{instances}" '
             f'nchunksperloop="{chunks}" ngpus="{RANKS}" coll="allreduce" inplace="1" '
             f'outofplace="0" minBytes="0" maxBytes="0">']
    for rank in range(RANKS):
        lines.append(f'<gpu id="{rank}" i_chunks="{chunks}" o_chunks="0" '
                     f's_chunks="{(RANKS - 1) * chunks}">')
        for tb in range(chunks):
            peer, steps = one_phase_steps(rank, tb // RANKS, tb % RANKS, instances)
            lines.append(f'<tb id="{tb}" send="{peer}" recv="{peer}" chan="{tb // RANKS}">')
            lines += [f'<step s="{s}" {step}/>' for s, step in enumerate(steps)] + ["</tb>"]
        lines.append("</gpu>")
    return "\n".join(lines + ["</algo>"])


def one_phase_steps(rank, instance, member, instances):
    """The peer of a threadblock and its steps. The scratch of a rank has a place for the input of
    each other rank, in their order."""
    first, chunks = instance * RANKS, RANKS * instances
    peers = [p for p in range(RANKS) if p != rank]
    steps = []

    def step(kind, src, dst, count, wait=(-1, -1), published=0):
        steps.append(f'type="{kind}" srcbuf="{src[0]}" srcoff="{src[1]}" dstbuf="{dst[0]}" '
                     f'dstoff="{dst[1]}" cnt="{count}" depid="{wait[0]}" deps="{wait[1]}" '
                     f'hasdep="{published}"')

    def place(owner, sender):
        return ("s", (sender - (sender > owner)) * chunks + first)

    peer = peers[member - 1] if member else -1
    if member:
        step("s", ("i", first), place(peer, rank), RANKS)
        step("r", ("i", first), place(rank, peer), RANKS, published=1)
    waits = [(first + other, 1) for other in range(1, RANKS) if other != member]
    for wait in waits[1:]:
        step("nop", ("i", -1), ("o", -1), 0, wait)
    for n, sender in enumerate(peers):
        buffer, at = place(rank, sender)
        step("re", (buffer, at + member), ("i", first + member), 1, waits[0] if n == 0 else (-1, -1))
    return peer, steps
