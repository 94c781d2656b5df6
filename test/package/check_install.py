#!/usr/bin/env python3
"""Installs every component of a build into a folder of its own, and uses what is installed.

usage: check_install.py --build DIR --source DIR --cmake PROGRAM --cxx COMPILER

The tree is moved after its installation, so that nothing in it can depend on its place. In the new
place cclc compiles a user's program with the precompiled header, ccl-sim proves and executes the
plan, examples/embed is built by find_package and by pkg-config, and the code of docs/Api.md by pkg-config. The
reports of cclc/cclc.h have the bytes of the tools. The package of Python is imported.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMPONENTS = ("tools", "development", "documents", "openmpi", "mpich", "python")


class Failed(Exception):
    """A command that did not do what it must."""


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != code:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout}exit code {done.returncode}, not {code}")
    return done.stdout


def files_of(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}


def install(args, folder):
    """All components in one folder. A file of two components could not be in two packages."""
    owner = {}
    for component in COMPONENTS:
        alone = folder / component
        run(args.cmake, "--install", args.build, "--prefix", alone, "--component", component)
        for file in files_of(alone):
            if file in owner:
                raise Failed(f"{file} is in the components {owner[file]} and {component}")
            owner[file] = component
    first = folder / "first"
    run(args.cmake, "--install", args.build, "--prefix", first)
    without = files_of(first) - set(owner)
    if without:
        raise Failed(f"in no component: {', '.join(map(str, sorted(without)))}")
    moved = folder / "moved"
    first.rename(moved)
    return moved


def check_places(prefix, args):
    """Text files name neither the build nor the source."""
    for path in sorted(prefix.rglob("*")):
        if path.suffix in (".cmake", ".pc", ".json", ".md", ".1") and path.is_file():
            text = path.read_text()
            for place in (args.build, args.source):
                if f"{place}/" in text:
                    raise Failed(f"{path.relative_to(prefix)} contains {place}")


def check_tools(prefix, work, args, environment):
    """A user's program: compiled, proved, executed. Returns the plan."""
    tools = prefix / "bin"
    source = args.source / "examples/broadcast_rings.cpp"
    program = work / source.name
    program.write_text(source.read_text())
    plan = work / "plan.json"
    run(tools / "cclc", program, "--target", "ahbm", "--verify-each", "-o", plan, cwd=work, env=environment)
    run(tools / "ccl-sim", "verify", plan, env=environment)
    run(tools / "ccl-sim", plan, "--target", "ahbm", "--bytes", "64K", "--check-data",
        "--report", work / "report.html", env=environment)
    run(tools / "cclc", "targets", env=environment)
    header = prefix / "include/cclc/DSL/DSL.h.gch"
    if header.exists():
        # -H prints a precompiled header that is used with an exclamation mark.
        text = run(args.cxx, "-std=c++20", "-O1", "-fPIC", f"-I{prefix}/include", "-H", "-fsyntax-only", program)
        if f"! {header}" not in text:
            raise Failed(f"the precompiled header is not used:\n{text[:2000]}")
    ring = work / "ring.json"
    run(tools / "cclc", "allreduce_ring", "--ranks", "8", "-o", ring, env=environment)
    return ring


def check_python(prefix, work, environment):
    """The module of Python finds the machines, and makes the plan and the time of the tools."""
    packages = prefix / "lib/python3/dist-packages"
    if not packages.exists():
        return
    (work / "program.py").write_text("""import cclc
plan = cclc.compile("allreduce_ring", ranks=8)
plan.save("python.json")
print(round(plan.simulate("ring")[0].ns))
""")
    options = dict(environment, PYTHONPATH=str(packages), PYTHONDONTWRITEBYTECODE="1")
    printed = run("/usr/bin/python3", "program.py", cwd=work, env=options)
    report = work / "python-sim.json"
    run(prefix / "bin/ccl-sim", "python.json", "--target", "ring", "--json", report, cwd=work, env=environment)
    nanoseconds = round(json.loads(report.read_text())["results"][0]["time_ns"])
    if printed != f"{nanoseconds}\n" or (work / "python.json").read_bytes() != (work / "ring.json").read_bytes():
        raise Failed(f"the module of Python prints {printed}, ccl-sim's time is {nanoseconds}")
    if (prefix / "lib/cclc/python.so").exists():
        (work / "program.py").write_text("""import cclc
@cclc.program("broadcast")
def star(p):
    for r in range(p.ranks):
        p.chunk(0, cclc.Input, 0).copy(r, cclc.Output, 0)
""")
        run(prefix / "bin/cclc", "program.py", "--ranks", "3", "-o", "star.json", cwd=work, env=environment)


def check_libraries(prefix, work, args, plan, environment):
    """examples/embed gives the times of ccl-sim, however it is built."""
    example = work / "embed"
    example.mkdir()
    for name in ("CMakeLists.txt", "PlanTime.cpp", "BestPlan.cpp"):
        (example / name).write_text((args.source / "examples/embed" / name).read_text())
    run(args.cmake, "-G", "Ninja", "-S", example, "-B", work / "made", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_CXX_COMPILER={args.cxx}", env=environment)
    run(args.cmake, "--build", work / "made", env=environment)
    report = work / "sim.json"
    run(prefix / "bin/ccl-sim", plan, "--target", "ring", "--bytes", "1M", "--json", report, env=environment)
    nanoseconds = json.loads(report.read_text())["results"][0]["time_ns"]
    expected = f"{round(nanoseconds * 1000)} ps\n"
    programs = [work / "made/plan-time"]
    if args.pkg_config:
        folder = next(prefix.rglob("cclc.pc")).parent
        options = dict(environment, PKG_CONFIG_PATH=str(folder))
        words = run(args.pkg_config, "--cflags", "--libs", "cclc", env=options).split()
        place = run(args.pkg_config, "--variable=targetsdir", "cclc", env=options).strip()
        programs.append(work / "plan-time")
        run(args.cxx, example / "PlanTime.cpp", *words, f'-DTARGETS="{place}"', "-o", programs[-1])
    for program in programs:
        printed = run(program, plan, "ring", 1 << 20)
        if printed != expected:
            raise Failed(f"{program} prints {printed.strip()}, ccl-sim's time is {expected.strip()}")
    check_service(prefix, work, environment)
    check_document(prefix, work, args, words if args.pkg_config else None, environment)
    if args.pkg_config:
        check_reports(prefix, work, args, words, environment)
    # Another minor version is refused.
    lists = example / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("cclc 0.1 ", "cclc 0.2 "))
    text = run(args.cmake, "-S", example, "-B", work / "other", f"-DCMAKE_PREFIX_PATH={prefix}",
               f"-DCMAKE_CXX_COMPILER={args.cxx}", code=1, env=environment)
    if 'compatible with requested version "0.2"' not in " ".join(text.split()):
        raise Failed(f"another version is refused with\n{text}")


def check_service(prefix, work, environment):
    """examples/embed answers queries with the times of ccl-tune and ccl-sim."""
    tuned = work / "tuned"
    run(prefix / "bin/ccl-tune", "ring", "allreduce", "--ranks", 4, "--sizes", "1K:64K:8", "--set",
        "link.bandwidth=50e9", "--programs", "allreduce_ring,allreduce_recursive_doubling", "-o", tuned,
        env=environment)
    rows = json.loads((tuned / "portfolio.json").read_text())["rows"]
    queries, expected = ["allreduce 4"], ["error: a query is COLLECTIVE RANKS BYTES"]
    for row in rows:
        for point in row["points"]:
            queries.append(f"allreduce 4 {point['bytes']}")
            expected.append(f"{tuned}/{row['plan']} {point['time_ns'] / 1000:.3f} us {point['bound_share'] * 100:.1f} %")
    between = 20000
    plan = next(tuned / row["plan"] for row in rows if row["min_bytes"] <= between <= row["max_bytes"])
    report = work / "between.json"
    run(prefix / "bin/ccl-sim", plan, "--bytes", between, "--json", report, env=environment)
    result = json.loads(report.read_text())["results"][0]
    queries += [f"allreduce 4 {between}"] * 2 + ["allreduce 4 99999999", "allgather 4 1024"]
    expected += [f"{plan} {result['time_ns'] / 1000:.3f} us"] * 2
    expected += ["error: no plan for this collective, number of ranks and size"] * 2
    answers = run(work / "made/best-plan", tuned / "portfolio.json", input="\n".join(queries) + "\n").splitlines()
    if len(answers) != len(queries) or not all(map(str.startswith, answers, expected)):
        raise Failed("best-plan answers\n" + "\n".join(answers) + "\nnot\n" + "\n".join(expected))


def check_reports(prefix, work, args, words, environment):
    """The interface makes the bytes of the tools."""
    old, new = work / "old.json", work / "new.json"
    run(prefix / "bin/cclc", "allreduce_tree", "--ranks", 8, "-p", "chunks=1", "-o", old, env=environment)
    run(prefix / "bin/cclc", "allreduce_tree", "--ranks", 8, "-p", "chunks=4", "-o", new, env=environment)
    run(args.cxx, "-std=c++20", args.source / "test/package/Reports.cpp", *words, "-o", work / "reports")
    run(work / "reports", prefix / "share/cclc/targets", old, new, cwd=work, env=environment)
    machine, sizes = ("--set", "link.bandwidth=50e9"), ("--sweep", "4K:1M:16")
    on = ("--target", "ring", *machine)
    tools = {
        "verify": ("ccl-sim", "verify", new),
        "verify-on": ("ccl-sim", "verify", new, *on, *sizes),
        "simulate": ("ccl-sim", new, *on, *sizes, "--dtype", "bf16", "--op", "max", "--network", "fifo",
                     "--slots", 4, "--repeat", 2, "--check-data"),
        "bound": ("ccl-bound", "ring", "broadcast", *machine, "--ranks", 8, "--root", 3, *sizes),
        "bound-plan": ("ccl-bound", "ring", "allreduce", *machine, "--plan", new, *sizes),
    }
    for name, (tool, *options) in tools.items():
        made = work / f"{name}.tool.json"
        text = run(prefix / "bin" / tool, *options, "--json", made, env=environment)
        if text != (work / f"{name}.txt").read_text():
            raise Failed(f"{tool} prints\n{text}, and the interface {(work / f'{name}.txt').read_text()}")
        if made.read_bytes() != (work / f"{name}.json").read_bytes():
            raise Failed(f"{made} and {name}.json differ")
    check_diff_report(prefix, work, old, new, sizes, environment)


def check_diff_report(prefix, work, old, new, sizes, environment):
    made = work / "diff.tool.json"
    text = run(prefix / "bin/ccl-diff", old, new, "--target", "ring", "--target", "fully-connected", *sizes,
               "--dtype", "f16", "--dtype", "f32", "--gate", "time:+2%", "--gate", "steps:0", "--json", made,
               code=1, env=environment)
    if text != (work / "diff.txt").read_text() or made.read_bytes() != (work / "diff.json").read_bytes():
        raise Failed(f"ccl-diff and the interface differ:\n{text}")


def check_document(prefix, work, args, words, environment):
    """The code of docs/Api.md, without the headers of LLVM."""
    blocks = re.findall(r"^```cpp\n(.*?)^```", (prefix / "share/doc/cclc/docs/Api.md").read_text(), re.M | re.S)
    source = work / "document.cpp"
    source.write_text(blocks[0] + "int main() {\n" + "".join(blocks[1:]) + "}\n")
    place = f'-DTARGETS="{prefix}/share/cclc/targets"'
    run(args.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{prefix}/include", place, "-fsyntax-only", source)
    if words:
        run(args.cxx, "-std=c++20", source, place, *words, "-o", work / "document")
        text = run(work / "document", env=environment)
        if "steps, ok\nequivalent\n" not in text or not text.endswith("\n8\n"):
            raise Failed(f"the program of docs/Api.md prints\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--pkg-config")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        work = folder / "work"
        work.mkdir()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("CCLC_")}
        environment.update(XDG_CACHE_HOME=str(folder / "cache"), CXX=args.cxx, NO_COLOR="1")
        try:
            prefix = install(args, folder)
            check_places(prefix, args)
            plan = check_tools(prefix, work, args, environment)
            check_python(prefix, work, environment)
            check_libraries(prefix, work, args, plan, environment)
        except Failed as failure:
            sys.exit(str(failure))
        print(f"{len(files_of(prefix))} files are installed and used")


if __name__ == "__main__":
    main()
