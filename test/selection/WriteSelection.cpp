//===- WriteSelection.cpp - Portfolios as files of runtimes, for tests ----===//
//
// usage: write-selection nccl|openmpi|mpich < ROWS
//
// Each line of ROWS has the members of a SelectionRow in their order. Prints the file to standard
// output and the lines of `notExpressed` to standard error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Selection/Selection.h"

#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace cclc;

int main(int argc, char **argv) {
  std::vector<SelectionRow> rows;
  std::string collective, protocol;
  for (SelectionRow row; std::cin >> collective >> row.ranks >> row.ranksPerNode >> row.minBytes >>
                         row.maxBytes >> row.program >> protocol >> row.channels >>
                         row.segmentBytes;) {
    row.collective = *parseCollective(collective);
    row.protocol = *parseProtocol(protocol);
    rows.push_back(row);
  }
  StringRef format = argc > 1 ? argv[1] : "";
  SelectionFile file = format == "nccl"      ? ncclTunerCsv(rows)
                       : format == "openmpi" ? openMpiRules(rows)
                                             : mpichTuning(rows);
  llvm::outs() << file.text;
  for (const std::string &line : file.notExpressed)
    llvm::errs() << line << '\n';
}
