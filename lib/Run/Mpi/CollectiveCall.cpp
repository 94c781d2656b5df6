//===- CollectiveCall.cpp - A call of an MPI collective -------------------===//
//
// Processes compare the content of their portfolios when MPI is initialised, and those of a
// communicator again at its first covered call, since it may have processes of several jobs. It
// then gets a duplicate for the messages of plans, kept as an attribute. Executions are kept by
// plan and size, since applications repeat the same calls.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCall.h"

#include "CallData.h"
#include "MpiTransport.h"
#include "Observers.h"
#include "PlanFolder.h"
#include "Waiting.h"

#include "cclc/Run/RankExecutor.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

using namespace cclc;
using namespace cclc::run;

namespace {
/// Plans have a buffer with a block for each rank.
bool hasBlocks(CollectiveKind kind) {
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter ||
         kind == CollectiveKind::AllToAll;
}

/// A plan for one size, ready to be executed.
struct Execution {
  PreparedPlan plan;
  RankId rank;
  MpiTransport transport;
  RankExecutor<MpiTransport, NoObserver> executor;
  std::vector<std::byte> scratch, spare; ///< spare: for a buffer that the application does not have

  Execution(const FolderPlan &folder, uint64_t elements, const RunSettings &settings, RankId rank,
            uint32_t shift, MPI_Comm comm)
      : plan(folder.plan, elements, settings), rank(rank),
        transport(plan, rank, shift, false, comm), executor(plan, rank, transport, NoObserver()),
        scratch(folder.plan.scratchChunks()[rank.index()] * plan.layout.chunkElements() *
                plan.elementSize()) {}

  void run(const RankBuffers &buffers) {
    executor.start(buffers);
    transport.begin(buffers);
    Waiting waiting;
    while (!executor.done())
      waiting.after(executor.progress());
    while (!transport.ended())
      waiting.after(false);
  }
};

/// What plans need of a communicator.
struct Communicator {
  MPI_Comm duplicate = MPI_COMM_NULL;
  int rank = 0, size = 1;
  bool usable = false;

  /// Kind, count, type, operator and root of a call.
  using Key = std::tuple<CollectiveKind, int, DataType, ReduceOp, int>;
  Execution *find(const Key &key) {
    if (key != lastKey || !last) {
      auto found = executions.find(key);
      lastKey = key;
      last = found == executions.end() ? nullptr : found->second.get();
    }
    return last;
  }
  Execution *add(const Key &key, std::unique_ptr<Execution> execution) {
    lastKey = key;
    last = execution.get();
    executions[key] = std::move(execution);
    return last;
  }

private:
  std::map<Key, std::unique_ptr<Execution>> executions;
  Key lastKey = {};
  Execution *last = nullptr; ///< of lastKey: applications repeat their calls
};

/// The communicator of the last call: to look up its attribute takes a lock and a hash.
struct LastCommunicator {
  MPI_Comm handle;
  Communicator *communicator;
};

/// An application may free communicators even after finishPlans().
LastCommunicator &lastCommunicator() {
  static LastCommunicator last = {MPI_COMM_NULL, nullptr};
  return last;
}

int freeCommunicator(MPI_Comm, int, void *attribute, void *) {
  lastCommunicator().communicator = nullptr; // the handle may be used again
  auto *communicator = static_cast<Communicator *>(attribute);
  if (communicator->duplicate != MPI_COMM_NULL)
    PMPI_Comm_free(&communicator->duplicate);
  delete communicator;
  return MPI_SUCCESS;
}

/// Everything of this process. MPI is initialised once in a process, and so is this.
class Plans {
public:
  Plans() {
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freeCommunicator, &key, nullptr);
    const char *name = std::getenv("CCL_MPI_PLANS");
    int level;
    PMPI_Query_thread(&level);
    DiagnosticEngine diags;
    if (level == MPI_THREAD_MULTIPLE)
      diags.warning({}, "the application calls MPI in several threads: no plan is used");
    else if (!name)
      diags.warning({}, "CCL_MPI_PLANS is not set: no plan is used");
    else if (FailureOr<PlanFolder> read = PlanFolder::read(name, diags); succeeded(read))
      folder = std::move(*read);
    // Also processes without a portfolio, which would not take part at the first call.
    if (!agree(MPI_COMM_WORLD)) {
      folder.reset();
      if (!diags.hasErrors())
        diags.warning({}, differ);
    }
    report(diags);
  }

  bool execute(const CollectiveCall &call);
  void finish();

private:
  static constexpr const char *differ =
      "processes have different portfolios in CCL_MPI_PLANS: no plan is used";
  /// Whether all processes of \p comm have the same portfolio.
  bool agree(MPI_Comm comm) const {
    uint64_t hash = folder ? folder->contentHash() : 0;
    uint64_t both[2] = {hash, ~hash}, largest[2];
    PMPI_Allreduce(both, largest, 2, MPI_UINT64_T, MPI_MAX, comm);
    return largest[0] == ~largest[1];
  }
  Communicator *communicatorOf(const CollectiveCall &call);
  Execution *prepare(const CollectiveCall &call, Communicator &comm, DataType type, ReduceOp op);
  void executePacked(const CollectiveCall &call, Execution &execution);
  void execute(const CollectiveCall &call, Execution &execution);
  /// Processes find the same errors.
  void report(const DiagnosticEngine &diags) const {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      diags.print(llvm::errs(), "libccl-mpi");
  }

  std::optional<PlanFolder> folder;
  int key = MPI_KEYVAL_INVALID;
  struct Count {
    uint64_t byPlan = 0, byLibrary = 0;
  };
  std::array<Count, size_t(CollectiveKind::Custom)> counts; ///< by CollectiveKind
};

Communicator *Plans::communicatorOf(const CollectiveCall &call) {
  LastCommunicator &last = lastCommunicator();
  if (last.communicator && call.comm == last.handle)
    return last.communicator;
  int size, isInter, found;
  PMPI_Comm_size(call.comm, &size);
  if (size == 1 || !folder || !folder->covers(size))
    return nullptr;
  void *attribute;
  PMPI_Comm_get_attr(call.comm, key, static_cast<void *>(&attribute), &found);
  if (found) {
    last = {call.comm, static_cast<Communicator *>(attribute)};
    return last.communicator;
  }
  PMPI_Comm_test_inter(call.comm, &isInter);
  if (isInter)
    return nullptr;
  auto *made = new Communicator();
  made->size = size;
  PMPI_Comm_rank(call.comm, &made->rank);
  PMPI_Comm_dup(call.comm, &made->duplicate);
  made->usable = agree(made->duplicate);
  if (!made->usable) {
    DiagnosticEngine diags;
    diags.warning({}, differ);
    report(diags);
  }
  PMPI_Comm_set_attr(call.comm, key, made);
  return made;
}

bool Plans::execute(const CollectiveCall &call) {
  if (!folder)
    return false;
  Count &count = counts[size_t(call.kind)];
  ++count.byLibrary;
  std::optional<DataType> type = elementType(call);
  std::optional<ReduceOp> op = operatorOf(call);
  if (call.count <= 0 || !type || !op)
    return false;
  Communicator *comm = communicatorOf(call);
  if (!comm || !comm->usable)
    return false;
  Execution *execution = comm->find({call.kind, call.count, *type, *op, call.root});
  if (!execution)
    execution = prepare(call, *comm, *type, *op);
  if (!execution)
    return false;
  executePacked(call, *execution);
  --count.byLibrary;
  ++count.byPlan;
  return true;
}

/// The execution of the calls that are like \p call, or null if no plan covers them.
Execution *Plans::prepare(const CollectiveCall &call, Communicator &comm, DataType type,
                          ReduceOp op) {
  uint64_t elements = uint64_t(call.count) * (hasBlocks(call.kind) ? comm.size : 1);
  DiagnosticEngine diags;
  const FolderPlan *plan = folder->find(call.kind, comm.size, elements * sizeOf(type), diags);
  report(diags);
  if (!plan)
    return nullptr;
  // Ranks are renumbered such that the root of the call is that of the plan.
  const Collective &collective = plan->plan.info().collective;
  uint32_t ranks = comm.size;
  uint32_t shift =
      collective.isRooted() ? (call.root + ranks - collective.root().index()) % ranks : 0;
  RankId rank((comm.rank + ranks - shift) % ranks);
  return comm.add({call.kind, call.count, type, op, call.root},
                  std::make_unique<Execution>(*plan, elements,
                                              RunSettings{type, op, plan->slots, std::nullopt},
                                              rank, shift, comm.duplicate));
}

/// Packs data with gaps, as all plans move bytes without gaps.
void Plans::executePacked(const CollectiveCall &call, Execution &execution) {
  bool packsInput = hasGaps(call.inputData), packsOutput = hasGaps(call.outputData);
  if (!packsInput && !packsOutput)
    return execute(call, execution);
  CollectiveCall packed = call;
  int ranks = execution.plan.plan.ranks();
  PackedData input, output;
  if (packsInput) {
    TypedData data = call.inputData;
    data.count *= call.kind == CollectiveKind::AllToAll ? ranks : 1;
    packed.input = input.pack(call.input, data, call.comm);
  }
  if (packsOutput) {
    TypedData data = call.outputData;
    data.count *= hasBlocks(call.kind) ? ranks : 1;
    packed.output = output.pack(call.output, data, call.comm);
  }
  execute(packed, execution);
  if (packsOutput)
    output.unpack(call.output, call.comm);
}

/// Finds the buffers of the plan's placement, and copies where the application has another one.
void Plans::execute(const CollectiveCall &call, Execution &execution) {
  const ExecPlan &plan = execution.plan.plan;
  const Collective &collective = plan.info().collective;
  Placements placements = plan.info().placements;
  RankId rank = execution.rank;
  const BufferLayout &layout = execution.plan.layout;
  size_t element = execution.plan.elementSize();
  size_t inputBytes = layout.elements(Buffer::Input) * element;
  size_t outputBytes = layout.elements(Buffer::Output) * element;
  auto *in = static_cast<std::byte *>(const_cast<void *>(call.input));
  auto *out = static_cast<std::byte *>(call.output);
  // Where MPI_IN_PLACE and the plan expect the input in the output, or the output in the input.
  auto inputIn = [&](std::byte *output) {
    uint32_t offset = collective.inputOffset(rank, Placement::InPlace);
    return output + (offset ? layout.chunk(Buffer::Output, offset).first * element : 0);
  };
  auto outputIn = [&](std::byte *input) {
    uint32_t offset = collective.outputOffset(rank, Placement::InPlace);
    return input + (offset ? layout.chunk(Buffer::Input, offset).first * element : 0);
  };
  bool inputIsLonger = inputBytes > outputBytes;
  std::byte *scratch = execution.scratch.data();
  // A process without a result needs memory for the plan's output.
  std::vector<std::byte> &spare = execution.spare;
  if (!out) {
    spare.resize(std::max(inputBytes, outputBytes));
    out = spare.data();
  }
  if (in && placements.allowsOutOfPlace()) {
    execution.run({in, out, scratch});
    return;
  }
  if (!in && placements.allowsInPlace() && !inputIsLonger) {
    execution.run({inputIn(out), out, scratch});
    return;
  }
  if (placements.allowsInPlace()) {
    // In memory of the plan: of the longer of the two buffers.
    std::byte *place = out;
    if (inputIsLonger || (collective.isRooted() && !call.output)) {
      spare.resize(std::max(inputBytes, outputBytes));
      place = spare.data();
    }
    std::byte *planInput = inputIsLonger ? place : inputIn(place);
    std::byte *planOutput = inputIsLonger ? outputIn(place) : place;
    std::memcpy(planInput, in ? in : out, inputBytes);
    execution.run({planInput, planOutput, scratch});
    if (planOutput != out && call.output)
      std::memcpy(out, planOutput, outputBytes);
    return;
  }
  // The application's data are in its output, and the plan needs them apart.
  spare.resize(inputBytes);
  std::memcpy(spare.data(), inputIsLonger ? out : inputIn(out), inputBytes);
  execution.run({spare.data(), out, scratch});
}

void Plans::finish() {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::getenv("CCL_MPI_STATS") && rank == 0) {
    // Written at once, as launchers mix the outputs of processes.
    std::string text = "libccl-mpi: calls of rank 0\n";
    for (size_t kind = 0; kind < counts.size(); ++kind)
      if (const Count &count = counts[kind]; count.byPlan + count.byLibrary > 0)
        text += llvm::formatv("  {0}: {1} by plans, {2} by the MPI library\n",
                              collectiveName(CollectiveKind(kind)).data(), count.byPlan,
                              count.byLibrary);
    llvm::errs() << text;
  }
  int found;
  void *attribute;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, key, static_cast<void *>(&attribute), &found);
  if (found)
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  PMPI_Comm_free_keyval(&key);
}

std::unique_ptr<Plans> &plans() {
  static std::unique_ptr<Plans> object;
  return object;
}
} // namespace

void run::startPlans() { plans() = std::make_unique<Plans>(); }

bool run::executeByPlan(const CollectiveCall &call) { return plans() && plans()->execute(call); }

void run::finishPlans() {
  if (plans())
    plans()->finish();
  plans().reset();
}
