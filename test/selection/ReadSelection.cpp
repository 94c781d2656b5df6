//===- ReadSelection.cpp - Decisions of tuning files, for tests -----------===//
//
// usage: read-selection READER|- FILE < CALLS
//
// Each line of CALLS has a collective, its name in the file, the ranks, the ranks per node, whether
// switches add, the bytes of an element, and "unused" or the bytes. Prints a line for each: what is
// selected, or the lines of the rules that never apply. Errors and warnings go to standard error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Selection/TuningFile.h"
#include "cclc/Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace cclc;

static void printSelected(const Selected &selected) {
  const TuningRule *rule = selected.rule;
  const bool isNamed = rule && !rule->algorithm.empty();
  llvm::outs() << (isNamed ? rule->algorithm : "own") << ' '
               << (isNamed ? StringRef(protocolName(rule->protocol)).lower() : "-") << ' '
               << (selected.channels ? std::to_string(*selected.channels) : "own") << ' '
               << (rule ? rule->segmentBytes : 0) << ' '
               << (rule && !rule->isImplicit ? std::to_string(rule->loc.line) : "-") << '\n';
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  DiagnosticEngine diags;
  auto text = readInput(argv[2], argv[2], diags);
  FailureOr<TuningFile> file = failure();
  if (succeeded(text))
    file = TuningFile::read((*text)->getBuffer(), argv[2], parseTuningReader(argv[1]), diags);
  diags.print(llvm::errs(), "read-selection");
  if (failed(file))
    return 1;
  std::string collective, name, bytes;
  for (SelectionCall call{}; std::cin >> collective >> name >> call.site.ranks >>
                             call.site.ranksPerNode >> call.site.hasReducingSwitches >>
                             call.elementBytes >> bytes;) {
    call.collective = *parseCollective(collective);
    call.call = name;
    if (bytes != "unused") {
      call.bytes = std::stoull(bytes);
      printSelected(file->select(call));
      continue;
    }
    std::vector<std::string> lines;
    for (const TuningFile::Unused &unused : file->unusedRules(call))
      lines.push_back(std::to_string(unused.rule->loc.line) + ": " + unused.reason);
    llvm::outs() << llvm::join(lines, "; ") << '\n';
  }
}
