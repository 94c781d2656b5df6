//===- OpText.cpp - Operations of MSCCL++ plans in words ------------------===//
//
// The numbers of an operation are positions in the tables of its threadblock, which refer to those
// of its rank. The text has the entries of these, so that it does not depend on the threadblock.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/OpText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

namespace {
class Names {
public:
  Names(const Plan &plan, const Threadblock &tb, const Operation &op)
      : plan(plan), tb(tb), op(op), rank(plan.rankOf(tb)) {}

  std::string place(const Place &place) const {
    static constexpr char letters[] = {'i', 'o', 's'};
    std::string text;
    if (place.group)
      text = group(*place.group) + ":";
    else if (place.remote)
      text = formatv("r{0}:", plan.owner(tb, op, place).index());
    text += formatv("{0}[{1}", letters[size_t(place.buffer)], place.index);
    return text + (place.count == 1 ? "]" : formatv(":{0}]", place.index + place.count).str());
  }

  std::string places(ArrayRef<Place> list) const {
    std::vector<std::string> texts;
    for (const Place &each : list)
      texts.push_back(place(each));
    return llvm::join(texts, ", ");
  }

  std::string id(uint32_t number) const {
    switch (op.idKind()) {
    case IdKind::Channels:
      return channel(number);
    case IdKind::Barrier:
      return formatv("{0} of {1} threadblocks", number, op.participants);
    default:
      return std::to_string(number);
    }
  }

private:
  /// The other end of a channel, with the number of the channels to it before this one.
  std::string channel(uint32_t number) const {
    uint32_t entry = plan.channels(tb, op.channel)[number];
    ArrayRef<RankId> peers = plan.channels(rank, op.channel);
    auto before = llvm::count(peers.take_front(entry), peers[entry]);
    std::string text = formatv("r{0}", peers[entry].index());
    return before ? text + formatv("#{0}", before).str() : text;
  }

  /// "switch 0 (r0, r1)".
  std::string group(uint32_t number) const {
    uint32_t entry = plan.switches(tb)[number];
    std::vector<std::string> members;
    for (RankId member : plan.members(plan.switches(rank)[entry]))
      members.push_back(formatv("r{0}", member.index()));
    return formatv("switch {0} ({1})", entry, llvm::join(members, ", "));
  }

  const Plan &plan;
  const Threadblock &tb;
  const Operation &op;
  const Rank &rank;
};
} // namespace

std::string operationText(const Plan &plan, const Threadblock &tb, const Operation &op) {
  Names names(plan, tb, op);
  std::string text = traits(op.op).mnemonic;
  if (op.channel == ChannelKind::Port)
    text += " by port";
  if (op.src.count > 0)
    text += " " + names.places(plan.sources(op));
  if (op.dst.count > 0)
    text += " -> " + names.places(plan.destinations(op));
  std::vector<std::string> ids;
  for (uint32_t number : plan.ids(op))
    ids.push_back(names.id(number));
  if (!ids.empty())
    text += (op.src.count > 0 ? " through " : " ") + llvm::join(ids, ", ");
  if (op.op == OpKind::Pipeline)
    text += formatv(" of {0} operations on {1} chunks, {2} bytes at a time", op.pieces.bodySize,
                    op.pieces.chunks, op.pieces.bytes);
  if (op.share.parts > 1)
    text += formatv(", part {0} of {1}", op.share.part + 1, op.share.parts);
  return text;
}

} // namespace cclc::mscclpp
