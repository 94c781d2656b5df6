"""Writes the topology file of a machine with known bounds: topologies.py NAME > FILE"""
import sys

# Pairs of GPUs and numbers of their xGMI links: 8 MI250 with two parts (GCDs) each.
MI250 = """0-1:4 0-2:1 0-4:2 1-2:1 1-3:1 1-5:1 2-3:4 2-6:1 3-7:2 4-5:4 4-12:1 5-13:1 5-14:1 6-7:4 6-13:1 6-14:1
7-15:1 8-9:4 8-10:1 8-12:2 9-10:1 9-11:1 9-13:1 10-11:4 10-14:1 11-15:2 12-13:4 14-15:4"""
# DGX-1: NVLinks of the hybrid cube mesh.
DGX1 = "0-1:1 0-2:1 0-3:2 0-4:2 1-2:2 1-3:1 1-5:2 2-3:2 2-6:1 3-7:1 4-5:1 4-6:1 4-7:2 5-6:2 5-7:1 6-7:2"
# Two rings of four GPUs.
HIVES = "0-1:1 0-2:1 1-3:1 2-3:1 4-5:1 4-6:1 5-7:1 6-7:1"
PCIE4, PCIE5 = ('link_speed="%s GT/s PCIe" link_width="16"' % speed for speed in ("16.0", "32.0"))
X86, ARM = 'arch="x86_64" vendor="AuthenticAMD"', 'arch="arm64"'
SWITCH = '<nvlink target="fffffff:ffff:ff" count="%d" tclass="0x068000"/>'
C2C = '<c2c bw="44712" count="5"/>'


def bus(number):
    return "%04x:01:00.0" % number


def complete(size, count):
    return " ".join(f"{a}-{b}:{count}" for a in range(size) for b in range(a))


def links(table, kind, present):
    """The elements of each GPU."""
    of = {gpu: "" for gpu in present}
    for entry in table.split():
        pair, count = entry.split(":")
        a, b = map(int, pair.split("-"))
        for gpu, other in ((a, b), (b, a)):
            if gpu in of:
                of[gpu] += f'<{kind} target="{bus(other)}" count="{count}" tclass="0x030200"/>'
    return of


def gpu(dev, elements, about, pcie):
    return f'<pci busid="{bus(dev)}" class="0x030200" {pcie}><gpu dev="{dev}" {about}>{elements}</gpu></pci>'


def nic(number, gigabits, pcie):
    return (f'<pci busid="{bus(number + 256)}" class="0x020700" {pcie}><nic><net name="nic{number}" dev="{number}" '
            f'speed="{gigabits * 1000}"/></nic></pci>')


def cpu(children, about, numa=0, host=1):
    return f'<cpu host_hash="{host:x}" numaid="{numa}" {about}>{children}</cpu>'


def direct(table, kind, present, about, nics=0, pcie=PCIE4, gigabits=200):
    """A server of GPUs that are connected in pairs."""
    of = links(table, kind, present)
    return cpu("".join(gpu(dev, of[dev], about, pcie) for dev in present)
               + "".join(nic(n, gigabits, pcie) for n in range(nics)), X86)


def switched(numbers, about, nics=0, pcie=PCIE5, gigabits=400):
    """A server with NVSwitches, and the number of NVLinks of each GPU."""
    return cpu("".join(gpu(dev, SWITCH % count if count else "", about, pcie) for dev, count in enumerate(numbers))
               + "".join(nic(n, gigabits, pcie) for n in range(nics)), X86)


def trays(hosts, without=(), gigabits=0):
    """Trays of GB300 with two CPUs and four GPUs, which are in one NVLink domain."""
    text = ""
    for host in range(hosts):
        for numa in range(2):
            inside = ""
            for dev in (2 * numa, 2 * numa + 1):
                inside += gpu(dev, ("" if dev in without else SWITCH % 18) + C2C, 'sm="103"', PCIE5)
                if gigabits:
                    inside += nic(dev, gigabits, PCIE5)
            text += cpu(inside, ARM, numa, host + 1)
    return text


def parts():
    """Two GPUs of two parts each behind NVSwitches."""
    part = '<gpu dev="%d" sm="103" mlopart="%d">' + SWITCH % 18 + "</gpu>"
    return cpu("".join(f'<pci busid="{bus(dev)}" {PCIE5}>{part % (dev, 0)}{part % (dev, 1)}</pci>'
                       for dev in range(2)), ARM)


def shared():
    """Two ranks on each of two GPUs."""
    rank = '<gpu dev="%d" sm="80">' + SWITCH % 12 + "</gpu>"
    return cpu("".join(f'<pci busid="{bus(dev)}" {PCIE4}>{rank % dev}{rank % dev}</pci>' for dev in range(2)), X86)


def hosts():
    """Two hosts without common NVSwitches, each with a NIC."""
    return "".join(cpu(gpu(0, "", 'sm="80"', PCIE4) + nic(0, 100, PCIE4), X86, 0, host) for host in (1, 2))


def sockets():
    """Two CPUs with a PCIe switch each, the GPUs of one of which are behind a second switch."""
    def below(number, children):
        return f'<pci busid="{bus(number + 512)}" class="0x060400" {PCIE4}>{children}</pci>'
    gpus = [gpu(dev, "", 'sm="89"', PCIE4) for dev in range(4)]
    return (cpu(below(0, gpus[0] + gpus[1]), 'arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85"')
            + cpu(below(1, below(2, gpus[2] + gpus[3])),
                  'arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85"', 1))


def cascade():
    """Two CPUs, whose PCIe switches are connected."""
    text = ""
    for n in range(2):
        inside = gpu(n, "", 'sm="89"', PCIE4) + f'<pcilink target="{bus(512 + 1 - n)}"/>'
        text += cpu(f'<pci busid="{bus(512 + n)}" class="0x060400" {PCIE4}>{inside}</pci>', ARM, n)
    return text


def power():
    """Two POWER9 with a GPU each, to which three NVLinks lead."""
    return "".join(cpu(gpu(n, '<nvlink target="0004:04:00.0" count="3" tclass="0x068001"/>', 'sm="70"', PCIE4),
                       'arch="ppc64"', n) for n in range(2))


X4 = 'link_speed="32.0 GT/s PCIe" link_width="4"'
IDLE = 'link_speed="2.5 GT/s PCIe" link_width="1"'
MACHINES = {
    "mi300x": lambda: direct(complete(8, 1), "xgmi", range(8), 'sm="304" gcn="gfx942"'),
    "mi300a": lambda: direct(complete(4, 1), "xgmi", range(4), 'sm="228" gcn="gfx942"'),
    "mi250": lambda: direct(MI250, "xgmi", range(16), 'sm="90" gcn="910"'),
    "hives": lambda: direct(HIVES, "xgmi", range(8), 'sm="96" gcn="906"'),
    "dgx1-five": lambda: direct(DGX1, "nvlink", (0, 1, 2, 3, 7), 'sm="70"'),
    "a100-pairs": lambda: direct(complete(4, 4), "nvlink", range(4), 'sm="80"', nics=4),
    "a100": lambda: switched([12] * 8, 'sm="80"', nics=4, pcie=PCIE4, gigabits=200),
    "h100": lambda: switched([18] * 8, 'sm="90"', nics=8, gigabits=200),
    "h100-seven": lambda: switched([18] * 7, 'sm="90"'),
    "h100-link": lambda: switched([18] * 7 + [17], 'sm="90"'),
    "gb200": lambda: trays(1, gigabits=400),
    "gb200-two": lambda: trays(2, gigabits=400),
    "gb300": lambda: trays(2),
    "gb300-tray": lambda: trays(1),
    "gb300-broken": lambda: trays(1, without=(1,)),
    "gb10": lambda: cpu(gpu(0, '<c2c bw="43125" count="8"/>', 'sm="121"', IDLE) + nic(0, 200, X4) + nic(1, 200, X4),
                        ARM),
    "parts": parts, "shared": shared, "hosts": hosts, "sockets": sockets, "cascade": cascade, "power": power,
}
name = sys.argv[1]
version = 2 if name.startswith("mi") else 1
print(f'<system version="{version}">{MACHINES[name]()}</system>')
