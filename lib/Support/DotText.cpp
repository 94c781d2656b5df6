//===- DotText.cpp - Names in the DOT language ----------------------------===//

#include "cclc/Support/DotText.h"

#include "llvm/Support/JSON.h"

using namespace cclc;

/// Calls fn for every character of \p text, with invalid characters replaced.
template <class Fn> static void forEachCharacter(StringRef text, Fn fn) {
  for (char c : llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text))
    fn((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f' ? '?' : c);
}

std::string cclc::dotQuoted(StringRef text) {
  std::string result;
  forEachCharacter(text, [&](char c) {
    if (c == '"' || c == '\\')
      result += '\\';
    // Graphviz interprets HTML entities in all strings.
    if (c == '\n')
      result += "\\n";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  });
  return result;
}

std::string cclc::dotHtml(StringRef text) {
  std::string result;
  forEachCharacter(text, [&](char c) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\n':
      result += "<BR/>";
      break;
    case '\\': // \N would expand to the name of the node: insert a zero-width space
      result += "\\&#8203;";
      break;
    default:
      result += c;
    }
  });
  return result;
}
