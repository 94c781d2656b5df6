//===- Lexer.cpp - Scanning of the text IR --------------------------------===//
//
// A scanner written by hand: the first character decides the kind of the token, whose text is
// a slice of the input. It is called for one token at a time and allocates nothing. After an
// error it is at the end of the input, so that the parser stops at the first one.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/Text/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

void Lexer::advance(size_t n) {
  for (char c : rest.take_front(n)) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  rest = rest.drop_front(n);
}

void Lexer::skipBlanks() {
  while (!rest.empty()) {
    if (rest.starts_with("//"))
      advance(std::min(rest.find('\n'), rest.size()));
    else if (llvm::isSpace(rest.front()))
      advance(1);
    else
      return;
  }
}

Token Lexer::make(Token::Kind kind, size_t length) {
  Token token{kind, rest.take_front(length), 0, line, column};
  advance(length);
  return token;
}

Token Lexer::fail(StringRef why) {
  message = why;
  Token token{Token::Kind::Error, rest.take_front(1), 0, line, column};
  rest = StringRef();
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (rest.empty())
    return {Token::Kind::End, rest, 0, line, column};
  char c = rest.front();
  if (llvm::isAlpha(c)) {
    size_t length =
        rest.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    return make(Token::Kind::Word, std::min(length, rest.size()));
  }
  if (llvm::isDigit(c)) {
    size_t length = std::min(rest.find_if_not(llvm::isDigit), rest.size());
    uint64_t value;
    if (rest.take_front(length).getAsInteger(10, value))
      return fail("number is too large");
    Token token = make(Token::Kind::Number, length);
    token.number = value;
    return token;
  }
  if (c == '"') {
    for (size_t end = 1; end < rest.size() && rest[end] != '\n'; ++end) {
      if (rest[end] == '\\')
        ++end;
      else if (rest[end] == '"') {
        Token token = make(Token::Kind::String, end + 1);
        token.text = token.text.drop_front().drop_back();
        return token;
      }
    }
    return fail("unterminated string");
  }
  for (StringRef pair : {"->", "<-", "+="})
    if (rest.starts_with(pair))
      return make(Token::Kind::Punct, 2);
  if (StringRef("%@{}[]():=+").contains(c))
    return make(Token::Kind::Punct, 1);
  return fail("unexpected character");
}

std::string cclc::unescape(StringRef text) {
  std::string result;
  while (!text.empty()) {
    char c = text.front();
    text = text.drop_front();
    if (c != '\\' || text.empty()) {
      result += c;
      continue;
    }
    c = text.front();
    text = text.drop_front();
    unsigned hex;
    if (c == 'n')
      result += '\n';
    else if (c == 't')
      result += '\t';
    else if (c == 'x' && text.size() >= 2 && !text.take_front(2).getAsInteger(16, hex)) {
      result += static_cast<char>(hex);
      text = text.drop_front(2);
    } else
      result += c;
  }
  return result;
}
