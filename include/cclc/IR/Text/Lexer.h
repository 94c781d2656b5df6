//===- Lexer.h - Tokens of the text IR --------------------------*- C++ -*-===//

#ifndef CCL_IR_TEXT_LEXER_H
#define CCL_IR_TEXT_LEXER_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

struct Token {
  enum class Kind { Word, Number, String, Punct, Error, End };
  Kind kind = Kind::End;
  StringRef text;      ///< as written; for a string, the text between the quotes
  uint64_t number = 0; ///< the value of a Number
  unsigned line = 0, column = 0;

  bool is(StringRef spelling) const {
    return (kind == Kind::Word || kind == Kind::Punct) && text == spelling;
  }
};

/// Splits text into words (letters, digits, '_', '.', beginning with a letter), decimal numbers,
/// quoted strings and punctuation; "//" begins a comment. The only two-character punctuation is ->
/// <- +=.
class Lexer {
public:
  Lexer(StringRef text, unsigned firstLine) : rest(text), line(firstLine) {}

  Token next();
  /// The message for the last Error token.
  StringRef error() const { return message; }

private:
  void skipBlanks();
  Token make(Token::Kind kind, size_t length);
  Token fail(StringRef why);
  void advance(size_t n);

  StringRef rest;
  unsigned line;
  unsigned column = 1;
  StringRef message;
};

/// Undoes the escapes of a quoted string (\\, \", \t, \n, \xHH).
std::string unescape(StringRef text);

} // namespace cclc

#endif // CCL_IR_TEXT_LEXER_H
