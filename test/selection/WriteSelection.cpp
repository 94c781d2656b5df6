//===- WriteSelection.cpp - Portfolios as files of runtimes, for tests ----===//
//
// usage: write-selection nccl|openmpi|openmpi-json|mpich < ROWS
//
// Each line of ROWS has the members of a SelectionRow in their order; the parameters are separated
// by commas, or "-". Prints the file to standard output and the lines of `notExpressed` to standard
// error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Selection/Selection.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace cclc;

int main(int argc, char **argv) {
  std::vector<SelectionRow> rows;
  std::string collective, protocol, parameters;
  for (SelectionRow row; std::cin >> collective >> row.ranks >> row.ranksPerNode >> row.minBytes >>
                         row.maxBytes >> row.program >> protocol >> row.channels >>
                         row.segmentBytes >> parameters >> row.hasReducingSwitches;) {
    row.collective = *parseCollective(collective);
    row.protocol = *parseProtocol(protocol);
    row.parameters.clear();
    for (StringRef parameter : llvm::split(parameters, ','))
      if (auto [name, value] = parameter.split('='); name != "-")
        row.parameters.emplace_back(name, value);
    rows.push_back(row);
  }
  StringRef format = argc > 1 ? argv[1] : "";
  SelectionFile file = format == "nccl"           ? ncclTunerCsv(rows)
                       : format == "openmpi"      ? openMpiRules(rows)
                       : format == "openmpi-json" ? openMpiJson(rows)
                                                  : mpichTuning(rows);
  llvm::outs() << file.text;
  for (const std::string &line : file.notExpressed)
    llvm::errs() << line << '\n';
}
