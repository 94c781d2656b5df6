"""The documents in the dialect of Markdown that MkDocs reads.

Documents are written for GitHub. MkDocs knows no words after the language of a fence, no Mermaid, no
links to folders, wants an empty line before a list and four columns for each of its levels, and makes
other anchors of headings.
"""

import pathlib
import re
import subprocess

LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
ITEM = re.compile(r"^( *)([-*]|\d+\.) ")


def slug(text, _separator="-"):
    """The anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def graph_of(mermaid, file):
    """Draws the arrows of a Mermaid graph with Graphviz."""
    arrows = re.findall(r"^\s*(\w+) --> (\w+)$", mermaid, re.MULTILINE)
    dot = 'digraph { node [shape=box, fontname="Helvetica"];\n' + "".join(f"{a} -> {b};\n" for a, b in arrows) + "}\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["dot", "-Tsvg", "-o", file], input=dot, text=True, check=True)


def lists(lines):
    """Indents levels of lists by four columns, and separates lists from paragraphs."""
    depth, previous = [], ""
    for line in lines:
        item = ITEM.match(line)
        if item:
            indent = len(item.group(1))
            while depth and depth[-1] > indent:
                depth.pop()
            if not depth or depth[-1] < indent:
                depth.append(indent)
            if not depth[1:] and previous.strip() and not previous.startswith(" ") and not ITEM.match(previous):
                yield ""
            line = "    " * (len(depth) - 1) + line.lstrip(" ")
        elif line.strip() and not line.startswith(" "):
            if not previous.strip():
                depth = []
        elif depth and line.startswith(" "):
            line = "    " * len(depth) + line.lstrip(" ")
        yield line
        previous = line


class Stage:
    """Copies documents, and the files to which they link, below a folder."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.queue, self.seen = [], set()

    def add(self, path):
        """A document or file of the repository, by its path from the root."""
        if path not in self.seen:
            self.seen.add(path)
            self.queue.append(path)

    def run(self):
        while self.queue:
            path = self.queue.pop()
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            source = self.root / path
            if path.suffix == ".md":
                target.write_text(self.convert(source.read_text(), path))
            elif source.is_file():
                target.write_bytes(source.read_bytes())

    def list_folder(self, path):
        """A page with the files of a folder that has no README.md."""
        page = path / "README.md"
        if page not in self.seen and not (self.root / page).exists():
            self.seen.add(page)
            names = sorted(each.name for each in (self.root / path).iterdir() if each.is_file())
            for name in names:
                self.add(path / name)
            target = self.folder / page
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f"# {path}\n\n" + "".join(f"- [{name}]({name})\n" for name in names))
        self.add(page)
        return page

    def link(self, match, path):
        begin, target, anchor, end = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group()
        parts = []
        for part in (path.parent / target).parts:
            if part == ".." and parts:
                parts.pop()
            elif part != ".":
                parts.append(part)
        place = pathlib.PurePosixPath(*parts)
        if str(place) == "README.md":
            shown = "index.md"
        elif (self.root / place).is_dir():
            shown = str(self.list_folder(place))
        else:
            self.add(place)
            shown = str(place)
        return begin + "../" * (len(path.parts) - 1) + shown + (anchor or "") + end

    def convert(self, text, path):
        out, prose = [], []

        def flush():
            out.extend(LINK.sub(lambda match: self.link(match, path), line) for line in lists(prose))
            prose.clear()

        lines = iter(text.splitlines())
        for line in lines:
            fence = re.match(r"^(`{3,})(\S*)", line)
            if not fence:
                prose.append(line)
                continue
            flush()
            block = []
            for inner in lines:
                if inner.startswith(fence.group(1)):
                    break
                block.append(inner)
            if fence.group(2) == "mermaid":
                picture = path.with_suffix(".graph.svg")
                graph_of("\n".join(block), self.folder / picture)
                out += ["", f"![the graph of {path.stem}]({picture.name})", ""]
            else:
                out += ["", fence.group(1) + fence.group(2), *block, fence.group(1), ""]
        flush()
        return "\n".join(out) + "\n"
