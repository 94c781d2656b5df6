#!/usr/bin/env python3
"""Compares targets/schema.json with the loader of targets.

usage: check_schema.py BIN

Every target of the repository is valid, and so are imported ones. Each family and shape has a
sample with all its keys: the loader accepts it, and the keys of the target that it writes (ccl-sim
--dump-target) are those of the schema. Of every key, values of another type or outside the range
and unknown keys beside it are refused by both; for values at the ends of the range, neither
complains about the range. The tables in targets/README.md list the same keys. Without the Python
package jsonschema the test is skipped (exit code 77).
"""

import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from samples import SAMPLES

try:
    import jsonschema
except ImportError:
    print("needs jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "targets/schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# Keys of the file itself, which the loader replaces by their effect.
OF_FILES = {"$schema", "base"}


def definitions(schema):
    """A schema and those that apply to the same value, without conditions."""
    yield schema
    for name in ("then", "else"):
        if name in schema:
            yield from definitions(schema[name])
    for inner in schema.get("allOf", []) + schema.get("anyOf", []):
        yield from definitions(inner)
    if "$ref" in schema:
        found = SCHEMA
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        yield from definitions(found)


def keys(schema, path=()):
    """The path of each key, with "[]" for elements of arrays, and all that applies to its value."""
    found = {}
    for part in definitions(schema):
        if "items" in part:
            found.update(keys(part["items"], path + ("[]",)))
        for key, value in part.get("properties", {}).items():
            merged = {}
            for other in reversed(list(definitions(value))):
                merged.update(other)
            if merged:  # without constraints, it only refines a condition
                found[path + (key,)] = merged
            found.update(keys(value, path + (key,)))
    return found


def keys_of(value, path=()):
    """The paths of the keys of a document."""
    if isinstance(value, list):
        return {p for element in value for p in keys_of(element, path + ("[]",))}
    if not isinstance(value, dict):
        return set()
    return {p for key, inner in value.items()
            for p in {path + (key,)} | keys_of(inner, path + (key,))}


def places(document, path):
    """The objects or arrays, and the keys or indices in them, that a path selects."""
    found = [document]
    for step in path[:-1]:
        found = [inner for value in found
                 for inner in (value if step == "[]" else [value[step]] if step in value else [])]
    return [value for value in found if path[-1] in value]


def wrong_values(schema):
    """Values that the schema of a key excludes."""
    if "enum" in schema:
        return ["nonsense", 7]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "null" not in kinds and "object" not in kinds:
        yield None
    if "string" in kinds:
        yield 7
        return
    yield "nonsense"
    if "array" in kinds:
        yield [-1]
    if "minimum" in schema:
        yield schema["minimum"] - (1 if schema["minimum"] >= 1 else 1e-3)
        if "maximum" in schema:
            yield schema["maximum"] + 1 if "integer" in kinds else schema["maximum"] * 1.01
    if "integer" in kinds:
        yield 1.5


class Loader:
    def __init__(self, folder, binaries):
        self.folder, self.sim = pathlib.Path(folder), f"{binaries}/ccl-sim"
        self.plan = f"{folder}/plan.json"
        subprocess.run([f"{binaries}/cclc", "allgather_ring", "--ranks", "2", "-o", self.plan],
                       check=True)
        self.files = 0

    def load(self, document):
        """The target with all keys, or the message of the error."""
        self.files += 1
        file = self.folder / f"target{self.files}.json"
        file.write_text(json.dumps(document))
        run = subprocess.run([self.sim, self.plan, "--target", file, "--bytes", "64",
                              "--dump-target", "-"], capture_output=True, text=True)
        return run.stderr if run.returncode else json.loads(run.stdout)


def documents():
    """The targets of the repository and of its documents, by their place."""
    for folder in ("targets", "examples"):
        for file in sorted((ROOT / folder).rglob("*.json")):
            document = json.loads(file.read_text())
            if file.name != "schema.json" and ({"base", "family"} & set(document)):
                yield file.relative_to(ROOT), document
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"```json file=\S+\n(.*?)```", page.read_text(), re.S):
            try:
                document = json.loads(block)
            except ValueError:
                continue  # an example of an error
            if {"base", "family"} & set(document):
                yield page.relative_to(ROOT), document


def check_documents():
    count = 0
    for place, document in documents():
        count += 1
        for error in VALIDATOR.iter_errors(document):
            yield f"{place}: {error.message}"
    if count < 25:
        yield f"only {count} targets were found"


def check_imports(binaries):
    """Imported targets are valid."""
    for file in sorted((ROOT / "test/lit/Driver/Inputs").glob("nccl-*.xml")):
        run = subprocess.run([f"{binaries}/cclc", "targets", "import", file], capture_output=True,
                             text=True, check=True)
        for error in VALIDATOR.iter_errors(json.loads(run.stdout)):
            yield f"imported {file.name}: {error.message}"


def check_keys(loader):
    """The keys of the dumps are those of the schema, and a dump is a target."""
    dumped = {family: set() for family in ("ahbm", "switched", "graph")}
    for sample in SAMPLES:
        where = f"{sample['family']}/{sample['name']}"
        for error in VALIDATOR.iter_errors(sample):
            yield f"{where}: {error.message}"
        resolved = loader.load(sample)
        if isinstance(resolved, str):
            yield f"{where}: {resolved}"
            continue
        for error in VALIDATOR.iter_errors(resolved):
            yield f"{where}, dumped: {error.message}"
        if (again := loader.load(resolved)) != resolved:
            yield f"{where}: the dump describes another target: {again}"
        dumped[sample["family"]] |= keys_of(resolved)
    for family, paths in dumped.items():
        known = {path for path in keys(SCHEMA["$defs"][family]) if path[0] not in OF_FILES}
        for path in sorted(known - paths):
            yield f"{family}: the loader does not write {'.'.join(path)}"


def mutations(sample):
    """Targets that differ from a sample in the value of one key: path, target, whether valid."""
    for path, schema in sorted(keys(SCHEMA["$defs"][sample["family"]]).items()):
        if path[0] in OF_FILES | {"name", "family"} or not places(sample, path):
            continue

        def changed(value):
            document = json.loads(json.dumps(sample))
            place = places(document, path)[0]
            place[path[-1]] = value
            return document

        for value in wrong_values(schema):
            yield path, changed(value), False
        for end in ("minimum", "maximum"):
            if end in schema:
                yield path, changed(schema[end] if "number" in schema["type"]
                                    else math.floor(schema[end])), True
    for path in sorted(keys_of(sample) | {("x",)}):
        document = json.loads(json.dumps(sample))
        for place in places(document, path) or [document]:
            place["nonsense"] = 1
        yield path[:-1] + ("nonsense",), document, False


def check_mutation(loader, sample, path, document, valid):
    where = f"{sample['family']}/{sample['name']}: {'.'.join(path)}"
    accepted = VALIDATOR.is_valid(document)
    answer = loader.load(document)
    in_range = not isinstance(answer, str) or not re.search(
        r"takes a|takes at|must be one of|is missing|not a known|apply to", answer)
    if accepted != valid:
        return f"{where}: the schema {'accepts' if accepted else 'refuses'} it"
    if in_range != valid:
        return f"{where}: the loader: {answer if isinstance(answer, str) else 'accepts it'}"
    return None


def check_values(loader):
    """The schema and the loader agree on changed values; each key is tried in one sample."""
    tried, work = set(), []
    for sample in SAMPLES:
        new = {path for path in keys_of(sample) if (sample["family"], path) not in tried}
        for path, document, valid in mutations(sample):
            if path in new or (path[-1] == "nonsense" and (sample["family"], path) not in tried):
                work.append((sample, path, document, valid))
        tried |= {(sample["family"], path) for path in new}
        tried |= {(sample["family"], path[:-1] + ("nonsense",)) for path in new}
        # Keys of other shapes.
        for other in SAMPLES:
            for key in sorted(set(other) - set(sample)):
                if other["family"] == sample["family"]:
                    work.append((sample, (key,), {**sample, key: other[key]}, False))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for problem in pool.map(lambda item: check_mutation(loader, *item), work):
            if problem:
                yield problem
    print(f"{len(work)} changed targets")


def documented_keys():
    """The keys in the tables of targets/README.md: families, path."""
    families, prefixes = ("ahbm", "switched", "graph"), [""]
    for line in (ROOT / "targets/README.md").read_text().splitlines():
        if line.startswith("# Bundled"):
            return
        if line.startswith("## Family"):
            families = (line.split("`")[1],)
            prefixes = [""]
        elif line.startswith("The tables of the protocols"):
            prefixes = [f"protocols.{name}." for name in ("Simple", "LL", "LL128")]
        elif line.startswith("The executor of MSCCL++"):
            prefixes = [""]
        elif line.startswith("The keys of the queues"):
            prefixes = ["queue."]
        cells = line.split("|")
        if len(cells) < 5 or not cells[1].strip().startswith("`"):
            continue
        previous = ""
        for name in re.findall(r"`([^`]+)`", cells[1]):
            if name.startswith("."):
                name = previous.rsplit(".", 1)[0] + name
            previous = name
            for full in (prefix + name for prefix in prefixes):
                for memory in ("tcm", "sram", "hbm") if ".M." in full else ("",):
                    path = full.replace(".M.", f".{memory}.").replace("[]", ".[]")
                    for family in families:
                        yield family, tuple(path.split("."))


def check_readme():
    """Every key of the schema is in a table, or an object or array that contains it is."""
    documented = {family: set() for family in ("ahbm", "switched", "graph")}
    for family, path in documented_keys():
        if path[0] == "queue" and family == "ahbm":
            path = ("ipcq",) + path[1:]
        if path == ("memory", "capacity") and family == "ahbm":
            continue
        documented[family].add(path)
    for family, listed in documented.items():
        known = set(keys(SCHEMA["$defs"][family]))
        inner = {path for path in known if any(other[:-1] == path or other[:-2] == path
                                               for other in known)}
        for path in sorted(known - inner):
            if path[0] not in OF_FILES and not any(path[:n] in listed
                                                   for n in range(1, len(path) + 1)):
                yield f"targets/README.md: {family} has no {'.'.join(path)}"
        elements = {path[:-1] for path in known if path[-1] == "[]"} | known
        for path in sorted(listed):
            if path not in elements and path[:-1] not in elements:
                yield f"targets/README.md: {family} lists {'.'.join(path)}, an unknown key"


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with tempfile.TemporaryDirectory() as folder:
        loader = Loader(folder, sys.argv[1])
        problems = [*check_documents(), *check_imports(sys.argv[1]), *check_keys(loader),
                    *check_values(loader), *check_readme()]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} differences between schema and loader")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
