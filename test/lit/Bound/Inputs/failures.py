"""Compares the bounds of ccl-bound without parts of a machine with closed forms, and classes with single runs.

usage: failures.py FOLDER_FOR_FILES
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
S = 2**30


def bounds(folder, target, collective, *options):
    file = folder / "bounds.json"
    name = str(HERE / f"{target}.json") if (HERE / f"{target}.json").exists() else target
    subprocess.run(["ccl-bound", name, collective, "--bytes", "1G", *options, "--json", str(file)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(file.read_text())


def check(what, found, expected):
    if found is None or abs(found - expected * 1e9) > 1e-7 * expected * 1e9:
        sys.exit(f"{what}: {found} ns, not {expected * 1e9}")


def rows(folder, target, collective, without, expected, *options):
    """EXPECTED: the number of parts of each row and its time, None without a plan; then the time before."""
    found = bounds(folder, target, collective, "--without", without, *options)
    what = f"{target} {collective} without {without}"
    check(what, found["before_ns"], expected[-1])
    counts = [len(row["parts"]) for row in found["results"]]
    if counts != [count for count, _ in expected[:-1]]:
        sys.exit(f"{what}: classes of {counts} parts")
    for row, (_, time) in zip(found["results"], expected):
        if time is None:
            if row["after_ns"] is not None or not row["witness"]:
                sys.exit(f"{what}: a plan without {row['parts'][0]}")
        else:
            check(f"{what} {row['parts'][0]}", row["after_ns"], time)


def single(folder, target, collective, without, *options):
    """Each part of a class costs what --set says that it costs alone."""
    found = bounds(folder, target, collective, "--without", without, *options)
    for row in found["results"]:
        for part in row["parts"]:
            off = "links." + part.replace(" <-> ", "<->") if without == "link" else f"links.{part}<->*"
            run = ["ccl-bound", target, collective, "--bytes", "1G", *options, "--set", off + "=off", "--json",
                   str(folder / "one.json")]
            code = subprocess.run(run, check=False, capture_output=True).returncode
            if (row["after_ns"] is None) != (code == 1):
                sys.exit(f"{target} without {part}: exit code {code}")
            if code == 0:
                result = json.loads((folder / "one.json").read_text())["results"][0]
                check(f"{target} without {part}", row["after_ns"], result["bound_ns"] / 1e9)


def main():
    folder = pathlib.Path(sys.argv[1])
    # 2 x 8 H100: a GPU receives 15/16 of the data over NVLink and its NIC, or over NVLink alone.
    rows(folder, "dgx-h100", "allgather", "nic", [(16, 15 / 16 * S / 450e9), 15 / 16 * S / 500e9], "--ranks", "16")
    # 7 of 8 GPUs whose switches do not add, and 18 links of which 17 remain.
    rows(folder, "h100-5x8", "allreduce", "rank", [(8, 12 / 7 * S / 450e9), 14 / 8 * S / 450e9], "--ranks", "8")
    rows(folder, "h100-links", "allgather", "link", [(144, 7 / 8 * S / 425e9), 7 / 8 * S / 450e9])
    # A GPU of 4 whose NVLinks fail has C2C; the 5 other links are not used before.
    rows(folder, "gb300-c2c", "allreduce", "link", [(4, S / 223.56e9), (5, 1.5 * S / 900e9), 1.5 * S / 900e9])
    # An uplink of 18 is none of the cut; a host has one link. 15 of 18 uplinks suffice as well.
    racks = 35 / 36 * S / 50e9
    rows(folder, "racks", "allgather", "link", [(36, None), (36, racks), racks])
    three = [option for n in (1, 2, 3) for option in ("--set", f"links.leaf0<->spine#{n}=off")]
    rows(folder, "racks", "allgather", "link", [(18, None), (18, None), (15, racks), (18, racks), racks], *three)
    # DGX-1, GPUs 0 to 3 and 7: over any GPUs, and over links among the five, where GPU 7 has one of 25 GB/s.
    five = ["--endpoints", "0,1,2,3,7", "--set", "routing=shortest"]
    for options, gather, reduce in ((["--relay=any"], 0.8 * S / 100e9, None),
                                    (["--relay=ranks"], 0.8 * S / 25e9, S / 25e9)):
        found = bounds(folder, "dgx1", "allgather", *five, *options)
        check("dgx1 " + options[0], found["results"][0]["throughput_ns"], gather)
        if found.get("relays", []) != (["gpu4", "gpu5", "gpu6"] if reduce is None else []):
            sys.exit(f"dgx1 {options[0]}: relays {found.get('relays')}")
        if reduce:
            found = bounds(folder, "dgx1", "allreduce", *five, *options)
            check("dgx1 all-reduce", found["results"][0]["throughput_ns"], reduce)
            check("dgx1 all-reduce, payload of 80 %", found["results"][0]["bound_ns"], reduce / 0.8)
    for case in (("dgx1", "allgather", "link"), ("dgx1", "allreduce", "link", "--endpoints", "0-3"),
                 ("mesh2d", "broadcast", "link", "--ranks", "9"), ("ndv4", "allreduce", "nic", "--ranks", "16"),
                 ("torus2d", "allgather", "link", "--ranks", "16", "--set", "routing=ecmp")):
        single(folder, *case)


if __name__ == "__main__":
    main()
