//===- Tracer.cpp - Operations of a running program ----------------------===//
//
// Every call of the DSL is checked against the state of its cells and appended to the chunk
// program. A cell has the time of its last write and a reference the time when it was made; a
// reference is stale if one of its cells was written later.
//
// Implements trace rules 1 to 6.
//
//===----------------------------------------------------------------------===//

#include "Tracer.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <stdexcept>

using llvm::formatv;

namespace cclc::dsl {

namespace {
/// Thrown through the user's program once an error has been reported, with its text.
struct TraceAborted : std::runtime_error {
  using std::runtime_error::runtime_error;
};
} // namespace

Tracer::Tracer(const Declaration &declaration, const TraceOptions &options, DiagnosticEngine &diags,
               Orbits orbits)
    : declaration(declaration), theOptions(options), diags(diags) {
  if (orbits != Orbits::Whole) {
    symmetric.emplace(SymmetricTrace{orbits == Orbits::FirstIfBegun, {}, {}, {}});
    cells.fold();
    symmetric->accesses.fold();
  }
}

void Tracer::fail(const SourceLocation &where, const std::string &text) {
  diags.error({where.file, where.line}, text);
  giveUp();
}

void Tracer::fail(const SourceLocation &where, const std::string &text, const std::string &note,
                  const SourceLocation &noteWhere) {
  diags.error({where.file, where.line}, text).note({noteWhere.file, noteWhere.line}, note);
  giveUp();
}

void Tracer::giveUp() {
  aborted = true;
  throw TraceAborted(diags.all().back().textWithNotes());
}

void Tracer::refuse(const SourceLocation &where, const std::string &text) {
  refused = true;
  fail(where, text);
}

// --- The collective -------------------------------------------------------------

void Tracer::checkBeforeBegin(const SourceLocation &where, const char *what) {
  if (builder)
    fail(where, formatv("{0} must come before the first chunk()", what), "chunk() is called here",
         begun);
}

void Tracer::setChunks(int chunks, const SourceLocation &where) {
  checkBeforeBegin(where, "chunks()");
  if (chunks < 1 || uint64_t(chunks) * storedRanks() > maxCells)
    fail(where, formatv("{0} chunks: the number must be between 1 and {1}", chunks,
                        maxCells / storedRanks()));
  theChunks = chunks;
}

void Tracer::setRoot(int root, const SourceLocation &where) {
  checkBeforeBegin(where, "root()");
  if (root < 0 || uint32_t(root) >= theOptions.ranks)
    fail(where, formatv("rank {0} is out of range: the program has {1}", root,
                        counted(theOptions.ranks, "rank")));
  theRoot = root;
}

void Tracer::setCustom(int inputs, int outputs, const SourceLocation &where) {
  checkBeforeBegin(where, "custom()");
  if (declaration.collective() != CollectiveKind::Custom)
    fail(where, formatv("the program is declared as {0}, not as custom",
                        collectiveName(declaration.collective())));
  if (inputs < 0 || outputs < 0 ||
      (uint64_t(inputs) + uint64_t(outputs)) * theOptions.ranks > maxCells)
    fail(where, formatv("a custom collective cannot have {0} input and {1} output chunks", inputs,
                        outputs));
  custom.emplace();
  custom->inputChunks = inputs;
  custom->outputChunks = outputs;
}

void Tracer::expect(int rank, int index, const std::vector<std::pair<int, int>> &contributions,
                    const SourceLocation &where) {
  checkBeforeBegin(where, "expect()");
  if (!custom)
    fail(where, "expect() needs custom() before it");
  auto inRange = [](int value, uint32_t end) { return value >= 0 && uint32_t(value) < end; };
  if (!inRange(rank, theOptions.ranks) || !inRange(index, custom->outputChunks))
    fail(where, formatv("there is no output chunk r{0}:o[{1}]", rank, index));
  if (contributions.empty())
    fail(where, formatv("r{0}:o[{1}] needs at least one contribution", rank, index));
  CustomSpec::Output output{RankId(rank), uint32_t(index), {}};
  for (auto [r, i] : contributions) {
    if (!inRange(r, theOptions.ranks) || !inRange(i, custom->inputChunks))
      fail(where, formatv("there is no input chunk r{0}:i[{1}]", r, i));
    output.contributions.push_back({RankId(r), uint32_t(i)});
  }
  auto key = [](const CustomSpec::Output &o) { return std::pair(o.rank, o.index); };
  auto at = std::lower_bound(custom->outputs.begin(), custom->outputs.end(), output,
                             [&](const auto &a, const auto &b) { return key(a) < key(b); });
  if (at != custom->outputs.end() && key(*at) == key(output))
    fail(where, formatv("r{0}:o[{1}] is expected twice", rank, index));
  custom->outputs.insert(at, std::move(output));
}

/// The collective is fixed when the first chunk is requested.
void Tracer::begin(const SourceLocation &where) {
  begun = where;
  uint32_t ranks = theOptions.ranks;
  Collective collective =
      declaration.collective() == CollectiveKind::Custom
          ? Collective(ranks, custom ? std::move(*custom) : CustomSpec())
          : Collective(declaration.collective(), ranks, theChunks.value_or(1), RankId(theRoot));
  numCells = countCells(collective, {}) / theOptions.ranks * storedRanks();
  if (numCells > maxCells) {
    diags.error({},
                formatv("the program has {0} cells, more than the limit of {1}: each rank has "
                        "{2} input and {3} output chunks; use fewer chunks or ranks",
                        numCells, maxCells, collective.inputChunks(), collective.outputChunks()));
    giveUp();
  }
  cells.begin(collective, theOptions.placements, now);
  ProgramInfo info(std::move(collective));
  info.name = declaration.name();
  info.placements = theOptions.placements;
  info.parameters = theOptions.parameters.all();
  info.geometry = theOptions.geometry;
  info.protocol = theOptions.protocol;
  info.target = theOptions.target;
  info.placementOnTarget = theOptions.placementOnTarget;
  info.minBytes = theOptions.minBytes;
  info.maxBytes = theOptions.maxBytes;
  builder.emplace(std::move(info));
  for (const std::string &name : scratchNames)
    builder->scratchBuffer(name);
}

Buffer Tracer::scratch(const char *name, const SourceLocation &where) {
  for (size_t n = 0; n < scratchNames.size(); ++n)
    if (scratchNames[n] == name)
      return Buffer(ChunkBuffer::scratch(n).raw());
  if (scratchNames.size() == ChunkBuffer::maxScratchBuffers)
    fail(where, formatv("more than {0} scratch buffers", ChunkBuffer::maxScratchBuffers));
  scratchNames.push_back(name);
  cells.addScratch(theOptions.ranks);
  if (builder)
    builder->scratchBuffer(name);
  return Buffer(ChunkBuffer::scratch(scratchNames.size() - 1).raw());
}

// --- Cells ------------------------------------------------------------------------

void Tracer::checkRank(int rank, const SourceLocation &where) {
  if (rank < 0 || uint32_t(rank) >= theOptions.ranks)
    fail(where, formatv("rank {0} is out of range: the program has {1}", rank,
                        counted(theOptions.ranks, "rank")));
}

uint32_t Tracer::bufferSize(int rank, Buffer buffer) const {
  const Collective &collective = builder->info().collective;
  if (buffer == Input)
    return collective.inputChunks();
  if (buffer == Output)
    return collective.outputChunks();
  return cells.scratchSize(rank, buffer);
}

std::string Tracer::name(const Place &at) const {
  std::string text = formatv("r{0}:{1}[{2}", at.rank,
                             at.buffer == Input    ? "i"
                             : at.buffer == Output ? "o"
                                                   : scratchNames[at.buffer.raw - 2].c_str(),
                             at.index);
  return at.count == 1 ? text + "]"
                       : text + ":" + std::to_string(int64_t(at.index) + at.count) + "]";
}

std::string Tracer::uninitialised(const Place &at) const {
  return formatv("uninitialised read: {0} has not been written", name(at));
}

void Tracer::checkRange(const Place &at, const SourceLocation &where) {
  auto [rank, buffer, index, count] = at;
  checkRank(rank, where);
  if (count < 1)
    fail(where, formatv("a count of {0} chunks: it must be at least 1", count));
  uint32_t size = bufferSize(rank, buffer);
  bool fits = index >= 0 && uint64_t(index) + uint64_t(count) <= size;
  // Scratch grows as it is written, so cells beyond its end are uninitialised.
  if (!fits && index >= 0 && buffer.raw >= 2)
    fail(where, uninitialised(at));
  if (fits)
    return;
  std::string text =
      formatv("{0} is out of range: the buffer has {1}", name(at), counted(size, "chunk"));
  if (!theChunks && index >= 0 && declaration.collective() != CollectiveKind::Custom)
    fail(where, text, "p.chunks(F) sets the number of chunks F, which is 1 without it", where);
  fail(where, text);
}

/// A reference belongs to the repetition of an orbit in which it was made.
Place Tracer::placeOf(const ChunkRef &ref, const SourceLocation &where) {
  Place named{ref.theRank, ref.theBuffer, ref.theIndex, ref.theCount};
  if (ref.repetition != currentRepetition)
    fail(where, formatv("the reference to {0} was made {1}", name(named),
                        ref.repetition == 0 ? "outside of the orbit"
                                            : "in another repetition of an orbit"));
  return place(named, where);
}

Place Tracer::checkCurrent(const ChunkRef &ref, const SourceLocation &where) {
  Place at = placeOf(ref, where);
  uint32_t overwritten = 0;
  cells.forEach(at, [&](uint32_t &time) {
    if (time > ref.time && !overwritten)
      overwritten = time;
  });
  if (!overwritten)
    return at;
  diags
      .error(
          {where.file, where.line},
          formatv("stale reference: {0} was overwritten since the reference was taken", name(at)))
      .note(builder->info().locate(ops()[overwritten - 2].loc), "it was overwritten here");
  giveUp();
}

ChunkRef Tracer::chunk(int rank, Buffer buffer, int index, int count, const SourceLocation &where) {
  if (!builder) {
    if (symmetric && symmetric->isOptional)
      recordWhole();
    begin(where);
  }
  Place at = place({rank, buffer, index, count}, where);
  checkRange(at, where);
  bool written = true;
  cells.forEach(at, [&](uint32_t &time) { written &= time != 0; });
  if (!written)
    fail(where, uninitialised(at));
  if (orbit)
    checkIndependent(at, "reads", where);
  else if (symmetric)
    checkAsymmetry("it has operations outside of orbits", where);
  return ChunkRef(this, rank, buffer, index, count, now, currentRepetition);
}

ChunkRef Tracer::part(const ChunkRef &ref, int index, int count) const {
  return ChunkRef(ref.tracer, ref.theRank, ref.theBuffer, index, count, ref.time, ref.repetition);
}

ChunkRef Tracer::group(const ChunkRef &one, const ChunkRef &other, const SourceLocation &where) {
  if (one.theRank != other.theRank || one.theBuffer != other.theBuffer)
    fail(where, "only ranges of one buffer of one rank can be grouped");
  checkCurrent(one, where);
  checkCurrent(other, where);
  int begin = std::min(one.theIndex, other.theIndex);
  int end = std::max(one.theIndex + one.theCount, other.theIndex + other.theCount);
  return chunk(one.theRank, one.theBuffer, begin, end - begin, where);
}

// --- Operations -------------------------------------------------------------------

LocId Tracer::locate(const SourceLocation &where) {
  if (where.file != last.file || where.line != last.line) {
    last = where;
    lastLoc = builder->info().locs.intern(where.file, where.line);
  }
  return lastLoc;
}

DirectiveIndex Tracer::intern(const Via &via, const SourceLocation &where) {
  auto check = [&](const char *what, const std::optional<int> &value) {
    if (value && (*value < 0 || uint32_t(*value) >= maxChannels))
      fail(where, formatv("{0} {1} is out of range: it must be between 0 and {2}", what, *value,
                          maxChannels - 1));
  };
  check("channel", via.channel);
  check("sendTb", via.sendTb);
  check("recvTb", via.recvTb);
  if (via.priority < 0 || uint32_t(via.priority) > maxPriority)
    fail(where,
         formatv("a priority of {0}: it must be between 0 and {1}", via.priority, maxPriority));
  Directive directive = scope;
  directive.channel = via.channel;
  directive.sendTb = via.sendTb;
  directive.recvTb = via.recvTb;
  directive.fuse = via.fuse;
  directive.priority = via.priority;
  if (directive == Directive())
    return 0;
  auto [it, inserted] = directiveIndex.try_emplace(directive, builder->info().directives.size());
  if (inserted) {
    if (builder->info().directives.size() >= maxDirectives)
      fail(where, formatv("more than {0} different directives", maxDirectives));
    builder->info().directives.push_back(directive);
  }
  return it->second;
}

void Tracer::record(ChunkOpKind kind, const Place &from, const Place &to, const Via &via,
                    const SourceLocation &where) {
  if (ops().size() == theOptions.limit)
    fail(where, formatv("program '{0}' was stopped: it performed more than {1} operations; check "
                        "for an infinite loop, or raise the limit with --trace-limit OPS",
                        declaration.name(), theOptions.limit));
  if (orbit) {
    checkIndependent(to, "writes", where);
    checkSameOrder(from, to, where);
  }
  ChunkOp op{RankId(from.rank),
             RankId(to.rank),
             uint32_t(from.index),
             uint32_t(to.index),
             uint32_t(from.count),
             locate(where),
             ChunkBuffer::fromRaw(from.buffer.raw),
             ChunkBuffer::fromRaw(to.buffer.raw),
             intern(via, where),
             currentPhase,
             kind};
  if (symmetric)
    symmetric->ops.push_back(op);
  else
    builder->add(op);
  ++now;
  cells.forEach(to, [&](uint32_t &time) { time = now; });
}

ChunkRef Tracer::copy(const ChunkRef &from, int rank, Buffer buffer, int index, const Via &via,
                      const SourceLocation &where) {
  Place source = checkCurrent(from, where);
  Place to = place({rank, buffer, index, from.theCount}, where);
  if (buffer.raw >= 2 && rank >= 0 && uint32_t(rank) < theOptions.ranks && index >= 0) {
    uint64_t end = uint64_t(index) + from.theCount, more = cells.growth(to.rank, buffer, end);
    if (more > maxCells - std::min(numCells, maxCells))
      fail(where,
           formatv("with {0} the program has {1} cells, more than the limit of {2}; use fewer "
                   "chunks or ranks",
                   name(to), numCells + more, maxCells));
    numCells += more;
    cells.grow(to.rank, buffer, end);
    if (!symmetric)
      builder->growScratch(buffer.raw - 2, RankId(to.rank), end);
  }
  checkRange(to, where);
  if (!cells.same(source, to))
    record(ChunkOpKind::Copy, source, to, via, where);
  return ChunkRef(this, rank, buffer, index, from.theCount, now, currentRepetition);
}

ChunkRef Tracer::append(const ChunkRef &from, int rank, Buffer scratch, const Via &via,
                        const SourceLocation &where) {
  checkRank(rank, where);
  checkOutsideOrbit("a copy without an index", where);
  if (scratch.raw < 2)
    fail(where, formatv("a copy to the {0} needs an index: only scratch has an end to append to",
                        scratch == Input ? "input" : "output"));
  return copy(from, rank, scratch, bufferSize(rank, scratch), via, where);
}

void Tracer::reduce(ChunkRef &into, const ChunkRef &from, const Via &via,
                    const SourceLocation &where) {
  Place to = checkCurrent(into, where);
  Place source = checkCurrent(from, where);
  if (to.count != source.count)
    fail(where, formatv("unequal counts: {0} += {1}, of {2} and {3}", name(to), name(source),
                        counted(to.count, "chunk"), counted(source.count, "chunk")));
  record(ChunkOpKind::Reduce, source, to, via, where);
  into.time = now;
}

TraceResult Tracer::run() {
  Program program(*this);
  auto body = [&] { declaration.body()(program); };
  auto record = [&] {
    try {
      if (theOptions.around)
        theOptions.around(body, reached);
      else
        body();
    } catch (const TraceAborted &) {
      assert(aborted && "the error has been reported");
    }
  };
  if (std::optional<std::string> what = thrownBy(record)) {
    SourceLocation where = reached.get();
    diags
        .error(where.line ? Location{where.file, where.line} : Location{theOptions.file},
               formatv("program '{0}' ended with an exception {1} call of the DSL{2}",
                       declaration.name(), where.line ? "after this" : "before its first", *what))
        .as(Failure::Wrong);
    return {};
  }
  return finish();
}

TraceResult Tracer::finish() {
  try {
    if (!aborted && !builder)
      begin({});
  } catch (const TraceAborted &) {
    assert(aborted && "the error has been reported");
  }
  // The program may have caught the exception and continued.
  TraceResult result;
  result.readsGeometry = readsGeometry;
  if (aborted) {
    (void)diags.fail(refused ? Failure::Unusable : Failure::Wrong);
    return result;
  }
  if (symmetric) {
    result.symmetric = takeSymmetric();
    return result;
  }
  addTables(builder->info());
  if (FailureOr<ChunkProgram> finished = std::move(*builder).finish(diags); succeeded(finished))
    result.program = std::move(*finished);
  else
    (void)diags.fail(Failure::Wrong);
  result.generationStride = unsigned(tables.generationStride);
  return result;
}

struct TraceSession::State {
  TraceOptions options;
  Tracer tracer;
  Program program;

  State(const Declaration &declaration, TraceOptions options, DiagnosticEngine &diags)
      : options(std::move(options)), tracer(declaration, this->options, diags, Orbits::Whole),
        program(tracer.program()) {}
};

TraceSession::TraceSession(const Declaration &declaration, TraceOptions options,
                           DiagnosticEngine &diags)
    : state(std::make_unique<State>(declaration, std::move(options), diags)) {}
TraceSession::~TraceSession() = default;

Program &TraceSession::program() { return state->program; }
TraceResult TraceSession::finish() { return state->tracer.finish(); }

TraceResult trace(const Declaration &declaration, const TraceOptions &options,
                  DiagnosticEngine &diags) {
  return Tracer(declaration, options, diags, Orbits::Whole).run();
}

TraceResult traceSymmetric(const Declaration &declaration, const TraceOptions &options,
                           DiagnosticEngine &diags) {
  return Tracer(declaration, options, diags, Orbits::First).run();
}

TraceResult traceSymmetricOrWhole(const Declaration &declaration, const TraceOptions &options,
                                  DiagnosticEngine &diags) {
  return Tracer(declaration, options, diags, Orbits::FirstIfBegun).run();
}

} // namespace cclc::dsl
