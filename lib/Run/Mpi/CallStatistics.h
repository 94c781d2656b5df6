//===- CallStatistics.h - Calls by collective -------------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLSTATISTICS_H
#define CCL_LIB_RUN_MPI_CALLSTATISTICS_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/LLVM.h"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <string>

namespace cclc::run {

/// Why a call goes to the MPI library.
enum class Reason : uint8_t {
  NoPlans,
  Threads,
  Processes,
  OtherJob,
  TwoGroups,
  Type,
  Operator,
  NoData,
  Size,
  Memory,
  Bits,
  Plan,
  Communicators,
  Devices,
  Arguments,
  NotAgreed,
  NotShared,
  NoRoom,
  Comparison,
  NotMeasured,
};

struct CollectiveCall;

/// The calls of a process. Threads may count at the same time.
class CallStatistics {
public:
  void addPlan(const CollectiveCall &call, std::chrono::nanoseconds time);
  void addReason(const CollectiveCall &call, Reason reason);
  /// \p isCompared: a plan covers the call, which was executed to compare the times.
  void addLibrary(const CollectiveCall &call, bool isCompared, std::chrono::nanoseconds time);

  /// By collective: calls, bytes and times by plans and by the MPI library, and the reasons.
  std::string text() const;

private:
  using Count = std::atomic<uint64_t>;
  struct Calls {
    Count calls = 0, bytes = 0, nanoseconds = 0;
    void add(uint64_t size, std::chrono::nanoseconds time) {
      calls.fetch_add(1, std::memory_order_relaxed);
      bytes.fetch_add(size, std::memory_order_relaxed);
      nanoseconds.fetch_add(time.count(), std::memory_order_relaxed);
    }
    /// "1.4 MiB in 350.0 us".
    std::string text() const;
  };
  /// Calls of a collective whose bytes have equal logarithms.
  struct SizeClass {
    Calls byPlans, compared;
  };
  static constexpr size_t numClasses = 64;
  SizeClass &classOf(size_t row, uint64_t bytes) {
    return classes[row][bytes ? std::bit_width(bytes) - 1 : 0];
  }
  std::string comparisonText(size_t row) const;

  /// The collectives of MPI, and barriers, which have the last row.
  static constexpr size_t barriers = size_t(CollectiveKind::Custom);
  static size_t rowOf(const CollectiveCall &call);
  template <class T> using ByKind = std::array<T, barriers + 1>;
  ByKind<Calls> byPlans, byLibrary;
  ByKind<std::array<Count, size_t(Reason::Comparison) + 1>> reasons = {};
  ByKind<std::array<SizeClass, numClasses>> classes;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLSTATISTICS_H
