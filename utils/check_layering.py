#!/usr/bin/env python3
"""Checks that every library includes only headers of the libraries on which it depends.

usage: check_layering.py ROOT

The CMakeLists.txt of a folder of lib lists in DEPENDS the other libraries that its library uses;
tools/CMakeLists.txt lists the libraries of each tool in the same way. A folder directly in lib is a room. Rooms
use each other without circles, and each uses few directly. Headers of include/cclc may include no third-party
code except LLVM, headers of the DSL and of the interface for other programs (cclc/cclc.h) only the
standard library, and programs only the DSL.
Every source of the libraries and of the unit tests is named in a CMake file, so that none is left out of the build.
No operation of a program is called on another line than its chunk begins: compilers record different ones of the two.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
THIRD_PARTY = ("CLI/", "nlohmann/", "pugixml", "boost/", "catch2/",
               "protozero/")
# Headers that user programs include: these use the standard library only.
USER_HEADERS = {"DSL/ChunkRef.h", "DSL/Compiler.h", "DSL/DSL.h", "DSL/Declaration.h", "DSL/Hierarchy.h",
                "DSL/Params.h", "DSL/Program.h", "DSL/Rings.h", "DSL/Rotation.h", "DSL/SourceLocation.h", "IR/CollectiveKind.h",
                "IR/Direction.h", "IR/Geometry.h"}


# Rooms that all may use, those that assemble others, and how many others a room uses directly.
EVERYWHERE, ASSEMBLE, MOST, MOST_OF_ASSEMBLY = {"Support", "IR", "DSL"}, {"Compiler", "Search", "Tools"}, 10, 14


def read_libraries(root):
    """The folder of each library, and the libraries that it names."""
    folders, direct = {}, {}
    for cmake in sorted(root.glob("lib/**/CMakeLists.txt")):
        text = cmake.read_text()
        if name := re.match(r"# (\w+): ", text):
            folders[name.group(1)] = str(cmake.parent.relative_to(root / "lib"))
            match = re.search(r"DEPENDS\s+([A-Za-z\s]+?)(?:PRIVATE|\))", text)
            direct[name.group(1)] = set(match.group(1).split()) if match else set()
    return folders, direct


def closure(direct):
    """Dependences are transitive, because headers include headers of other libraries."""
    allowed = {library: set(uses) for library, uses in direct.items()}
    changed = True
    while changed:
        changed = False
        for library, uses in allowed.items():
            more = set().union(*(allowed[other] for other in uses)) if uses else set()
            if not more <= uses:
                uses |= more
                changed = True
    return allowed


def rooms_of(folders, direct):
    """The rooms that each room uses directly."""
    room = {library: folder.split("/")[0] for library, folder in folders.items()}
    rooms = {}
    for library, uses in direct.items():
        rooms.setdefault(room[library], set()).update(room[other] for other in uses)
    return {name: uses - {name} for name, uses in rooms.items()}


def crowded(rooms):
    for name, uses in sorted(rooms.items()):
        most = MOST_OF_ASSEMBLY if name in ASSEMBLE else MOST
        if len(uses - EVERYWHERE) > most:
            yield f"lib/{name}: uses {len(uses - EVERYWHERE)} rooms directly, at most {most} are allowed"


def includes(path):
    text = path.read_text()
    for match in INCLUDE.finditer(text):
        yield text[:match.start()].count("\n") + 1, match.group(2)


def circles(uses, what):
    for name in uses:
        if name in uses[name]:
            yield f"{what} {name} uses itself through others"


def unlisted(root):
    for folder, files in (("lib", "lib/**/CMakeLists.txt"), ("test/unit", "test/unit/*.cmake")):
        listed = set(re.findall(r"[\w/]+\.cpp", " ".join(path.read_text() for path in root.glob(files))))
        names = {name.rsplit("/", 1)[-1] for name in listed}
        for path in sorted(root.glob(f"{folder}/**/*.cpp")):
            if path.name not in names:
                yield f"{path.relative_to(root)}: no CMake file names this source"


def main():
    root = pathlib.Path(sys.argv[1])
    folders, direct = read_libraries(root)
    allowed, rooms = closure(direct), rooms_of(folders, direct)
    library_of = {folder: library for library, folder in folders.items()}
    errors = []

    def check(path, library, uses):
        relative = path.relative_to(root)
        for line, name in includes(path):
            if name.startswith("cclc/"):
                folder = name[len("cclc/"):].rpartition("/")[0]
                other = "Api" if name == "cclc/cclc.h" else library_of.get(folder)
                if other is None:
                    errors.append(f"{relative}:{line}: no library has {name}")
                elif other != library and other not in uses:
                    errors.append(f"{relative}:{line}: {library} may not use {other}")
            if relative.parts[0] == "include":
                if name.startswith(THIRD_PARTY):
                    errors.append(f"{relative}:{line}: third-party header {name} in include/")
                inside = str(relative.relative_to("include/cclc"))
                if (inside == "cclc.h" or inside.startswith("Api/")) and (
                        name.startswith("llvm/") or name.startswith("cclc/") and not name.startswith("cclc/Tools/Api/")):
                    errors.append(f"{relative}:{line}: other programs include this, and {name} with it")
                if inside in USER_HEADERS and (
                        name.startswith("llvm/") or
                        name.startswith("cclc/") and name[5:] not in USER_HEADERS):
                    errors.append(f"{relative}:{line}: users include this, and {name} with it")

    check(root / "include/cclc/cclc.h", "Api", allowed["Api"])
    for library, uses in allowed.items():
        for folder in (f"include/cclc/{folders[library]}", f"lib/{folders[library]}"):
            for path in sorted((root / folder).glob("*")):
                if path.suffix in (".h", ".cpp", ".def"):
                    check(path, library, uses)
    tools = (root / "tools/CMakeLists.txt").read_text()
    for name, uses in re.findall(r"ccl_add_tool\(([a-z-]+)\s+SOURCES[^)]*?DEPENDS\s+([A-Za-z\s]+?)"
                                 r"(?:PRIVATE[^)]*)?\)", tools):
        uses = set(uses.split()) - {"Programs"}
        for path in sorted((root / "tools" / name).rglob("*.*")):
            if path.suffix in (".h", ".cpp"):
                check(path, name, uses.union(*(allowed[other] for other in uses)))
    errors += circles(allowed, "library")
    errors += circles(closure(rooms), "room")
    errors += crowded(rooms)
    errors += unlisted(root)
    for path in sorted([*root.glob("programs/*.cpp"), *root.glob("lib/Search/Synth/*Program.cpp")]):
        errors += [f"{path.relative_to(root)}:{number}: an operation continues the line before"
                   for number, line in enumerate(path.read_text().splitlines(), 1)
                   if re.match(r"\s+\.(copy|reduce)\(", line)]
    for path in sorted(root.glob("programs/*.cpp")):
        for line, name in includes(path):
            if name.startswith("cclc/") and name != "cclc/DSL/DSL.h":
                errors.append(f"{path.relative_to(root)}:{line}: programs include cclc/DSL/DSL.h "
                              f"only, not {name}")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
