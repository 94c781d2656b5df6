//===- TokenMutator.cpp - Mutations of texts by their tokens --------------===//
//
// Random bytes seldom pass the scanner of a format, so that libFuzzer would test little else. These
// mutations keep the text in tokens and brackets in pairs: a unit (a token, or a bracket with its
// content) is removed, repeated, exchanged or replaced by another one, and words, strings and
// numbers take other values. The words are those of the text and the string literals of the
// readers' sources (CCLC_READERS), which name every key of a format. A quarter of the mutations,
// and all of those of binary files, are libFuzzer's own.
//
//===----------------------------------------------------------------------===//

#include "../support/RandomProgram.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <string>
#include <vector>

using cclc::test::Random;
using llvm::ArrayRef;
using llvm::StringRef;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
/// A token, from the end of the previous one: spaces belong to the token that follows them.
struct Token {
  StringRef text;
  /// The bracket that closes this one; the token itself if it opens none.
  size_t end = 0;

  StringRef word() const { return text.ltrim(); }
};

size_t lengthOf(StringRef text) {
  if (text.front() == '"' || text.front() == '\'') {
    size_t at = 1;
    while (at < text.size() && text[at] != text.front())
      at += text[at] == '\\' ? 2 : 1;
    return at + 1;
  }
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  return llvm::isDigit(text.front())
             ? text.find_if_not([](char c) { return llvm::isDigit(c) || c == '.'; })
             : text.find_if_not(isWord);
}

std::vector<Token> tokensOf(StringRef text) {
  std::vector<Token> tokens;
  llvm::SmallVector<size_t, 16> open;
  while (!text.trim().empty()) {
    size_t spaces = text.find_if_not(llvm::isSpace);
    size_t length = std::clamp<size_t>(lengthOf(text.drop_front(spaces)), 1, text.size() - spaces);
    const char first = text[spaces];
    if (StringRef("{[(<").contains(first))
      open.push_back(tokens.size());
    else if (StringRef("}])>").contains(first) && !open.empty())
      tokens[open.pop_back_val()].end = tokens.size();
    tokens.push_back({text.take_front(spaces + length), tokens.size()});
    text = text.drop_front(spaces + length);
  }
  return tokens;
}

/// The literals of the sources that could be words of a format.
std::vector<std::string> readWords() {
  std::vector<std::string> words;
  llvm::SmallVector<StringRef, 8> folders;
  StringRef(CCLC_READERS).split(folders, ':');
  for (StringRef folder : folders) {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
      names.push_back(at->path());
    for (const std::string &name : names)
      if (auto buffer = llvm::MemoryBuffer::getFile(name))
        for (const Token &token : tokensOf((*buffer)->getBuffer()))
          if (StringRef word = token.word(); word.consume_front("\"") && word.consume_back("\""))
            if (!word.empty() && word.size() < 40 && !word.contains(' ') && !word.contains('\\'))
              words.push_back(word.str());
  }
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  return words;
}

class TokenMutator {
public:
  TokenMutator(StringRef text, unsigned seed) : tokens(tokensOf(text)), random(seed) {}

  std::string mutated() {
    size_t at = random.below(tokens.size());
    auto unit = [&](size_t i) { return ArrayRef(tokens).slice(i, tokens[i].end - i + 1); };
    ArrayRef<Token> victim = unit(at);
    switch (random.below(8)) {
    case 0: // removes a unit, with the comma that follows it half of the time
      if (victim.end() != tokens.data() + tokens.size() && victim.end()->word() == "," &&
          random.chance(50))
        victim = ArrayRef(victim.begin(), victim.end() + 1);
      return without(victim, {});
    case 1: // removes the key of a value or an attribute with it
      return without(
          ArrayRef(tokens).slice(at, std::min<size_t>(random.between(2, 4), tokens.size() - at)),
          {});
    case 2: // repeats a unit
      return without({victim.end(), victim.end()},
                     (random.chance(60) ? "," : " ") + textOf(victim));
    case 3: // replaces a unit by another one
      return without(victim, textOf(unit(random.below(tokens.size()))));
    case 4: // puts a unit somewhere else
      return without({victim.begin(), victim.begin()}, textOf(unit(random.below(tokens.size()))));
    default:
      return without(victim, value(victim.front().text));
    }
  }

  bool empty() const { return tokens.empty(); }

private:
  static std::string textOf(ArrayRef<Token> part) {
    if (part.empty())
      return "";
    return StringRef(part.front().text.begin(), part.back().text.end() - part.front().text.begin())
        .str();
  }

  std::string without(ArrayRef<Token> part, const std::string &with) {
    const Token *first = tokens.data(), *last = first + tokens.size();
    return textOf({first, part.begin()}) + with + textOf({part.end(), last});
  }

  const std::string &word() {
    static const std::vector<std::string> words = readWords();
    static const std::string none;
    return words.empty() ? none : words[random.below(words.size())];
  }

  /// Another value in the place of \p token, usually of the same type.
  std::string value(StringRef token) {
    static constexpr const char *edges[] = {"0",
                                            "1",
                                            "2",
                                            "3",
                                            "-1",
                                            "7",
                                            "64",
                                            "255",
                                            "65535",
                                            "65536",
                                            "2147483648",
                                            "4294967295",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "1e3",
                                            "0.5",
                                            "-0.5",
                                            "1e400"};
    static constexpr const char *others[] = {
        "null", "true",    "false",          "{}",   "[]",   "\"\"",
        "[0]",  "\"off\"", "\"\\u0041\\n\"", "&lt;", "0x10", "#"};
    const std::string spaces = token.take_while(llvm::isSpace).str();
    const StringRef old = token.ltrim();
    if (random.chance(15))
      return spaces + others[random.below(std::size(others))];
    const std::string number =
        random.chance(60) ? std::to_string(random.below(5)) : edges[random.below(std::size(edges))];
    if (llvm::isDigit(old.front()))
      return spaces + number;
    const std::string text = random.chance(25) ? number : word();
    if (old.front() == '"' || old.front() == '\'')
      return spaces + old.front() + text + old.front();
    return spaces + text;
  }

  std::vector<Token> tokens;
  Random random;
};

bool isText(StringRef input) {
  return llvm::all_of(input.take_front(64),
                      [](char c) { return llvm::isPrint(c) || llvm::isSpace(c); });
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  Random random(seed);
  if (random.chance(25) || !isText(input))
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = input.str();
  for (uint64_t n = random.between(1, 3); n > 0; --n) {
    TokenMutator mutator(text, unsigned(random.next()));
    if (mutator.empty())
      return LLVMFuzzerMutate(data, size, maxSize);
    text = mutator.mutated();
  }
  if (text.size() > maxSize)
    text.resize(maxSize);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
