"""The collectives of scripts, and the base class of those that they define."""

from cclc.msccl.chunks import Buffer, Chunk, ReduceChunk


class Collective:
    """What ranks have before a program, and whether they have what they should have after it."""

    kind = "custom"  # of cclc

    def __init__(self, num_ranks, chunk_factor, inplace):
        self.num_ranks, self.chunk_factor, self.inplace = num_ranks, chunk_factor, inplace
        self.name = "custom"

    def init_buffers(self):
        """By rank, the lists of chunks of its buffers."""
        raise NotImplementedError("a collective defines init_buffers()")

    def check(self, prog):
        """Whether prog.buffers[rank][Buffer.output] has what the collective wants."""
        raise NotImplementedError("a collective defines check(prog)")

    def get_buffer_index(self, rank, buffer, index):  # pylint: disable=unused-argument
        """The cell that a cell is, of buffers that share memory."""
        return buffer, index


def kind_of(collective):
    """The collective of cclc that an object is, or that a script names it: its definition is then that of cclc."""
    named = (AllGather, AllReduce, AllToAll, ReduceScatter)
    found = [each.kind for each in named if collective.name.replace("_", "") == each.kind]
    return found[0] if found else collective.kind


class Defined(Collective):
    """A collective of cclc, whose plans are proved by its definition: by rank, output() is what its output has."""

    def __init__(self, num_ranks, chunk_factor, inplace):
        super().__init__(num_ranks, chunk_factor, inplace)
        self.name = self.kind.replace("reducescatter", "reduce_scatter")

    def output(self, rank):
        raise NotImplementedError

    def outputs(self, prog, rank):
        """The cells of the output of a rank."""
        return prog.buffers[rank][Buffer.output]

    def check(self, prog):
        wrong = [(rank, index, wanted, found) for rank in range(self.num_ranks)
                 for index, (wanted, found) in enumerate(zip(self.output(rank), self.outputs(prog, rank)))
                 if found is None or found.origins != wanted]
        for rank, index, wanted, found in wrong:
            print(f"Rank {rank} chunk {index} is incorrect should be {wanted} given {found}")
        return not wrong

    def of_each(self, rank, count, dst=lambda index: (-1, index)):
        """The chunks of a rank's input."""
        return [Chunk(rank, index, *dst(index)) for index in range(count)]

    def all_ranks(self, index):
        return [(rank, index) for rank in range(self.num_ranks)]


class AllReduce(Defined):
    kind = "allreduce"

    def init_buffers(self):
        ranks = []
        for rank in range(self.num_ranks):
            data = self.of_each(rank, self.chunk_factor)
            ranks.append({Buffer.input: data, Buffer.output: data if self.inplace else [None] * self.chunk_factor})
        return ranks

    def output(self, rank):
        return [self.all_ranks(index) for index in range(self.chunk_factor)]

    def get_buffer_index(self, rank, buffer, index):
        return (Buffer.input if self.inplace and buffer is Buffer.output else buffer), index


class AllGather(Defined):
    kind = "allgather"

    def init_buffers(self):
        ranks, size = [], self.chunk_factor
        for rank in range(self.num_ranks):
            own = self.of_each(rank, size, lambda index, rank=rank: (-1, rank * size + index))
            output = [None] * (self.num_ranks * size)
            if self.inplace:
                output[rank * size:(rank + 1) * size] = own
            ranks.append({Buffer.input: own, Buffer.output: output})
        return ranks

    def output(self, rank):
        return [[(other, index)] for other in range(self.num_ranks) for index in range(self.chunk_factor)]

    def get_buffer_index(self, rank, buffer, index):
        if self.inplace and buffer is Buffer.input:
            return Buffer.output, index + rank * self.chunk_factor
        return buffer, index


class ReduceScatter(Defined):
    kind = "reducescatter"

    def init_buffers(self):
        ranks, size = [], self.chunk_factor
        for rank in range(self.num_ranks):
            data = self.of_each(rank, self.num_ranks * size, lambda index: (index // size, index % size))
            ranks.append({Buffer.input: data} if self.inplace else {Buffer.input: data, Buffer.output: [None] * size})
        return ranks

    def output(self, rank):
        return [self.all_ranks(rank * self.chunk_factor + index) for index in range(self.chunk_factor)]

    def outputs(self, prog, rank):
        if not self.inplace:
            return prog.buffers[rank][Buffer.output]
        return prog.buffers[rank][Buffer.input][rank * self.chunk_factor:(rank + 1) * self.chunk_factor]

    def get_buffer_index(self, rank, buffer, index):
        if self.inplace and buffer is Buffer.output:
            return Buffer.input, index + rank * self.chunk_factor
        return buffer, index


class AllToAll(Defined):
    kind = "alltoall"

    def init_buffers(self):
        ranks, size = [], self.chunk_factor
        for rank in range(self.num_ranks):
            data = self.of_each(rank, self.num_ranks * size,
                                lambda index, rank=rank: (index // size, index % size + rank * size))
            ranks.append({Buffer.input: data, Buffer.output: data if self.inplace else [None] * len(data)})
        return ranks

    def output(self, rank):
        return [[(other, rank * self.chunk_factor + index)] for other in range(self.num_ranks)
                for index in range(self.chunk_factor)]


__all__ = ["AllGather", "AllReduce", "AllToAll", "Buffer", "Chunk", "Collective", "ReduceChunk", "ReduceScatter"]
