"""Buffers and chunks as scripts see them: what the checks of their collectives look at."""

import enum


class Buffer(enum.Enum):
    """The buffers of a rank; any text names a further one, of scratch."""

    input = "i"
    output = "o"
    scratch = "s"

    __hash__ = object.__hash__  # that of an enumeration is a function of Python


class ThreadblockPolicy(enum.Enum):
    """Whether the numbers of threadblocks are those of the script."""

    auto = 0
    manual = 1


class Chunk:
    """An input chunk of a rank, and where its collective wants it."""

    def __init__(self, origin_rank, origin_index, dst_rank=-1, dst_index=-1):
        self.origin_rank, self.origin_index, self.dst_rank, self.dst_index = (
            origin_rank, origin_index, dst_rank, dst_index)

    @property
    def origins(self):
        """The contributions of a value: here one."""
        return [(self.origin_rank, self.origin_index)]

    def reduce(self, dst, chunk):
        """The sum with another value, made on rank dst."""
        return ReduceChunk(dst, (self, chunk))

    def __eq__(self, other):
        return type(other) is Chunk and self.origins == other.origins

    def __lt__(self, other):
        return self.origins < other.origins

    def __hash__(self):
        return hash((self.origin_rank, self.origin_index))

    def __repr__(self):
        return (f"Chunk(origin_rank={self.origin_rank}, origin_index={self.origin_index}, "
                f"dst_rank={self.dst_rank}, dst_index={self.dst_index})")


class ReduceChunk:
    """A sum of chunks, in which a contribution can be twice."""

    def __init__(self, creation_rank, chunks):
        self.creation_rank, self._terms, self._chunks = creation_rank, tuple(chunks), None

    @property
    def chunks(self):
        """All chunks of the sum. They are collected at the first use."""
        if self._chunks is None:
            self._chunks, rest = [], list(self._terms)
            while rest:
                term = rest.pop()
                if isinstance(term, ReduceChunk):
                    rest += term._terms if term._chunks is None else term._chunks
                else:
                    self._chunks.append(term)
        return self._chunks

    @property
    def origins(self):
        return sorted((chunk.origin_rank, chunk.origin_index) for chunk in self.chunks)

    def reduce(self, dst, chunk):  # pylint: disable=unused-argument
        """The sum with another value."""
        return ReduceChunk(self.creation_rank, (self, chunk))

    def sort(self):
        self.chunks.sort()

    def __eq__(self, other):
        return isinstance(other, ReduceChunk) and self.origins == other.origins

    def __hash__(self):
        return hash(tuple(self.origins))

    def __repr__(self):
        return f"ReduceChunk(creation_rank={self.creation_rank}, chunks={sorted(self.chunks)})"


class Scratch(list):
    """A named buffer, which grows when it is written; other cells are None."""

    def instance_size(self):
        return len(self)

    def reach(self, size):
        """Makes it at least as long as size."""
        self.extend([None] * (size - len(self)))
