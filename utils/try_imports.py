#!/usr/bin/env python3
"""Imports random dumps of servers, and compares the bound of an all-gather with the least of all cuts.

usage: try_imports.py --bin BINDIR [--tries N] [--seed N]

Servers have GPUs with NVLinks, xGMI or an NVSwitch, or only PCIe below bridges and two CPUs. The oracle takes the rates
of the runtimes (src/graph of NCCL and RCCL), and tries all sets of GPUs and of the nodes between them. Prints every
difference above 0.1 % with its dump, and the number of servers. Exit code 1: there is a difference, or a tool fails.
"""

import argparse
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile

NVLINK = {"60": 20, "70": 25, "80": 25, "86": 14.0625, "90": 25, "100": 50}
XGMI = {"gfx90a": 36, "gfx942": 48, "gfx908": 24}
PCIE = {"2.5 GT/s PCIe": 2.5 * 8 / 10, "5.0 GT/s PCIe": 5 * 8 / 10, "8.0 GT/s PCIe": 8 * 128 / 130,
        "16.0 GT/s PCIe": 16 * 128 / 130, "32.0 GT/s PCIe": 32 * 128 / 130, "Unknown": 8 * 128 / 130}
CPUS = [('arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="79"', 6),
        ('arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="106"', 10),
        ('arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="173"', 22),
        ('arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="1"', 16),
        ('arch="arm64"', 6), ('arch="ppc64"', 32)]


def busid(gpu):
    return f"0000:{gpu + 16:02x}:00.0"


def pci(number, kind, speed, width, content):
    return f'<pci busid="0000:{number:02x}:00.0" class="{kind}" link_speed="{speed}" link_width="{width}">{content}</pci>'


class Server:
    """A dump, and the capacities in GB/s of the links between its GPUs (numbers) and other nodes (names)."""

    def __init__(self, rng):
        self.gpus = rng.randint(2, 6)
        self.capacity = {}
        links = rng.choice(["nvlink", "xgmi", "switch", "pcie"])
        cpu, between_cpus = rng.choice(CPUS)
        generation = rng.choice(list(XGMI if links == "xgmi" else NVLINK))
        inner = {gpu: "" for gpu in range(self.gpus)}
        if links in ("nvlink", "xgmi"):
            self.connect(rng, links, generation, inner)
        elif links == "switch":
            count = rng.randint(2, 18)
            for gpu in inner:
                self.add(gpu, "switch", count * NVLINK[generation])
                inner[gpu] = "".join(f'<nvlink target="0000:f{s}:00.0" count="{part}" tclass="0x068000"/>'
                                     for s, part in enumerate(self.parts(rng, count)))
        attributes = f'sm="104" gcn="{generation}" arch="37"' if links == "xgmi" else f'sm="{generation}"'
        kind = "0x038000" if links == "xgmi" else "0x030200"
        below = {0: "", 1: ""}
        for gpu in inner:
            speed, width, side = rng.choice(list(PCIE)), rng.choice([4, 8, 16]), rng.randint(0, 1)
            text = pci(gpu + 16, kind, speed, width,
                       f'<gpu dev="{gpu}" {attributes} rank="{gpu}" gdr="1">{inner[gpu]}</gpu>')
            up = f"cpu{side}"
            if rng.random() < 0.5:
                bridge_speed, bridge_width = rng.choice(list(PCIE)), rng.choice([8, 16])
                text = pci(gpu + 64, "0x060400", bridge_speed, bridge_width, text)
                up = f"bridge{gpu}"
                if links == "pcie":
                    self.add(up, f"cpu{side}", PCIE[bridge_speed] * bridge_width / 8)
            if links == "pcie":
                self.add(gpu, up, PCIE[speed] * width / 8)
            below[side] += text
        if links == "pcie":
            self.add("cpu0", "cpu1", between_cpus)
        version = 2 if links == "xgmi" else 1
        self.text = f'<system version="{version}">' + "".join(
            f'<cpu numaid="{side}" {cpu}>{text}</cpu>' for side, text in below.items()) + "</system>\n"

    def add(self, a, b, rate):
        self.capacity[a, b] = self.capacity[b, a] = rate

    @staticmethod
    def parts(rng, count):
        first = rng.randint(1, count)
        return [first, count - first] if first < count else [first]

    def connect(self, rng, element, generation, inner):
        """Links between pairs; GPU 0 reaches all, so that no message leaves the links for PCIe."""
        rate = (XGMI if element == "xgmi" else NVLINK)[generation]
        for a, b in itertools.combinations(range(self.gpus), 2):
            if a > 0 and rng.random() < 0.4:
                continue
            there, back = rng.randint(1, 4), rng.randint(1, 4)
            self.add(a, b, min(there, back) * rate)
            for gpu, peer, count in ((a, b, there), (b, a, back)):
                inner[gpu] += f'<{element} target="{busid(peer)}" count="{count}" tclass="0x030200"/>'

    def allgather(self, total):
        """The largest time, in us, of what enters a set of GPUs, over all sets and sides of the other nodes."""
        others = sorted({node for pair in self.capacity for node in pair if isinstance(node, str)})
        largest = 0
        for members in itertools.product([False, True], repeat=self.gpus):
            outside = members.count(False)
            if outside in (0, self.gpus):
                continue
            least = min(self.into({gpu for gpu in range(self.gpus) if members[gpu]} |
                                  {node for node, inside in zip(others, sides) if inside})
                        for sides in itertools.product([False, True], repeat=len(others)))
            largest = max(largest, total * outside / self.gpus / least / 1000)
        return largest

    def into(self, nodes):
        return sum(rate for (a, b), rate in self.capacity.items() if a not in nodes and b in nodes)


def difference(server, bin, folder):
    """How the bound of the imported machine differs from that of the dump, or which tool failed; None otherwise."""
    folder = pathlib.Path(folder)
    (folder / "server.xml").write_text(server.text)
    for command in (["cclc", "targets", "import", "server.xml", "-o", "machine.json"],
                    ["ccl-bound", "./machine.json", "allgather", "--bytes", "1G"]):
        run = subprocess.run([bin / command[0], *command[1:]], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            return f"{' '.join(command)}: exit code {run.returncode}: {run.stderr.strip()}"
    found = float(re.search(r"^ +1073741824 +([\d.]+)", run.stdout, re.MULTILINE)[1])
    expected = server.allgather(2**30)
    return None if abs(found / expected - 1) < 0.001 else f"{found} us, not {expected:.2f} us"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--tries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failures = 0
    for attempt in range(options.tries):
        server = Server(random.Random(options.seed * 1000000 + attempt))
        with tempfile.TemporaryDirectory() as folder:
            if problem := difference(server, options.bin.resolve(), folder):
                failures += 1
                print(f"server {attempt} of seed {options.seed}: {problem}\n{server.text}")
    print(f"{options.tries} servers, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
