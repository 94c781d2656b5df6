//===- SelectionTable.cpp - Rows in the terms of runtimes -----------------===//
//
// What the writers of all tuning files share.
//
//===----------------------------------------------------------------------===//

#include "SelectionTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

const NativeAlgorithm *cclc::findNative(SelectingRuntime runtime, const SelectionRow &row,
                                        StringRef call) {
  for (const NativeAlgorithm &each : nativeAlgorithms(runtime)) {
    // Runtimes without channels have no protocols either, and keep their own.
    bool hasProtocol = mostNativeChannels(runtime) == 1 || each.has(row.protocol);
    if (each.collective == row.collective && (call.empty() || call == each.call) && hasProtocol &&
        (!each.onOneChannel || row.channels <= 1) && each.guard.admits(siteOf(row)) &&
        each.models(row.program, row.parameters))
      return &each;
  }
  return nullptr;
}

std::map<GroupKey, RowGroup> cclc::groupRows(ArrayRef<SelectionRow> rows, bool byNodes) {
  std::map<GroupKey, RowGroup> groups;
  for (const SelectionRow &row : rows)
    groups[{row.collective, row.ranks, byNodes ? row.ranksPerNode : 0}].push_back(&row);
  for (auto &[key, group] : groups)
    llvm::sort(group, [](const SelectionRow *a, const SelectionRow *b) {
      return a->minBytes < b->minBytes;
    });
  return groups;
}

std::string cclc::rowText(const SelectionRow &row) {
  return formatv("{0} over {1} {2}, {3} to {4} bytes: ", StringRef(collectiveName(row.collective)),
                 row.ranks, row.ranks == 1 ? "rank" : "ranks", row.minBytes, row.maxBytes);
}

void cclc::addMissing(const SelectionRow &row, StringRef runtime, SelectionFile &file) {
  std::string program = row.program;
  for (const auto &[name, value] : row.parameters)
    program += formatv(" {0}={1}", name, value);
  file.notExpressed.push_back(
      formatv("{0}{1} has no algorithm like {2}", rowText(row), runtime, program));
}

void cclc::addMissingProtocol(const SelectionRow &row, StringRef runtime, SelectionFile &file) {
  if (row.protocol == Protocol::Simple && row.channels <= 1)
    return;
  file.notExpressed.push_back(formatv("{0}{1} cannot select {2} and {3} {4}", rowText(row), runtime,
                                      protocolName(row.protocol), row.channels,
                                      row.channels == 1 ? "channel" : "channels"));
}
