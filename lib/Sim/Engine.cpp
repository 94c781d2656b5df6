//===- Engine.cpp - The event loop ----------------------------------------===//
//
// A discrete-event simulation. An event is passed to the stage that it belongs to. Threadblocks
// that it has woken run immediately after it, in the order in which they were woken, so that
// results are deterministic.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "cclc/Support/MemoryBudget.h"

using namespace cclc;

static bool takesTime(const CycleEngine &engine) { return engine.duration(Bytes(1)) > SimTime(); }

/// The terms that both step models and the loads and stores multiply by Skew::permille.
bool cclc::enginesTakeTime(const PlacedPlan &plan) {
  const Machine &machine = plan.machine;
  const PeModel &pe = machine.pe;
  const QueueModel &queue = machine.queue;
  constexpr Bytes some = Bytes(1 << 10);
  if (pe.dispatch + pe.localDispatch > SimTime() || takesTime(pe.math) ||
      !pe.dmaRate.isUnlimited() || machine.memory.loadStore)
    return true;
  if (const ProtocolModel *protocol = plan.protocol)
    return pe.wait + pe.nop + protocol->stepLatency + protocol->sliceLatency > SimTime() ||
           takesTime(protocol->trip);
  return takesTime(pe.copy) || !pe.threadblockRate.isUnlimited() || machine.processors ||
         queue.sendOverhead + queue.receiveOverhead + machine.directionQueues.switchTime >
             SimTime() ||
         queue.read.duration(some) + queue.write.duration(some) > SimTime();
}

Engine::Engine(const PlacedPlan &plan, const Sizing &sizing, NetworkModel &network,
               const SimOptions &options, MachineShare share)
    : stages(plan, sizing, network, options, std::move(share)),
      steps((plan.protocol ? createSliceSteps : createMessageSteps)(stages)) {}

SimResult cclc::simulate(const PlacedPlan &plan, const Sizing &sizing, NetworkModel &network,
                         const SimOptions &options) {
  MemoryBudget::Work work("the simulation");
  SharedPes pes(&plan);
  return Engine(plan, sizing, network, options, pes.share(0)).run();
}

bool Engine::begin() {
  // The calls are issued first, in program order.
  state.result.closedGate = findClosedGate(state.plan);
  if (state.result.closedGate)
    return false;
  for (uint32_t r = 0; r < state.plan.ranks(); ++r)
    state.schedule(state.startOf(state.peOf(r)), Event::Kind::Load, r);
  for (uint32_t t = 0; t < state.threads.size(); ++t)
    stages.threadblocks.launch(t);
  return true;
}

SimResult Engine::run() {
  state.network.attach(*this, !state.listeners.empty());
  if (!begin())
    return std::move(state.result);
  const SimOptions &options = state.options;
  uint64_t handled = 0;
  while (!state.queue.empty() && !state.result.stopped) {
    step();
    state.result.stopped = options.until && state.now - state.share.start > *options.until;
    if (options.onProgress && ++handled % eventsBetweenReports == 0)
      options.onProgress(executedSteps());
  }
  SimResult finished = finish();
  finished.links = state.network.linkUse();
  return finished;
}

void Engine::handle(Event event) {
  const uint32_t index = event.index;
  switch (event.kind) {
  case Event::Kind::Continue:
    return steps->advance(index);
  case Event::Kind::PartDone:
    steps->endPart(index);
    return steps->advance(index);
  case Event::Kind::Inject:
    return state.network.start(index, state.now);
  case Event::Kind::Network:
    return state.network.event(index, state.now);
  case Event::Kind::Arrive:
    return stages.connections.store(index);
  case Event::Kind::Deliver:
    return stages.connections.deliver(index);
  case Event::Kind::BeginRun:
    return stages.runs.begin(index);
  case Event::Kind::Signal:
    return stages.connections.deliverSignal(index);
  case Event::Kind::Request:
    return stages.reads.serve(index);
  case Event::Kind::Release:
    return state.network.release(index);
  case Event::Kind::Load:
    return stages.memory.beginRun(index);
  case Event::Kind::LoadArrives:
    return stages.memory.keepLoad(index);
  case Event::Kind::LoadDone:
    return stages.memory.completeLoad(index);
  case Event::Kind::Store:
    return stages.memory.issueStore(index);
  case Event::Kind::StoreDone:
    if (stages.memory.completeStore(index))
      stages.runs.endStores(index);
  }
}

void Engine::arrives(uint32_t f, SimTime at) {
  if (!stages.switches.isCrossing(f) || stages.switches.passesSwitch(f, at, *steps))
    steps->messageArrives(f, at + state.messageDelay(state.network.flight(f).sender));
}

void Engine::linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  notify(state.listeners, &SimListener::linkBusy, link, bytes, begin, end);
}

/// The end of the last threadblock or store.
Ending Engine::findEnd() const {
  uint32_t last = 0;
  for (uint32_t t = 0; t < state.threads.size(); ++t)
    if (state.result.finished[t] > state.result.finished[last])
      last = t;
  Ending end{state.launch};
  if (!state.threads.empty())
    end = {std::max(end.at, state.result.finished[last]), state.threads[last].previous};
  for (uint32_t r = 0; r < state.plan.ranks(); ++r)
    if (const Ending &store = stages.memory.lastStore(r); store.at > end.at)
      end = store;
  return end;
}

SimResult Engine::finish() {
  SimResult &result = state.result;
  const SimTime start = state.share.start;
  const Ending end = findEnd();
  result.completed = true;
  for (uint32_t r = 0; r < state.plan.ranks(); ++r)
    result.completed &= stages.runs.isDone(r);
  for (SimTime &finished : result.finished)
    finished -= start;
  // Events such as the return of credits may follow the end.
  result.stopped &= !result.completed;
  result.time = end.at - start;
  if (result.completed)
    result.time =
        std::max(result.time, state.machine.launchInterval * int64_t(state.options.repeat));
  if (stages.recording && result.completed && state.trips > 0)
    stages.recording->traceBack(end);
  result.events = state.queue.count();
  return std::move(result);
}
