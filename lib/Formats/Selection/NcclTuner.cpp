//===- NcclTuner.cpp - The file of NCCL's example tuner plugin ------------===//
//
// The format is that of plugins/tuner/example of github.com/NVIDIA/nccl. NCCL takes the number of
// channels of a matching row, and 1 if no row matches, therefore rows always have a number and
// cover all sizes if possible. Lines are shorter than the 255 characters that the plugin reads.
//
//===----------------------------------------------------------------------===//

#include "SelectionTable.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;

SelectionFile cclc::ncclTunerCsv(ArrayRef<SelectionRow> rows) {
  constexpr uint64_t unlimited = INT64_MAX;
  SelectionFile file;
  std::string lines;
  llvm::raw_string_ostream os(lines);
  for (const auto &[key, group] : groupRows(rows, true))
    for (const SelectionRow *row : group) {
      const NativeAlgorithm *algorithm = findNative(SelectingRuntime::Nccl, *row);
      if (!algorithm) {
        addMissing(*row, "NCCL", file);
        continue;
      }
      file.selects = true;
      uint64_t from = row == group.front() ? 0 : row->minBytes;
      uint64_t to = row == group.back() ? unlimited : std::min(row->maxBytes, unlimited);
      os << algorithm->call << ',' << from << ',' << to << ',' << algorithm->name << ','
         << StringRef(protocolName(row->protocol)).lower() << ',' << std::max(row->channels, 1u)
         << ',' << (row->ranks + row->ranksPerNode - 1) / std::max(row->ranksPerNode, 1u) << ','
         << row->ranks << ",-1,-1\n";
    }
  llvm::raw_string_ostream text(file.text);
  text << "# Rows of NCCL's example tuner plugin (NCCL_TUNER_CONFIG_FILE), written by cclc.\n"
          "# collective,minbytes,maxbytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,"
          "regBuff\n"
          "# NCCL uses 1 channel for calls that no row matches.\n";
  for (const std::string &missing : file.notExpressed)
    text << "# not expressed: " << missing << '\n';
  text << lines;
  return file;
}
