"""A runtime for algorithm modules: PEs with queues to their neighbours, and a tensor on each SIP.

It plays the part of KernBench's backend as ADR-0050 and docs/PlanFormat.md describe it, and shares no
code with cclc. Every PE runs its kernel in a thread, and one thread runs at a time: a kernel gives up its
turn when it waits for a message or a slot. The next kernel is drawn at random, so that seeds give different
interleavings.
"""

import inspect
import random
import struct
import threading

OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}


class Fault(Exception):
    """The module or its install plan violates the contract."""


def opposite(direction):
    if direction in ("parent", "child"):
        return "child" if direction == "parent" else "parent"
    prefix, _, last = direction.rpartition("_")
    return (prefix + "_" if prefix else "") + OPPOSITE[last]


def group(place, other):
    """The directions of the queues between two PEs."""
    if place["sip"] != other["sip"]:
        return ("global_N", "global_S", "global_E", "global_W")
    if place["cube"] != other["cube"]:
        return ("N", "S", "E", "W")
    return ("intra_N", "intra_S", "intra_E", "intra_W")


def f16(value):
    """The value rounded to a 16-bit float."""
    return struct.unpack("e", struct.pack("e", value))[0]


class Handle:
    """A tensor in the PE. Kernels may add handles, and not look into them."""

    def __init__(self, elements, rounding):
        self._elements, self._rounding = elements, rounding

    def __add__(self, other):
        if len(self._elements) != len(other._elements):
            raise Fault(f"adds {len(self._elements)} and {len(other._elements)} elements")
        pairs = zip(self._elements, other._elements)
        return Handle([self._rounding(a + b) for a, b in pairs], self._rounding)


class Tl:
    """The calls of a kernel on one PE."""

    def __init__(self, machine, rank, cube, pe, tensor, window):
        self.machine, self.rank, self.place = machine, rank, (pe, cube)
        self.tensor, self.window = tensor, window
        self.log = []

    def program_id(self, axis):
        return self.place[axis]

    def _range(self, address, count):
        first, end = address // 2, address // 2 + count
        if address % 2 or first < self.window[0] or end > self.window[1]:
            raise Fault(f"rank {self.rank}: access to [{first}, {end}) outside of tile {self.window}")
        return slice(first, end)

    def load(self, address, *, shape, dtype):
        self._check(shape, dtype)
        self.log.append(("load", address, shape))
        return Handle(self.tensor[self._range(address, shape[0])], self.machine.rounding)

    def store(self, address, handle):
        self.log.append(("store", address, len(handle._elements)))
        self.tensor[self._range(address, len(handle._elements))] = handle._elements

    def send(self, *, dir, src):
        self.log.append(("send", dir, len(src._elements)))
        self.machine.send(self.rank, dir, list(src._elements))

    def recv(self, *, dir, shape, dtype):
        self._check(shape, dtype)
        self.log.append(("recv", dir, shape))
        elements = self.machine.receive(self.rank, dir)
        if len(elements) != shape[0]:
            raise Fault(f"rank {self.rank} receives {len(elements)} elements from {dir}, not {shape[0]}")
        return Handle(elements, self.machine.rounding)

    @staticmethod
    def _check(shape, dtype):
        if dtype != "f16" or len(shape) != 1 or shape[0] < 1:
            raise Fault(f"shape {shape} of {dtype}")


class Machine:
    """The queues of INSTALL_PLAN, and the threads of the kernels."""

    def __init__(self, plan, n_elem, rounding, seed):
        self.rounding, self.slots = rounding, plan["queues"]["n_slots"]
        scale = max(1, -(-n_elem // plan["n_elem"]))
        self.slot_size = plan["queues"]["slot_size"] * scale
        self.random = random.Random(seed)
        self.ends, self.queues, self.sent = {}, {}, {}
        self.install(plan)
        self.waiting = {}  # the thread of a rank: the condition under which it can continue

    def install(self, plan):
        """Joins the ends of the queues by the rows of the plan alone."""
        places = {row["rank"]: row for row in plan["ranks"]}
        for rank, direction, peer, *at_peer in plan["neighbours"]:
            # Programs that declare their neighbours may name any direction.
            if at_peer and direction not in group(places[rank], places[peer]):
                raise Fault(f"rank {rank} has no queue {direction} to rank {peer}")
            at_peer = at_peer[0] if at_peer else opposite(direction)
            self.ends.setdefault((rank, direction), []).append((peer, at_peer))
            self.queues[peer, at_peer, rank] = []  # the messages from rank to peer
        for (rank, direction), others in self.ends.items():
            for peer, at_peer in others:
                if (rank, direction) not in self.ends.get((peer, at_peer), []):
                    raise Fault(f"queue {at_peer} of rank {peer} does not lead to {direction} of rank {rank}")

    def other_end(self, rank, direction):
        ends = self.ends.get((rank, direction), [])
        if len(ends) != 1:
            raise Fault(f"rank {rank} has {len(ends)} neighbours in direction {direction}")
        return ends[0]

    def send(self, rank, direction, elements):
        queue = self.queues[(*self.other_end(rank, direction), rank)]
        if 2 * len(elements) > self.slot_size:
            raise Fault(f"a message of {2 * len(elements)} bytes in a slot of {self.slot_size}")
        self.wait(lambda: len(queue) < self.slots)
        queue.append(elements)
        self.sent[rank] = self.sent.get(rank, 0) + 1

    def receive(self, rank, direction):
        queue = self.queues[rank, direction, self.other_end(rank, direction)[0]]
        self.wait(lambda: queue)
        return queue.pop(0)

    def wait(self, ready):
        """Gives up the turn, until \\p ready holds and the scheduler selects this thread."""
        thread = threading.current_thread()
        self.waiting[thread] = ready
        self.turn.release()
        thread.go.acquire()
        if self.stopped:
            raise SystemExit

    def run(self, kernels):
        """Runs all kernels to their end. \\p kernels: functions without arguments."""
        self.turn, self.stopped, faults = threading.Semaphore(0), False, []

        def body(kernel, thread):
            thread.go.acquire()
            try:
                if not self.stopped:
                    kernel()
            except Exception as fault:  # pylint: disable=broad-except
                faults.append(fault)
            finally:
                self.turn.release()

        threading.stack_size(256 * 1024)
        threads = []
        for kernel in kernels:
            thread = threading.Thread(target=lambda k=kernel: body(k, threading.current_thread()))
            thread.go = threading.Semaphore(0)
            self.waiting[thread] = lambda: True
            thread.start()
            threads.append(thread)
        try:
            while self.waiting and not faults:
                ready = [t for t in threads if t in self.waiting and self.waiting[t]()]
                if not ready:
                    raise Fault(f"deadlock: {len(self.waiting)} PEs wait")
                self.random.shuffle(ready)
                for thread in ready:
                    if self.waiting[thread]():
                        del self.waiting[thread]
                        thread.go.release()
                        self.turn.acquire()
        finally:
            self.stopped = True
            for thread in threads:
                thread.go.release()
                thread.join()
        if faults:
            raise faults[0]
        if any(self.queues.values()):
            raise Fault("messages are left in the queues")


def execute(module, data, n_elem, pes, rounding, seed=0):
    """Runs the module as the backend does, and returns the tiles, the calls and the numbers of messages.

    data: a list of n_elem elements for each rank. pes: PEs of a cube, which all run the kernel if rank = SIP.
    """
    plan = module.INSTALL_PLAN
    machine = Machine(plan, n_elem, rounding, seed)
    topology = plan["sip_topology"]
    cube_w, cube_h = plan["kernel_args"][1:3]
    arguments = module.kernel_args(plan["world_size"], n_elem, cube_w=cube_w, cube_h=cube_h)
    by_place = {(row["sip"], row["cube"], row["pe"]): row for row in plan["ranks"]}
    if len(by_place) != len(plan["ranks"]):
        raise Fault("two ranks have one PE")
    base = 4096  # t_ptr, so that addresses are not indices
    tensors, kernels, tls = {}, [], []
    for row in plan["ranks"]:
        tensor = tensors.setdefault(row["sip_rank"], [None] * (base // 2))
        tensor.extend([None] * (base // 2 + (row["tile"] + 1) * n_elem - len(tensor)))
        tile = base // 2 + row["tile"] * n_elem
        if tensor[tile] is not None:
            raise Fault("two ranks have one tile")
        tensor[tile:tile + n_elem] = data[row["rank"]]
    places = by_place
    if plan["rank"] == "sip":
        cubes = 1 + max(row["cube"] for row in plan["ranks"])
        places = [(sip, cube, pe) for sip in range(plan["world_size"]) for cube in range(cubes)
                  for pe in range(pes)]
    for sip, cube, pe in places:
        row = by_place.get((sip, cube, pe))
        sip_rank = row["sip_rank"] if row else sip
        first = base // 2 + (row["tile"] * n_elem if row else 0)
        window = (first, first + n_elem if row else first)  # other PEs have no tile
        tl = Tl(machine, row["rank"] if row else None, cube, pe, tensors[sip_rank], window)
        tls.append(tl)
        kernels.append(lambda tl=tl, sip_rank=sip_rank: module.kernel(
            base, *arguments, sip_rank, topology["kind"], topology["w"], topology["h"], tl=tl))
    machine.run(kernels)
    tiles = []
    for row in plan["ranks"]:
        first = base // 2 + row["tile"] * n_elem
        tiles.append(tensors[row["sip_rank"]][first:first + n_elem])
    return tiles, [tl.log for tl in tls], machine.sent


def parameters(function):
    """The names of positional parameters, and those of keyword-only ones."""
    kinds = inspect.signature(function).parameters.values()
    return ([p.name for p in kinds if p.kind == p.POSITIONAL_OR_KEYWORD],
            [p.name for p in kinds if p.kind == p.KEYWORD_ONLY])
