"""Rings of scripts."""

from cclc.msccl.chunks import Buffer
from cclc.msccl.language import chunk


def allgather_ring_inplace(gpus, gpu_offset=0, index_offset=0, ch=0):
    """Passes the chunk of each rank around a ring of successive ranks."""
    for step in range(gpus - 1):
        for index in range(gpus):
            rank, following = ((index + step + hop) % gpus + gpu_offset for hop in (0, 1))
            chunk(rank, Buffer.input, index + index_offset).copy(following, Buffer.input, index + index_offset, ch=ch)


def allreduce_ring_inplace(gpus, gpu_offset=0, index_offset=0, ch=0):
    """Reduces each chunk around a ring of successive ranks, and passes the sum around it."""
    for step in range(gpus - 1):
        for index in range(gpus):
            rank, following = ((index + step + hop) % gpus + gpu_offset for hop in (0, 1))
            chunk(following, Buffer.input, index + index_offset).reduce(
                chunk(rank, Buffer.input, index + index_offset), ch=ch)
    for step in range(-1, gpus - 2):
        for index in range(gpus):
            rank, following = ((index + step + hop) % gpus + gpu_offset for hop in (0, 1))
            chunk(rank, Buffer.input, index + index_offset).copy(following, Buffer.input, index + index_offset, ch=ch)
