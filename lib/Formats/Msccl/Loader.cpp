//===- Loader.cpp - Rules of the MSCCL loaders ----------------------------===//
//
// Follows the loader of a runtime row by row: header, gpu, threadblock, step. Numbers with a limit
// are checked by the constraints of the dialect; the other rules are implemented here. Waits and
// merged reductions are state machines over the rows of a threadblock, since their meaning depends
// on the rows before them.
//
//===----------------------------------------------------------------------===//

#include "Loader.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::msccl;
using llvm::formatv;

// --- Merged reductions ------------------------------------------------------------

bool msccl::mergesInto(const Row &row, const Row &next) {
  return row.isReduce() && next.isReduce() && !row.publishes && next.waitTb < 0 &&
         row.dst.buffer == next.dst.buffer && row.dst.offset == next.dst.offset &&
         row.src.buffer == next.src.buffer;
}

bool msccl::changesWhenMerged(const Row &row, const Row &next) {
  bool reads = next.src.buffer == row.dst.buffer && next.src.offset < row.dst.offset + row.count &&
               row.dst.offset < next.src.offset + next.count;
  return row.count != next.count || reads;
}

// --- Findings ---------------------------------------------------------------------

void Loader::found(Effect effect, const char *kind, Origin at, std::string text,
                   std::string remedy) {
  report({effect, kind, at, std::move(text), std::move(remedy)});
}

void Loader::limit(Effect effect, Rule rule, Origin at, int64_t value, Constraints::Where where) {
  if (std::optional<Breach> breach = constraints.check(rule, value, where))
    found(effect, ruleName(rule), at, std::move(breach->text), std::move(breach->remedy));
}

void Loader::limit(Effect effect, Rule rule, Origin at, int64_t value) {
  limit(effect, rule, at, value, [&] { return formatv("r{0}", gpu.rank).str(); });
}

// --- The algorithm ----------------------------------------------------------------

void Loader::begin(const Header &given) {
  header = given;
  senders.assign(dialect.channels, 0);
  receivers.assign(dialect.channels, 0);
  if (!llvm::is_contained(dialect.collectives, header.coll)) {
    const auto *other = llvm::find_if(mscclDialects(), [&](const MscclDialect &other) {
      return llvm::is_contained(other.collectives, header.coll);
    });
    found(Effect::Refused, "coll", header.at,
          formatv("'{0}' is not a collective of {1}", header.coll, dialect.runtime),
          other == mscclDialects().end()
              ? "it has " + llvm::join(dialect.collectives, ", ")
              : formatv("{0} supports it: --xml-dialect={1}", other->runtime, other->name).str());
  }
  limit(Effect::Misread, Rule::Channels, header.at, std::max<int64_t>(header.channels, 0));
  if (header.chunksPerLoop <= 0)
    found(Effect::Misread, "chunks", header.at, "the algorithm has no chunks",
          "a collective without data needs no plan");
  limit(Effect::Misread, Rule::NameCharacters, header.at, header.name.size());
  limit(Effect::Misread, Rule::Ranks, header.at, std::max<int64_t>(header.ranks, 0));
  checkSizes(header);
}

/// Checks the range of sizes for which the algorithm is selected.
void Loader::checkSizes(const Header &header) {
  int64_t low = header.minBytes.value_or(0);
  if (dialect.exclusiveMax) {
    int64_t high = header.maxBytes.value_or(dialect.defaultMaxBytes);
    if (low > high || low < 0 || high < 0)
      found(Effect::Refused, "bytes", header.at,
            formatv("sizes from {0} to {1} bytes are an empty range", low, high),
            header.maxBytes ? "set minBytes to at most maxBytes"
                            : "set maxBytes (default: 128 MiB)");
    else if (low == high)
      found(Effect::Misread, "bytes", header.at,
            formatv("the size range from {0} to {1} bytes, exclusive, is empty: the algorithm is "
                    "never used",
                    low, high),
            "set a larger maxBytes; 0 does not mean unlimited here");
    else if (!header.maxBytes)
      found(Effect::Advice, "bytes", header.at,
            "without maxBytes the algorithm is used below 128 MiB only", "say maxBytes");
  } else if (header.maxBytes && *header.maxBytes && low > *header.maxBytes) {
    found(Effect::Misread, "bytes", header.at,
          formatv("the size range from {0} to {1} bytes is empty: the algorithm is never used", low,
                  *header.maxBytes),
          "set minBytes to at most maxBytes");
  }
  if (dialect.hasOutOfPlace) {
    if (!header.inPlace && header.outOfPlace && !*header.outOfPlace)
      found(Effect::Misread, "placement", header.at,
            "neither inplace nor outofplace: the algorithm is never used", "set one of the two");
  } else if (header.coll == "alltoall" && header.inPlace) {
    found(Effect::Misread, "placement", header.at,
          "an all-to-all is always used out of place; inplace is ignored",
          "compile it with -p buffers=out_of_place");
  }
  if (header.coll == "reduce" || header.coll == "broadcast" || header.coll == "gather" ||
      header.coll == "scatter")
    found(Effect::Advice, "root", header.at, "the algorithm is used for every root",
          "call it with one root only");
  if (dialect.checksSizes && header.threads && *header.threads % 32)
    found(Effect::Refused, "nthreads", header.at,
          formatv("{0} threads are not a multiple of 32", *header.threads), "use whole warps");
}

// --- A rank -----------------------------------------------------------------------

void Loader::beginRank(const Gpu &given, size_t threadblocks) {
  gpu = given;
  // Counts the root, every gpu, and the threadblocks and steps of this rank.
  elements = 1 + header.ranks + threadblocks;
  std::fill(senders.begin(), senders.end(), 0);
  std::fill(receivers.begin(), receivers.end(), 0);
  limit(Effect::Refused, Rule::Threadblocks, gpu.at, threadblocks);
  if (gpu.chunks[2] < 0)
    found(Effect::Refused, "s_chunks", gpu.at,
          formatv("{0} chunks of scratch on r{1}", gpu.chunks[2], gpu.rank),
          "use 0 for no scratch");
  if (!dialect.checksSizes)
    return;
  auto check = [&](unsigned buffer, const char *attribute, bool perRank) {
    int64_t chunks = gpu.chunks[buffer] * (perRank ? header.ranks : 1);
    if (gpu.chunks[buffer] > 0 && chunks != header.chunksPerLoop)
      found(Effect::Refused, "consistency", gpu.at,
            formatv("{0} of r{1} is {2}{3}, but nchunksperloop is {4}", attribute, gpu.rank,
                    gpu.chunks[buffer],
                    perRank ? formatv(" for each of {0} ranks", header.ranks).str() : "",
                    header.chunksPerLoop),
            formatv("make it nchunksperloop{0}, or 0 if the buffer is unused",
                    perRank ? " / ngpus" : ""));
  };
  check(0, "i_chunks", header.coll == "allgather");
  check(1, "o_chunks", header.coll == "reduce_scatter");
}

void Loader::endRank() { limit(Effect::Refused, Rule::Elements, gpu.at, elements); }

// --- A threadblock ----------------------------------------------------------------

void Loader::checkPeer(const Tb &tb, int64_t peer, const char *verb) {
  if (peer < -1 || peer == gpu.rank)
    found(Effect::Refused, "peer", tb.at,
          formatv("r{0} tb{1} {2} r{3}", gpu.rank, tb.id, verb, peer), "name another rank, or -1");
  else if (peer >= header.ranks)
    found(dialect.checksSizes ? Effect::Refused : Effect::Misread, "peer", tb.at,
          formatv("r{0} tb{1} {2} r{3}, but there are {4} ranks", gpu.rank, tb.id, verb, peer,
                  header.ranks),
          "name a rank that exists");
}

/// The runtimes' own check is off by one: it admits one channel more than they have.
void Loader::checkChannel(const Tb &tb) {
  if (tb.channel < 0 || tb.channel >= dialect.channels) {
    limit(tb.channel == dialect.channels ? Effect::Misread : Effect::Refused, Rule::ChannelNumber,
          tb.at, tb.channel, [&] { return formatv("r{0} tb{1}", gpu.rank, tb.id).str(); });
    return;
  }
  if (tb.channel >= header.channels && (tb.send >= 0 || tb.recv >= 0))
    found(Effect::Misread, "nchannels", tb.at,
          formatv("r{0} tb{1} is on channel {2}, but nchannels is {3}", gpu.rank, tb.id, tb.channel,
                  header.channels),
          "set nchannels to the number of channels");
  bool sends = llvm::any_of(tb.rows, [](const Row &row) { return traits(row.op).sends; });
  bool receives = llvm::any_of(tb.rows, [](const Row &row) { return traits(row.op).receives; });
  auto count = [&](Rule rule, std::vector<uint32_t> &used, int64_t peer, bool matters) {
    used[tb.channel] += peer >= 0;
    if (peer >= 0 && matters)
      limit(Effect::Refused, rule, tb.at, used[tb.channel],
            [&] { return formatv("r{0} on channel {1}", gpu.rank, tb.channel).str(); });
  };
  count(Rule::OutgoingOfChannel, senders, tb.send, sends);
  count(Rule::IncomingOfChannel, receivers, tb.recv, receives);
}

void Loader::add(const Tb &tb) {
  elements += tb.rows.size();
  limit(Effect::Refused, Rule::Steps,
        tb.rows.size() > dialect.steps ? tb.rows[dialect.steps].at : tb.at, tb.rows.size());
  checkPeer(tb, tb.send, "sends to");
  checkPeer(tb, tb.recv, "receives from");
  checkChannel(tb);
  for (const Row &row : tb.rows)
    checkStep(tb, row);
  checkWaits(tb);
  checkMerges(tb);
}

void Loader::checkStep(const Tb &tb, const Row &row) {
  const OpTraits &op = traits(row.op);
  if (row.waitTb >= 0)
    limit(Effect::Misread, Rule::WaitTarget, row.at, row.waitTb);
  if (row.op == OpKind::Nop)
    return;
  limit(Effect::Refused, Rule::ResidualAdds, row.at, row.residualAdd);
  limit(Effect::Refused, Rule::FusedReceives, row.at, op.isFusedReceive(),
        [&] { return std::string(op.mnemonic); });
  limit(Effect::Refused, Rule::Count, row.at, row.count);
  if ((op.sends && tb.send < 0) || (op.receives && tb.recv < 0))
    found(Effect::Refused, "no-peer", row.at,
          formatv("'{0}' in r{1} tb{2}, which has no {3} peer", op.mnemonic, gpu.rank, tb.id,
                  op.sends && tb.send < 0 ? "send" : "receive"),
          "name the peer at the threadblock");
  if (row.publishes != 0 && row.publishes != 1)
    found(Effect::Refused, "hasdep", row.at, formatv("hasdep is {0}", row.publishes),
          "it is 0 or 1");
  checkOperands(row);
}

void Loader::checkOperands(const Row &row) {
  if (row.residualAdd || traits(row.op).readsSrc)
    checkPlace(row, "source", row.src);
  if (row.residualAdd || traits(row.op).writesDst)
    checkPlace(row, "destination", row.dst);
}

/// The runtimes check the first chunk only, and no operands of rrc.
void Loader::checkPlace(const Row &row, const char *what, Place place) {
  int64_t chunks = gpu.chunks[static_cast<unsigned>(place.buffer)];
  char letter = bufferLetter(place.buffer);
  if (place.offset >= 0)
    limit(Effect::Misread, Rule::ChunkIndex, row.at, place.offset,
          [&] { return formatv("{0} in {1}", what, letter).str(); });
  bool isChecked = row.op != OpKind::RecvReduceCopy;
  if (place.offset < -1 || place.offset >= chunks)
    found(isChecked ? Effect::Refused : Effect::Misread, "bounds", row.at,
          formatv("{0} {1}[{2}] of '{3}' is out of range: the buffer has {4}", what, letter,
                  place.offset, traits(row.op).mnemonic, counted(chunks, "chunk")),
          "use a chunk that exists");
  else if (place.offset < 0 || place.offset + row.count > chunks)
    found(Effect::Misread, "overrun", row.at,
          formatv("{0} {1}[{2}:{3}] of '{4}' is out of range, which the runtime does not detect: "
                  "the buffer has {5}",
                  what, letter, place.offset, place.offset + row.count, traits(row.op).mnemonic,
                  counted(chunks, "chunk")),
          "use chunks that exist");
}

/// The waits of a run of nops move to the next step. The runtimes count a nop by its wait, so each
/// needs one.
void Loader::checkWaits(const Tb &tb) {
  const Row *uncounted = nullptr, *run = nullptr, *before = nullptr;
  bool late = false;
  for (const Row &row : tb.rows) {
    if (row.op == OpKind::Nop) {
      if (row.publishes)
        found(Effect::Misread, "nop-publishes", row.at,
              "a nop does not publish its completion: steps that wait for it hang",
              "publish in the step before or after it");
      if (row.waitTb < 0)
        uncounted = &row;
      else if (!run)
        run = &row;
      continue;
    }
    if (row.publishes && uncounted)
      found(Effect::Misread, "nop-uncounted", uncounted->at,
            "a nop without a wait is not counted: later steps publish too low a number",
            "leave it out");
    bool merged = before && mergesInto(*before, row);
    // The waits of nops before a merged reduction are skipped.
    if (run && merged) {
      found(Effect::Misread, "late-wait", row.at,
            "the reduction is merged with the previous one and executes before the waits of the "
            "nops between them",
            "move the wait to the step");
      late = true;
    } else if (run && row.waitTb < 0) {
      found(Effect::Refused, "nop-run", row.at,
            formatv("'{0}' follows nops that wait, but does not wait itself",
                    traits(row.op).mnemonic),
            "move the wait of the last nop to the step");
    }
    if (!merged)
      run = nullptr;
    before = &row;
  }
  if (run && !late)
    found(Effect::Advice, "nop-trailing", run->at, "nops at the end of a threadblock are dropped",
          "leave them out");
}

/// Checks chains of merged reductions. A chain ends where a step publishes and after the sixteenth
/// reduction of the threadblock, but not after the thirty-second.
void Loader::checkMerges(const Tb &tb) {
  const Row *before = nullptr;
  uint32_t reductions = 0, merged = 0;
  for (const Row &row : tb.rows) {
    if (row.op == OpKind::Nop)
      continue;
    bool joins = before && reductions != dialect.reductions && mergesInto(*before, row);
    merged = joins ? merged + 1 : 1;
    reductions += row.isReduce();
    if (joins && changesWhenMerged(*before, row))
      found(Effect::Misread, "merge", row.at,
            "the reduction is merged with the previous one, which changes its meaning",
            "publish in the step before it");
    if (joins && merged <= dialect.reductions + 1)
      limit(Effect::Misread, Rule::MergedReductions, row.at, merged);
    before = &row;
  }
}
