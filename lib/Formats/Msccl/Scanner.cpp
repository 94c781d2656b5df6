//===- Scanner.cpp - The subset of XML that runtimes parse ----------------===//
//
// A scanner in one pass, without recursion: open elements are a stack of indices. XML constructs
// that the runtimes' parser rejects (prolog, tabs, single quotes) are recorded as faults and
// skipped; the scan ends at text that is not XML.
//
//===----------------------------------------------------------------------===//

#include "Scanner.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::msccl;

namespace {
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  Scan run() {
    while (element())
      ;
    return std::move(result);
  }

private:
  bool atEnd() const { return at >= text.size(); }
  char peek() const { return atEnd() ? '\0' : text[at]; }
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void fault(size_t where, const std::string &what, const std::string &remedy) {
    if (llvm::none_of(result.faults, [&](const Scan::Fault &f) { return f.text == what; }))
      result.faults.push_back({where, what, remedy});
  }
  /// Reports a fault after which the scan cannot continue.
  bool fail(size_t where, const std::string &what, const std::string &remedy) {
    fault(where, what, remedy);
    return false;
  }

  /// Reads up to the next bracket, and the element, comment or end tag that it begins.
  bool element() {
    for (; isBlank(peek()); ++at)
      if (peek() == '\t')
        fault(at, "a tab between elements", "use blanks");
    size_t start = at;
    if (atEnd()) {
      result.complete = open.empty();
      return open.empty() ? false
                          : fail(result.elements[open.back()].at,
                                 "element '" + name(open.back()) + "' is not closed",
                                 "close it; the file may be truncated");
    }
    if (peek() != '<')
      return fail(at, "text between elements", "remove it");
    ++at;
    StringRef rest = text.drop_front(at);
    if (rest.starts_with("!--"))
      return skipTo("-->", start, "comment");
    if (rest.starts_with("?")) {
      fault(start, "a prolog", "begin with the algo element");
      return skipTo("?>", start, "prolog");
    }
    if (rest.starts_with("/"))
      return endTag(start);
    return startTag(start);
  }

  std::string name(uint32_t element) const { return result.elements[element].name.str(); }

  bool skipTo(StringRef end, size_t start, const char *what) {
    size_t found = text.find(end, at);
    if (found == StringRef::npos)
      return fail(start, std::string("a ") + what + " without an end", "end it");
    at = found + end.size();
    return true;
  }

  StringRef word() {
    size_t start = at;
    while (!atEnd() && !isBlank(peek()) && !StringRef("=/><\"'").contains(peek()))
      ++at;
    return text.slice(start, at);
  }

  bool endTag(size_t start) {
    ++at;
    StringRef closed = word();
    if (open.empty() || name(open.back()) != closed)
      return fail(start, "'</" + closed.str() + ">' does not match an open element",
                  open.empty() ? "remove it" : "end '" + name(open.back()) + "' first");
    if (peek() != '>')
      return fail(at, "text after the name of an end tag", "write '</" + closed.str() + ">'");
    ++at;
    open.pop_back();
    return true;
  }

  bool startTag(size_t start) {
    Scan::Element element;
    element.at = start;
    element.name = word();
    if (element.name.empty())
      return fail(start, "a bracket without a name", "name the element");
    if (!open.empty())
      element.parent = open.back();
    element.firstAttribute = result.attributes.size();
    while (true) {
      size_t gap = at;
      for (; isBlank(peek()); ++at)
        if (peek() != ' ')
          fault(at, "a line end or tab between attributes", "keep an element on one line");
      if (peek() == '/' || peek() == '>')
        break;
      if (gap == at)
        return fail(gap, "attribute '" + word().str() + "' without a blank before it", "add one");
      if (!attribute())
        return false;
    }
    element.numAttributes = result.attributes.size() - element.firstAttribute;
    bool single = peek() == '/';
    at += single;
    if (peek() != '>')
      return fail(at, "a '/' that does not end the element", "write '/>'");
    ++at;
    if (!single)
      open.push_back(result.elements.size());
    result.elements.push_back(element);
    return true;
  }

  bool attribute() {
    size_t start = at;
    StringRef key = word();
    if (key.empty() || peek() != '=')
      return fail(start, "'" + key.str() + "' is not an attribute", "write NAME=\"VALUE\"");
    ++at;
    char quote = peek();
    if (quote != '"' && quote != '\'')
      return fail(at, "attribute '" + key.str() + "' without a quote", "write NAME=\"VALUE\"");
    if (quote == '\'')
      fault(at, "single quotes", "use double quotes");
    size_t end = text.find(quote, at + 1);
    if (end == StringRef::npos)
      return fail(start, "attribute '" + key.str() + "' without a closing quote",
                  "close the quote");
    result.attributes.push_back({key, text.slice(at + 1, end)});
    at = end + 1;
    return true;
  }

  StringRef text;
  size_t at = 0;
  std::vector<uint32_t> open; ///< elements that are open
  Scan result;
};
} // namespace

Scan msccl::scan(StringRef text) { return Scanner(text).run(); }
