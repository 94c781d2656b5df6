//===- AhbmModule.h - Plans as algorithm modules of AHBM --------*- C++ -*-===//
//
// KernBench executes a collective on AHBM by a Python module with a kernel (ADR-0050, the contract
// of algorithm modules). The kernel runs on every PE, finds its coordinates by program_id, and uses
// loads, stores, additions, and sends and receives on the queues of the PE, which are named by
// direction. Before the kernel starts, the queues are installed from a table of their ends: those
// that the program declares by its neighbours, or those that its plan needs.
//
// A plan is lowered to one stream of such calls for each rank: the steps of its threadblocks in the
// order of a topological sort of the happens-before graph, so that the streams complete with the
// same number of slots as the plan. Chunks are held in variables; each is loaded from the rank's
// tile before its first use, and stored when it is final.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_AHBMMODULE_H
#define CCL_FORMATS_AHBMMODULE_H

#include "cclc/IR/ExecPlan.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {
class Machine;
}

namespace cclc::kernbench {

/// The meaning of a rank of the process group that runs the module.
enum class RankIs : uint8_t {
  Sip, ///< the kernel is launched once per SIP, on all of its PEs (ADR-0024)
  Pe,  ///< the kernel is launched once per participating PE, with a world_size override (D7)
};

/// A variable of a kernel: successive chunks of the tile or of scratch, or the last message.
struct KernelValue {
  enum class Kind : uint8_t { Tile, Scratch, Message };
  Kind kind = Kind::Message;
  uint32_t first = 0, count = 1;
  friend auto operator<=>(const KernelValue &, const KernelValue &) = default;
};

/// One call. `Add` is dst = a + b, `Copy` is dst = a; `Load`, `Store` access the tile of the rank.
struct KernelOp {
  enum class Kind : uint8_t { Load, Store, Send, Receive, Add, Copy };
  Kind kind;
  KernelValue dst, a, b;
  Direction direction = Direction::E; ///< of Send and Receive
  uint16_t phase = 0;
  friend auto operator<=>(const KernelOp &, const KernelOp &) = default;
};

using Stream = std::vector<KernelOp>;

/// The place of a rank of the plan.
struct Participant {
  uint32_t sip, cube, pe;
  /// The number of its tile in the tensor that the kernel gets.
  uint32_t tile;
  uint32_t stream; ///< index into AlgorithmModule::streams
};

/// One end of a queue.
struct QueueEnd {
  Neighbour at;
  std::optional<Direction> atPeer; ///< unset: the opposite direction
};

struct AlgorithmModule {
  std::string name, collective, target;
  RankIs rankIs = RankIs::Sip;
  uint32_t worldSize = 1;
  GridLevel sips, cubes; ///< one cube, if no rank is in another
  /// The chunks and f16 elements of a tile. The kernel accepts any multiple of the chunks.
  uint32_t chunks = 1;
  uint64_t elements = 1;
  uint32_t slots = 1;
  uint64_t slotSize = 2; ///< in bytes
  std::vector<Participant> ranks;
  std::vector<QueueEnd> queues;
  std::vector<Stream> streams;
  std::vector<std::string> phases; ///< phases[0] is unnamed
};

/// \p plan as the kernels of its module perform it: each step of a rank follows the one before it
/// in the kernel, whatever its threadblock. Such a plan performs itself.
FailureOr<ExecPlan> performedPlan(const ExecPlan &plan, DiagnosticEngine &diags);

/// Lowers a verified plan; its error names the feature that the contract cannot express.
/// \p machine is that of the plan's target, of family AHBM; null: the plan has none, an error.
/// \p worldSize is the number of SIPs (rank = SIP) or of ranks of the plan (rank = PE); unset: the
/// number of SIPs if each one has equally many ranks, otherwise that of ranks.
FailureOr<AlgorithmModule> lowerToModule(const ExecPlan &plan, const Machine *machine,
                                         std::optional<uint32_t> worldSize,
                                         DiagnosticEngine &diags);

/// Writes the Python text: the module, and the install plan as a JSON object INSTALL_PLAN.
void writeModule(const AlgorithmModule &module, raw_ostream &os);

/// The first line of every module.
inline constexpr char moduleMark[] = "# AHBM algorithm module";

} // namespace cclc::kernbench

#endif // CCL_FORMATS_AHBMMODULE_H
