//===- Explain.cpp - Remarks of the passes by source line -----------------===//
//
// Sorts remarks by line, kind and count, so that the output does not depend on the order of
// passes, and prints decisions as tables with a column for each figure. The JSON form has
// the same rows.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Explain.h"

#include "JsonText.h"

#include "cclc/Support/Printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {
struct Line {
  Location at, other;
  const Remarks::Remark *remark;
  uint64_t count;

  auto key() const {
    return std::tuple(at.file, at.line, remark->kind, ~count, remark->pass, remark->what,
                      other.file, other.line);
  }
};

/// Lines sorted by source line, transformations before missed ones.
std::vector<Line> linesOf(const Remarks &remarks, const ProgramInfo &info) {
  std::vector<Line> lines;
  for (const auto &[remark, count] : remarks.all())
    lines.push_back({info.locate(remark.at), info.locate(remark.other), &remark, count});
  std::sort(lines.begin(), lines.end(),
            [](const Line &a, const Line &b) { return a.key() < b.key(); });
  return lines;
}

/// The name of the pass, or a label for a missed transformation.
StringRef labelOf(const Remarks::Remark &remark) {
  if (remark.kind == Remarks::Kind::Left && StringRef(remark.pass).starts_with("fuse"))
    return "not fused";
  if (remark.kind == Remarks::Kind::Left && remark.pass == "aggregate")
    return "not aggregated";
  return remark.pass;
}

void printDecision(const Remarks::Decision &decision, raw_ostream &os) {
  size_t width = decision.about.size();
  for (const Remarks::Choice &choice : decision.choices)
    width = std::max(width, choice.what.size() + 2);
  auto pad = [&](size_t used, size_t to) { os.indent(to > used ? to - used : 0); };
  os << '\n' << decision.about;
  pad(decision.about.size(), width);
  std::vector<size_t> columns;
  for (size_t c = 0; c < decision.choices.front().figures.size(); ++c) {
    columns.push_back(decision.choices.front().figures[c].first.size());
    for (const Remarks::Choice &choice : decision.choices)
      columns[c] = std::max(columns[c], choice.figures[c].second.size());
    os << "  ";
    pad(decision.choices.front().figures[c].first.size(), columns[c]);
    os << decision.choices.front().figures[c].first;
  }
  os << '\n';
  for (const Remarks::Choice &choice : decision.choices) {
    os << (choice.taken ? "* " : "  ") << choice.what;
    pad(choice.what.size() + 2, width);
    for (size_t c = 0; c < columns.size(); ++c) {
      os << "  ";
      pad(choice.figures[c].second.size(), columns[c]);
      os << choice.figures[c].second;
    }
    os << '\n';
  }
}
} // namespace

void cclc::printExplanation(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os) {
  os << printable(info.name) << ": decisions and remarks\n";
  for (const Remarks::Decision &decision : remarks.decisions())
    printDecision(decision, os);
  const Location *header = nullptr;
  std::vector<Line> lines = linesOf(remarks, info);
  for (const Line &line : lines) {
    if (!header || !(*header == line.at)) {
      os << '\n' << line.at << '\n';
      header = &line.at;
    }
    os << formatv("{0,8}  {1}: {2}", line.count, labelOf(*line.remark), line.remark->what);
    if (line.other.isKnown() && line.other.file == line.at.file)
      os << " (with line " << line.other.line << ')';
    else if (line.other.isKnown())
      os << " (with " << line.other << ')';
    os << '\n';
  }
}

void cclc::writeExplanationJson(const Remarks &remarks, const ProgramInfo &info, raw_ostream &os) {
  nlohmann::ordered_json out;
  out["format"] = "cclc-explanation";
  out["version"] = 1;
  out["name"] = info.name;
  out["decisions"] = nlohmann::ordered_json::array();
  for (const Remarks::Decision &decision : remarks.decisions()) {
    nlohmann::ordered_json choices = nlohmann::ordered_json::array();
    for (const Remarks::Choice &choice : decision.choices) {
      nlohmann::ordered_json entry = {{"what", choice.what}, {"taken", choice.taken}};
      for (const auto &[name, value] : choice.figures)
        entry["figures"][name] = value;
      choices.push_back(std::move(entry));
    }
    out["decisions"].push_back({{"about", decision.about}, {"choices", std::move(choices)}});
  }
  out["remarks"] = nlohmann::ordered_json::array();
  auto place = [](const Location &loc) {
    return loc.isKnown() ? nlohmann::ordered_json{{"file", loc.file}, {"line", loc.line}}
                         : nlohmann::ordered_json(nullptr);
  };
  for (const Line &line : linesOf(remarks, info))
    out["remarks"].push_back({{"at", place(line.at)},
                              {"pass", line.remark->pass},
                              {"done", line.remark->kind == Remarks::Kind::Done},
                              {"what", line.remark->what},
                              {"other", place(line.other)},
                              {"count", line.count}});
  os << jsonText(out) << '\n';
}
