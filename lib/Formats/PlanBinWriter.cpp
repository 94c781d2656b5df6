//===- PlanBinWriter.cpp - Writing a binary plan --------------------------===//
//
// Two passes: the first numbers strings, locations and shapes (combinations of fields that
// many steps share, a dictionary encoding) and counts the rows of each table; the second
// writes header, tables and CRC-32 through a buffer, without a copy of the file in memory.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanBin.h"

#include "PlanBinLayout.h"
#include "UsedLocations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace cclc;
using namespace cclc::bin;

namespace {
/// Buffers words and computes the checksum of the output.
class Output {
public:
  explicit Output(raw_ostream &os) : os(os) {}

  void bytes(StringRef text) {
    flush();
    emit(text);
  }
  void word(uint32_t value) {
    if (used == buffer.size())
      flush();
    llvm::support::endian::write32le(buffer.data() + used, value);
    used += 4;
  }
  void words(std::initializer_list<uint32_t> row) {
    for (uint32_t value : row)
      word(value);
  }
  uint32_t checksum() {
    flush();
    return crc;
  }

private:
  void flush() {
    emit(StringRef(buffer.data(), used));
    used = 0;
  }
  void emit(StringRef text) {
    crc = llvm::crc32(crc, llvm::arrayRefFromStringRef(text));
    os << text;
  }

  raw_ostream &os;
  std::array<char, 1 << 14> buffer;
  size_t used = 0;
  uint32_t crc = 0;
};

class PlanBinWriter {
public:
  PlanBinWriter(const ExecPlan &plan, raw_ostream &os)
      : plan(plan), info(plan.info()), version(versionFor(plan)), out(os), locs(plan) {}

  void write() {
    describe();
    findShapes();
    countRows();
    out.bytes(StringRef(magic, magicBytes));
    out.word(version);
    for (uint32_t count : ArrayRef(rows).take_front(tablesOf(version)))
      out.word(count);
    writeDescription();
    writePlan();
    for (StringRef text : strings)
      out.word(text.size());
    for (StringRef text : strings)
      out.bytes(text);
    for (uint32_t word : generations)
      out.word(word);
    for (uint32_t word : severalPeers)
      out.word(word);
    for (uint32_t word : options)
      out.word(word);
    out.word(out.checksum());
    out.checksum(); // flushes the last word
  }

private:
  uint32_t &rowsOf(Table table) { return rows[static_cast<size_t>(table)]; }

  uint32_t number(StringRef text) {
    auto [it, inserted] = numbers.try_emplace(text, strings.size());
    if (inserted)
      strings.push_back(it->first());
    return it->second;
  }

  /// Numbers the strings and makes the small tables.
  void describe() {
    const Collective &c = info.collective;
    const CustomSpec *spec = c.custom();
    std::array<uint32_t, MostInfoWords> row{};
    row[NameWord] = number(info.name);
    row[TargetWord] = number(info.target.name);
    row[KindWord] = number(StringRef(collectiveName(c.kind())));
    row[FlagsWord] = (info.placements.allowsInPlace() ? inPlaceFlag : 0) |
                     (info.placements.allowsOutOfPlace() ? outOfPlaceFlag : 0);
    row[RanksWord] = c.ranks();
    row[ChunksWord] = spec ? 0 : c.chunks();
    row[RootWord] = c.isRooted() ? c.root().index() : 0;
    row[InputWord] = spec ? spec->inputChunks : 0;
    row[OutputWord] = spec ? spec->outputChunks : 0;
    for (auto [attribute, place] : llvm::zip(headerAttributes, infoPlaces))
      if (HeaderAttribute::Value value = attribute.get(info)) {
        bool named = attribute.kind == HeaderAttribute::Kind::Protocol;
        row[place.word] = named ? number(attribute.text(*value)) : *value;
        if (place.words == 2)
          row[place.word + 1] = *value >> 32;
        row[FlagsWord] |= place.flag;
      }
    description.append(row.begin(), row.begin() + infoWordsOf(version));
    if (spec) {
      for (const CustomSpec::Output &output : spec->outputs)
        add({output.rank.index(), output.index, uint32_t(output.contributions.size())});
      for (const CustomSpec::Output &output : spec->outputs)
        for (Contribution contribution : output.contributions) {
          add({contribution.rank.index(), contribution.index});
          ++rowsOf(Table::Contributions);
        }
      rowsOf(Table::Outputs) = spec->outputs.size();
    }
    for (const auto &[key, value] : info.parameters)
      add({number(key), number(value)});
    for (const GridLevel &level : info.geometry.levels)
      add({number(level.name), number(StringRef(gridKindName(level.kind))), level.width,
           level.height});
    for (uint32_t endpoint : info.placementOnTarget)
      add({endpoint});
    for (const Phase &phase : ArrayRef(info.phases).drop_front())
      add({number(phase.name)});
    for (uint32_t file : locs.files())
      add({number(info.locs.files()[file])});
    describeGenerations();
  }

  /// The tables from Neighbours on.
  void describeGenerations() {
    auto append = [&](std::initializer_list<uint32_t> row) { generations.append(row); };
    for (const Neighbour &row : info.neighbours)
      append({row.rank.index(), number(StringRef(directionName(row.direction))), row.peer.index()});
    for (const Communicator &communicator : info.communicators)
      append({number(communicator.name), uint32_t(communicator.groups.size())});
    for (const Communicator &communicator : info.communicators)
      for (const std::vector<RankId> &group : communicator.groups) {
        append({uint32_t(group.size())});
        ++rowsOf(Table::Groups);
      }
    for (const Communicator &communicator : info.communicators)
      for (const std::vector<RankId> &group : communicator.groups)
        for (RankId rank : group) {
          append({rank.index()});
          ++rowsOf(Table::Members);
        }
    for (const Call &call : info.calls)
      append({number(call.collective), call.generation, locNumber(call.loc)});
    for (uint32_t phase = 0; phase < info.phases.size(); ++phase)
      if (const auto &gate = info.phases[phase].gate) {
        append(
            {phase, gate->call, gate->communicator, gate->stage, gate->generation.value_or(none)});
        ++rowsOf(Table::Gates);
      }
    if (knowsContent())
      append({number(info.target.hash), number(info.target.document)});
    for (const std::string &setting : info.target.settings)
      append({number(setting)});
    for (const std::string &option : info.options)
      options.push_back(number(option));
    for (const RotationFactor &rotation : info.rotations)
      append(
          {rotation.size, rotation.rankStride, rotation.chunkStride[0], rotation.chunkStride[1]});
  }

  /// Whether the plan has the hash or document of its target.
  bool knowsContent() const { return !info.target.hash.empty() || !info.target.document.empty(); }

  uint32_t locNumber(LocId loc) const {
    return loc == LocTable::unknown() ? 0 : locs.number(loc) + 1;
  }

  /// Numbers the shapes of steps in the order of first use.
  void findShapes() {
    llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> known;
    std::array<uint32_t, numOpKinds> opNumber;
    opNumber.fill(none);
    shapeOf.reserve(plan.steps().size());
    std::pair<uint64_t, uint64_t> last;
    for (const Step &step : plan.steps()) {
      uint32_t &op = opNumber[static_cast<size_t>(step.op)];
      if (op == none) {
        op = ops.size();
        ops.push_back(number(traits(step.op).mnemonic));
      }
      uint32_t what = op;
      for (size_t a = 0; a < std::size(stepAttributes); ++a)
        what |= stepAttributes[a].get(step) << shapePlaces[a].shift;
      uint32_t count = step.op == OpKind::Nop ? 0 : step.count;
      std::pair key(uint64_t(count) << 32 | what,
                    uint64_t(locNumber(step.sendLoc)) << 32 | locNumber(step.loc));
      if (!shapeOf.empty() && key == last) {
        shapeOf.push_back(shapeOf.back());
      } else {
        auto [it, inserted] = known.try_emplace(key, shapes.size());
        if (inserted)
          shapes.push_back(key);
        shapeOf.push_back(it->second);
        last = key;
      }
      rowsOf(Table::Waits) += step.waits();
    }
  }

  void countRows() {
    rowsOf(Table::Info) = 1;
    rowsOf(Table::Parameters) = info.parameters.size();
    rowsOf(Table::Levels) = info.geometry.levels.size();
    rowsOf(Table::Endpoints) = info.placementOnTarget.size();
    rowsOf(Table::Phases) = info.phases.size() - 1;
    rowsOf(Table::Neighbours) = info.neighbours.size();
    rowsOf(Table::Communicators) = info.communicators.size();
    rowsOf(Table::Calls) = info.calls.size();
    rowsOf(Table::Target) = knowsContent();
    rowsOf(Table::Settings) = info.target.settings.size();
    rowsOf(Table::Options) = info.options.size();
    rowsOf(Table::Rotations) = info.rotations.size();
    listSeveralPeers();
    rowsOf(Table::SeveralPeers) = severalPeers.size() / 3;
    rowsOf(Table::Files) = locs.files().size();
    rowsOf(Table::Locations) = locs.locations().size();
    rowsOf(Table::Ranks) = info.listedRanks();
    rowsOf(Table::Threadblocks) = plan.threadblocks().size();
    rowsOf(Table::Ops) = ops.size();
    rowsOf(Table::Shapes) = shapes.size();
    rowsOf(Table::Steps) = plan.steps().size();
    rowsOf(Table::Strings) = strings.size();
    for (StringRef text : strings)
      rowsOf(Table::Text) += text.size();
  }

  void listSeveralPeers() {
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      auto list = [&](uint32_t direction, const Peers &peers) {
        for (size_t i = 0; peers.size() > 1 && i < peers.size(); ++i)
          severalPeers.append({t, direction, peers[i].index()});
      };
      list(0, plan.sendPeers(tb));
      list(1, plan.recvPeers(tb));
    }
  }

  void add(std::initializer_list<uint32_t> row) { description.append(row); }

  void writeDescription() {
    for (uint32_t word : description)
      out.word(word);
  }

  void writePlan() {
    for (uint32_t loc : locs.locations()) {
      const LocTable::Entry &entry = info.locs.entries()[loc];
      out.words({locs.numberOfFile(entry.file), entry.line, entry.column});
    }
    for (uint32_t r = 0; r < info.listedRanks(); ++r)
      out.words({plan.scratchChunks()[r], plan.numThreadblocks(RankId(r))});
    auto peer = [](OptionalId<RankId> rank) { return rank ? (*rank).index() : none; };
    for (const Threadblock &tb : plan.threadblocks())
      out.words({peer(tb.sendPeer), peer(tb.recvPeer), tb.channel.index(), tb.numSteps});
    for (uint32_t op : ops)
      out.word(op);
    for (auto [whatAndCount, locations] : shapes)
      out.words({uint32_t(whatAndCount), uint32_t(whatAndCount >> 32), uint32_t(locations),
                 uint32_t(locations >> 32)});
    auto operand = [](Operand place) {
      return place.isNone() ? none : uint32_t(place.buffer()) << 30 | place.index();
    };
    for (size_t s = 0; s < plan.steps().size(); ++s)
      out.words({shapeOf[s], operand(plan.steps()[s].src), operand(plan.steps()[s].dst)});
    for (uint32_t s = 0; s < plan.steps().size(); ++s)
      if (std::optional<Wait> wait = plan.steps()[s].wait())
        out.words({s, wait->tb.index(), wait->step.index()});
  }

  const ExecPlan &plan;
  const ProgramInfo &info;
  const uint32_t version;
  Output out;
  UsedLocations locs;
  std::array<uint32_t, numTables> rows{};
  SmallVector<uint32_t, 0> description;  ///< the tables from Info to Files
  SmallVector<uint32_t, 0> generations;  ///< the tables from Neighbours to Rotations
  SmallVector<uint32_t, 0> severalPeers; ///< the table of this name
  SmallVector<uint32_t, 0> options;      ///< the table of this name
  llvm::StringMap<uint32_t> numbers;
  std::vector<StringRef> strings; ///< by number
  std::vector<uint32_t> ops;      ///< their string numbers, by number in the file
  std::vector<std::pair<uint64_t, uint64_t>> shapes;
  std::vector<uint32_t> shapeOf; ///< by step
};
} // namespace

void cclc::writePlanBin(const ExecPlan &plan, raw_ostream &os) { PlanBinWriter(plan, os).write(); }
