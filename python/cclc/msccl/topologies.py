"""The topologies of scripts: the number of ranks, and between which there are links."""


class Topology:
    """links[dst][src] is the bandwidth of a link, 0 if there is none."""

    def __init__(self, name, links, switches=()):
        self.name, self.links, self.switches = name, links, list(switches)

    def num_nodes(self):
        return len(self.links)

    def link(self, src, dst):
        return self.links[dst][src]


def _made(name, num_nodes, bandwidth):
    return Topology(name, [[0 if src == dst else bandwidth(src, dst) for src in range(num_nodes)]
                           for dst in range(num_nodes)])


def fully_connected(num_nodes):
    return _made(f"FullyConnected(n={num_nodes})", num_nodes, lambda src, dst: 1)


def ring(num_nodes):
    return _made(f"Ring(n={num_nodes})", num_nodes, lambda src, dst: int((dst - src) % num_nodes in (1, num_nodes - 1)))


def line(num_nodes):
    return _made(f"Line(n={num_nodes})", num_nodes, lambda src, dst: int(abs(src - dst) == 1))


def star(num_nodes):
    return _made(f"Star(n={num_nodes})", num_nodes, lambda src, dst: int(0 in (src, dst)))


def hub_and_spoke(num_nodes):
    return _made(f"HubAndSpoke(n={num_nodes})", num_nodes, lambda src, dst: 1)


def _in_nodes(name, local, copies, remote):
    size = local.num_nodes()
    return _made(f"{name}(local={local.name},copies={copies})", size * copies,
                 lambda src, dst: local.link(src % size, dst % size) if src // size == dst // size else remote(src, dst))


def distributed_fully_connected(local_topology, num_copies, remote_bw):
    return _in_nodes("DistributedFullyConnected", local_topology, num_copies, lambda src, dst: remote_bw)


def distributed_hub_and_spoke(local_topology, num_copies, remote_bw):
    return _in_nodes("DistributedHubAndSpoke", local_topology, num_copies, lambda src, dst: remote_bw)


# Pairs of GPUs of a DGX-1 with two NVLinks, and with one (targets/dgx1.json).
_DGX1 = {**dict.fromkeys([(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)], 2),
         **dict.fromkeys([(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)], 1)}


def dgx1():
    return _made("DGX1", 8, lambda src, dst: _DGX1.get((min(src, dst), max(src, dst)), 0))


def dgx_a100():
    return _made("DGX-A100", 8, lambda src, dst: 12)
