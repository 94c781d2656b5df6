//===- Parser.cpp - The three levels of the text IR -----------------------===//
//
// One function for each production of the grammar; each level fills the builder of its
// program. The parser checks the syntax; ranges, pairs and tables are verified by the builder,
// for text as for every other source. Positions that the text leaves out are assigned when all
// instructions have been read.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Text/Parser.h"

#include "TextParser.h"
#include "cclc/IR/PlanAttributes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

// --- Chunk level --------------------------------------------------------------

FailureOr<Module> TextParser::chunkProgram() {
  FailureOr<ProgramInfo> info = header();
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

LogicalResult TextParser::chunkScratch(ChunkProgramBuilder &builder) {
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

LogicalResult TextParser::chunkRange(ChunkProgramBuilder &builder, OptionalId<RankId> &r,
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

LogicalResult TextParser::chunkOp(ChunkProgramBuilder &builder, uint32_t id) {
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

FailureOr<Module> TextParser::instrProgram() {
  FailureOr<ProgramInfo> info = header();
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

/// Without explicit positions, instructions have the order of the file, with the sending half of a
/// fused instruction right before its receive.
void TextParser::defaultPositions(std::vector<Instr> &instrs) {
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

LogicalResult TextParser::rankScratch(std::vector<uint32_t> &chunks) {
  advance();
  OptionalId<RankId> r;
  if (failed(rank(r)))
    return failure();
  return number(chunks[(*r).index()], maxCells, "the number of chunks");
}

LogicalResult TextParser::instr(ProgramInfo &info, std::vector<Instr> &instrs) {
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
    uint16_t unused = 0;
    if (failed(expect("{")) || failed(attributes(info, instr.sendDirective, unused)) ||
        failed(expect("}")))
      return failure();
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

FailureOr<Module> TextParser::execPlan() {
  FailureOr<ProgramInfo> info = header();
  if (failed(info))
    return failure();
  positions.file = file.str();
  ExecPlanBuilder builder(std::move(*info));
  while (true) {
    FailureOr<bool> wasTable = table(builder.info());
    if (failed(wasTable))
      return failure();
    if (!*wasTable)
      break;
  }
  for (uint32_t r = 0; r < builder.info().listedRanks(); ++r)
    if (failed(execRank(builder, r)))
      return failure();
  if (failed(expect("}")))
    return failure();
  FailureOr<ExecPlan> plan = std::move(builder).finish(diags, &positions);
  if (failed(plan))
    return failure();
  return Module(std::move(*plan));
}

LogicalResult TextParser::execRank(ExecPlanBuilder &builder, uint32_t r) {
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

LogicalResult TextParser::execThreadblock(ExecPlanBuilder &builder, RankId r, uint32_t id) {
  positions.threadblocks.push_back({token.line, token.column});
  if (failed(expect("tb")))
    return failure();
  if (token.kind != Token::Kind::Number || token.number != id)
    return expected("'" + llvm::Twine(id) + "', the next threadblock");
  advance();
  SmallVector<RankId, 8> send, recv;
  uint32_t channel;
  if ((accept("send") && failed(ranks(send))) || (accept("recv") && failed(ranks(recv))) ||
      failed(expect("ch")) || failed(number(channel, maxChannels - 1, "a channel")) ||
      failed(expect("{")))
    return failure();
  builder.beginThreadblock(r, Peers(send), Peers(recv), ChannelId(channel));
  for (uint32_t index = 0; !accept("}"); ++index)
    if (failed(execStep(builder, index)))
      return failure();
  return success();
}

LogicalResult TextParser::execStep(ExecPlanBuilder &builder, uint32_t index) {
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
  for (const StepAttribute &attribute : stepAttributes) {
    if (!accept(attribute.key))
      continue;
    uint32_t value = 1;
    if (!attribute.isFlag && failed(number(value, attribute.most(builder.info()), attribute.key)))
      return failure();
    attribute.set(step, value);
  }
  if (failed(location(builder.info(), "loc", step.loc)))
    return failure();
  step.sendLoc = step.loc;
  if (failed(location(builder.info(), "then", step.sendLoc)))
    return failure();
  builder.addStep(step);
  return success();
}

FailureOr<Module> TextParser::parse() {
  uint32_t version;
  if (failed(expect("ccl.version")) || failed(number(version, ~uint32_t(0), "a version")))
    return failure();
  if (version == 0 || version > planVersion)
    return errorAtLast("version " + llvm::Twine(version) +
                       " is not supported: this tool reads up to " + llvm::Twine(planVersion));
  FailureOr<Module> module = failure();
  if (accept("chunk.program")) {
    level = Level::Chunk;
    module = chunkProgram();
  } else if (accept("instr.program")) {
    level = Level::Instr;
    module = instrProgram();
  } else if (accept("exec.program")) {
    level = Level::Exec;
    module = execPlan();
  } else {
    return expected("'chunk.program', 'instr.program' or 'exec.program'");
  }
  if (failed(module))
    return failure();
  if (token.kind != Token::Kind::End)
    return expected("the end of the file");
  return module;
}

FailureOr<Module> cclc::parseModule(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                                    unsigned firstLine) {
  return TextParser(text, fileName, diags, firstLine).parse();
}
