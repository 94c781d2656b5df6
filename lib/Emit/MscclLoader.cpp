#include "MscclLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::msccl;
using llvm::formatv;

// --- What is merged ---------------------------------------------------------------

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

void Loader::limit(Effect effect, const char *kind, Origin at, int64_t value,
                   const std::string &what, int64_t most, std::string remedy) {
  found(effect, kind, at, formatv("{0} {1}, the limit is {2}", value, what, most),
        std::move(remedy));
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
          formatv("'{0}' is no collective of {1}", header.coll, dialect.runtime),
          other == mscclDialects().end()
              ? "it has " + llvm::join(dialect.collectives, ", ")
              : formatv("{0} has it, and --xml-dialect={1}", other->runtime, other->name).str());
  }
  if (header.channels > dialect.channels)
    limit(Effect::Misread, "channels", header.at, header.channels, "channels", dialect.channels,
          "use fewer channels or instances");
  if (header.chunksPerLoop <= 0)
    found(Effect::Misread, "chunks", header.at, "the algorithm has no chunks",
          "a collective without data needs no plan");
  if (header.name.size() > dialect.nameCharacters)
    limit(Effect::Misread, "name", header.at, header.name.size(), "characters of the name",
          dialect.nameCharacters, "rename the program");
  if (header.ranks > dialect.children)
    limit(Effect::Misread, "children", header.at, header.ranks, "gpu elements", dialect.children,
          "use fewer ranks");
  checkSizes(header);
}

/// When the algorithm is chosen.
void Loader::checkSizes(const Header &header) {
  int64_t low = header.minBytes.value_or(0);
  if (dialect.exclusiveMax) {
    int64_t high = header.maxBytes.value_or(dialect.defaultMaxBytes);
    if (low > high || low < 0 || high < 0)
      found(Effect::Refused, "bytes", header.at,
            formatv("sizes from {0} to {1} bytes are no range", low, high),
            header.maxBytes ? "let minBytes be at most maxBytes"
                            : "say maxBytes, which is 128 MiB if it is missing");
    else if (low == high)
      found(Effect::Misread, "bytes", header.at,
            formatv("no size is from {0} up to but not including {1} bytes: the algorithm is never "
                    "used",
                    low, high),
            "say a maxBytes that is larger; 0 stands for nothing here");
    else if (!header.maxBytes)
      found(Effect::Advice, "bytes", header.at,
            "without maxBytes the algorithm is used below 128 MiB only", "say maxBytes");
  } else if (header.maxBytes && *header.maxBytes && low > *header.maxBytes) {
    found(Effect::Misread, "bytes", header.at,
          formatv("no size is from {0} to {1} bytes: the algorithm is never used", low,
                  *header.maxBytes),
          "let minBytes be at most maxBytes");
  }
  if (dialect.hasOutOfPlace) {
    if (!header.inPlace && header.outOfPlace && !*header.outOfPlace)
      found(Effect::Misread, "placement", header.at,
            "neither inplace nor outofplace: the algorithm is never used", "set one of the two");
  } else if (header.coll == "alltoall" && header.inPlace) {
    found(Effect::Misread, "placement", header.at,
          "an all-to-all is used out of place whatever inplace says",
          "compile it with -p buffers=out_of_place");
  }
  if (header.coll == "reduce" || header.coll == "broadcast" || header.coll == "gather" ||
      header.coll == "scatter")
    found(Effect::Advice, "root", header.at, "the algorithm is used whichever root the call names",
          "call it with one root only");
  if (dialect.checksSizes && header.threads && *header.threads % 32)
    found(Effect::Refused, "nthreads", header.at,
          formatv("{0} threads are no multiple of 32", *header.threads), "use whole warps");
}

// --- A rank -----------------------------------------------------------------------

void Loader::beginRank(const Gpu &given, size_t threadblocks) {
  gpu = given;
  // The root, every gpu, and the threadblocks and steps of this rank.
  elements = 1 + header.ranks + threadblocks;
  std::fill(senders.begin(), senders.end(), 0);
  std::fill(receivers.begin(), receivers.end(), 0);
  if (threadblocks > dialect.threadblocks)
    limit(Effect::Refused, "threadblocks", gpu.at, threadblocks,
          formatv("threadblocks on r{0}", gpu.rank), dialect.threadblocks,
          "use fewer channels or instances");
  if (gpu.chunks[2] < 0)
    found(Effect::Refused, "s_chunks", gpu.at,
          formatv("{0} chunks of scratch on r{1}", gpu.chunks[2], gpu.rank),
          "say 0 for no scratch");
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
            "let a buffer that is used have so many chunks, and one that is not 0");
  };
  check(0, "i_chunks", header.coll == "allgather");
  check(1, "o_chunks", header.coll == "reduce_scatter");
}

void Loader::endRank() {
  if (elements > dialect.elements)
    limit(Effect::Refused, "elements", gpu.at, elements, "XML elements for one rank",
          dialect.elements, "use fewer ranks or steps");
}

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

/// The runtimes compare with one channel more than they have.
void Loader::checkChannel(const Tb &tb) {
  if (tb.channel < 0 || tb.channel >= dialect.channels) {
    limit(tb.channel == dialect.channels ? Effect::Misread : Effect::Refused, "channel", tb.at,
          tb.channel, formatv("as the channel of r{0} tb{1}", gpu.rank, tb.id),
          int64_t(dialect.channels) - 1, "use fewer channels or instances");
    return;
  }
  if (tb.channel >= header.channels && (tb.send >= 0 || tb.recv >= 0))
    found(Effect::Misread, "nchannels", tb.at,
          formatv("r{0} tb{1} is on channel {2}, but nchannels is {3}", gpu.rank, tb.id, tb.channel,
                  header.channels),
          "count all channels in nchannels");
  bool sends = llvm::any_of(tb.rows, [](const Row &row) { return traits(row.op).sends; });
  bool receives = llvm::any_of(tb.rows, [](const Row &row) { return traits(row.op).receives; });
  auto count = [&](std::vector<uint32_t> &used, int64_t peer, bool matters) {
    if (peer >= 0 && ++used[tb.channel] > dialect.perChannel && matters)
      limit(Effect::Refused, "per-channel", tb.at, used[tb.channel],
            formatv("threadblocks on r{0} in one direction of channel {1}", gpu.rank, tb.channel),
            dialect.perChannel, "use more channels");
  };
  count(senders, tb.send, sends);
  count(receivers, tb.recv, receives);
}

void Loader::add(const Tb &tb) {
  elements += tb.rows.size();
  if (tb.rows.size() > dialect.steps)
    limit(Effect::Refused, "steps", tb.rows[dialect.steps].at, tb.rows.size(),
          formatv("steps in one threadblock on r{0}", gpu.rank), dialect.steps,
          "spread the work over more channels");
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
  if (row.waitTb > dialect.waitTarget)
    limit(Effect::Misread, "wait-target", row.at, row.waitTb,
          "as the number of a threadblock to wait for", dialect.waitTarget,
          "use fewer threadblocks a rank");
  if (row.op == OpKind::Nop)
    return;
  if (row.residualAdd && !dialect.residualAdd)
    found(Effect::Refused, "type", row.at, "there is no step 'ra'", "only msccl has residual adds");
  if (op.receives && row.op != OpKind::Recv && !dialect.fusedOps)
    found(Effect::Refused, "fused", row.at, formatv("there is no kernel for '{0}'", op.mnemonic),
          "compile it with --fused-ops=lower");
  if (row.count < 0 || row.count > dialect.count)
    limit(Effect::Refused, "count", row.at, row.count, "chunks in one step", dialect.count,
          "split the operation");
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

/// The runtimes look at the first chunk only, and not at all at those of rrc.
void Loader::checkPlace(const Row &row, const char *what, Place place) {
  int64_t chunks = gpu.chunks[static_cast<unsigned>(place.buffer)];
  char letter = bufferLetter(place.buffer);
  if (place.offset > dialect.offset)
    limit(Effect::Misread, "offset", row.at, place.offset,
          formatv("as the index of a {0} in {1}", what, letter), dialect.offset,
          "use fewer chunks");
  bool isChecked = row.op != OpKind::RecvReduceCopy;
  if (place.offset < -1 || place.offset >= chunks)
    found(isChecked ? Effect::Refused : Effect::Misread, "bounds", row.at,
          formatv("{0} {1}[{2}] of '{3}' is out of bounds: the buffer has {4} chunks", what, letter,
                  place.offset, traits(row.op).mnemonic, chunks),
          "use a chunk that exists");
  else if (place.offset < 0 || place.offset + row.count > chunks)
    found(
        Effect::Misread, "overrun", row.at,
        formatv("{0} {1}[{2}:{3}] of '{4}' is out of bounds, which is not noticed: the buffer has "
                "{5} chunks",
                what, letter, place.offset, place.offset + row.count, traits(row.op).mnemonic,
                chunks),
        "use chunks that exist");
}

/// A run of nops hands its waits to the next step. Numbers of steps are counted by waits, so a nop
/// needs one.
void Loader::checkWaits(const Tb &tb) {
  const Row *uncounted = nullptr, *run = nullptr, *before = nullptr;
  bool late = false;
  for (const Row &row : tb.rows) {
    if (row.op == OpKind::Nop) {
      if (row.publishes)
        found(Effect::Misread, "nop-publishes", row.at,
              "a nop does not publish: who waits for it goes on waiting",
              "let the step before or behind it publish");
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
    // Of a merged reduction nobody asks for the waits before it.
    if (run && merged) {
      found(
          Effect::Misread, "late-wait", row.at,
          "the reduction is merged with the one before it, and so comes ahead of the waits of the "
          "nops between them",
          "let the step wait itself");
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

/// Chains of reductions, which end where a step publishes and after the sixteenth reduction of the
/// threadblock, but not after another sixteen.
void Loader::checkMerges(const Tb &tb) {
  const Row *before = nullptr;
  size_t last = tb.rows.size(); // that publishes
  while (last > 0 && !tb.rows[last - 1].publishes)
    --last;
  uint32_t reductions = 0, merged = 0;
  for (size_t i = 0; i < tb.rows.size(); ++i) {
    const Row &row = tb.rows[i];
    if (row.op == OpKind::Nop)
      continue;
    bool joins = before && reductions != dialect.reductions && mergesInto(*before, row);
    merged = joins ? merged + 1 : 1;
    reductions += row.isReduce();
    bool publishesLater = i < last;
    if (joins && changesWhenMerged(*before, row))
      found(Effect::Misread, "merge", row.at,
            "the reduction is merged with the one before it, and then is another one",
            "let the step before it publish");
    else if (joins && row.count > 1 && publishesLater)
      found(Effect::Misread, "merge-count", row.at,
            "the reduction is merged with the one before it, and with several chunks large buffers "
            "count the merged steps more than once: later steps publish too high a number",
            "let the step before it publish");
    if (joins && merged == dialect.reductions + 1)
      limit(Effect::Misread, "merge-length", row.at, merged, "reductions that are merged into one",
            dialect.reductions, "let the step before it publish");
    before = &row;
  }
}
