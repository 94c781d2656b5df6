# A ring with a threadblock for each channel.
import argparse

from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import AllReduce


def ring(size, channels, instances, protocol):
    with MSCCLProgram("ring", fully_connected(size), AllReduce(size, size, True), instances, protocol=protocol,
                      threadblock_policy=ThreadblockPolicy.manual):
        def via(index):
            return dict(ch=index % channels, sendtb=index % channels, recvtb=index % channels)

        for step in range(size - 1):
            for index in range(size):
                total = chunk((index + step + 1) % size, Buffer.input, index)
                total.reduce(chunk((index + step) % size, Buffer.input, index), **via(index))
        for step in range(-1, size - 2):
            for index in range(size):
                chunk((index + step) % size, Buffer.input, index).copy((index + step + 1) % size, **via(index))
        XML()
        Check()


parser = argparse.ArgumentParser()
parser.add_argument("size", type=int)
parser.add_argument("channels", type=int)
parser.add_argument("instances", type=int)
parser.add_argument("--protocol", default="Simple", choices=["Simple", "LL", "LL128"])
args = parser.parse_args()
ring(args.size, args.channels, args.instances, args.protocol)
