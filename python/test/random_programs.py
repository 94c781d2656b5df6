"""Random programs, each a list of statements, as sources in C++ and in Python.

A statement is a tuple: what it makes, and from what. Only written cells are read, and no reference is used after one
of its cells was overwritten, so that the programs have no error.
"""

import random

CPP = {"i": "Input", "o": "Output", "s": "left", "t": "right"}
PYTHON = {"i": "cclc.Input", "o": "cclc.Output", "s": "left", "t": "right"}


class Maker:
    """Makes one program; cells are (rank, buffer, index), with the contributions of written ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ranks, self.inputs, self.outputs = (self.random.randint(1, 5), self.random.randint(1, 4),
                                                 self.random.randint(1, 4))
        self.cells = {(r, "i", i): ((r, i),) for r in range(self.ranks) for i in range(self.inputs)}
        self.statements = []
        self.number = 0
        for _ in range(self.random.randint(1, 25)):
            self.add()
        # What has been copied or reduced once each is expected.
        self.expected = [(r, i, sum_) for (r, b, i), sum_ in sorted(self.cells.items())
                         if b == "o" and len(set(sum_)) == len(sum_)]

    def name(self):
        self.number += 1
        return f"c{self.number}"

    def range(self, buffers, count=None):
        """Written successive cells of a buffer."""
        starts = [cell for cell in sorted(self.cells) if cell[1] in buffers]
        rank, buffer, index = self.random.choice(starts)
        end = index + 1
        most = count or 3
        while (rank, buffer, end) in self.cells and end - index < most and (count or self.random.random() < 0.5):
            end += 1
        return rank, buffer, index, end - index

    def via(self, one, other):
        """Options of an operation between two ranks; a local one has no channel."""
        pick, words = self.random.random, []
        for word, most in (("channel", 2), ("priority", 3))[one == other:]:
            if pick() < 0.2:
                words.append((word, self.random.randint(0, most)))
        if pick() < 0.1:
            words.append(("fuse", 0))
        return words

    def add(self):
        if self.random.random() < 0.1:
            self.statements.append(("phase", f"phase {self.random.randint(0, 2)}"))
        source = self.range("iost")
        name = self.name()
        self.statements.append(("chunk", name, source))
        targets = [part for part in ("o", "s", "t")]
        rank, buffer = self.random.randrange(self.ranks), self.random.choice(targets)
        count = source[3]
        if self.random.random() < 0.35 and any(cell[1] != "i" for cell in self.cells):
            into = self.range("ost", count)
            if into[3] == count and not self.overlap(source, into):
                self.statements.append(("chunk", name + "_into", into))
                self.statements.append(("reduce", name + "_sum", name + "_into", name, self.via(source[0], into[0])))
                self.write(source, into, adds=True)
                self.follow(name + "_sum", into)
                return
        written = sum(1 for cell in self.cells if cell[:2] == (rank, buffer))
        last = self.outputs - count if buffer == "o" else written
        if last < 0:
            return
        index = self.random.randint(0, last)
        into = (rank, buffer, index, count)
        if self.overlap(source, into):
            return
        appends = buffer != "o" and index == written
        self.statements.append(("copy", name + "_copy", name, into, self.via(source[0], rank), appends))
        self.write(source, into, adds=False)
        self.follow(name + "_copy", into)

    def follow(self, name, place):
        """Goes on from a result: its halves together, or a forwarded copy."""
        rank, buffer, index, count = place
        if count == 2 and self.random.random() < 0.5:
            self.statements.append(("join", name + "_joined", name))
            return
        there = (self.random.randrange(self.ranks), buffer, index, count)
        filled = buffer == "o" or all((there[0], buffer, i) in self.cells for i in range(index))
        if there[0] != rank and filled and self.random.random() < 0.3:
            self.statements.append(("forward", name + "_there", name, there[0], self.via(rank, there[0])))
            self.write(place, there, adds=False)

    @staticmethod
    def overlap(one, other):
        return one[:2] == other[:2] and one[2] < other[2] + other[3] and other[2] < one[2] + one[3]

    def write(self, source, into, adds):
        for n in range(source[3]):
            cell, value = (into[0], into[1], into[2] + n), self.cells[source[0], source[1], source[2] + n]
            self.cells[cell] = (self.cells[cell] if adds else ()) + value


def cpp(maker):
    """The statements of a program in C++."""
    yield f"p.custom({maker.inputs}, {maker.outputs});"
    for rank, index, parts in maker.expected:
        yield f"p.expect({rank}, {index}, {{{', '.join(f'{{{r}, {i}}}' for r, i in parts)}}});"
    yield 'Buffer left = p.scratch("left"), right = p.scratch("right"); (void)left; (void)right;'
    names = {"channel": "channel", "priority": "priority", "fuse": "fuse"}

    def via(words):
        return ("via([](Via &v) { " + " ".join(f"v.{names[word]} = {value};" for word, value in words) + " })")
    for kind, *rest in maker.statements:
        if kind == "phase":
            yield f'p.phase("{rest[0]}");'
        elif kind == "chunk":
            name, (rank, buffer, index, count) = rest
            yield f"ChunkRef {name} = p.chunk({rank}, {CPP[buffer]}, {index}, {count});"
        elif kind == "copy":
            name, source, (rank, buffer, index, _), words, appends = rest
            place = f"{rank}, {CPP[buffer]}" + ("" if appends else f", {index}")
            yield f"ChunkRef {name} = {source}.copy({place}, {via(words)});"
        elif kind == "forward":
            yield f"ChunkRef {rest[0]} = {rest[1]}.copy({rest[2]}, {via(rest[3])});"
        elif kind == "reduce":
            yield f"ChunkRef {rest[0]} = {rest[1]}.reduce({rest[2]}, {via(rest[3])});"
        elif kind == "join":
            yield f"ChunkRef {rest[0]} = {rest[1]}.split(2)[1].group({rest[1]}.split(2)[0]);"


def python(maker):
    """The same in Python."""
    yield f"p.custom({maker.inputs}, {maker.outputs})"
    for rank, index, parts in maker.expected:
        yield f"p.expect({rank}, {index}, {list(parts)})"
    yield 'left = p.scratch("left"); right = p.scratch("right")'

    def via(words):
        return "".join(f", {word}={bool(value) if word == 'fuse' else value}" for word, value in words)
    for kind, *rest in maker.statements:
        if kind == "phase":
            yield f'p.phase("{rest[0]}")'
        elif kind == "chunk":
            name, (rank, buffer, index, count) = rest
            yield f"{name} = p.chunk({rank}, {PYTHON[buffer]}, {index}, count={count})"
        elif kind == "copy":
            name, source, (rank, buffer, index, _), words, appends = rest
            place = f"{rank}, {PYTHON[buffer]}" + ("" if appends else f", index={index}")
            yield f"{name} = {source}.copy({place}{via(words)})"
        elif kind == "forward":
            yield f"{rest[0]} = {rest[1]}.copy({rest[2]}{via(rest[3])})"
        elif kind == "reduce":
            yield f"{rest[0]} = {rest[1]}.reduce({rest[2]}{via(rest[3])})"
        elif kind == "join":
            yield f"{rest[0]} = {rest[1]}.split(2)[1].group({rest[1]}.split(2)[0])"


def cpp_source(makers):
    """One program, whose parameter chooses among those of the makers."""
    lines = ['#include "cclc/DSL/DSL.h"', "using namespace cclc::dsl;",
             "template <class Fn> static Via via(Fn fn) { Via v; fn(v); return v; }"]
    for number, maker in enumerate(makers):
        lines += [f"static void program{number}(Program &p) {{", *cpp(maker), "}"]
    lines += ["constexpr IntParam which{\"which\", \"program\", 0, 0, 1000};", "static void trace(Program &p) {"]
    lines += [f"if (p.get(which) == {number}) program{number}(p);" for number in range(len(makers))]
    lines += ["}", "CCLC_PROGRAM(random) { d.param(which).body(trace); }"]
    return "\n".join(lines) + "\n"


def python_source(makers):
    lines = ["import cclc"]
    for number, maker in enumerate(makers):
        lines += [f"def program{number}(p):", *("    " + line for line in python(maker))]
    lines += ["@cclc.program(which=cclc.Int(0, 0, 1000))", "def random(p, which):",
              "    globals()[f\"program{which}\"](p)"]
    return "\n".join(lines) + "\n"
