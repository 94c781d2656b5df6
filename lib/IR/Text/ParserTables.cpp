//===- ParserTables.cpp - Header, tables and attributes of the text IR ----===//
//
// The productions that all levels share. The number of ranks is read first and limits all
// numbers of ranks and cells that follow, before memory is allocated for them. Directives are
// interned, so that equal attributes of operations share one entry of the table.
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"

#include "cclc/IR/PlanAttributes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// @NAME collective options {, and the data of a custom collective.
FailureOr<ProgramInfo> TextParser::header() {
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

  FailureOr<Collective> known = collective();
  if (failed(known))
    return failure();
  ProgramInfo info(std::move(*known));
  info.name = std::move(name);
  info.rotations = std::move(rotations);
  if (failed(options(info)))
    return failure();
  if (info.collective.custom()) {
    CustomSpec spec;
    if (failed(customData(spec)))
      return failure();
    info.collective = Collective(numRanks, std::move(spec));
  }
  return info;
}

/// coll K ranks N [chunks F] [rotation ...]* [root R]. The data of a custom collective follow.
FailureOr<Collective> TextParser::collective() {
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
  while (level == Level::Exec && accept("rotation"))
    if (failed(rotation(rotations.emplace_back(RotationFactor{0, 0}))))
      return failure();
  if (chunks > mostChunks(*kind, numRanks, !rotations.empty()))
    return error("the program has more than " + llvm::Twine(maxCells) + " cells");
  OptionalId<RankId> root = RankId(0);
  if (accept("root") && failed(rank(root)))
    return failure();
  return *kind == CollectiveKind::Custom ? Collective(numRanks, CustomSpec())
                                         : Collective(*kind, numRanks, chunks, *root);
}

/// Placements and attributes, up to the brace that opens the body.
LogicalResult TextParser::options(ProgramInfo &info) {
  bool in = false, out = false;
  while (!token.is("{")) {
    if (accept("inplace")) {
      in = true;
    } else if (accept("outofplace")) {
      out = true;
    } else {
      FailureOr<bool> known = headerAttribute(info);
      if (failed(known))
        return failure();
      if (!*known)
        return expected("an attribute or '{'");
    }
  }
  if (info.maxBytes && *info.maxBytes < info.minBytes)
    return error(formatv("the maximum buffer size of {0} bytes is less than the minimum of {1}",
                         *info.maxBytes, info.minBytes));
  advance();
  if (!in && !out)
    return error("the program is neither inplace nor outofplace");
  info.placements = Placements(in, out);
  return success();
}

/// keyword value, or nothing.
FailureOr<bool> TextParser::headerAttribute(ProgramInfo &info) {
  for (const HeaderAttribute &attribute : headerAttributes) {
    if ((attribute.plansOnly && level != Level::Exec) || !accept(attribute.keyword))
      continue;
    uint64_t value;
    if (attribute.kind == HeaderAttribute::Kind::Number) {
      if (failed(number(value, attribute.most, attribute.noun)))
        return failure();
      if (value < attribute.least)
        return errorAtLast(attribute.tooSmall);
    } else {
      HeaderAttribute::Value parsed = attribute.parse(token.text);
      if (!parsed)
        return expected(attribute.noun);
      value = *parsed;
      advance();
    }
    attribute.set(info, value);
    return true;
  }
  return false;
}

LogicalResult TextParser::customData(CustomSpec &spec) {
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

LogicalResult TextParser::contribution(CustomSpec::Output &output) {
  OptionalId<RankId> r;
  uint32_t index, count;
  if (failed(rank(r)) || failed(expect(":")) || failed(expect("i")) || failed(range(index, count)))
    return failure();
  if (count != 1)
    return error("a contribution is one chunk");
  output.contributions.push_back({*r, index});
  return success();
}

LogicalResult TextParser::target(TargetStamp &stamp) {
  if (failed(string(stamp.name, "the name of the target")))
    return failure();
  if (accept("hash") && failed(string(stamp.hash, "the hash of the target")))
    return failure();
  while (accept("set"))
    if (failed(string(stamp.settings.emplace_back(), "a setting of the target")))
      return failure();
  if (accept("machine") && failed(string(stamp.document, "the machine as JSON")))
    return failure();
  if (stamp.empty() && stamp != TargetStamp())
    return errorAtLast("target attributes without a target name");
  return success();
}

FailureOr<bool> TextParser::table(ProgramInfo &info) {
  auto parsed = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (accept("param"))
    return parsed(parameter(info));
  if (accept("option"))
    return parsed(string(info.options.emplace_back(), "an option of cclc"));
  if (accept("level"))
    return parsed(gridLevel(info.geometry));
  if (accept("target"))
    return parsed(target(info.target));
  if (accept("place"))
    return parsed(place(info));
  if (accept("phase"))
    return parsed(namedPhase(info));
  if (accept("neighbour"))
    return neighbour(info);
  if (accept("communicator"))
    return communicator(info);
  if (accept("call"))
    return call(info);
  return false;
}

LogicalResult TextParser::parameter(ProgramInfo &info) {
  std::string key, value;
  Location start = here();
  if (failed(string(key, "the name of the parameter")))
    return failure();
  for (const auto &[name, before] : info.parameters)
    if (name == key)
      return diags.error(start, "duplicate parameter '" + key + "'");
  if (failed(expect("=")) || failed(string(value, "the value of the parameter")))
    return failure();
  info.parameters.emplace_back(std::move(key), std::move(value));
  return success();
}

LogicalResult TextParser::gridLevel(Geometry &geometry) {
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
  geometry.levels.push_back(std::move(level));
  return success();
}

LogicalResult TextParser::place(ProgramInfo &info) {
  while (token.kind == Token::Kind::Number) {
    uint32_t endpoint;
    if (failed(number(endpoint, ~uint32_t(0) - 1, "an endpoint")))
      return failure();
    info.placementOnTarget.push_back(endpoint);
  }
  if (info.placementOnTarget.size() != numRanks)
    return expected("one endpoint a rank");
  return success();
}

LogicalResult TextParser::namedPhase(ProgramInfo &info) {
  uint32_t index;
  std::string name;
  if (failed(number(index, 0xffff, "the number of the phase")))
    return failure();
  if (index != info.phases.size())
    return errorAtLast("phases must be numbered from 1 in order");
  if (failed(string(name, "the name of the phase")))
    return failure();
  info.phases.push_back({std::move(name)});
  return gate(info.phases.back());
}

/// call C comm K stage S gen G, or nothing. The generation is optional at the chunk level only,
/// where allocate-generations assigns it.
LogicalResult TextParser::gate(Phase &phase) {
  if (!accept("call"))
    return success();
  Gate gate{0, 0, 0, {}};
  if (failed(number(gate.call, ~uint32_t(0), "the number of a call")) || failed(expect("comm")) ||
      failed(number(gate.communicator, ~uint32_t(0), "the number of a communicator")) ||
      failed(expect("stage")) || failed(number(gate.stage, Gate::numStages - 1, "stage")))
    return failure();
  if (accept("gen")) {
    if (failed(number(gate.generation.emplace(), maxPhaseGeneration, "generation")))
      return failure();
    if (*gate.generation == 0)
      return errorAtLast("generations count from 1");
  } else if (level != Level::Chunk) {
    return errorAtLast("phase '" + phase.name + "' has no generation: expected 'gen'");
  }
  phase.gate = gate;
  return success();
}

FailureOr<bool> TextParser::neighbour(ProgramInfo &info) {
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

FailureOr<bool> TextParser::communicator(ProgramInfo &info) {
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

FailureOr<bool> TextParser::call(ProgramInfo &info) {
  uint32_t index;
  Call result{"", 0, LocTable::unknown()};
  if (failed(number(index, 0xffff, "the number of the call")))
    return failure();
  if (index != info.calls.size())
    return errorAtLast("calls must be numbered from 0 in order");
  if (failed(string(result.collective, "the collective that is called")) || failed(expect("gen")) ||
      failed(number(result.generation, maxGeneration, "generation")))
    return failure();
  if (result.generation == 0)
    return errorAtLast("generations count from 1");
  if (failed(location(info, "loc", result.loc)))
    return failure();
  info.calls.push_back(std::move(result));
  return true;
}

FailureOr<bool> TextParser::directiveAttribute(Directive &directive) {
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
  auto plain = [&](uint32_t &field, uint32_t limit) -> FailureOr<bool> {
    if (failed(number(field, limit, "a number")))
      return failure();
    return true;
  };
  if (accept("prio"))
    return plain(directive.priority, maxPriority);
  if (accept("agg"))
    return plain(directive.aggregate, maxAggregate);
  if (accept("switch"))
    return plain(directive.inSwitch, maxInSwitch);
  if (accept("par")) {
    FailureOr<bool> read = plain(directive.parallel, maxParallel);
    if (succeeded(read) && directive.parallel == 0)
      return errorAtLast("an operation has at least one part");
    return read;
  }
  if (accept("inst"))
    return plain(directive.instance, maxChannels - 1);
  return false;
}

LogicalResult TextParser::internDirective(ProgramInfo &info, const Directive &directive,
                                          DirectiveIndex &index) {
  auto [it, isNew] = numbersOfDirectives.try_emplace(directive, info.directives.size());
  index = it->second;
  if (isNew) {
    if (info.directives.size() >= maxDirectives)
      return error("too many different directives");
    info.directives.push_back(directive);
  }
  return success();
}

LogicalResult TextParser::phase(const ProgramInfo &info, uint16_t &value) {
  uint32_t index;
  if (failed(number(index, info.phases.size() - 1, "phase")))
    return failure();
  value = index;
  return success();
}

LogicalResult TextParser::attributes(ProgramInfo &info, DirectiveIndex &index,
                                     uint16_t &phaseIndex) {
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
LogicalResult TextParser::location(ProgramInfo &info, StringRef keyword, LocId &loc) {
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
LogicalResult TextParser::definition(uint32_t id) {
  if (failed(expect("%")))
    return failure();
  if (token.kind != Token::Kind::Number || token.number != id)
    return expected("'" + llvm::Twine(id) + "', the next id");
  advance();
  return expect("=");
}
