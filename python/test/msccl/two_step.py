import argparse

from msccl.language import *
from msccl.topologies import *
from msccl.topologies.distributed import *
from msccl.language.collectives import AllToAll


def two_step(nodes, gpus):
    def rank(node, gpu):
        return node * gpus + gpu

    local = fully_connected(gpus)
    topology = distributed_fully_connected(local, nodes, 25)
    with MSCCLProgram("two step", topology, AllToAll(nodes * gpus, 1, inplace=False), 1):
        for source in range(nodes):
            for distance in range(1, nodes):
                target = (source + distance) % nodes
                for g in range(gpus):
                    for h in range(gpus):
                        c = chunk(rank(source, g), Buffer.input, rank(target, h))
                        c.copy(rank(source, h), f"copy_{target}")
            for distance in range(1, nodes):
                target = (source + distance) % nodes
                for g in range(gpus):
                    channel = (source + target) % gpus * 2 + rank(source, g) % 2 + 2
                    c = chunk(rank(source, g), f"copy_{target}", 0, gpus)
                    c.copy(rank(target, g), Buffer.output, c.get_dst_index(), ch=channel)
        for r in range(nodes * gpus):
            for g in range(gpus):
                c = chunk(r, Buffer.input, r // gpus * gpus + g)
                c.copy(c.get_dst_rank(), Buffer.output, c.get_dst_index())
        XML()
        Check()


parser = argparse.ArgumentParser()
parser.add_argument("nodes", type=int)
parser.add_argument("gpus", type=int)
args = parser.parse_args()
two_step(args.nodes, args.gpus)
