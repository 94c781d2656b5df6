#!/usr/bin/env python3
"""Installs the hooks of .pre-commit-hooks.yaml in a repository, and commits right and wrong plans.

usage: check_precommit.py --bin DIR --hooks FILE

Exits with 77 if pre-commit or git is not installed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Repository:
    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        folder.mkdir()
        self.git("init", "-q")

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def git(self, *words):
        code, text = self.run("git", *words)
        if code != 0:
            sys.exit(f"git {' '.join(words)}\n{text}")
        return text.strip()

    def commit(self):
        """Exit code and output of a commit of all files, which runs the hooks."""
        self.git("add", "-A")
        return self.run("git", "commit", "-q", "-m", "change")


def expect(result, code, *texts):
    if result[0] != code or any(text not in result[1] for text in texts):
        sys.exit(f"{result[1]}\nexit code {result[0]}, expected {code} and {texts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--hooks", type=pathlib.Path, required=True)
    args = parser.parse_args()
    if not shutil.which("pre-commit") or not shutil.which("git"):
        print("pre-commit or git is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment.update(PATH=f"{args.bin.resolve()}:{os.environ['PATH']}", HOME=str(folder), NO_COLOR="1",
                           GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                           GIT_COMMITTER_EMAIL="a@b", PRE_COMMIT_HOME=str(folder / "cache"),
                           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="init.defaultBranch", GIT_CONFIG_VALUE_0="main")
        hooks = Repository(folder / "hooks", environment)
        shutil.copy(args.hooks, hooks.folder / ".pre-commit-hooks.yaml")
        expect(hooks.commit(), 0)
        plans = Repository(folder / "plans", environment)
        (plans.folder / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {hooks.folder}\n  rev: {hooks.git('rev-parse', 'HEAD')}\n"
            "  hooks:\n  - id: ccl-verify\n  - id: ccl-lint\n")
        expect(plans.run("pre-commit", "install"), 0)

        # Right plans, whose names have blanks, are committed.
        (plans.folder / "golden").mkdir()
        for options in ("-o", "golden/my ring.json"), ("--xml-dialect=msccl", "-o", "a ring.xml"):
            expect(plans.run("cclc", "allreduce_ring", "--ranks", "4", *options), 0)
        expect(plans.commit(), 0, "plans are proved", "Passed")

        # Wrong ones are not: the hook names the file and the step.
        right = plans.folder / "a ring.xml"
        wrong = right.read_text().replace('type="rrs"', 'type="rcs"', 1)
        assert wrong != right.read_text()
        right.write_text(wrong)
        expect(plans.commit(), 1, "Failed", "a ring.xml", "wrong-result")
        plans.git("checkout", "-q", "HEAD", "--", "a ring.xml")
        (plans.folder / "golden/torn.json").write_text('{"format": "ccl-plan"')
        expect(plans.commit(), 1, "Failed", "golden/torn.json")
    print("right plans are committed, wrong ones are refused")


if __name__ == "__main__":
    main()
