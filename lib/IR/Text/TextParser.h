//===- TextParser.h - The parser of the text IR -----------------*- C++ -*-===//
//
// TokenParser.h has the tokens and operands, ParserTables.cpp the productions common to all levels
// (header, tables, attributes, locations), and Parser.cpp the levels. docs/LangRef.md has the
// grammar.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_IR_TEXT_TEXTPARSER_H
#define CCL_LIB_IR_TEXT_TEXTPARSER_H

#include "TokenParser.h"
#include "cclc/IR/Module.h"
#include "cclc/IR/Verifier.h"

#include <map>

namespace cclc {

/// Recursive descent, one token of look-ahead. Every parse function reports errors at the first
/// token that it does not accept.
class TextParser : TokenParser {
public:
  TextParser(StringRef text, StringRef file, DiagnosticEngine &diags, unsigned firstLine)
      : TokenParser(text, file, diags, firstLine) {}

  FailureOr<Module> parse();

private:
  // --- Common to all levels -------------------------------------------------

  FailureOr<ProgramInfo> header();
  FailureOr<Collective> collective();
  LogicalResult options(ProgramInfo &info);
  FailureOr<bool> headerAttribute(ProgramInfo &info);
  LogicalResult customData(CustomSpec &spec);
  LogicalResult target(TargetStamp &stamp);
  LogicalResult contribution(CustomSpec::Output &output);
  /// Parses one table line of the body if there is one.
  FailureOr<bool> table(ProgramInfo &info);
  LogicalResult parameter(ProgramInfo &info);
  LogicalResult gridLevel(Geometry &geometry);
  LogicalResult place(ProgramInfo &info);
  LogicalResult namedPhase(ProgramInfo &info);
  LogicalResult gate(Phase &phase);
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

  Level level = Level::Chunk; ///< of the program
  bool sawPositions = false;  ///< an instruction has an explicit position
  std::vector<RotationFactor> rotations;
  std::map<Directive, DirectiveIndex> numbersOfDirectives = {{Directive(), 0}};
  PlanPositions positions;
};

} // namespace cclc

#endif // CCL_LIB_IR_TEXT_TEXTPARSER_H
