#!/usr/bin/env python3
"""Makes the Debian packages of a build and looks into them.

usage: check_packages.py --build DIR --source DIR --cpack PROGRAM

No file is in two packages, each has its licence, all belong to one version, and the tools run where
the packages are unpacked.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ALWAYS = {"cclc": "g++ | clang", "libcclc-dev": "", "cclc-doc": ""}
WITH_MPI = {"cclc-openmpi": "openmpi-bin", "cclc-mpich": "mpich"}
WITH_PYTHON = {"python3-cclc": "python3-numpy"}
MANUALS = "usr/share/man/man1/cclc.1"
PYTHON = "lib/python3/dist-packages/cclc"
COMPLETIONS = ("usr/share/bash-completion/completions/cclc", "usr/share/zsh/vendor-completions/_cclc",
               "usr/share/fish/vendor_completions.d/cclc.fish")


def output(*command):
    return subprocess.run([str(word) for word in command], text=True, check=True, stdout=subprocess.PIPE).stdout


def check(args, folder):
    # A fast compression: the packages are thrown away.
    subprocess.run([args.cpack, "--config", args.build / "CPackConfig.cmake", "-B", folder,
                    "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    owner, found, root = {}, {}, folder / "root"
    for package in sorted(folder.glob("*.deb")):
        fields = dict(line.split(": ", 1) for line in output("dpkg-deb", "-f", package).splitlines()
                      if ": " in line and not line.startswith(" "))
        name = fields["Package"]
        found[name] = fields
        files = {line.split(maxsplit=5)[5] for line in output("dpkg-deb", "-c", package).splitlines()
                 if not line.startswith("d")}
        for file in files:
            if file in owner:
                sys.exit(f"{file} is in {owner[file]} and in {name}")
            owner[file] = name
        if f"./usr/share/doc/{name}/copyright" not in files:
            sys.exit(f"{name}: has no copyright")
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    expected = dict(ALWAYS)
    expected.update({name: recommends for name, recommends in WITH_MPI.items()
                     if (args.build / "lib/cclc" / name.removeprefix("cclc-")).exists()})
    if (args.build / PYTHON).exists():
        expected.update(WITH_PYTHON)
    if set(found) != set(expected):
        sys.exit(f"packages {sorted(found)}, expected {sorted(expected)}")
    for name, fields in found.items():
        if fields.get("Recommends", "") != expected[name]:
            sys.exit(f"{name} recommends {fields.get('Recommends')}")
        if name not in ("cclc", "cclc-doc") and f"cclc (= {fields['Version']})" not in fields["Depends"]:
            sys.exit(f"{name} depends on {fields['Depends']}, not on this version of cclc")
    if "llvm-19-dev" not in found["libcclc-dev"]["Depends"] or "libzstd1" not in found["cclc"]["Depends"]:
        sys.exit(f"libcclc-dev: {found['libcclc-dev']['Depends']}; cclc: {found['cclc']['Depends']}")
    for file in (*COMPLETIONS, *([MANUALS] if (args.build / "share/man").exists() else [])):
        if not (root / file).is_file():
            sys.exit(f"{file} is in no package")
    if "python3-cclc" in expected and "python3 (<< 3." not in found["python3-cclc"]["Depends"]:
        sys.exit(f"python3-cclc: {found['python3-cclc']['Depends']}")
    plan = folder / "plan.json"
    subprocess.run([root / "usr/bin/cclc", args.source / "examples/broadcast_rings.cpp", "--target", "ahbm",
                    "-o", plan], check=True)
    return f"{len(found)} packages of {len(owner)} files; " + output(root / "usr/bin/ccl-sim", "verify", plan)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--cpack", required=True)
    args = parser.parse_args()
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("dpkg-dev is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        print(check(args, pathlib.Path(name)), end="")


if __name__ == "__main__":
    main()
