"""Pages of the site that commands and headers make: algorithms with their pictures, and the interface."""

import concurrent.futures
import json
import re
import subprocess

# The smallest machine or number of ranks that a program accepts is the clearest picture.
SIZES = (["--ranks", "4"], ["-p", "nodes=2", "-p", "ranks_per_node=2"],
         ["--target", "ahbm", "--set", "cubes.width=2", "--set", "cubes.height=2", "--set", "cubes.pes=1"],
         ["--target", "ahbm", "--set", "cubes.width=2", "--set", "cubes.height=2", "--set", "cubes.pes=2"])


def draw(tools, program, folder):
    """Draws the Chunk DAG of a program; returns the command."""
    for size in SIZES:
        command = ["cclc", program, *size, "--dump-chunk-dag", f"{program}.svg"]
        done = subprocess.run([tools / "cclc", *command[1:], "-o", "/dev/null"], cwd=folder, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            return " ".join(command)
    raise SystemExit(f"no size of {program} can be drawn")


def write_algorithms(tools, folder):
    """A page for each collective, and one that lists them. Returns their names for the navigation."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = json.loads(subprocess.run([tools / "cclc", "list", "--json"], text=True, check=True,
                                         stdout=subprocess.PIPE).stdout)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = list(pool.map(lambda each: draw(tools, each["name"], folder), programs))
    pages, index = {}, ["# Algorithms", "", "Every bundled program, with its costs for R ranks and S bytes. "
                        "[The library, measured](../docs/Algorithms/Library.md) has times.", "",
                        "| program | collective | cost |", "|---|---|---|"]
    for program, command in zip(programs, commands):
        name, collective = program["name"], program["collective"]
        index.append(f"| [{name}]({collective}.md#{name}) | {collective} | {program['cost']} |")
        text = pages.setdefault(collective, [f"# {collective}", ""])
        text += [f"## {name}", "", program["summary"], "", f"Cost: {program['cost']}", "",
                 f"Source: {program['source']}", "", "```sh", command, "```", "",
                 f'<a class="picture" href="{name}.svg">'
                 f'<img src="{name}.svg" alt="The Chunk DAG of {name}" loading="lazy"></a>', ""]
    (folder / "index.md").write_text("\n".join(index) + "\n")
    for collective, text in pages.items():
        (folder / f"{collective}.md").write_text("\n".join(text) + "\n")
    return ["algorithms/index.md", *(f"algorithms/{name}.md" for name in sorted(pages))]


def write_interface(root, file):
    """The public headers: the comment at the top as text, then the declarations."""
    page = ["# Public headers", "", "What `cclc/cclc.h` includes, and the headers of programs "
            "([guide](docs/Api.md), [the language](docs/DSL.md)).", ""]
    headers = [root / "include/cclc/cclc.h", *sorted((root / "include/cclc/Api").glob("*.h")),
               *(root / f"include/cclc/DSL/{name}.h" for name in ("Program", "ChunkRef", "Declaration", "Params"))]
    for header in headers:
        lines = header.read_text().splitlines()
        page += [f"## {header.relative_to(root / 'include')}", ""]
        title = re.match(r"//===- \S+ - (.*?) -*\*- C", lines[0])
        page += [f"{title.group(1).strip().rstrip('-').strip()}.", ""]
        at = 1
        comment = []
        while lines[at].startswith("//"):
            if not lines[at].startswith("//==="):
                comment.append(lines[at][3:])
            at += 1
        # Programs in comments are indented.
        page += [f"    {line}" if line.startswith(" ") else line for line in comment] + [""]
        body = "\n".join(lines[at:])
        body = re.sub(r"^#(ifndef|define|endif|include)\b.*_H\b.*\n?", "", body, flags=re.MULTILINE).strip()
        page += ["```cpp", body, "```", ""]
    file.write_text("\n".join(page) + "\n")
