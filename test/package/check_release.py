#!/usr/bin/env python3
"""Makes releases in a repository of its own, and compares licences with what the project uses.

usage: check_release.py ROOT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

FILES = ("CMakeLists.txt", "CHANGELOG.md", "utils/release.sh", "examples/embed/CMakeLists.txt",
         "examples/embed/README.md", "docs/Api.md", "docs/Installing.md", "include/cclc/cclc.h")


def check_licences(root):
    used = set()
    for annotation in tomllib.loads((root / "REUSE.toml").read_text())["annotations"]:
        used.update(annotation["SPDX-License-Identifier"].split(" AND "))
        path = annotation["path"]
        assert path == "**" or (root / path).is_file(), f"REUSE.toml: {path} does not exist"
    kept = {path.stem for path in (root / "LICENSES").iterdir()}
    assert used == kept, f"LICENSES has {sorted(kept)}, REUSE.toml names {sorted(used)}"
    notices = (root / "third_party/NOTICES.md").read_text().lower()
    for package in re.findall(r"^find_package\((\w+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE):
        assert package.lower() in notices, f"third_party/NOTICES.md lacks {package}"


class Repository:
    def __init__(self, root, folder):
        self.folder = folder
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self.environment.update(GIT_AUTHOR_NAME="Test", GIT_AUTHOR_EMAIL="test@localhost",
                                GIT_COMMITTER_NAME="Test", GIT_COMMITTER_EMAIL="test@localhost",
                                GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        for name in FILES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "Begin")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, env=self.environment, text=True, check=True,
                              stdout=subprocess.PIPE).stdout

    def release(self, *words, code=0):
        done = subprocess.run(["sh", "utils/release.sh", *words], cwd=self.folder, env=self.environment,
                              text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == code, f"release.sh {' '.join(words)}: {done.returncode}\n{done.stdout}"
        return done.stdout


def check_releases(root, folder):
    repository = Repository(root, folder)
    assert "usage" in repository.release("one", code=2)
    text = repository.release("7.1.0", "--checks", "false", code=1)
    assert text == "release.sh: error: the checks failed; nothing is changed\n", text
    assert repository.git("status", "--porcelain") == ""
    text = repository.release("7.1.0", "--checks", "grep -q 'VERSION 7.1.0' CMakeLists.txt")
    assert text == "committed and tagged v7.1.0\n", text
    for name in ("examples/embed/CMakeLists.txt", "examples/embed/README.md", "docs/Api.md", "docs/Installing.md"):
        assert "find_package(cclc 7.1" in (folder / name).read_text(), name
    defined = re.findall(r"^#define CCLC_VERSION_M?\w+ (\d+)$", (folder / "include/cclc/cclc.h").read_text(), re.M)
    assert defined == ["7", "1", "0"], defined
    changes = (folder / "CHANGELOG.md").read_text()
    assert re.search(r"^## Unreleased\n\n## 7\.1\.0 - \d{4}-\d\d-\d\d$", changes, re.MULTILINE), changes[:200]
    message = repository.git("tag", "-l", "--format=%(contents)", "v7.1.0")
    first = next(line for line in changes.splitlines() if line.startswith("- "))
    assert message.startswith("cclc 7.1.0\n") and first in message, message[:300]
    text = repository.release("7.1.0", "--checks", "true", code=1)
    assert text == "release.sh: error: the tag v7.1.0 exists\n", text
    (folder / "CMakeLists.txt").write_text("")
    text = repository.release("7.2.0", "--checks", "true", code=1)
    assert text == "release.sh: error: there are changes that are not committed\n", text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check_licences(pathlib.Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as scratch:
        check_releases(pathlib.Path(sys.argv[1]), pathlib.Path(scratch))
    print("releases and licences are complete")
