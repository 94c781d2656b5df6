//===- PlanTracks.h - The tracks and steps of a plan in traces --*- C++ -*-===//
//
// What simulated and measured traces have in common: a process for each rank with a thread for each
// threadblock, processes for the run, links and slots, and the description of a step.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_REPORT_PLANTRACKS_H
#define CCL_LIB_VIEWS_REPORT_PLANTRACKS_H

#include "TraceText.h"

#include "cclc/Sim/ShownPlan.h"

namespace cclc {

/// \p text as a JSON string, with its quotes.
std::string quotedJson(StringRef text);

class PlanTracks {
public:
  /// The numbers of processes and threads begin above \p before, so that several timelines fit in
  /// one trace.
  PlanTracks(ShownPlan plan, uint32_t before, raw_ostream &os);

  TraceText out;
  const uint32_t runProcess, linkProcess, queueProcess;

  /// The event of \p phase in the track of a threadblock, up to its time.
  void begin(char phase, uint32_t threadblock, SimTime at) {
    out.begin();
    out << "{\"ph\":\"" << StringRef(&phase, 1) << "\"" << tracks[threadblock] << ",\"ts\":" << at;
  }
  void end() { out << "},\n"; }

  /// Writes the rest of the event of a step. \p category: "step" and further ones.
  void describeStep(uint32_t threadblock, uint32_t step, StringRef category, bool hasPieces,
                    uint32_t piece, uint64_t bytes);
  /// Writes one end of the arrow of a message.
  void flow(bool sends, uint32_t threadblock, SimTime at, uint64_t id) {
    begin(sends ? 's' : 'f', threadblock, at);
    out << ",\"id\":" << id << ",\"name\":\"message\",\"cat\":\"flow\"";
    if (!sends)
      out << ",\"bp\":\"e\"";
    end();
  }
  /// Writes the number of slots in use on \p connection.
  void slots(uint32_t connection, SimTime at, uint32_t used) {
    out.begin();
    out << "{\"ph\":\"C\",\"ts\":" << at << counters[connection] << used << "}";
    end();
  }
  /// Prepares the counter of the next connection, from \p senderTb to \p receiverTb.
  void addCounter(uint32_t senderTb, uint32_t receiverTb);

  /// \p name is a JSON string.
  void nameProcess(uint32_t process, const std::string &name);
  uint32_t rankProcess(uint32_t rank) const { return before + rank + 1; }
  void nameThreads();

private:
  void printRange(Operand operand, uint32_t count);
  void printLocation(LocId id);

  const ShownPlan plan;
  const uint32_t before;
  std::vector<std::string> files, phases; ///< in their output form
  std::vector<std::string> tracks;        ///< by threadblock: its process and thread
  std::vector<std::string> counters;      ///< by connection: the text of the event, except time and
                                          ///< value
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_PLANTRACKS_H
