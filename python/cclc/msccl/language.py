"""Programs of MSCCLang: `with MSCCLProgram(...)`, chunk(), copy() and reduce().

The operations of a script are recorded with their places, and made again by a program of cclc when XML() or Check()
asks for the plan. They are made by code of one line, compiled with the file and the line of the script, because a
program records the place of the innermost frame of Python.
"""

import contextvars
import sys
import warnings

import cclc
from cclc._places import shown
from cclc.msccl.chunks import Buffer, Chunk, ReduceChunk, Scratch, ThreadblockPolicy
from cclc.msccl.collectives import Defined, kind_of

_current = contextvars.ContextVar("program", default=None)
# Of XML(); python3 -m cclc.msccl sets it.
xml_dialect = "msccl"  # pylint: disable=invalid-name

_PACKAGE = __file__.rsplit("/", 1)[0]
_COPY = "lambda p, source, to, via: p.chunk(*source).copy(*to[:3], **via)"
_REDUCE = "lambda p, source, to, via: p.chunk(*to).reduce(p.chunk(*source), **via)"


def _place(depth=1):
    """The file and the line of the script that execute the call; the innermost frames are of this package."""
    frame = sys._getframe(depth)  # pylint: disable=protected-access
    while frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _at(place, text):
    """The function of the text, as if the line of the script had it."""
    file, line = place
    return eval(compile("(" + "\n" * (line - 1) + text + ")", file, "eval"))  # pylint: disable=eval-used


def refuse(text, place=None):
    """Raises the error of a script."""
    file, line = place or _place()
    raise cclc.ProgramError(f"{shown(file)}:{line}: {text}")


class MSCCLProgram:
    """A program of a script, in whose `with` block chunks are copied and reduced."""

    def __init__(self, name, topo, collective, instances, protocol="Simple",
                 threadblock_policy=ThreadblockPolicy.auto, interleaved_replication=True, instr_fusion=True,
                 check_xml=True, dependence_nop=False):  # pylint: disable=unused-argument
        self.name, self.topo, self.collective = name, topo, collective
        self.num_ranks, self.instances, self.protocol = topo.num_nodes(), instances, protocol
        self.layout = "interleaved" if interleaved_replication else "batched"
        self.manual = threadblock_policy is ThreadblockPolicy.manual
        self.fuse, self.place = instr_fusion, _place()
        self.buffers, self.kind = collective.init_buffers(), kind_of(collective)
        if self.kind == "custom" != collective.name:
            warnings.warn(f"{shown(self.place[0])}:{self.place[1]}: the collective '{collective.name}' is written as "
                          "custom: no runtime has one of this name", cclc.CclcWarning)
        if len(self.buffers) < self.num_ranks:
            refuse(f"the topology has {self.num_ranks} ranks, and the collective {len(self.buffers)}")
        self.operations, self.plan, self.token = [], None, None

    def __enter__(self):
        if _current.get():
            refuse("there is already a program, which has not ended")
        self.token = _current.set(self)
        return self

    def __exit__(self, kind, value, trace):
        _current.reset(self.token)

    def cells(self, rank, buffer):
        """The chunks of a buffer, made if it is scratch that does not exist yet."""
        if not 0 <= rank < self.num_ranks:
            refuse(f"rank {rank} is out of range: the program has {self.num_ranks} ranks")
        try:
            buffers = self.buffers[rank]
        except TypeError:
            refuse(f"rank {rank!r} is not an integer")
        if buffer not in buffers and buffer not in (Buffer.input, Buffer.output):
            buffers[buffer] = Scratch()
        return buffers[buffer]

    def add(self, text, source, to, directives):
        """Records an operation between two references, and sets the chunks that it makes."""
        place = _place(3)
        cells, chunks = self.cells(to.rank, to.buffer), self.cells(source.rank, source.buffer)
        if source.rank != to.rank and not self.topo.link(source.rank, to.rank):
            refuse(f"the topology has no link from rank {source.rank} to rank {to.rank}", place)
        end = to.index + to.size
        if isinstance(cells, Scratch):
            cells.reach(end)
        if not 0 <= source.index <= len(chunks) - source.size:
            refuse(f"{source.cells()} is out of range: the buffer has {len(chunks)} chunks", place)
        if not 0 <= to.index <= len(cells) - to.size:
            refuse(f"{to.cells()} is out of range: the buffer has {len(cells)} chunks", place)
        values = chunks[source.index:source.index + source.size]
        if text is _REDUCE:
            own = cells[to.index:end]
            if not all(values) or not all(own):
                refuse(f"a reduction of a chunk without a value: {source.cells()}, {to.cells()}", place)
            values = [mine.reduce(to.rank, value) for mine, value in zip(own, values)]
        cells[to.index:end] = values
        self.operations.append((text, place, source, to, directives))
        self.plan = None

    def threadblocks(self):
        """By rank, the dense numbers of the threadblocks that the script names."""
        named = [set() for _ in range(self.num_ranks)]
        for _, _, source, to, (send, recv, _) in self.operations:
            named[source.rank].add(send)
            if source.rank != to.rank:
                named[to.rank].add(recv)
        return [{number: dense for dense, number in enumerate(sorted(each - {-1}))} for each in named]

    def trace(self, p):
        """The program of cclc."""
        if self.kind != "custom":
            _at(self.place, "lambda p, size: p.chunks(size)")(p, self.collective.chunk_factor)
        else:
            self.expect(p)
        buffers = {Buffer.input: cclc.Input, Buffer.output: cclc.Output}
        for each in dict.fromkeys(ref.buffer for _, _, source, to, _ in self.operations for ref in (source, to)):
            if each not in buffers:
                buffers[each] = p.scratch(str(each))
        dense, lines = self.threadblocks() if self.manual else None, {}
        for text, place, source, to, (send, recv, channel) in self.operations:
            is_local = source.rank == to.rank
            via = {}
            if dense and send != -1:
                via["send_tb"] = dense[source.rank][send]
            if dense and recv != -1 and not is_local:
                via["recv_tb"] = dense[to.rank][recv]
            if channel != -1 and (not is_local or via):
                via["channel"] = channel
            if (place, text) not in lines:
                lines[place, text] = _at(place, text)
            try:
                lines[place, text](p, (source.rank, buffers[source.buffer], source.index, source.size),
                                   (to.rank, buffers[to.buffer], to.index, to.size), via)
            except TypeError as error:  # of a threadblock or a channel
                refuse(str(error), place)

    def expect(self, p):
        """Declares a collective of the script by the chunks that it has made, if the script finds them right."""
        if not self.collective.check(self):
            refuse("the check of the collective fails", self.place)
        # Runtimes have one number of chunks for both buffers.
        size = max(len(buffers.get(each, ())) for buffers in self.buffers for each in (Buffer.input, Buffer.output))
        _at(self.place, "lambda p, size: p.custom(size, size)")(p, size)
        for rank, buffers in enumerate(self.buffers):
            for index, value in enumerate(buffers.get(Buffer.output, ())):
                if value is not None:
                    p.expect(rank, index, value.origins)

    def compiled(self):
        """The proved plan."""
        if self.plan is None:
            in_place = self.collective.inplace and self.kind != "custom"
            algorithm = cclc.Algorithm(lambda p: self.trace(p), self.kind, {
                "name": self.name, "buffers": "in_place" if in_place else "out_of_place",
                "ranks": (1, self.num_ranks)}, {})
            try:
                self.plan = cclc.compile(algorithm, ranks=self.num_ranks, instances=self.instances,
                                         instance_layout=self.layout, protocol=self.protocol, O=2 if self.fuse else 0,
                                         emit="xml", xml_dialect=xml_dialect)
            except cclc.Error as error:  # of the whole program
                if error.messages and not error.messages[0].file:
                    error.args = (f"{shown(self.place[0])}:{self.place[1]}: {error}",)
                raise
        return self.plan

    def generate_xml(self):
        """The plan for the runtime, which is proved when it is compiled."""
        return self.compiled().convert("xml", xml_dialect=xml_dialect, verify=False)

    def check(self):
        """Whether the plan is right. The proof decides that for the collectives of cclc."""
        self.compiled()
        return isinstance(self.collective, Defined) or self.collective.check(self)


class Ref:
    """Successive chunks of a buffer of a rank."""

    __slots__ = ("rank", "buffer", "index", "size", "prog")

    def __init__(self, rank, buffer, index, size, prog):
        self.rank, self.buffer, self.index, self.size, self.prog = rank, buffer, index, size, prog

    def __repr__(self):
        return f"Ref(Buffer:{self.buffer}, Index:{self.index}, Size:{self.size}, Rank:{self.rank})"

    def __eq__(self, other):
        return isinstance(other, Ref) and self._place() == other._place()

    def __hash__(self):
        return hash(self._place())

    def _place(self):
        return self.rank, self.buffer, self.index, self.size

    def cells(self):
        """The chunks as messages show them, such as r0:i[1:3]."""
        name = self.buffer.value if isinstance(self.buffer, Buffer) else self.buffer
        end = f":{self.index + self.size}" if self.size != 1 else ""
        return f"r{self.rank}:{name}[{self.index}{end}]"

    def split(self, num):
        """num references of equal size."""
        if self.size % num:
            refuse(f"{self.size} chunks cannot be split into {num} parts")
        size = self.size // num
        return [Ref(self.rank, self.buffer, self.index + part * size, size, self.prog) for part in range(num)]

    def group(self, other):
        """The reference from the first chunk of both to the last one."""
        if (self.rank, self.buffer) != (other.rank, other.buffer):
            refuse(f"chunks of different buffers cannot be grouped: {self.cells()} and {other.cells()}")
        first = min(self.index, other.index)
        return Ref(self.rank, self.buffer, first,
                   max(self.index + self.size, other.index + other.size) - first, self.prog)

    def copy(self, dst, buffer=None, index=-1, sendtb=-1, recvtb=-1, ch=-1):
        """Copies the chunks to rank dst, to the same place if none is given; a scratch buffer is appended to."""
        if buffer is None:
            buffer, index = self.buffer, self.index if index == -1 else index
        cell = self.prog.collective.get_buffer_index
        if index == -1:
            cells = self.prog.cells(dst, cell(dst, buffer, 0)[0])
            if not isinstance(cells, Scratch):
                refuse("a copy to the input or the output needs an index: only scratch has an end to append to")
            index = len(cells)
        # MSCCLang takes the cell of the sender where buffers share memory.
        at = cell(self.rank, buffer, index)
        if buffer is Buffer.output and at != cell(dst, buffer, index):
            refuse(f"the output of rank {dst} is another part of its input than that of rank {self.rank}, to which "
                   "MSCCLang copies")
        if dst == self.rank and at == (self.buffer, self.index):
            return None
        to = Ref(dst, *at, self.size, self.prog)
        self.prog.add(_COPY, self, to, (sendtb, recvtb, ch))
        return to

    def reduce(self, other_chunkref, sendtb=-1, recvtb=-1, ch=-1):
        """Adds the chunks of another reference, perhaps of another rank, to these."""
        if not isinstance(other_chunkref, Ref):
            refuse(f"reduce() takes a reference to chunks, not {other_chunkref!r}")
        if other_chunkref.size != self.size:
            refuse(f"{other_chunkref.cells()} and {self.cells()} have different numbers of chunks")
        self.prog.add(_REDUCE, other_chunkref, self, (sendtb, recvtb, ch))
        return self

    def _chunk(self, index):
        return self.prog.buffers[self.rank][self.buffer][self.index + index]

    def get_origin_index(self, index=0):
        return self._chunk(index).origin_index

    def get_origin_rank(self, index=0):
        return self._chunk(index).origin_rank

    def get_dst_index(self, index=0):
        return self._chunk(index).dst_index

    def get_dst_rank(self, index=0):
        return self._chunk(index).dst_rank

    def print_chunk_info(self, index=0):
        print(self._chunk(index))


def _program():
    program = _current.get()
    if program is None:
        raise RuntimeError("there is no program: chunks are those of a `with MSCCLProgram(...)` block")
    return program


def chunk(rank, buffer, index, size=1):
    """The reference to chunks; None if the first has no value."""
    program = _program()
    cells = program.cells(rank, buffer)
    if not 0 <= index < len(cells):
        refuse(f"{Ref(rank, buffer, index, 1, program).cells()} is out of range: the buffer has {len(cells)} chunks")
    if cells[index] is None:
        return None
    return Ref(rank, *program.collective.get_buffer_index(rank, buffer, index), size, program)


def XML():  # pylint: disable=invalid-name
    """Prints the proved plan for the runtime."""
    print(_program().generate_xml(), end="")


def Check():  # pylint: disable=invalid-name
    """Whether the plan is right: the proof, and the check of a collective of the script."""
    return _program().check()


__all__ = ["Buffer", "Check", "Chunk", "MSCCLProgram", "ReduceChunk", "Ref", "ThreadblockPolicy", "XML", "chunk"]
