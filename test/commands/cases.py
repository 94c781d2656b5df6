"""The command lines whose bytes are stored: what the tools list, in all forms, on all targets, and all outputs."""

import json
import subprocess

FORMS = ("json", "text --print-locs", "xml", "bin", "mscclpp")
# Targets on which every program is compiled and simulated; a program that does not fit has its message stored.
TARGETS = ("ahbm --ranks 16", "dgx-h100", "dgx1", "mi300x", "ndv4 --ranks 16", "torus2d --ranks 16",
           "ring --ranks 12")
# Variants of single programs, in every form and with every picture.
VARIANTS = (
    "allreduce_ring --ranks 13 -p channels=4 --instances 2", "allreduce_recursive_doubling --ranks 12 -p chunks=3",
    "allreduce_hierarchical --no-fuse --slots 1", "allreduce_hierarchical -p nodes=4 --instances 2 --fuse rcs",
    "allgather_ring --ranks 9 -p buffers=both", "reducescatter_ring --ranks 9 -p buffers=out_of_place",
    "broadcast_binomial --ranks 21 -p root=3 -p chunks=2", "alltoall_hierarchical --ranks 24 -p arity=3",
    "alltoall_two_step -p nodes=4 --optimize-for steps", "allreduce_lrab --target ahbm",
    "allreduce_lrab --target ahbm-6sip-mesh -p root=corner", "allreduce_tree --target bluefield3 --ranks 9",
    "allreduce_nvls --target dgx-h100", "allreduce_rails --target ndv4", "allreduce_rails --target ndv4 -p nodes=1 -O3", "hierarchical_sequence --ranks 12",
    "allreduce_ring --ranks 64 --rolled on", "allgather_bruck --ranks 7 --protocol LL -O0",
)
# Plans whose simulation is described in every way.
DESCRIBED = (
    "allreduce_lrab --target ahbm", "allreduce_rails --target ndv4", "alltoall_direct --target torus2d --ranks 9",
    "allreduce_nvls --target dgx-h100", "allreduce_ring --target mi300x --protocol LL", "allreduce_tree --target bluefield3",
)
DESCRIPTIONS = (
    "--sweep 1K:1M:32 --dtype bf16 --check-data --json out.json", "--bytes 64K --critical-path", "--bytes 64K --trace t.json",
    "--bytes 64K --report r.html", "--bytes 200K --what-if",
    "--bytes 1M --repeat 3 --seed 7", "--bytes 64K --skew random=1e-6:3", "--bytes 64K --schedule random:5",
    "--bytes 64K --emit-goal g.goal", "--bytes 64K --emit-chakra c", "--bytes 64K --dump-target t.json",
    "--bytes 64K --slots 1", "--bytes 64K --slots inf --dtype f64 --op max --check-data",
    *(f"--bytes 200K --network {name}" for name in ("cut-through", "fifo", "ideal", "maxmin", "maxmin-fast", "per-flit")),
)
SYNTHESES = ("allreduce --target dgx1", "allgather --target torus2d --ranks 9", "reducescatter --target dgx1 -p ordered=yes",
             "broadcast --target mesh2d --ranks 8", "alltoall --target dgx1")
SEARCHES = ("ring allreduce --ranks 4 --sizes 1K:32K:32", "dgx1 allgather --sizes 64K:64K --max-plans 2",
            "dgx-h100 allreduce --ranks 4 --sizes 1K:64K:64 --programs allreduce_allpairs,allreduce_nvls",
            "mi300x alltoall --sizes 64K:64K --export goal", "mi300x allreduce --sizes 64K:64K --runtime nccl,ompi,mpich,run",
            "torus2d allgather broadcast --ranks 9 --sizes 64K:64K --invariant",
            "ring allgather --ranks 4 --sizes 1M:1M --vary link.bandwidth=1e9:4e9:2")
# Programs for which MSCCLang's compiler, whose order depends on addresses, has up to eight different outputs.
OFTEN = (
    "cclc alltoall_two_step -p nodes=4 --optimize-for=steps --emit=xml",
    "cclc allreduce_allpairs --emit=xml", "cclc allgather_recursive_doubling --ranks 16 --emit=xml",
    "cclc allreduce_hierarchical -p nodes=4 --max-threadblocks=12 --emit=json --explain",
    "cclc allreduce_hierarchical --emit=xml --xml-dialect=rccl",
    "cclc alltoall_three_step --emit=xml --xml-dialect=msccl-executor",
    "cclc allreduce_halving_doubling --target ndv4 -O3 --emit=bin --explain=json",
)
COMPARISONS = (("allreduce_ring", "allreduce_ring --no-fuse"), ("allreduce_ring", "allreduce_allpairs"),
               ("allreduce_ring", "allreduce_ring --instances 2"), ("allgather_ring", "allgather_bruck"))
OTHERS = (
    "cclc list", "cclc list --json", "cclc targets", "cclc targets --json", "ccl-opt --list-passes",
    "cclc allreduce", "cclc allreduce_rings", "cclc allreduce_ring -p chanels=2", "cclc allreduce_ring --ranks 0",
    "cclc allreduce_ring --target ahbn", "cclc allreduce_ring --set a=b", "cclc allreduce_lrab --target ahbm --set sips.count=x",
    "cclc allreduce_lrab --target ahbm --emit ahbm-module", "cclc allreduce_lrab --target ahbm --emit ahbm-module --world-size 2",
    "ccl-sim none.json", "ccl-bound ring allreduces", "ccl-diff none.json none.json", "ccl-opt none.ccl",
    "cclc allreduce_ring --ranks 4 --target ring -o plan.bin && ccl-sim plan.bin --bytes 64K --advise",
    "ccl-bound dgx-h100 --json peak.json", "ccl-bound ndv4 --ranks 16", "ccl-bound dgx1 --endpoints 0,1,2,3,7",
    "ccl-bound dgx1 allgather --without link --json parts.json", "ccl-bound ndv4 alltoall --ranks 16 --without nic",
    "ccl-bound mi300x allreduce --without rank",
    "ccl-sim dma '0<-9;3->40,5->41' --target ahbm --bytes 64K",
    "cclc allreduce_ring -o a.json && ccl-sim concurrent a.json@0 a.json@1e-6:8 --target torus2d --bytes 64K",
    # Options of earlier versions.
    "ccl-sim --dma '0<-9;3->40,5->41' --target ahbm --bytes 64K",
    "cclc allreduce_ring -o a.json && ccl-sim --plan a.json@0 --plan a.json@1e-6:8 --target torus2d --bytes 64K",
    *(f"cclc allreduce_ring --emit xml -o a.xml && ccl-sim a.xml {old}" for old in ("--lint", "--verify-only", "--why 1:o:0")),
    "cclc allreduce_ring --ranks 65536 -o big.json && ccl-sim big.json --target ring --bytes 64M",
)


def compilations(programs):
    for program in [*programs, *VARIANTS]:
        for form in FORMS:
            yield f"cclc {program} --emit {form}"
        yield f"cclc {program} -o plan.json --stats=json --explain"
    for program in VARIANTS:
        for dialect in ("rccl", "msccl-executor"):
            yield f"cclc {program} --emit xml --xml-dialect {dialect}"
        yield f"cclc {program} -o plan.bin --dump-chunk-dag c.dot --dump-inst-dag i.dot --dump-schedule s.dot"
        yield f"cclc {program} -o plan.bin --print-after-all"


def simulations(programs):
    for program in programs:
        for target in TARGETS:
            yield (f"cclc {program} --target {target} -o plan.bin && "
                   "ccl-sim plan.bin --sweep 1K:32K:32 --dtype bf16 --check-data")
    for program in DESCRIBED:
        for description in DESCRIPTIONS:
            yield f"cclc {program} -o plan.bin && ccl-sim plan.bin {description}"
        for command in "verify plan.bin --json v.json", "why plan.bin 1:o:0":
            yield f"cclc {program} -o plan.bin && ccl-sim {command}"
    for program in VARIANTS:
        yield f"cclc {program} -o plan.json && ccl-sim verify plan.json --slots 1"
        yield (f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d "
               "--sweep 1K:1M:32 --dtype bf16 --seed 11 --slots inf --json -")
        for network in ("fifo", "ideal", "maxmin", "per-flit"):
            yield f"cclc {program} -o plan.json && ccl-sim plan.json --target torus2d --network {network} --bytes 200K --json -"


def conversions():
    for program in DESCRIBED:
        for name in ("xml", "ccl", "json", "bin"):
            yield f"cclc {program} -o plan.json && cclc convert plan.json -o out.{name} && ccl-sim verify out.{name}"
        machine = program.split("--target ")[1].split()[0]
        for command in ("lint plan.json", "verify plan.json", f"plan.json --target {machine} --bytes 64K",
                        f"plan.json --target {machine} --bytes 64K --check-data",
                        f"plan.json --target {machine} --sweep 64K:1M:4 --json r.json"):
            yield f"cclc {program} --emit mscclpp -o plan.json && ccl-sim {command}"


def comparisons():
    for old, new in COMPARISONS:
        for form in ("text", "json", "github", "junit"):
            yield f"cclc {old} -o a.json && cclc {new} -o b.json && ccl-diff a.json b.json --format {form}"
        yield (f"cclc {old} -o a.json && cclc {new} -o b.json && "
               "ccl-diff a.json b.json --target torus2d --bytes 64K --gate time:+2% --strict")


def commands(bindir):
    """All command lines, in the order in which they are stored."""
    def listing(what):
        text = subprocess.run([bindir / "cclc", what, "--json"], capture_output=True, text=True, check=True).stdout
        return json.loads(text)
    programs = [row["name"] for row in listing("list")]
    targets = [row["name"] for row in listing("targets")]
    collectives = ("allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce", "gather", "scatter", "scan",
                   "exscan")
    yield from OTHERS
    yield from OFTEN
    for tool in ("cclc", "ccl-sim", "ccl-bound", "ccl-tune", "ccl-run", "ccl-diff", "ccl-opt", "cclc synth", "cclc convert"):
        yield f"{tool} --help"
    for name in programs:
        yield f"cclc describe {name}"
    for name in targets:
        yield f"cclc targets describe {name}"
        for collective in collectives:
            yield f"ccl-bound {name} {collective} --ranks 8 --sweep 1K:1M:32 --json bounds.json"
    yield from compilations(programs)
    yield from simulations(programs)
    yield from conversions()
    yield from comparisons()
    for request in SYNTHESES:
        yield f"cclc synth {request} -o plan.json"
    for request in SEARCHES:
        yield f"ccl-tune {request} -o out"
