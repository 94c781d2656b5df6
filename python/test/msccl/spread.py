# A collective of the script: rank 0 sends a chunk to ranks 1 and 2, or to rank 1, which sends it on.
import sys

from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import Collective


class Spread(Collective):
    def init_buffers(self):
        size = self.chunk_factor
        return [{Buffer.input: [Chunk(rank, c, -1, c) if rank == 0 else None for c in range(size)],
                 Buffer.output: [None] * size} for rank in range(self.num_ranks)]

    def check(self, prog):
        found = [prog.buffers[rank][Buffer.output][c] for rank in range(1, self.num_ranks)
                 for c in range(self.chunk_factor)]
        return all(each is not None and each.origin_rank == 0 for each in found)


def spread(way):
    with MSCCLProgram("spread", fully_connected(3), Spread(3, 1, inplace=False), instances=1):
        first = chunk(0, Buffer.input, 0)
        second = first.copy(1, buffer=Buffer.output, index=0, sendtb=1, recvtb=1, ch=0)
        if way != "one":
            (first if way == "star" else second).copy(2, Buffer.output, 0, sendtb=2, recvtb=1, ch=1)
        XML()
        assert Check()


spread(sys.argv[1])
