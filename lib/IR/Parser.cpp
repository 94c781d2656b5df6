#include "cclc/IR/Parser.h"

#include "Lexer.h"
#include "cclc/IR/Printer.h"
#include "cclc/IR/Verifier.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {

/// Recursive descent, one token of look-ahead. Every parse function reports at
/// the token that it could not use.
class Parser {
public:
  Parser(StringRef text, StringRef file, DiagnosticEngine &diags, unsigned firstLine)
      : lexer(text, firstLine), file(file), diags(diags), token(lexer.next()) {}

  FailureOr<Module> parse();

private:
  // --- Tokens ---------------------------------------------------------------

  void advance() {
    lastLine = token.line;
    lastColumn = token.column;
    token = lexer.next();
  }
  Location here() const { return {file.str(), token.line, token.column}; }

  DiagnosticEngine::InFlight error(const llvm::Twine &text) { return diags.error(here(), text); }
  /// At the token before: what was read there is well-formed and makes no sense.
  DiagnosticEngine::InFlight errorAtLast(const llvm::Twine &text) {
    return diags.error({file.str(), lastLine, lastColumn}, text);
  }

  DiagnosticEngine::InFlight expected(const llvm::Twine &what) {
    if (token.kind == Token::Kind::Error)
      return error(lexer.error());
    if (token.kind == Token::Kind::End)
      return error("expected " + what + ", found the end of the file");
    return error("expected " + what + ", found '" + token.text + "'");
  }

  bool accept(StringRef spelling) {
    if (!token.is(spelling))
      return false;
    advance();
    return true;
  }

  LogicalResult expect(StringRef spelling) {
    if (!accept(spelling))
      return expected("'" + spelling + "'");
    return success();
  }

  LogicalResult number(uint64_t &value, uint64_t limit, StringRef what) {
    if (token.kind != Token::Kind::Number)
      return expected(what);
    if (token.number > limit)
      return error(what + llvm::Twine(" ") + token.text + " is above the limit of " +
                   llvm::Twine(limit));
    value = token.number;
    advance();
    return success();
  }

  LogicalResult number(uint32_t &value, uint64_t limit, StringRef what) {
    uint64_t wide;
    if (failed(number(wide, limit, what)))
      return failure();
    value = wide;
    return success();
  }

  LogicalResult string(std::string &value, StringRef what) {
    if (token.kind != Token::Kind::String)
      return expected(what);
    value = unescape(token.text);
    advance();
    return success();
  }

  /// A rank: r0, r1, ...
  LogicalResult rank(OptionalId<RankId> &value) {
    uint32_t index;
    StringRef text = token.text;
    if (token.kind != Token::Kind::Word || !text.consume_front("r") || text.getAsInteger(10, index))
      return expected("a rank");
    if (index >= numRanks)
      return error("there is no rank " + llvm::Twine(index) + ": the program has " +
                   llvm::Twine(numRanks));
    value = RankId(index);
    advance();
    return success();
  }

  LogicalResult id(StringRef prefix, uint32_t &value, StringRef what) {
    StringRef text = token.text;
    if (token.kind != Token::Kind::Word || !text.consume_front(prefix) ||
        text.getAsInteger(10, value) || value == ~uint32_t(0))
      return expected(what);
    advance();
    return success();
  }

  /// [3] or [3:5].
  LogicalResult range(uint32_t &index, uint32_t &count) {
    uint32_t end;
    if (failed(expect("[")) || failed(number(index, Operand::maxIndex, "an index")))
      return failure();
    count = 1;
    if (accept(":")) {
      if (failed(number(end, Operand::maxIndex + uint64_t(1), "the end of the range")))
        return failure();
      if (end <= index)
        return errorAtLast("the range is empty");
      count = end - index;
    }
    return expect("]");
  }

  /// i[3], o[3:5], s[0].
  LogicalResult operand(Operand &value, uint32_t &count) {
    std::optional<Buffer> buffer;
    if (token.kind != Token::Kind::Word || !(buffer = parseBuffer(token.text)))
      return expected("an operand");
    Location start = here();
    advance();
    uint32_t index, n;
    if (failed(range(index, n)))
      return failure();
    if (count && n != count)
      return diags.error(start,
                         formatv("the operands have different counts: {0} and {1}", count, n));
    count = n;
    value = Operand(*buffer, index);
    return success();
  }

  // --- What the levels share ------------------------------------------------

  FailureOr<ProgramInfo> header(std::optional<Slots> *slots);
  LogicalResult customData(CustomSpec &spec);
  LogicalResult contribution(CustomSpec::Output &output);
  /// Parses one table line of the body if there is one.
  FailureOr<bool> table(ProgramInfo &info);
  bool gate(Phase &phase);
  FailureOr<bool> neighbour(ProgramInfo &info);
  FailureOr<bool> communicator(ProgramInfo &info);
  FailureOr<bool> call(ProgramInfo &info);
  LogicalResult attributes(ProgramInfo &info, DirectiveIndex &directive, uint16_t &phase);
  FailureOr<bool> directiveAttribute(Directive &directive);
  LogicalResult internDirective(ProgramInfo &info, const Directive &directive,
                                DirectiveIndex &index);
  LogicalResult phase(const ProgramInfo &info, uint16_t &value);
  LogicalResult location(ProgramInfo &info, StringRef keyword, LocId &loc);
  LogicalResult definition(uint32_t id);
  LocId locHere(ProgramInfo &info) {
    return info.locs.append(info.locs.internFile(file), token.line, token.column);
  }

  // --- The levels -----------------------------------------------------------

  FailureOr<Module> chunkProgram();
  LogicalResult chunkOp(ChunkProgramBuilder &builder, uint32_t id);
  LogicalResult chunkScratch(ChunkProgramBuilder &builder);
  LogicalResult chunkRange(ChunkProgramBuilder &builder, OptionalId<RankId> &rank,
                           ChunkBuffer &buffer, uint32_t &index, uint32_t &count);

  FailureOr<Module> instrProgram();
  LogicalResult instr(ProgramInfo &info, std::vector<Instr> &instrs);
  LogicalResult rankScratch(std::vector<uint32_t> &chunks);
  static void defaultPositions(std::vector<Instr> &instrs);

  FailureOr<Module> execPlan();
  LogicalResult execRank(ExecPlanBuilder &builder, uint32_t rank);
  LogicalResult execThreadblock(ExecPlanBuilder &builder, RankId rank, uint32_t id);
  LogicalResult execStep(ExecPlanBuilder &builder, uint32_t index);

  Lexer lexer;
  StringRef file;
  DiagnosticEngine &diags;
  Token token;
  unsigned lastLine = 0, lastColumn = 0; ///< of the token before
  uint32_t numRanks = 0;
  bool sawPositions = false; ///< an instruction says where it stands
  PlanPositions positions;
};

/// coll K ranks N [chunks F] [root R] placements ... {
FailureOr<ProgramInfo> Parser::header(std::optional<Slots> *slots) {
  std::string name;
  if (failed(expect("@")))
    return failure();
  if (token.kind == Token::Kind::String)
    name = unescape(token.text);
  else if (token.kind == Token::Kind::Word)
    name = token.text.str();
  else
    return expected("the name of the program");
  advance();

  if (failed(expect("coll")))
    return failure();
  std::optional<CollectiveKind> kind = parseCollective(std::string_view(token.text));
  if (token.kind != Token::Kind::Word || !kind)
    return expected("a collective");
  advance();
  uint32_t chunks = 1;
  if (failed(expect("ranks")) || failed(number(numRanks, maxRanks, "the number of ranks")))
    return failure();
  if (numRanks == 0)
    return errorAtLast("a program has at least one rank");
  if (accept("chunks")) {
    if (failed(number(chunks, Operand::maxIndex, "the number of chunks")))
      return failure();
    if (chunks == 0)
      return errorAtLast("a collective has at least one chunk");
  }
  if (uint64_t(chunks) * numRanks > maxCells)
    return error("the program has more than " + llvm::Twine(maxCells) + " cells");
  OptionalId<RankId> root = RankId(0);
  if (accept("root") && failed(rank(root)))
    return failure();

  bool in = false, out = false;
  Protocol protocol = Protocol::Simple;
  uint32_t instances = 1;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  while (!token.is("{")) {
    if (accept("inplace")) {
      in = true;
    } else if (accept("outofplace")) {
      out = true;
    } else if (accept("proto")) {
      std::optional<Protocol> parsed = parseProtocol(token.text);
      if (!parsed)
        return expected("a protocol");
      protocol = *parsed;
      advance();
    } else if (accept("instances")) {
      if (failed(number(instances, 1 << 16, "the number of instances")))
        return failure();
      if (instances == 0)
        return errorAtLast("a program has at least one instance");
    } else if (slots && accept("slots")) {
      std::optional<Slots> parsed = Slots::parse(token.text);
      if (!parsed)
        return expected("a number of slots or inf");
      *slots = *parsed;
      advance();
    } else if (accept("min")) {
      if (failed(number(minBytes, ~uint64_t(0), "a number of bytes")))
        return failure();
    } else if (accept("max")) {
      uint64_t bytes;
      if (failed(number(bytes, ~uint64_t(0), "a number of bytes")))
        return failure();
      maxBytes = bytes;
    } else {
      return expected("an attribute or '{'");
    }
  }
  if (maxBytes && *maxBytes < minBytes)
    return error(formatv("a largest buffer of {0} bytes is less than the smallest of {1}",
                         *maxBytes, minBytes));
  advance();
  if (!in && !out)
    return error("the program is neither inplace nor outofplace");

  CustomSpec spec;
  if (*kind == CollectiveKind::Custom && failed(customData(spec)))
    return failure();
  ProgramInfo info(*kind == CollectiveKind::Custom ? Collective(numRanks, std::move(spec))
                                                   : Collective(*kind, numRanks, chunks, *root));
  info.name = std::move(name);
  info.placements = Placements(in, out);
  info.protocol = protocol;
  info.instances = instances;
  info.minBytes = minBytes;
  info.maxBytes = maxBytes;
  return info;
}

LogicalResult Parser::customData(CustomSpec &spec) {
  if (failed(expect("input")) ||
      failed(number(spec.inputChunks, maxCells / numRanks, "the number of input chunks")) ||
      failed(expect("output")) ||
      failed(number(spec.outputChunks, maxCells / numRanks, "the number of output chunks")))
    return failure();
  while (token.is("expect")) {
    Location start = here();
    advance();
    OptionalId<RankId> r;
    CustomSpec::Output output{RankId(0), 0, {}};
    uint32_t count;
    if (failed(rank(r)) || failed(expect(":")) || failed(expect("o")) ||
        failed(range(output.index, count)) || failed(expect("=")))
      return failure();
    output.rank = *r;
    if (count != 1 || output.index >= spec.outputChunks)
      return diags.error(start, "expect names one output chunk");
    do {
      if (failed(contribution(output)))
        return failure();
    } while (accept("+"));
    if (!spec.outputs.empty() && std::pair(spec.outputs.back().rank, spec.outputs.back().index) >=
                                     std::pair(output.rank, output.index))
      return diags.error(start, "expect lines must ascend by rank and index");
    spec.outputs.push_back(std::move(output));
  }
  for (CustomSpec::Output &output : spec.outputs)
    for (Contribution c : output.contributions)
      if (c.index >= spec.inputChunks)
        return error("an expected contribution lies beyond the input");
  return success();
}

LogicalResult Parser::contribution(CustomSpec::Output &output) {
  OptionalId<RankId> r;
  uint32_t index, count;
  if (failed(rank(r)) || failed(expect(":")) || failed(expect("i")) || failed(range(index, count)))
    return failure();
  if (count != 1)
    return error("a contribution is one chunk");
  output.contributions.push_back({*r, index});
  return success();
}

FailureOr<bool> Parser::table(ProgramInfo &info) {
  if (accept("param")) {
    std::string key, value;
    Location start = here();
    if (failed(string(key, "the name of the parameter")))
      return failure();
    for (const auto &[name, before] : info.parameters)
      if (name == key)
        return diags.error(start, "parameter '" + key + "' stands here twice");
    if (failed(expect("=")) || failed(string(value, "the value of the parameter")))
      return failure();
    info.parameters.emplace_back(std::move(key), std::move(value));
    return true;
  }
  if (accept("level")) {
    GridLevel level;
    if (failed(string(level.name, "the name of the level")))
      return failure();
    std::optional<GridKind> kind = parseGridKind(std::string_view(token.text));
    if (!kind)
      return expected("a grid kind");
    level.kind = *kind;
    advance();
    if (failed(number(level.width, maxRanks, "the width")) || failed(expect("x")) ||
        failed(number(level.height, maxRanks, "the height")))
      return failure();
    info.geometry.levels.push_back(std::move(level));
    return true;
  }
  if (accept("target")) {
    if (failed(string(info.target, "the name of the target")))
      return failure();
    return true;
  }
  if (accept("place")) {
    while (token.kind == Token::Kind::Number) {
      uint32_t endpoint;
      if (failed(number(endpoint, ~uint32_t(0) - 1, "an endpoint")))
        return failure();
      info.placementOnTarget.push_back(endpoint);
    }
    if (info.placementOnTarget.size() != numRanks)
      return expected("one endpoint a rank");
    return true;
  }
  if (accept("phase")) {
    uint32_t index;
    std::string name;
    if (failed(number(index, 0xffff, "the number of the phase")))
      return failure();
    if (index != info.phases.size())
      return errorAtLast("phases must be numbered from 1 in order");
    if (failed(string(name, "the name of the phase")))
      return failure();
    info.phases.push_back({std::move(name)});
    if (!gate(info.phases.back()))
      return failure();
    return true;
  }
  if (accept("neighbour"))
    return neighbour(info);
  if (accept("communicator"))
    return communicator(info);
  if (accept("call"))
    return call(info);
  return false;
}

/// call C comm K stage S [gen G], or nothing.
bool Parser::gate(Phase &phase) {
  if (!accept("call"))
    return true;
  Gate gate{0, 0, 0, {}};
  if (failed(number(gate.call, ~uint32_t(0), "the number of a call")) || failed(expect("comm")) ||
      failed(number(gate.communicator, ~uint32_t(0), "the number of a communicator")) ||
      failed(expect("stage")) || failed(number(gate.stage, Gate::numStages - 1, "stage")))
    return false;
  if (accept("gen")) {
    uint32_t generation;
    if (failed(number(generation, maxGeneration, "generation")))
      return false;
    gate.generation = generation;
  }
  phase.gate = gate;
  return true;
}

FailureOr<bool> Parser::neighbour(ProgramInfo &info) {
  OptionalId<RankId> r, peer;
  if (failed(rank(r)))
    return failure();
  std::optional<Direction> direction = parseDirection(std::string_view(token.text));
  if (token.kind != Token::Kind::Word || !direction)
    return expected("a direction");
  advance();
  if (failed(rank(peer)))
    return failure();
  info.neighbours.push_back({*r, *direction, *peer});
  return true;
}

FailureOr<bool> Parser::communicator(ProgramInfo &info) {
  uint32_t index;
  Communicator result;
  if (failed(number(index, 0xffff, "the number of the communicator")))
    return failure();
  if (index != info.communicators.size())
    return errorAtLast("communicators must be numbered from 0 in order");
  if (failed(string(result.name, "the name of the communicator")))
    return failure();
  while (accept("[")) {
    result.groups.emplace_back();
    while (!accept("]")) {
      OptionalId<RankId> member;
      if (failed(rank(member)))
        return failure();
      result.groups.back().push_back(*member);
    }
  }
  info.communicators.push_back(std::move(result));
  return true;
}

FailureOr<bool> Parser::call(ProgramInfo &info) {
  uint32_t index;
  Call result{"", 0, LocTable::unknown()};
  if (failed(number(index, 0xffff, "the number of the call")))
    return failure();
  if (index != info.calls.size())
    return errorAtLast("calls must be numbered from 0 in order");
  if (failed(string(result.collective, "the collective that is called")) || failed(expect("gen")) ||
      failed(number(result.generation, maxGeneration, "generation")) ||
      failed(location(info, "loc", result.loc)))
    return failure();
  info.calls.push_back(std::move(result));
  return true;
}

FailureOr<bool> Parser::directiveAttribute(Directive &directive) {
  auto value = [&](std::optional<uint32_t> &field) -> FailureOr<bool> {
    uint32_t n;
    if (failed(number(n, maxChannels - 1, "a number")))
      return failure();
    field = n;
    return true;
  };
  if (accept("ch"))
    return value(directive.channel);
  if (accept("sendtb"))
    return value(directive.sendTb);
  if (accept("recvtb"))
    return value(directive.recvTb);
  if (accept("nofuse")) {
    directive.fuse = false;
    return true;
  }
  if (accept("inst")) {
    if (failed(number(directive.instance, maxChannels - 1, "a number")))
      return failure();
    return true;
  }
  return false;
}

LogicalResult Parser::internDirective(ProgramInfo &info, const Directive &directive,
                                      DirectiveIndex &index) {
  auto it = std::find(info.directives.begin(), info.directives.end(), directive);
  index = it - info.directives.begin();
  if (it == info.directives.end()) {
    if (info.directives.size() > 0xffff)
      return error("too many different directives");
    info.directives.push_back(directive);
  }
  return success();
}

LogicalResult Parser::phase(const ProgramInfo &info, uint16_t &value) {
  uint32_t index;
  if (failed(number(index, info.phases.size() - 1, "phase")))
    return failure();
  value = index;
  return success();
}

LogicalResult Parser::attributes(ProgramInfo &info, DirectiveIndex &index, uint16_t &phaseIndex) {
  Directive directive;
  while (true) {
    FailureOr<bool> parsed = directiveAttribute(directive);
    if (failed(parsed))
      return failure();
    if (*parsed)
      continue;
    if (!accept("phase"))
      break;
    if (failed(phase(info, phaseIndex)))
      return failure();
  }
  return internDirective(info, directive, index);
}

/// keyword("file":line[:column]), or nothing.
LogicalResult Parser::location(ProgramInfo &info, StringRef keyword, LocId &loc) {
  if (!accept(keyword))
    return success();
  std::string name;
  uint32_t line, column = 0;
  if (failed(expect("(")) || failed(string(name, "a file name")) || failed(expect(":")) ||
      failed(number(line, ~uint32_t(0), "a line")))
    return failure();
  if (accept(":") && failed(number(column, ~uint32_t(0), "a column")))
    return failure();
  loc = info.locs.intern(name, line, column);
  return expect(")");
}

/// %id =
LogicalResult Parser::definition(uint32_t id) {
  if (failed(expect("%")))
    return failure();
  if (token.kind != Token::Kind::Number || token.number != id)
    return expected("'" + llvm::Twine(id) + "', the next id");
  advance();
  return expect("=");
}

// --- Chunk level --------------------------------------------------------------

FailureOr<Module> Parser::chunkProgram() {
  FailureOr<ProgramInfo> info = header(nullptr);
  if (failed(info))
    return failure();
  ChunkProgramBuilder builder(std::move(*info));
  for (uint32_t id = 0; !accept("}");) {
    if (token.is("scratch")) {
      if (failed(chunkScratch(builder)))
        return failure();
      continue;
    }
    FailureOr<bool> wasTable = table(builder.info());
    if (failed(wasTable) || (!*wasTable && failed(chunkOp(builder, id++))))
      return failure();
  }
  FailureOr<ChunkProgram> program = std::move(builder).finish(diags);
  if (failed(program))
    return failure();
  return Module(std::move(*program));
}

LogicalResult Parser::chunkScratch(ChunkProgramBuilder &builder) {
  advance();
  std::string name;
  if (failed(string(name, "the name of the scratch buffer")))
    return failure();
  uint16_t buffer = builder.scratchBuffer(name);
  std::vector<uint32_t> sizes;
  while (token.kind == Token::Kind::Number) {
    uint32_t chunks;
    if (failed(number(chunks, maxCells / numRanks, "the number of chunks")))
      return failure();
    sizes.push_back(chunks);
  }
  if (sizes.size() != 1 && sizes.size() != numRanks)
    return expected("one number of chunks, or one for each rank");
  for (uint32_t r = 0; r < numRanks; ++r)
    builder.growScratch(buffer, RankId(r), sizes.size() == 1 ? sizes[0] : sizes[r]);
  return success();
}

LogicalResult Parser::chunkRange(ChunkProgramBuilder &builder, OptionalId<RankId> &r,
                                 ChunkBuffer &buffer, uint32_t &index, uint32_t &count) {
  if (failed(rank(r)) || failed(expect(":")))
    return failure();
  if (token.kind == Token::Kind::String) {
    buffer = ChunkBuffer::scratch(builder.scratchBuffer(unescape(token.text)));
    advance();
  } else if (accept("i")) {
    buffer = ChunkBuffer::input();
  } else if (accept("o")) {
    buffer = ChunkBuffer::output();
  } else {
    return expected("a buffer");
  }
  return range(index, count);
}

LogicalResult Parser::chunkOp(ChunkProgramBuilder &builder, uint32_t id) {
  LocId loc = locHere(builder.info());
  if (failed(definition(id)))
    return failure();
  bool copy = token.is("copy");
  if (!copy && !token.is("reduce"))
    return expected("'copy' or 'reduce'");
  advance();
  OptionalId<RankId> srcRank, dstRank;
  ChunkBuffer src = ChunkBuffer::input(), dst = src;
  uint32_t srcIndex, dstIndex, srcCount, dstCount;
  if (failed(chunkRange(builder, dstRank, dst, dstIndex, dstCount)) ||
      failed(expect(copy ? "<-" : "+=")))
    return failure();
  Location second = here();
  if (failed(chunkRange(builder, srcRank, src, srcIndex, srcCount)))
    return failure();
  if (srcCount != dstCount)
    return diags.error(
        second, formatv("the operands have different counts: {0} and {1}", dstCount, srcCount));
  DirectiveIndex directive;
  uint16_t phaseIndex = 0;
  if (failed(attributes(builder.info(), directive, phaseIndex)) ||
      failed(location(builder.info(), "loc", loc)))
    return failure();
  builder.add({*srcRank, *dstRank, srcIndex, dstIndex, srcCount, loc, src, dst, directive,
               phaseIndex, copy ? ChunkOpKind::Copy : ChunkOpKind::Reduce});
  return success();
}

// --- Instruction level --------------------------------------------------------

FailureOr<Module> Parser::instrProgram() {
  FailureOr<ProgramInfo> info = header(nullptr);
  if (failed(info))
    return failure();
  std::vector<Instr> instrs;
  std::vector<uint32_t> scratch(numRanks);
  while (!accept("}")) {
    if (token.is("scratch")) {
      if (failed(rankScratch(scratch)))
        return failure();
      continue;
    }
    FailureOr<bool> wasTable = table(*info);
    if (failed(wasTable) || (!*wasTable && failed(instr(*info, instrs))))
      return failure();
  }
  if (!sawPositions)
    defaultPositions(instrs);
  FailureOr<InstrProgram> program =
      InstrProgramBuilder(std::move(*info), std::move(instrs), std::move(scratch)).finish(diags);
  if (failed(program))
    return failure();
  return Module(std::move(*program));
}

/// Without explicit positions instructions stand in the order of the file, the
/// sending half of a fused one right before its receive.
void Parser::defaultPositions(std::vector<Instr> &instrs) {
  uint32_t pos = 0;
  for (Instr &instr : instrs) {
    if (instr.from && (*instr.from).index() < instrs.size()) {
      Instr &sender = instrs[(*instr.from).index()];
      if (traits(sender.op).isFused())
        sender.sendPos = pos++;
    }
    instr.pos = pos++;
    if (!traits(instr.op).isFused())
      instr.sendPos = instr.pos;
  }
}

LogicalResult Parser::rankScratch(std::vector<uint32_t> &chunks) {
  advance();
  OptionalId<RankId> r;
  if (failed(rank(r)))
    return failure();
  return number(chunks[(*r).index()], maxCells, "the number of chunks");
}

LogicalResult Parser::instr(ProgramInfo &info, std::vector<Instr> &instrs) {
  LocId loc = locHere(info);
  if (failed(definition(instrs.size())))
    return failure();
  std::optional<OpKind> op = parseOpKind(token.text);
  if (token.kind != Token::Kind::Word || !op)
    return expected("an instruction");
  advance();
  OptionalId<RankId> r;
  if (failed(rank(r)))
    return failure();
  Instr instr{*r, {}, {}, 0, {}, {}, loc, loc, 0, 0, 0, 0, 0, *op};
  if (token.kind == Token::Kind::Word && parseBuffer(token.text) &&
      failed(operand(instr.src, instr.count)))
    return failure();
  if (accept("->") && failed(operand(instr.dst, instr.count)))
    return failure();
  auto peer = [&](StringRef keyword, OptionalId<InstrId> &id) -> LogicalResult {
    uint32_t index;
    if (!accept(keyword))
      return success();
    if (failed(expect("%")) || failed(number(index, 1 << 30, "an id")))
      return failure();
    id = InstrId(index);
    return success();
  };
  if (failed(peer("from", instr.from)) || failed(peer("to", instr.to)))
    return failure();

  bool fused = traits(*op).isFused();
  instr.pos = instrs.empty() ? 0 : instrs.back().pos + 1;
  if (accept("at")) {
    sawPositions = true;
    if (failed(number(instr.pos, maxPosition, "a position")))
      return failure();
    if (fused && (failed(expect(":")) || failed(number(instr.sendPos, maxPosition, "a position"))))
      return failure();
  }
  if (!fused)
    instr.sendPos = instr.pos;

  if (failed(attributes(info, instr.directive, instr.phase)))
    return failure();
  instr.sendDirective = instr.directive;
  if (accept("then")) {
    if (token.is("{")) {
      advance();
      uint16_t unused = 0;
      if (failed(attributes(info, instr.sendDirective, unused)) || failed(expect("}")))
        return failure();
    } else {
      return expected("'{'");
    }
  }
  if (failed(location(info, "loc", instr.loc)))
    return failure();
  instr.sendLoc = instr.loc;
  if (failed(location(info, "then", instr.sendLoc)))
    return failure();
  instrs.push_back(instr);
  return success();
}

// --- Plan level ---------------------------------------------------------------

FailureOr<Module> Parser::execPlan() {
  std::optional<Slots> slots;
  FailureOr<ProgramInfo> info = header(&slots);
  if (failed(info))
    return failure();
  positions.file = file.str();
  ExecPlanBuilder builder(std::move(*info));
  builder.setSlots(slots);
  while (true) {
    FailureOr<bool> wasTable = table(builder.info());
    if (failed(wasTable))
      return failure();
    if (!*wasTable)
      break;
  }
  for (uint32_t r = 0; r < numRanks; ++r)
    if (failed(execRank(builder, r)))
      return failure();
  if (failed(expect("}")))
    return failure();
  FailureOr<ExecPlan> plan = std::move(builder).finish(diags, &positions);
  if (failed(plan))
    return failure();
  return Module(std::move(*plan));
}

LogicalResult Parser::execRank(ExecPlanBuilder &builder, uint32_t r) {
  if (failed(expect("rank")))
    return failure();
  if (token.kind != Token::Kind::Number || token.number != r)
    return expected("'" + llvm::Twine(r) + "', the next rank");
  advance();
  uint32_t scratch = 0;
  if (accept("scratch") && failed(number(scratch, maxCells, "the number of chunks")))
    return failure();
  builder.setScratch(RankId(r), scratch);
  if (failed(expect("{")))
    return failure();
  for (uint32_t id = 0; !accept("}"); ++id)
    if (failed(execThreadblock(builder, RankId(r), id)))
      return failure();
  return success();
}

LogicalResult Parser::execThreadblock(ExecPlanBuilder &builder, RankId r, uint32_t id) {
  positions.threadblocks.push_back({token.line, token.column});
  if (failed(expect("tb")))
    return failure();
  if (token.kind != Token::Kind::Number || token.number != id)
    return expected("'" + llvm::Twine(id) + "', the next threadblock");
  advance();
  OptionalId<RankId> send, recv;
  uint32_t channel;
  if ((accept("send") && failed(rank(send))) || (accept("recv") && failed(rank(recv))) ||
      failed(expect("ch")) || failed(number(channel, maxChannels - 1, "a channel")) ||
      failed(expect("{")))
    return failure();
  builder.beginThreadblock(r, send, recv, ChannelId(channel));
  for (uint32_t index = 0; !accept("}"); ++index)
    if (failed(execStep(builder, index)))
      return failure();
  return success();
}

LogicalResult Parser::execStep(ExecPlanBuilder &builder, uint32_t index) {
  positions.steps.push_back({token.line, token.column});
  LocId loc = locHere(builder.info());
  if (token.kind != Token::Kind::Number || token.number != index)
    return expected("'" + llvm::Twine(index) + "', the next step, or '}'");
  advance();
  if (failed(expect(":")))
    return failure();
  std::optional<OpKind> op = parseOpKind(token.text);
  if (token.kind != Token::Kind::Word || !op)
    return expected("an instruction");
  advance();
  Step step(*op, {}, {}, 0, loc, loc);
  if (token.kind == Token::Kind::Word && parseBuffer(token.text) &&
      failed(operand(step.src, step.count)))
    return failure();
  if (accept("->") && failed(operand(step.dst, step.count)))
    return failure();
  if (accept("dep")) {
    uint32_t tb, at;
    if (failed(id("tb", tb, "a threadblock")) || failed(expect(":")) ||
        failed(number(at, ~uint32_t(0) - 1, "a step")))
      return failure();
    step.setWait(Wait{ThreadblockId(tb), StepIndex(at)});
  }
  step.publishes = accept("pub");
  if (accept("phase") && failed(phase(builder.info(), step.phase)))
    return failure();
  if (failed(location(builder.info(), "loc", step.loc)))
    return failure();
  step.sendLoc = step.loc;
  if (failed(location(builder.info(), "then", step.sendLoc)))
    return failure();
  builder.addStep(step);
  return success();
}

FailureOr<Module> Parser::parse() {
  uint32_t version;
  if (failed(expect("ccl.version")) || failed(number(version, ~uint32_t(0), "a version")))
    return failure();
  if (version == 0 || version > textVersion)
    return errorAtLast("version " + llvm::Twine(version) + " is not known: this tool reads up to " +
                       llvm::Twine(textVersion));
  FailureOr<Module> module = failure();
  if (accept("chunk.program"))
    module = chunkProgram();
  else if (accept("instr.program"))
    module = instrProgram();
  else if (accept("exec.program"))
    module = execPlan();
  else
    return expected("'chunk.program', 'instr.program' or 'exec.program'");
  if (failed(module))
    return failure();
  if (token.kind != Token::Kind::End)
    return expected("the end of the file");
  return module;
}
} // namespace

FailureOr<Module> cclc::parseModule(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                                    unsigned firstLine) {
  return Parser(text, fileName, diags, firstLine).parse();
}

bool cclc::looksLikeTextIR(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text.starts_with("ccl.");
    text = text.drop_front(std::min(text.find('\n'), text.size()));
  }
}
