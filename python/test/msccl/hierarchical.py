# Reductions in rings of nodes, then across them, and back.
import argparse

from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import AllReduce


def reduce_around(size, offset, step, first, stride, channel):
    for part in range(size):
        index = part * stride + first
        for hop in range(size - 1):
            source = chunk(((hop + 1 + part) % size) * step + offset, Buffer.input, index, 1)
            total = chunk(((hop + 2 + part) % size) * step + offset, Buffer.input, index, 1)
            total.reduce(source, ch=channel)


def gather_around(size, offset, step, first, stride, channel):
    for part in range(size):
        index = part * stride + first
        for hop in range(size - 1):
            mine = chunk(((hop + part) % size) * step + offset, Buffer.input, index, 1)
            mine.copy(((hop + 1 + part) % size) * step + offset, Buffer.input, index, ch=channel)


def hierarchical(gpus, nodes, instances, protocol, schedule):
    manual = schedule == "manual"
    with MSCCLProgram("hierarchical", fully_connected(gpus * nodes), AllReduce(gpus * nodes, gpus * nodes, True),
                      instances, protocol=protocol, interleaved_replication=False):
        for node in range(nodes):
            for k in range(nodes):
                reduce_around(gpus, node * gpus, 1, k, nodes, k if manual else -1)
        for g in range(gpus):
            reduce_around(nodes, g, gpus, g * nodes, 1, g % 2 + nodes * 2 if manual else -1)
        for g in range(gpus):
            gather_around(nodes, g, gpus, g * nodes, 1, g % 2 + nodes * 2 if manual else -1)
        for node in range(nodes):
            for k in range(nodes):
                gather_around(gpus, node * gpus, 1, k, nodes, k + nodes if manual else -1)
        XML()
        Check()


parser = argparse.ArgumentParser()
parser.add_argument("gpus", type=int)
parser.add_argument("nodes", type=int)
parser.add_argument("instances", type=int)
parser.add_argument("--protocol", default="Simple")
parser.add_argument("--schedule", default="auto")
args = parser.parse_args()
hierarchical(args.gpus, args.nodes, args.instances, args.protocol, args.schedule)
