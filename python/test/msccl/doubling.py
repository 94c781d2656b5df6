import sys

from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import AllGather

size = int(sys.argv[1])
with MSCCLProgram("doubling", fully_connected(size), AllGather(size, 1, True), 1,
                  threadblock_policy=ThreadblockPolicy.manual):
    count, step = 1, 0
    while count < size:
        for rank in range(size):
            peer, index = rank ^ count, rank // count * count
            chunk(rank, Buffer.output, index, count).copy(peer, Buffer.output, index, sendtb=3 * step, recvtb=3 * step)
        count, step = count * 2, step + 1
    XML()
    Check()
