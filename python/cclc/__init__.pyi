# The interface of the package. Names, texts and defaults are those of the options of the tools; docs/Python.md.

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field
from os import PathLike
from typing import Any, ClassVar, Literal, TypeVar, final, overload

_Size = int | str  # bytes, or "64K"
_Sizes = _Size | Iterable[_Size]  # or "1K:1M:4"
_Settings = str | Iterable[str] | dict[str, Any]  # "PATH=VALUE"
_Path = str | PathLike[str]
_Progress = Callable[[str], object]
_DType = Literal["f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8"]
_Op = Literal["sum", "prod", "min", "max", "avg"]

__version__: str

# Rows of results, which are dataclasses for dataclasses.asdict() and pandas.DataFrame()

class _Row:
    fields: tuple[str, ...]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

_RowT = TypeVar("_RowT", bound=_Row)

class _Rows(Sequence[_RowT]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> _RowT: ...
    @overload
    def __getitem__(self, index: slice) -> list[_RowT]: ...
    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int: ...
    def columns(self) -> dict[str, list[Any]]: ...

# Errors

class Note(_Row):
    file: str
    line: int
    column: int
    text: str

class Message(_Row):
    severity: Literal["error", "warning", "note"]
    file: str
    line: int
    column: int
    text: str
    notes: list[Note]

class Error(Exception):
    messages: list[Message]
    def __init__(self, text: str = "", messages: Iterable[Message] = ()) -> None: ...

class ProgramError(Error): ...
class Refused(Error): ...
class UsageError(Error): ...

class ProofError(Error):
    proof: Proof | None

class InternalError(Error): ...
class CclcWarning(UserWarning): ...

# Programs

class Int:
    def __init__(self, value: int, min: int, max: int, help: str = "", tuned: Sequence[int] | None = None) -> None: ...

class Bool:
    def __init__(self, value: bool, help: str = "") -> None: ...

class Choice:
    def __init__(self, value: str, choices: Sequence[str], help: str = "") -> None: ...

class Algorithm:
    name: str
    collective: str
    body: Callable[..., object]
    def __init__(
        self,
        body: Callable[..., object],
        collective: str,
        options: dict[str, Any],
        parameters: dict[str, Int | Bool | Choice],
    ) -> None: ...
    def __call__(self, p: Program, **parameters: Any) -> object: ...

def program(
    collective: str = "custom",
    param: dict[str, Int | Bool | Choice] | None = None,
    *,
    name: str | None = None,
    summary: str | None = None,
    source: str = "",
    cost: str = "",
    buffers: Literal["in_place", "out_of_place", "both"] | None = None,
    default_buffers: Literal["in_place", "out_of_place", "both"] | None = None,
    mapper: Literal["all_pes", "cube_leaders", "leader_only"] | None = None,
    ranks: tuple[int, int] = (1, 8),
    ranks_from: Callable[..., int] | None = None,
    for_switches: bool = False,
    **parameters: Int | Bool | Choice,
) -> Callable[[Callable[..., object]], Algorithm]: ...

@final
class Buffer: ...

Input: Buffer
Output: Buffer

@final
class ChunkRef:
    rank: int
    buffer: Buffer
    index: int
    count: int
    def copy(
        self,
        rank: int,
        buffer: Buffer | None = None,
        index: int | None = None,
        *,
        channel: int | None = None,
        send_tb: int | None = None,
        recv_tb: int | None = None,
        fuse: bool = True,
        priority: int = 0,
    ) -> ChunkRef: ...
    def reduce(
        self,
        other: ChunkRef,
        *,
        channel: int | None = None,
        send_tb: int | None = None,
        recv_tb: int | None = None,
        fuse: bool = True,
        priority: int = 0,
    ) -> ChunkRef: ...
    def split(self, parts: int) -> list[ChunkRef]: ...
    def group(self, other: ChunkRef) -> ChunkRef: ...

@final
class Scope:
    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...

@final
class Orbit:
    def __iter__(self) -> Iterator[None]: ...
    def __next__(self) -> None: ...

@final
class Communicator: ...

class Rotation:
    ranks: int
    stride: int
    chunks: int
    def __init__(self, ranks: int, stride: int = 1, chunks: int = 0) -> None: ...

class GridLevel(_Row):
    name: str
    kind: Literal["flat", "ring_1d", "torus_2d", "mesh_2d_no_wrap"]
    width: int
    height: int

@final
class Program:
    ranks: int
    may_be_in_place: bool
    geometry: list[GridLevel]
    def chunks(self, per_buffer: int) -> None: ...
    def root(self, rank: int) -> None: ...
    def custom(self, inputs: int, outputs: int) -> None: ...
    def expect(self, rank: int, index: int, contributions: Sequence[tuple[int, int]]) -> None: ...
    def chunk(self, rank: int, buffer: Buffer, index: int, count: int = 1) -> ChunkRef: ...
    def scratch(self, name: str) -> Buffer: ...
    def phase(self, name: str) -> None: ...
    def multicast(self, group: Sequence[int], chunks: ChunkRef, buffer: Buffer, index: int) -> None: ...
    def reduce_from(self, group: Sequence[int], into: ChunkRef, buffer: Buffer, index: int) -> ChunkRef: ...
    def aggregate(self) -> Scope: ...
    def parallelize(self, parts: int) -> Scope: ...
    def orbit(self, rotations: Sequence[Rotation]) -> Orbit: ...
    def repetition(self) -> int: ...
    def neighbour(self, rank: int, direction: str, peer: int) -> None: ...
    def communicator(self, name: str, groups: Sequence[Sequence[int]]) -> Communicator: ...
    def call(self, collective: str, generation: int) -> None: ...
    def enter(self, where: Communicator, stage: int, name: str) -> None: ...
    def generation_stride(self, stride: int) -> None: ...
    def fail(self, why: str) -> None: ...
    def refuse(self, why: str) -> None: ...

_Region = tuple[Buffer, int, int]  # buffer, index, count

@final
class HierarchicalCommunicator:
    is_flat: bool
    def __init__(
        self, p: Program, *, arity: int = 4, flat_fallback: int = 16, padded: bool = False, leaders: int = 1
    ) -> None: ...
    def all_gather(self, generation: int, source: _Region, to: _Region) -> None: ...
    def all_reduce(self, generation: int, source: _Region, to: _Region) -> None: ...
    def all_to_all(self, generation: int, source: _Region, to: _Region) -> None: ...

def reduce_scatter_ring(
    p: Program, ranks: Sequence[int], buffer: Buffer, chunks: Sequence[int], **via: Any
) -> None: ...
def all_gather_ring(p: Program, ranks: Sequence[int], buffer: Buffer, chunks: Sequence[int], **via: Any) -> None: ...
def all_reduce_ring(p: Program, ranks: Sequence[int], buffer: Buffer, chunks: Sequence[int], **via: Any) -> None: ...

# Plans

class Proof:
    verdict: Literal["ok", "wrong-result", "race", "deadlock", "illegal", "unsupported", "malformed"]
    ok: bool
    slots_needed: int | None
    reduction_hash: int | None
    safe_up_to: int | None
    same_bits: bool | None
    messages: list[Message]
    text: str
    json: str
    def __bool__(self) -> bool: ...

class CellValue(_Row):
    placement: Literal["in_place", "out_of_place"]
    value: str
    initial_chunks: int
    reductions: int
    messages: int

class Provenance(_Rows[CellValue]):
    verdict: str
    messages: list[Message]
    text: str
    json: str

class _Picture:
    def save(self, path: _Path) -> None: ...

class _Page:
    def save(self, path: _Path) -> None: ...

class _Graph:
    def drawn(self, form: Literal["svg", "pdf", "png"] = "svg") -> bytes: ...
    def save(self, path: _Path) -> None: ...

class Plan:
    name: str
    collective: str
    protocol: str
    file: str
    target: str
    ranks: int
    channels: int
    steps: int
    def write(self, emit: str = "json", *, xml_dialect: str = "msccl") -> str | bytes: ...
    def schedule(self) -> _Picture: ...
    def save(self, path: _Path, emit: str | None = None, *, xml_dialect: str = "msccl") -> None: ...
    def convert(
        self,
        emit: str = "json",
        *,
        xml_dialect: str = "msccl",
        world_size: int | None = None,
        threadblock_group: int = 1,
        verify: bool = True,
        progress: _Progress | None = None,
    ) -> str | bytes: ...
    def verify(
        self,
        *,
        target: _Path | None = None,
        set: _Settings | None = None,
        slots: int | Literal["inf"] | None = None,
        bytes: _Sizes | None = None,
        dtype: _DType = "f32",
        progress: _Progress | None = None,
    ) -> Proof: ...
    def why(self, cell: str, *, slots: int | Literal["inf"] | None = None) -> Provenance: ...
    def simulate(
        self,
        target: _Path | None = None,
        *,
        set: _Settings | None = None,
        bytes: _Sizes = "1M",
        dtype: _DType = "f32",
        op: _Op = "sum",
        network: str | None = None,
        slots: int | Literal["inf"] | None = None,
        repeat: int = 1,
        check_data: bool = False,
        seed: int | None = None,
        trace: bool = False,
        report: bool = False,
        baseline: _Path | None = None,
        advise: bool = False,
        progress: _Progress | None = None,
    ) -> Simulation: ...
    def bound(
        self,
        target: _Path | None = None,
        *,
        set: _Settings | None = None,
        network: str | None = None,
        bytes: _Sizes = "1M",
        progress: _Progress | None = None,
    ) -> Bounds: ...
    def run(
        self,
        inputs: Any,
        outputs: Any = None,
        *,
        op: _Op = "sum",
        dtype: _DType | None = None,
        threads: int | None = None,
        timeout: float = 10.0,
    ) -> float: ...
    def run_test(
        self,
        bytes: _Size = "1M",
        *,
        op: _Op = "sum",
        dtype: _DType = "f32",
        threads: int | None = None,
        timeout: float = 10.0,
    ) -> float: ...
    def export(
        self,
        format: Literal["goal", "chakra"],
        target: _Path | None = None,
        *,
        set: _Settings | None = None,
        bytes: _Size = "1M",
        dtype: _DType = "f32",
        slots: int | Literal["inf"] | None = None,
        progress: _Progress | None = None,
    ) -> dict[str, bytes]: ...

def programs() -> list[str]: ...
def compile(
    program: _Path | Algorithm,
    *,
    ranks: int | None = None,
    target: _Path | None = None,
    set: _Settings | None = None,
    endpoints: Sequence[int] | None = None,
    protocol: Literal["Simple", "LL", "LL128"] | None = None,
    instances: int | None = None,
    instance_layout: Literal["blocked", "interleaved", "batched"] = "blocked",
    placement: Literal["linear", "snake", "auto"] | None = None,
    slots: int | Literal["inf"] | None = None,
    slot_size: _Size | None = None,
    O: int = 2,
    optimize_for: Literal["balance", "path", "steps", "threadblocks"] | None = None,
    max_channels: int | None = None,
    max_threadblocks: int | None = None,
    aggregate: bool = False,
    fuse: bool | str | Iterable[str] = True,
    fused_ops: Literal["keep", "lower"] | None = None,
    emit: Literal["json", "text", "bin", "xml", "mscclpp"] = "json",
    xml_dialect: Literal["msccl", "rccl", "msccl-executor"] = "msccl",
    threadblock_group: int | None = None,
    trace_limit: int = 100_000_000,
    min_bytes: _Size = 0,
    max_bytes: _Size | None = None,
    verify: bool = True,
    jobs: int = 1,
    param: dict[str, Any] | None = None,
    progress: _Progress | None = None,
    **parameters: Any,
) -> Plan: ...

def graph(
    program: _Path | Algorithm,
    stage: Literal["chunk-dag", "inst-dag", "schedule"] = "chunk-dag",
    *,
    rank: int | None = None,
    chunk: int | None = None,
    phase: str | int | None = None,
    fold: Literal["auto", "none", "rank-phase", "rank", "group-phase", "group", "phase"] | None = None,
    ranks: int | None = None,
    target: _Path | None = None,
    set: _Settings | None = None,
    endpoints: Sequence[int] | None = None,
    protocol: Literal["Simple", "LL", "LL128"] | None = None,
    instances: int | None = None,
    instance_layout: Literal["blocked", "interleaved", "batched"] = "blocked",
    placement: Literal["linear", "snake", "auto"] | None = None,
    slots: int | Literal["inf"] | None = None,
    slot_size: _Size | None = None,
    O: int = 2,
    optimize_for: Literal["balance", "path", "steps", "threadblocks"] | None = None,
    max_channels: int | None = None,
    max_threadblocks: int | None = None,
    aggregate: bool = False,
    fuse: bool | str | Iterable[str] = True,
    fused_ops: Literal["keep", "lower"] | None = None,
    emit: Literal["json", "text", "bin", "xml", "mscclpp"] = "json",
    xml_dialect: Literal["msccl", "rccl", "msccl-executor"] = "msccl",
    threadblock_group: int | None = None,
    trace_limit: int = 100_000_000,
    min_bytes: _Size = 0,
    max_bytes: _Size | None = None,
    verify: bool = True,
    jobs: int = 1,
    param: dict[str, Any] | None = None,
    progress: _Progress | None = None,
    **parameters: Any,
) -> _Graph: ...

class Synthesis:
    plan: Plan
    source: str
    summary: str

def synth(
    collective: str,
    *,
    target: _Path,
    trees: int | None = None,
    chunks: int | None = None,
    root: int | None = None,
    neighbours: bool = False,
    latency: bool = False,
    ranks: int | None = None,
    set: _Settings | None = None,
    endpoints: Sequence[int] | None = None,
    protocol: Literal["Simple", "LL", "LL128"] | None = None,
    instances: int | None = None,
    instance_layout: Literal["blocked", "interleaved", "batched"] = "blocked",
    placement: Literal["linear", "snake", "auto"] | None = None,
    slots: int | Literal["inf"] | None = None,
    slot_size: _Size | None = None,
    O: int = 2,
    optimize_for: Literal["balance", "path", "steps", "threadblocks"] | None = None,
    max_channels: int | None = None,
    max_threadblocks: int | None = None,
    aggregate: bool = False,
    fuse: bool | str | Iterable[str] = True,
    fused_ops: Literal["keep", "lower"] | None = None,
    emit: Literal["json", "text", "bin", "xml", "mscclpp"] = "json",
    xml_dialect: Literal["msccl", "rccl", "msccl-executor"] = "msccl",
    threadblock_group: int | None = None,
    trace_limit: int = 100_000_000,
    min_bytes: _Size = 0,
    max_bytes: _Size | None = None,
    verify: bool = True,
    jobs: int = 1,
    param: dict[str, Any] | None = None,
    progress: _Progress | None = None,
    **parameters: Any,
) -> Synthesis: ...
def load(path: _Path) -> Plan: ...
def read(text: str | bytes, name: str) -> Plan: ...

# Machines

class Machine:
    name: str
    endpoints: int
    dot: str
    text: str
    json: str
    def graph(self) -> _Graph: ...

class FindingCost(_Row):
    collective: str
    bytes: int
    picoseconds: int | None
    without_picoseconds: int | None

class Finding(_Row):
    text: str
    parts: list[str]
    details: list[str]
    remedy: str
    costs: list[FindingCost]

class TargetCheck(_Rows[Finding]):
    healthy: bool
    examined: str
    text: str
    json: str

def targets() -> list[str]: ...
def describe(target: _Path, *, set: _Settings | None = None, ranks: int | None = None) -> Machine: ...
def check(file: _Path, *, against: _Path | None = None) -> TargetCheck: ...
def import_target(
    file: _Path,
    system: _Path | None = None,
    *,
    fabric: _Path | None = None,
    nodes: int | str | None = None,
    order: Literal["given", "rack", "best"] = "given",
    gpus_per_host: int | None = None,
    gpu: str | None = None,
    nic_bandwidth: float | None = None,
    node_bandwidth: float | None = None,
    uplink_bandwidth: float | None = None,
) -> str: ...

# Results

class Timing(_Row):
    bytes: int
    picoseconds: int
    ns: float
    messages: int
    bound_share: float | None
    binds: str

class AdvisedChange(_Row):
    action: str
    cause: str
    tool: Literal["ccl-sim", "cclc"]
    change: str
    before: int
    after: int
    gain: float

class Advice(_Rows[AdvisedChange]):
    notes: list[str]

class Simulation(_Rows[Timing]):
    trace: str
    page: str
    advice: Advice
    def timeline(self) -> _Picture: ...
    def report(self) -> _Page: ...
    text: str
    json: str

class LowerBound(_Row):
    bytes: int
    picoseconds: int
    ns: float
    binds: str
    witness: str
    throughput: int
    volume: int
    latency: int
    engine: int
    memory: int
    protocol: int
    plan_time: int | None

class Bounds(_Rows[LowerBound]):
    text: str
    json: str

def bound(
    target: _Path,
    collective: str,
    *,
    set: _Settings | None = None,
    ranks: int | None = None,
    endpoints: Sequence[int] | None = None,
    root: int = 0,
    network: str | None = None,
    bytes: _Sizes = "1M",
    progress: _Progress | None = None,
) -> Bounds: ...

class Difference(_Row):
    aspect: str
    rank: int | None
    subject: str
    before: str
    after: str

class TimeChange(_Row):
    target: str
    type: str
    bytes: int
    before: int
    after: int

class GateResult(_Row):
    gate: str
    tripped: bool
    text: str

class Comparison(_Rows[Difference]):
    comparable: bool
    equivalent: bool
    verdict: str
    passes: bool
    times: list[TimeChange]
    gates: list[GateResult]
    summary: str
    text: str
    json: str

def diff(
    before: Plan,
    after: Plan,
    *,
    strict: bool = False,
    slots: int | Literal["inf"] | None = None,
    target: str | Iterable[str] | None = None,
    set: _Settings | None = None,
    bytes: _Sizes = "1M",
    dtype: _DType | Iterable[_DType] = "f32",
    network: str | None = None,
    gate: str | Iterable[str] | None = None,
    gates_only: bool = False,
    progress: _Progress | None = None,
) -> Comparison: ...

class LintFinding(_Row):
    rule: Literal["refuses", "misreads", "advice", "proof", "set", "sizes", "input"]
    severity: Literal["error", "warning", "note"]
    file: str
    line: int
    column: int
    text: str

class Lint(_Rows[LintFinding]):
    right: bool
    text: str
    json: str

def lint(
    paths: _Path | Sequence[_Path], *, xml_dialect: Literal["msccl", "rccl", "msccl-executor"] | None = None
) -> Lint: ...

# Portfolios

class Point(_Row):
    bytes: int
    picoseconds: int
    bound_share: float | None
    binds: str
    measured_picoseconds: int | None
    library_picoseconds: int | None

class TunedSize(_Row):
    collective: str
    ranks: int
    bytes: int
    picoseconds: int
    bound_share: float | None
    binds: str
    command: str
    file: str

class Gap(_Row):
    collective: str
    runtime: str
    ranks: int
    min_bytes: int
    max_bytes: int
    reason: str
    is_of_library: bool

class ChosenPlan(_Row):
    collective: str
    ranks: int
    min_bytes: int
    max_bytes: int | None
    multiple: int
    runtime: str
    protocol: str
    command: str
    file: str
    points: list[Point]
    reduction_hash: int | None
    plan: Plan

class Portfolio(_Rows[ChosenPlan]):
    target: str
    network: str
    type: str
    gaps: list[Gap]
    is_partial: bool
    def best(self, collective: str, ranks: int, bytes: _Size) -> ChosenPlan | None: ...
    def save(self, folder: _Path) -> str: ...

def load_portfolio(path: _Path) -> Portfolio: ...
def tune(
    target: _Path,
    collective: str,
    *,
    set: _Settings | None = None,
    ranks: int | None = None,
    endpoints: Sequence[int] | None = None,
    sizes: _Sizes = "1K:1G",
    dtype: _DType = "f32",
    network: str | None = None,
    runtime: str | None = None,
    programs: str | Algorithm | Sequence[str | Algorithm] | None = None,
    max_plans: int | None = None,
    budget: int | None = None,
    invariant: bool = False,
    jobs: int = 1,
    progress: _Progress | None = None,
) -> Portfolio: ...
