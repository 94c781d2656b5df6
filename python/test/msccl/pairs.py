# Every rank adds a part of all inputs, and sends the sum to all ranks.
import sys

from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import AllReduce

size = int(sys.argv[1])
with MSCCLProgram("pairs", fully_connected(size), AllReduce(size, size, True), 1,
                  threadblock_policy=ThreadblockPolicy.manual):
    for source in range(size):
        for target in range(size):
            if source != target:
                chunk(source, Buffer.input, target).copy(target, "scratch", sendtb=target, recvtb=source)
    for rank in range(size):
        count = size
        while count > 1:
            for n in range(count // 2):
                def operand(at):
                    return chunk(rank, Buffer.input, rank) if at == 0 else chunk(rank, "scratch", at - 1)
                operand(n).reduce(operand(n + (count + 1) // 2), sendtb=n)
            count = (count + 1) // 2
    for source in range(size):
        for target in range(size):
            if source != target:
                chunk(source, Buffer.input, source).copy(target, Buffer.input, source, sendtb=target, recvtb=source)
    XML()
    Check()
