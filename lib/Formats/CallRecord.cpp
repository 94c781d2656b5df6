//===- CallRecord.cpp - The collectives that a job called -----------------===//
//
// The calls are in the order of their keys, so that records of equal jobs differ in times alone.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/CallRecord.h"

#include "JsonFields.h"

#include "cclc/IR/Collective.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

static constexpr uint64_t recordVersion = 1;

bool RecordedCall::isCovered() const {
  return !reduces(collective) || !(type.empty() || op.empty());
}

void CallRecord::add(const CallRecord &other) {
  processes += other.processes;
  isRounded |= other.isRounded;
  for (const auto &[call, times] : other.calls)
    calls[call] += times;
}

void cclc::writeCallRecord(const CallRecord &record, raw_ostream &os) {
  ordered_json document = {{"version", recordVersion}, {"processes", record.processes}};
  if (record.isRounded)
    document["rounded"] = true;
  document["calls"] = ordered_json::array();
  for (const auto &[call, times] : record.calls) {
    ordered_json row = {{"collective", std::string(collectiveName(call.collective))},
                        {"ranks", call.ranks},
                        {"bytes", call.bytes}};
    if (reduces(call.collective)) {
      row["dtype"] = call.type.empty() ? ordered_json() : ordered_json(call.type);
      row["op"] = call.op.empty() ? ordered_json() : ordered_json(call.op);
    }
    row["calls"] = times.calls;
    row["by_plans"] = times.byPlans;
    row["time_ns"] = times.nanoseconds;
    document["calls"].push_back(std::move(row));
  }
  os << jsonText(document) << '\n';
}

static std::string wordOf(const JsonValue &object, const char *key) {
  return isGiven(object, key) ? object[key].get<std::string>() : "";
}

FailureOr<CallRecord> cclc::readCallRecord(StringRef text, const std::string &path,
                                           DiagnosticEngine &diags) {
  CallRecord record;
  auto read = [&](const JsonValue &document, std::string &where) {
    const JsonValue &rows = document.at("calls");
    const uint64_t version = countOf<uint64_t>(document, "version");
    if (version > recordVersion)
      throw Unreadable{formatv("the record has version {0}; this cclc reads up to version {1}",
                               version, recordVersion)};
    record.processes = countOf<uint32_t>(document, "processes");
    record.isRounded = document.value("rounded", false);
    size_t number = 0;
    for (const JsonValue &row : rows) {
      where = formatv("calls[{0}]: ", number++);
      const RecordedCall call{collectiveOf(row), countOf<uint32_t>(row, "ranks"),
                              countOf<uint64_t>(row, "bytes"), wordOf(row, "dtype"),
                              wordOf(row, "op")};
      if (call.ranks == 0)
        throw Unreadable{"'ranks' must not be 0"};
      record.calls[call] += {countOf<uint64_t>(row, "calls"), countOf<uint64_t>(row, "by_plans"),
                             countOf<uint64_t>(row, "time_ns")};
    }
  };
  if (failed(readFields(text, path, diags, read)))
    return failure();
  return record;
}
