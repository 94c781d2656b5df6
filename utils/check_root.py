#!/usr/bin/env python3
"""Checks the files in the root of the tree, the text of the licence, and that no host of packages is named.

usage: check_root.py ROOT

Files and folders of the root are those listed here; add one here together with it. LICENSE is the whole
text, equal to the one in LICENSES. Packages come from where the machine takes them: the tree names no host
of a Debian mirror or of the npm registry. Exits with 77 where git does not list the files.
"""

import pathlib
import re
import subprocess
import sys

FILES = {
    ".clang-format", ".clang-tidy", ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "CMakeLists.txt",
    "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "REUSE.toml",
}
FOLDERS = {
    ".ci", "LICENSES", "assets", "cmake", "docs", "examples", "include", "lib", "programs", "python", "targets", "test",
    "third_party", "tools", "utils",
}
# Assembled from parts, so that this file does not name them.
HOSTS = re.compile("|".join([r"deb\." + r"debian\.org", r"[a-z0-9.]*mirror[a-z0-9.]*\.(?:org|com|net)/debian",
                             r"registry\." + r"npmjs\.org"]))


def tracked(root):
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        print(listing.stderr, end="")
        sys.exit(77)
    return [name for name in listing.stdout.split("\0") if name and (root / name).exists()]


def problems(root):
    names = tracked(root)
    for name in sorted({name for name in names if "/" not in name} - FILES):
        yield f"{name}: unknown file in the root: remove it, move it into a folder, or list it in utils/check_root.py"
    for name in sorted({name.split("/")[0] for name in names if "/" in name} - FOLDERS):
        yield f"{name}/: unknown folder in the root: remove it, or list it in utils/check_root.py"
    for name in sorted(FILES - set(names)):
        yield f"{name}: missing"
    if (root / "LICENSE").read_bytes() != (root / "LICENSES" / "Apache-2.0.txt").read_bytes():
        yield "LICENSE: differs from LICENSES/Apache-2.0.txt"
    for name in names:
        text = (root / name).read_bytes().decode("utf-8", errors="replace")
        for match in HOSTS.finditer(text):
            yield f"{name}:{text[:match.start()].count(chr(10)) + 1}: names the host of packages '{match[0]}'"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else f"{len(FILES)} files and {len(FOLDERS)} folders in the root")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
