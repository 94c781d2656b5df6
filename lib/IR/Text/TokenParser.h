//===- TokenParser.h - Tokens and operands of the text IR -------*- C++ -*-===//
//
// The lowest layer of the parser: one token of look-ahead, and the phrases of the grammar that need
// no more of the program than its number of ranks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_IR_TEXT_TOKENPARSER_H
#define CCL_LIB_IR_TEXT_TOKENPARSER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/Text/Lexer.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Text.h"

namespace cclc {

/// Each function advances past the phrase that it is called for, or reports at the token that does
/// not fit.
class TokenParser {
protected:
  TokenParser(StringRef text, StringRef file, DiagnosticEngine &diags, unsigned firstLine)
      : file(file), diags(diags), lexer(text, firstLine), token(lexer.next()) {}

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
  LogicalResult rank(OptionalId<RankId> &value);
  /// One rank or more.
  LogicalResult ranks(SmallVectorImpl<RankId> &values);
  LogicalResult id(StringRef prefix, uint32_t &value, StringRef what);
  /// [3] or [3:5].
  LogicalResult range(uint32_t &index, uint32_t &count);
  /// i[3], o[3:5], s[0].
  LogicalResult operand(Operand &value, uint32_t &count);
  LogicalResult rotation(RotationFactor &factor);

  StringRef file;
  DiagnosticEngine &diags;
  Lexer lexer;
  Token token;
  unsigned lastLine = 0, lastColumn = 0; ///< of the previous token
  uint32_t numRanks = 0;                 ///< of the program, once its header has been parsed
};

} // namespace cclc

#endif // CCL_LIB_IR_TEXT_TOKENPARSER_H
