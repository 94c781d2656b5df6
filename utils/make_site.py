#!/usr/bin/env python3
"""Makes the site: documents, pictures of all algorithms, the interface, and search.

usage: make_site.py --bin BIN --output DIR

BIN has the tools. Needs the Debian packages mkdocs, mkdocs-material and graphviz
(utils/install_packages.sh site), and exits with 77 without them.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import site_markdown
import site_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent


def is_available():
    return all(map(shutil.which, ("mkdocs", "dot"))) and pathlib.Path("/usr/share/mkdocs/themes/material").is_dir()


def navigation(text, algorithms):
    """Folders of the navigation become their pages that have no place of their own, README.md first."""
    named = set(re.findall(r"\S+\.md", text))
    lines = []
    for line in text.splitlines():
        match = re.fullmatch(r"( +)- (?:(.*): )?([\w/]+)", line)
        if not match or not (match.group(3) == "algorithms" or (ROOT / match.group(3)).is_dir()):
            lines.append(line)
            continue
        indent, title, folder = match.groups()
        pages = algorithms if folder == "algorithms" else sorted(
            (str(page.relative_to(ROOT)) for page in (ROOT / folder).glob("*.md")),
            key=lambda page: (not page.endswith("README.md"), page))
        if title:
            lines.append(f"{indent}- {title}:")
            indent += "  "
        lines += [f"{indent}- {page}" for page in pages if page not in named]
    return "\n".join(lines) + "\n"


def make(tools, output):
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        stage = site_markdown.Stage(ROOT, work / "pages")
        for path in [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "targets/README.md", ROOT / "CONTRIBUTING.md",
                     ROOT / "CHANGELOG.md", ROOT / "examples/embed/README.md"]:
            stage.add(pathlib.PurePosixPath(path.relative_to(ROOT)))
        stage.run()
        shutil.copy(ROOT / "assets/site/site.css", work / "pages/site.css")
        settings, start = (ROOT / "assets/site/index.md").read_text().split("\n---\n", 1)
        start = stage.convert(start, pathlib.PurePosixPath("index.md"))
        (work / "pages/index.md").write_text(f"{settings}\n---\n{start}")
        algorithms = site_pages.write_algorithms(tools, work / "pages/algorithms")
        site_pages.write_interface(ROOT, work / "pages/api.md")
        config = navigation((ROOT / "assets/site/mkdocs.yml").read_text(), algorithms)
        (work / "mkdocs.yml").write_text(config + f"docs_dir: {work}/pages\n")
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "utils"), SOURCE_DATE_EPOCH="0")
        done = subprocess.run(["mkdocs", "build", "--config-file", work / "mkdocs.yml", "--site-dir",
                               output.resolve()], env=environment, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}make_site.py: error: mkdocs fails")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    if not is_available():
        print("make_site.py: mkdocs, mkdocs-material or graphviz is not installed: "
              "run utils/install_packages.sh site", file=sys.stderr)
        sys.exit(77)
    make(args.bin.resolve(), args.output)
    print(f"{len(list(args.output.rglob('*.html')))} pages in {args.output}")


if __name__ == "__main__":
    main()
