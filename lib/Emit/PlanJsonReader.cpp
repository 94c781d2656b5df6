//===- PlanJsonReader.cpp - A plan from a stream of JSON events -----------===//
//
// nlohmann's parser calls back for every key and value; a stack of frames says
// where in the schema (PlanJsonSchema.h) we are. Whatever is not in there is an
// error at its line and column.
//
//===----------------------------------------------------------------------===//

#include "cclc/Emit/PlanJson.h"

#include "PlanJsonSchema.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/TextCursor.h"

#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

namespace {

class Handler : public nlohmann::json_sax<nlohmann::json> {
public:
  Handler(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : position(text), fileName(fileName), diags(diags) {
    positions.file = fileName.str();
  }

  TextPosition position; ///< how far the parser has read

  FailureOr<ExecPlan> takePlan() {
    if (!builder)
      return diags.error({fileName.str()}, "the plan has no ranks");
    return std::move(*builder).finish(diags, &positions);
  }

  // --- nlohmann::json_sax ----------------------------------------------------------

  bool null() override { return mismatch("null"); }
  bool boolean(bool b) override {
    if (!expectKind(Kind::Bool, "true or false"))
      return false;
    if (top().key == Key::Pub)
      step.publishes = b;
    return done();
  }
  // The end of a number is known one character later.
  bool number_integer(number_integer_t) override {
    --position.seen;
    return mismatch("a negative number");
  }
  bool number_unsigned(number_unsigned_t n) override {
    --position.seen;
    return expectKind(Kind::Number, "a number") && number(n) && done();
  }
  bool number_float(number_float_t, const string_t &) override {
    --position.seen;
    return mismatch("a number that is not whole");
  }
  bool string(string_t &text) override {
    return expectKind(Kind::String, "a string") && string(StringRef(text)) && done();
  }
  bool binary(binary_t &) override { return mismatch("binary data"); }
  bool start_object(std::size_t) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool key(string_t &name) override;
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::json::exception &error) override;

private:
  struct Frame {
    In in;
    Key key = Key::None;          ///< of the value that comes next
    const Field *field = nullptr; ///< of that key
    uint64_t keysSeen = 0;        ///< bits by Key
    unsigned index = 0;           ///< elements of an array so far
  };

  Frame &top() { return stack.back(); }

  // --- Errors ------------------------------------------------------------------------

  /// Line and column of what was read last.
  Location here() { return {fileName.str(), position.line(), position.column()}; }

  bool error(const llvm::Twine &text) {
    diags.error(here(), text);
    return false;
  }

  std::string what() {
    if (top().field)
      return formatv("'{0}'", top().field->name);
    return top().in == In::Parameters ? "a parameter" : "this element";
  }

  std::optional<Kind> wanted() {
    if (stack.empty())
      return Kind::Object;
    Frame &frame = top();
    if (frame.in == In::Parameters)
      return Kind::String;
    if (frame.field)
      return frame.field->kind;
    const ArrayShape *shape = shapeOf(frame.in);
    if (shape->maximum && frame.index >= shape->maximum)
      return std::nullopt;
    return shape->kinds[shape->maximum ? frame.index : 0];
  }

  bool mismatch(const char *found) {
    if (stack.empty())
      return error(llvm::Twine("a plan is a JSON object, not ") + found);
    std::optional<Kind> kind = wanted();
    if (!kind)
      return error("too many elements");
    return error(what() + " takes " + describe(*kind) + ", not " + found);
  }

  bool expectKind(Kind kind, const char *found) {
    if (stack.empty())
      return mismatch(found);
    std::optional<Kind> want = wanted();
    bool fits = want == kind ||
                (want == Kind::NumberOrString && (kind == Kind::Number || kind == Kind::String)) ||
                (want == Kind::StringOrObject && (kind == Kind::String || kind == Kind::Object));
    return fits || mismatch(found);
  }

  /// One value is complete.
  bool done() {
    ++top().index;
    top().field = nullptr;
    top().key = Key::None;
    return true;
  }

  bool require(std::initializer_list<Key> keys) {
    for (Key key : keys)
      if (!(top().keysSeen >> unsigned(key) & 1))
        for (const Field &field : schema)
          if (field.key == key)
            return error(llvm::Twine("'") + field.name + "' is missing");
    return true;
  }

  bool limited(uint64_t value, uint64_t limit) {
    return value <= limit || error(what() + ": " + llvm::Twine(value) + " is above the limit of " +
                                   llvm::Twine(limit));
  }

  template <class T> bool store(T &place, uint64_t value, uint64_t limit) {
    if (!limited(value, limit))
      return false;
    place = value;
    return true;
  }

  bool storeRank(OptionalId<RankId> &place, uint64_t value) {
    if (value >= info->ranks())
      return error(llvm::Twine("there is no rank ") + llvm::Twine(value));
    place = RankId(value);
    return true;
  }

  // --- Values --------------------------------------------------------------------------

  bool number(uint64_t n);
  bool string(StringRef text);
  bool addPhase(StringRef phaseName, std::optional<Gate> gate) {
    if (phases.size() == 0xffff)
      return error("too many phases");
    phases.push_back({phaseName.str(), gate});
    return true;
  }
  bool beginPlan();
  bool finishCollective();
  bool finishStep();
  bool beginThreadblock();

  StringRef fileName;
  DiagnosticEngine &diags;
  std::vector<Frame> stack;

  // The plan as far as it is known. The header waits for its collective.
  CollectiveKind kind = CollectiveKind::Custom;
  uint32_t numRanks = 0, chunks = 1, root = 0;
  CustomSpec spec;
  std::optional<cclc::Collective> collective;
  std::string name, target;
  std::optional<Slots> slots;
  bool inPlace = false, outOfPlace = false;
  Protocol protocol = Protocol::Simple;
  uint32_t instances = 1;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string parameterName;
  std::vector<GridLevel> levels;
  std::vector<uint32_t> endpoints;
  std::vector<Neighbour> neighbours;
  std::vector<Communicator> communicators;
  std::vector<Call> calls;
  std::vector<std::optional<uint32_t>> callLocs; ///< by call, numbers of locations
  std::vector<Phase> phases;
  std::vector<std::string> files;
  struct Loc {
    uint32_t file = 0, line = 0, column = 0;
  };
  std::vector<Loc> locations;

  std::optional<ProgramInfo> info;
  std::optional<ExecPlanBuilder> builder;
  PlanPositions positions;
  std::vector<LocId> locIds; ///< by number in the file

  uint32_t rank = 0, nextRank = 0, nextTb = 0;
  OptionalId<RankId> sendPeer, recvPeer;
  uint32_t channel = 0;
  Step step{OpKind::Nop, {}, {}, 0, LocTable::unknown(), LocTable::unknown()};
  Buffer operandBuffer = Buffer::Input;
  uint32_t waitTb = 0, waitStep = 0;
};

bool Handler::key(string_t &keyName) {
  Frame &frame = top();
  if (frame.in == In::Parameters) {
    for (const auto &[name, value] : parameters)
      if (name == keyName)
        return error("parameter '" + llvm::Twine(keyName) + "' stands here twice");
    parameterName = keyName;
    frame.key = Key::Parameter;
    return true;
  }
  for (const Field &field : schema) {
    if (field.object != frame.in || keyName != field.name)
      continue;
    uint64_t bit = uint64_t(1) << unsigned(field.key);
    if (frame.keysSeen & bit)
      return error(llvm::Twine("'") + keyName + "' stands here twice");
    if (frame.in == In::Plan && builder)
      return error("'ranks' must be the last key of a plan");
    if (frame.in == In::Threadblock && frame.keysSeen >> unsigned(Key::Steps) & 1)
      return error("'steps' must be the last key of a threadblock");
    frame.keysSeen |= bit;
    frame.key = field.key;
    frame.field = &field;
    return true;
  }
  return error(llvm::Twine("unknown key '") + keyName + "'");
}

bool Handler::start_object(std::size_t) {
  if (stack.empty()) {
    stack.push_back({In::Plan});
    return true;
  }
  if (!expectKind(Kind::Object, "an object"))
    return false;
  In child = top().field ? top().field->child : shapeOf(top().in)->child;
  stack.push_back({child});
  switch (child) {
  case In::Level:
    levels.emplace_back();
    break;
  case In::Communicator:
    communicators.emplace_back();
    break;
  case In::Call:
    calls.push_back({"", 0, LocTable::unknown()});
    callLocs.emplace_back();
    break;
  case In::Phase:
    if (!addPhase("", Gate{0, 0, 0, {}}))
      return false;
    break;
  case In::Rank:
    nextTb = 0;
    break;
  case In::Threadblock: {
    Location loc = here();
    positions.threadblocks.push_back({loc.line, loc.column});
    sendPeer = recvPeer = {};
    break;
  }
  case In::Step: {
    Location loc = here();
    positions.steps.push_back({loc.line, loc.column});
    step = Step(OpKind::Nop, {}, {}, 1, LocTable::unknown(), LocTable::unknown());
    break;
  }
  default:
    break;
  }
  return true;
}

bool Handler::start_array(std::size_t) {
  if (!expectKind(Kind::Array, "an array"))
    return false;
  In child = top().field ? top().field->child : shapeOf(top().in)->child;
  if (child == In::Ranks && !beginPlan())
    return false;
  if (child == In::Threadblocks &&
      (!require({Key::Rank, Key::Scratch}) ||
       (rank != nextRank && !error(formatv("expected rank {0}, the next one", nextRank)))))
    return false;
  if (child == In::Steps && !beginThreadblock())
    return false;
  if (child == In::Contributions)
    spec.outputs.back().contributions.clear();
  if (child == In::Group)
    communicators.back().groups.emplace_back();
  stack.push_back({child});
  return true;
}

bool Handler::end_array() {
  const ArrayShape *shape = shapeOf(top().in);
  if (top().index < shape->minimum)
    return error(formatv("expected {0} elements, found {1}", shape->minimum, top().index));
  In ended = top().in;
  stack.pop_back();
  if (ended == In::Wait)
    step.setWait(::cclc::Wait{ThreadblockId(waitTb), StepIndex(waitStep)});
  return done();
}

bool Handler::end_object() {
  In ended = top().in;
  switch (ended) {
  case In::Collective:
    if (!finishCollective())
      return false;
    break;
  case In::Level:
    if (!require({Key::LevelName, Key::LevelKind, Key::LevelWidth, Key::LevelHeight}))
      return false;
    break;
  case In::Communicator:
    if (!require({Key::CommName, Key::CommGroups}))
      return false;
    break;
  case In::Call:
    if (!require({Key::CallName, Key::CallGeneration}))
      return false;
    break;
  case In::Phase:
    if (!require({Key::PhaseName, Key::PhaseCall, Key::PhaseCommunicator, Key::PhaseStage}))
      return false;
    break;
  case In::Rank:
    if (!require({Key::Threadblocks}))
      return false;
    ++nextRank;
    break;
  case In::Threadblock:
    if (!require({Key::Steps}))
      return false;
    ++nextTb;
    break;
  case In::Step:
    if (!finishStep())
      return false;
    break;
  case In::Plan:
    if (!require({Key::Ranks}))
      return false;
    if (nextRank != info->ranks())
      return error(
          formatv("the collective has {0} ranks, but the plan lists {1}", info->ranks(), nextRank));
    break;
  default:
    break;
  }
  stack.pop_back();
  return stack.empty() || done();
}

bool Handler::finishCollective() {
  if (!require({Key::CollKind, Key::CollRanks}))
    return false;
  if (kind == CollectiveKind::Custom) {
    if (!require({Key::CollInput, Key::CollOutput}))
      return false;
    if (const char *fault = spec.findFault(numRanks))
      return error(fault);
    collective.emplace(numRanks, std::move(spec));
    return true;
  }
  if (!require({Key::CollChunks}))
    return false;
  if (root >= numRanks)
    return error(formatv("there is no rank {0} to be the root", root));
  collective.emplace(kind, numRanks, chunks, RankId(root));
  return true;
}

/// "ranks" begins: the header is complete.
bool Handler::beginPlan() {
  if (!require({Key::Format, Key::Version, Key::Name, Key::Collective, Key::Placements}))
    return false;
  info.emplace(*collective);
  info->name = name;
  info->target = target;
  info->placements = Placements(inPlace, outOfPlace);
  info->protocol = protocol;
  info->instances = instances;
  info->minBytes = minBytes;
  info->maxBytes = maxBytes;
  info->parameters = parameters;
  info->geometry.levels = levels;
  info->placementOnTarget = endpoints;
  if (!endpoints.empty() && endpoints.size() != info->ranks())
    return error("'endpoints' needs one entry a rank");
  info->neighbours = neighbours;
  info->communicators = communicators;
  info->phases.insert(info->phases.end(), phases.begin(), phases.end());
  for (const Loc &loc : locations) {
    if (loc.file >= files.size())
      return error(formatv("a location names file {0}, but there are {1}", loc.file, files.size()));
    locIds.push_back(
        info->locs.append(info->locs.internFile(files[loc.file]), loc.line, loc.column));
  }
  for (size_t c = 0; c < calls.size(); ++c)
    if (callLocs[c]) {
      if (*callLocs[c] >= locIds.size())
        return error(formatv("there is no location {0}", *callLocs[c]));
      calls[c].loc = locIds[*callLocs[c]];
    }
  info->calls = calls;
  builder.emplace(*info);
  builder->setSlots(slots);
  return true;
}

bool Handler::beginThreadblock() {
  if (!require({Key::Tb, Key::Channel}))
    return false;
  builder->beginThreadblock(RankId(rank), sendPeer, recvPeer, ChannelId(channel));
  return true;
}

bool Handler::finishStep() {
  if (!require({Key::Op}))
    return false;
  if (step.op == OpKind::Nop)
    step.count = 0;
  if (!(top().keysSeen >> unsigned(Key::Then) & 1))
    step.sendLoc = step.loc;
  builder->addStep(step);
  return true;
}

bool Handler::number(uint64_t n) {
  Frame &frame = top();
  switch (frame.in) {
  case In::Endpoints:
    endpoints.push_back(0);
    return store(endpoints.back(), n, ~uint32_t(0) - 1);
  case In::Neighbour:
    if (!limited(n, maxRanks))
      return false;
    if (frame.index == 0)
      neighbours.push_back({RankId(n), Direction::E, RankId(0)});
    else
      neighbours.back().peer = RankId(n);
    return true;
  case In::Group:
    if (!limited(n, maxRanks))
      return false;
    communicators.back().groups.back().push_back(RankId(n));
    return true;
  case In::ExpectRow: {
    if (frame.index == 0)
      spec.outputs.push_back({RankId(0), 0, {}});
    if (!limited(n, maxCells))
      return false;
    if (frame.index == 0)
      spec.outputs.back().rank = RankId(n);
    else
      spec.outputs.back().index = n;
    return true;
  }
  case In::Contribution: {
    if (!limited(n, maxCells))
      return false;
    auto &list = spec.outputs.back().contributions;
    if (frame.index == 0)
      list.push_back({RankId(n), 0});
    else
      list.back().index = n;
    return true;
  }
  case In::Location: {
    if (frame.index == 0)
      locations.emplace_back();
    Loc &loc = locations.back();
    return store(frame.index == 0   ? loc.file
                 : frame.index == 1 ? loc.line
                                    : loc.column,
                 n, ~uint32_t(0));
  }
  case In::Source:
  case In::Destination:
    if (!limited(n, Operand::maxIndex))
      return false;
    (frame.in == In::Source ? step.src : step.dst) = Operand(operandBuffer, n);
    return true;
  case In::Wait:
    return store(frame.index == 0 ? waitTb : waitStep, n, ~uint32_t(0) - 1);
  default:
    break;
  }

  switch (frame.key) {
  case Key::Version:
    if (n == 0 || n > planJsonVersion)
      return error(
          formatv("version {0} is not known: this tool reads up to {1}", n, planJsonVersion));
    return true;
  case Key::Instances:
    if (n == 0)
      return error("a plan has at least one instance");
    return store(instances, n, 1 << 16);
  case Key::Slots:
    if (n == 0 || !limited(n, ~uint32_t(0)))
      return n != 0 ? false : error("a connection has at least one slot");
    slots = ::cclc::Slots(n);
    return true;
  case Key::MinBytes:
    minBytes = n;
    return true;
  case Key::MaxBytes:
    maxBytes = n;
    return true;
  case Key::CollRanks:
    if (n == 0)
      return error("a collective has at least one rank");
    return store(numRanks, n, maxRanks);
  case Key::CollChunks:
    if (n == 0)
      return error("a collective has at least one chunk");
    if (numRanks == 0)
      return error("'ranks' must come before 'chunks'");
    return store(chunks, n, maxCells / numRanks);
  case Key::CollRoot:
    return store(root, n, maxRanks);
  case Key::CollInput:
    return store(spec.inputChunks, n, maxCells / std::max(numRanks, 1u));
  case Key::CollOutput:
    return store(spec.outputChunks, n, maxCells / std::max(numRanks, 1u));
  case Key::LevelWidth:
    return store(levels.back().width, n, maxRanks);
  case Key::LevelHeight:
    return store(levels.back().height, n, maxRanks);
  case Key::CallGeneration:
    return store(calls.back().generation, n, maxGeneration);
  case Key::CallLoc:
    callLocs.back() = 0;
    return store(*callLocs.back(), n, ~uint32_t(0));
  case Key::PhaseCall:
    return store(phases.back().gate->call, n, ~uint32_t(0));
  case Key::PhaseCommunicator:
    return store(phases.back().gate->communicator, n, ~uint32_t(0));
  case Key::PhaseStage:
    return store(phases.back().gate->stage, n, Gate::numStages - 1);
  case Key::PhaseGeneration:
    phases.back().gate->generation = 0;
    return store(*phases.back().gate->generation, n, ~uint32_t(0) - 1);
  case Key::Rank:
    if (n != nextRank)
      return error(formatv("expected rank {0}, the next one", nextRank));
    if (n >= info->ranks())
      return error(formatv("there is no rank {0}: the collective has {1}", n, info->ranks()));
    rank = n;
    return true;
  case Key::Scratch: {
    uint32_t scratch;
    if (!store(scratch, n, maxCells))
      return false;
    builder->setScratch(RankId(nextRank), scratch);
    return true;
  }
  case Key::Tb:
    return n == nextTb || error(formatv("expected threadblock {0}, the next one", nextTb));
  case Key::Send:
    return storeRank(sendPeer, n);
  case Key::Recv:
    return storeRank(recvPeer, n);
  case Key::Channel:
    return store(channel, n, maxChannels - 1);
  case Key::Cnt:
    return store(step.count, n, maxCells);
  case Key::Phase:
    return store(step.phase, n, info->phases.size() - 1);
  case Key::Loc:
  case Key::Then:
    if (n >= locIds.size())
      return error(formatv("there is no location {0}", n));
    (frame.key == Key::Loc ? step.loc : step.sendLoc) = locIds[n];
    return true;
  default:
    llvm_unreachable("the schema has no number here");
  }
}

bool Handler::string(StringRef text) {
  Frame &frame = top();
  switch (frame.in) {
  case In::Parameters:
    parameters.emplace_back(parameterName, text.str());
    return true;
  case In::Placements:
    if (text == "in_place")
      return inPlace = true;
    if (text == "out_of_place")
      return outOfPlace = true;
    return error("a placement is in_place or out_of_place, not '" + text + "'");
  case In::Neighbour: {
    std::optional<Direction> direction = parseDirection(std::string_view(text));
    if (!direction)
      return error("unknown direction '" + text + "'");
    neighbours.back().direction = *direction;
    return true;
  }
  case In::Phases:
    return addPhase(text, std::nullopt);
  case In::Files:
    files.push_back(text.str());
    return true;
  case In::Source:
  case In::Destination: {
    std::optional<Buffer> buffer = parseBuffer(text);
    if (!buffer)
      return error("a buffer is i, o or s, not '" + text + "'");
    operandBuffer = *buffer;
    return true;
  }
  default:
    break;
  }

  switch (frame.key) {
  case Key::Format:
    return text == "cclc-plan" || error("the format is '" + text + "', not 'cclc-plan'");
  case Key::Name:
    name = text.str();
    return true;
  case Key::Target:
    target = text.str();
    return true;
  case Key::Protocol: {
    std::optional<::cclc::Protocol> parsed = parseProtocol(text);
    if (!parsed)
      return error("unknown protocol '" + text + "'");
    protocol = *parsed;
    return true;
  }
  case Key::Slots:
    if (text != "inf")
      return error("'slots' takes a number or \"inf\"");
    slots = ::cclc::Slots::unlimited();
    return true;
  case Key::CollKind: {
    std::optional<CollectiveKind> parsed = parseCollective(std::string_view(text));
    if (!parsed)
      return error("unknown collective '" + text + "'");
    kind = *parsed;
    return true;
  }
  case Key::CommName:
    communicators.back().name = text.str();
    return true;
  case Key::CallName:
    calls.back().collective = text.str();
    return true;
  case Key::PhaseName:
    phases.back().name = text.str();
    return true;
  case Key::LevelName:
    levels.back().name = text.str();
    return true;
  case Key::LevelKind: {
    std::optional<GridKind> parsed = parseGridKind(std::string_view(text));
    if (!parsed)
      return error("unknown grid kind '" + text + "'");
    levels.back().kind = *parsed;
    return true;
  }
  case Key::Op: {
    std::optional<OpKind> op = parseOpKind(text);
    if (!op)
      return error("unknown instruction '" + text + "'");
    step.op = *op;
    return true;
  }
  default:
    llvm_unreachable("the schema has no string here");
  }
}

bool Handler::parse_error(std::size_t, const std::string &,
                          const nlohmann::json::exception &exception) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...":
  // the place is ours to say.
  StringRef text = exception.what();
  size_t at = text.find(": ");
  diags.error(here(), at == StringRef::npos ? text : text.drop_front(at + 2));
  return false;
}
} // namespace

FailureOr<ExecPlan> cclc::readPlanJson(StringRef text, StringRef fileName,
                                       DiagnosticEngine &diags) {
  Handler handler(text, fileName, diags);
  TextCursor begin{text.begin(), &handler.position.seen}, end{text.end(), &handler.position.seen};
  bool ok = nlohmann::json::sax_parse(begin, end, &handler);
  if (!ok)
    return failure();
  return handler.takePlan();
}
