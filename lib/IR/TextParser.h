//===- TextParser.h - The parser of the text IR -----------------*- C++ -*-===//
//
// This file has the tokens, ParserTables.cpp the productions common to all levels (header, tables,
// attributes, locations), and Parser.cpp the levels. docs/LangRef.md has the grammar.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_IR_TEXTPARSER_H
#define CCL_LIB_IR_TEXTPARSER_H

#include "Lexer.h"
#include "cclc/IR/Module.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc {

/// Recursive descent, one token of look-ahead. Every parse function reports errors at the first
/// token that it does not accept.
class TextParser {
public:
  TextParser(StringRef text, StringRef file, DiagnosticEngine &diags, unsigned firstLine)
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
  /// Reports at the previous token, which is well-formed but has an invalid value.
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
      return error(what + llvm::Twine(" ") + token.text + " exceeds the limit of " +
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
      return error("rank " + llvm::Twine(index) + " is out of range: the program has " +
                   counted(numRanks, "rank"));
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
      return diags.error(
          start, llvm::formatv("the operands have different counts: {0} and {1}", count, n));
    count = n;
    value = Operand(*buffer, index);
    return success();
  }

  // --- What the levels share ------------------------------------------------

  FailureOr<ProgramInfo> header(std::optional<Slots> *slots);
  FailureOr<Collective> collective();
  LogicalResult options(ProgramInfo &info, std::optional<Slots> *slots);
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

  Lexer lexer;
  StringRef file;
  DiagnosticEngine &diags;
  Token token;
  unsigned lastLine = 0, lastColumn = 0; ///< of the previous token
  Level level = Level::Chunk;            ///< of the program
  uint32_t numRanks = 0;
  bool sawPositions = false; ///< an instruction has an explicit position
  PlanPositions positions;
};

} // namespace cclc

#endif // CCL_LIB_IR_TEXTPARSER_H
