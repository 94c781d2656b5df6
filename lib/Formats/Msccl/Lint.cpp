//===- Lint.cpp - Running the loaders of all runtimes ---------------------===//
//
// One scan converts the elements to rows and collects the findings common to all runtimes; then the
// Loader of each dialect visits the rows. Only the first finding of a kind is reported and the
// others are counted; equal findings of several dialects are merged. A truncated file is not
// loaded, because the loaders would only report the missing part.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Msccl/Lint.h"

#include "LineTable.h"
#include "Loader.h"
#include "Scanner.h"

#include "cclc/IR/Verifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::msccl;
using llvm::formatv;

StringRef cclc::mscclVerdictName(MscclVerdict verdict) {
  return verdict == MscclVerdict::Loads      ? "loads"
         : verdict == MscclVerdict::Misreads ? "misreads"
                                             : "refuses";
}

bool MscclUse::worksIn(Placement placement, const MscclDialect &dialect) const {
  bool in = inPlace.value_or(0), out = dialect.hasOutOfPlace ? outOfPlace.value_or(0) != 0 : !in;
  if (!dialect.hasOutOfPlace && collective == "alltoall")
    return placement == Placement::OutOfPlace;
  return placement == Placement::InPlace ? in : out;
}

std::optional<MscclRange> MscclUse::sizes(const MscclDialect &dialect) const {
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  int64_t low = minBytes.value_or(0);
  int64_t high = maxBytes.value_or(dialect.exclusiveMax ? MscclDialect::defaultMaxBytes : 0);
  if (high == (dialect.exclusiveMax ? any : 0))
    return MscclRange{uint64_t(low), std::nullopt};
  if (low < 0 || high - dialect.exclusiveMax < low)
    return std::nullopt;
  return MscclRange{uint64_t(low), uint64_t(high - dialect.exclusiveMax)};
}

namespace {
class Linter {
public:
  explicit Linter(StringRef text) : lines(text), scanned(scan(text)) {
    for (const MscclDialect &dialect : mscclDialects())
      constraints.push_back(constraintsOf(dialect));
  }

  MscclLint run() {
    for (const Scan::Fault &fault : scanned.faults)
      all({Effect::Refused, nullptr, fault.at, fault.text, fault.remedy});
    const Scan::Element *algo = nullptr;
    for (const Scan::Element &element : scanned.elements)
      if (!element.parent && element.name == "algo" && !algo)
        algo = &element;
    if (!algo && scanned.complete)
      all({Effect::Refused, nullptr, 0, "no element 'algo'", "it is the root of the file"});
    if (algo)
      readAlgo(*algo);
    // The loaders would report the missing part of a truncated file.
    if (algo && scanned.complete)
      for (dialect = 0; dialect < mscclDialects().size(); ++dialect)
        load();
    return finish();
  }

private:
  struct GpuRows {
    Gpu gpu;
    std::vector<Tb> tbs; ///< their rows are in `rows`, one tb after the other
  };

  // --- Findings ---

  /// Adds the first finding of a kind for each runtime. A null \p kind is never a duplicate.
  void one(size_t dialect, const Finding &finding) {
    std::string kind = finding.kind ? finding.kind : finding.text;
    auto [it, isNew] = kinds.try_emplace({dialect, finding.effect, kind}, findings.size());
    if (isNew)
      findings.push_back({dialect, finding, 0});
    else
      ++findings[it->second].more;
  }
  void all(const Finding &finding) {
    for (size_t d = 0; d < mscclDialects().size(); ++d)
      one(d, finding);
  }

  /// Merges equal findings of several runtimes.
  MscclLint finish() {
    MscclLint lint;
    lint.use = use;
    lint.verdicts.assign(mscclDialects().size(), MscclVerdict::Loads);
    std::vector<std::pair<size_t, size_t>> order; // offset and number
    for (size_t f = 0; f < findings.size(); ++f)
      order.emplace_back(findings[f].finding.at.value_or(0), f);
    llvm::sort(order);
    std::map<std::tuple<size_t, Effect, std::string>, size_t> places;
    for (auto [at, number] : order) {
      const Own &own = findings[number];
      const Finding &f = own.finding;
      auto verdict = static_cast<MscclVerdict>(f.effect);
      lint.verdicts[own.dialect] = std::max(lint.verdicts[own.dialect], verdict);
      auto [it, isNew] =
          places.try_emplace({at, f.effect, f.text + f.remedy}, lint.findings.size());
      if (isNew) {
        PlanPositions::Pos pos = lines.find(at);
        lint.findings.push_back({verdict, {}, pos.line, pos.column, f.text, f.remedy, own.more});
      }
      MscclFinding &merged = lint.findings[it->second];
      merged.dialects.set(own.dialect);
      merged.more = std::max(merged.more, own.more);
    }
    return lint;
  }

  // --- Attributes, common to all runtimes ---

  std::string missing(const Scan::Element &element, ArrayRef<const char *> names) {
    std::string all;
    for (const char *name : names)
      if (!scanned.attribute(element, name))
        all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
  }

  /// Reports missing attributes for which the runtimes have no default, and unknown ones.
  void require(const Scan::Element &element, ArrayRef<const char *> names) {
    std::string lacks = missing(element, names);
    if (!lacks.empty())
      all({Effect::Refused, "missing", element.at,
           formatv("'{0}' lacks attribute {1}", element.name, lacks), "all are required"});
    for (uint32_t a = 0; a < element.numAttributes; ++a) {
      const Scan::Attribute &attribute = scanned.attributes[element.firstAttribute + a];
      if (!isMscclAttribute(element.name, attribute.name))
        all({Effect::Advice, nullptr, element.at,
             formatv("attribute '{0}' of '{1}' is unknown and ignored", attribute.name,
                     element.name),
             "remove it, or correct its name"});
      for (size_t d = 0; d < mscclDialects().size(); ++d)
        if (auto breach = constraints[d].check(Rule::ValueCharacters, attribute.value.size(),
                                               [&] { return attribute.name.str(); }))
          one(d,
              {Effect::Refused, ruleName(breach->rule), element.at, breach->text, breach->remedy});
    }
  }

  std::optional<int64_t> number(const Scan::Element &element, const char *name) {
    std::optional<StringRef> text = scanned.attribute(element, name);
    if (!text)
      return std::nullopt;
    int64_t value = 0;
    if (text->getAsInteger(10, value)) {
      all({Effect::Misread, "number", element.at,
           formatv("attribute '{0}' is not a whole number: '{1}'", name, *text), "write one"});
      return 0;
    }
    // Sizes have 64 bits, all other numbers 32.
    using Int = std::numeric_limits<int32_t>;
    return StringRef(name).ends_with("Bytes") ? value
                                              : std::clamp<int64_t>(value, Int::min(), Int::max());
  }
  int64_t numberOr(const Scan::Element &element, const char *name, int64_t otherwise) {
    return number(element, name).value_or(otherwise);
  }

  // --- Elements ---

  void readAlgo(const Scan::Element &algo) {
    header.at = algo.at;
    header.name = scanned.attribute(algo, "name").value_or("").str();
    header.coll = scanned.attribute(algo, "coll").value_or("").str();
    header.channels = numberOr(algo, "nchannels", 0);
    header.chunksPerLoop = numberOr(algo, "nchunksperloop", 0);
    header.ranks = numberOr(algo, "ngpus", 0);
    header.inPlace = numberOr(algo, "inplace", 0);
    header.outOfPlace = number(algo, "outofplace");
    header.minBytes = number(algo, "minBytes");
    header.maxBytes = number(algo, "maxBytes");
    header.threads = number(algo, "nthreads");
    require(algo, {});
    use.emplace();
    use->collective = header.coll;
    use->ranks = header.ranks;
    use->inPlace = header.inPlace;
    use->outOfPlace = header.outOfPlace;
    use->minBytes = header.minBytes;
    use->maxBytes = header.maxBytes;
    if (std::optional<StringRef> proto = scanned.attribute(algo, "proto")) {
      // The runtimes are case-sensitive.
      use->protocol = parseProtocol(*proto);
      if (!use->protocol || protocolName(*use->protocol) != *proto)
        all({Effect::Refused, nullptr, algo.at, formatv("unknown protocol '{0}'", *proto),
             "it is Simple, LL or LL128"});
    }
    for (size_t d = 0; d < mscclDialects().size(); ++d) {
      std::string lacks = missing(algo, mscclDialects()[d].required);
      if (!lacks.empty())
        one(d, {Effect::Refused, "missing", algo.at, formatv("'algo' lacks attribute {0}", lacks),
                "all are required"});
    }
    readElements(algo);
  }

  void readElements(const Scan::Element &algo) {
    uint32_t root = &algo - scanned.elements.data();
    rows.reserve(scanned.elements.size()); // no reallocation, because tbs point into it
    std::optional<uint32_t> gpu, tb;
    for (uint32_t e = root + 1; e < scanned.elements.size(); ++e) {
      const Scan::Element &element = scanned.elements[e];
      if (element.parent == root && element.name == "gpu") {
        gpu = e;
        readGpu(element);
      } else if (gpu && element.parent == *gpu && element.name == "tb") {
        tb = e;
        readTb(element);
      } else if (tb && element.parent == *tb && element.name == "step") {
        readStep(element);
      } else if (element.parent && scanned.elements[*element.parent].name == "step") {
        all({Effect::Refused, "nested", element.at,
             formatv("element '{0}' inside a step", element.name), "a step is empty"});
      }
    }
  }

  void readGpu(const Scan::Element &element) {
    require(element, {"id", "i_chunks", "o_chunks", "s_chunks"});
    gpus.emplace_back();
    Gpu &gpu = gpus.back().gpu;
    gpu.at = element.at;
    gpu.rank = std::max<int64_t>(numberOr(element, "id", 0), 0);
    gpu.chunks[0] = numberOr(element, "i_chunks", 0);
    gpu.chunks[1] = numberOr(element, "o_chunks", 0);
    gpu.chunks[2] = numberOr(element, "s_chunks", 0);
  }

  void readTb(const Scan::Element &element) {
    require(element, {"id", "recv", "send", "chan"});
    Tb tb;
    tb.at = element.at;
    tb.id = numberOr(element, "id", 0);
    tb.send = numberOr(element, "send", -1);
    tb.recv = numberOr(element, "recv", -1);
    tb.channel = numberOr(element, "chan", 0);
    tb.rows = ArrayRef<Row>(rows.data() + rows.size(), size_t(0));
    gpus.back().tbs.push_back(tb);
  }

  Place place(const Scan::Element &element, const char *buffer, const char *offset) {
    Place place;
    place.offset = numberOr(element, offset, -1);
    if (std::optional<StringRef> letter = scanned.attribute(element, buffer)) {
      std::optional<Buffer> known = parseBuffer(*letter);
      if (!known)
        all({Effect::Refused, "buffer", element.at,
             formatv("attribute '{0}' is '{1}'", buffer, *letter), "it must be i, o or s"});
      place.buffer = known.value_or(Buffer::Input);
    }
    return place;
  }

  void readStep(const Scan::Element &element) {
    require(element, {"s", "srcoff", "srcbuf", "dstoff", "dstbuf", "cnt", "type", "depid", "deps",
                      "hasdep"});
    Row row;
    row.at = element.at;
    StringRef type = scanned.attribute(element, "type").value_or("nop");
    row.residualAdd = type == "ra";
    std::optional<OpKind> op = parseOpKind(type);
    if (!op && !row.residualAdd)
      all({Effect::Refused, "type", element.at, formatv("unknown step type '{0}'", type),
           "it is s, r, cpy, re, rcs, rrc, rrs, rrcs or nop"});
    row.op = row.residualAdd ? OpKind::Reduce : op.value_or(OpKind::Nop);
    row.src = place(element, "srcbuf", "srcoff");
    row.dst = place(element, "dstbuf", "dstoff");
    row.count = numberOr(element, "cnt", 0);
    row.waitTb = numberOr(element, "depid", -1);
    row.waitStep = numberOr(element, "deps", -1);
    row.publishes = numberOr(element, "hasdep", 0);
    Tb &tb = gpus.back().tbs.back();
    int64_t index = numberOr(element, "s", tb.rows.size());
    if (index != int64_t(tb.rows.size()))
      all({Effect::Misread, "index", element.at,
           formatv("found step {0}, expected step {1}: steps are identified by position", index,
                   tb.rows.size()),
           "number the steps from 0"});
    rows.push_back(row);
    tb.rows = ArrayRef<Row>(tb.rows.data(), tb.rows.size() + 1);
  }

  // --- The loader of each runtime ---

  void load() {
    auto report = [&](const Finding &finding) {
      // The missing attribute was reported.
      if (!header.coll.empty() || StringRef(finding.kind) != "coll")
        one(dialect, finding);
    };
    Loader loader(mscclDialects()[dialect], report);
    loader.begin(header);
    std::vector<bool> seen(std::clamp<int64_t>(header.ranks, 0, maxRanks));
    for (const GpuRows &gpu : gpus) {
      if (gpu.gpu.rank < seen.size())
        seen[gpu.gpu.rank] = true;
      loader.beginRank(gpu.gpu, gpu.tbs.size());
      checkIds(gpu);
      for (const Tb &tb : gpu.tbs)
        loader.add(tb);
      loader.endRank();
    }
    auto missing = llvm::find(seen, false);
    if (missing != seen.end())
      one(dialect, {Effect::Misread, "gpu", header.at,
                    formatv("ngpus is {0}, but there is no gpu {1}: that rank does nothing",
                            header.ranks, missing - seen.begin()),
                    "add a gpu element for every rank"});
  }

  void checkIds(const GpuRows &gpu) {
    std::vector<bool> used(gpu.tbs.size());
    for (const Tb &tb : gpu.tbs) {
      bool inside = tb.id >= 0 && tb.id < int64_t(used.size());
      if (!inside || used[tb.id])
        one(dialect,
            {Effect::Refused, "tb-id", tb.at,
             inside ? formatv("duplicate threadblock r{0} tb{1}", gpu.gpu.rank, tb.id).str()
                    : formatv("tb {0} of r{1}: ids must be dense, and there are {2}", tb.id,
                              gpu.gpu.rank, used.size())
                          .str(),
             "number the threadblocks from 0"});
      else
        used[tb.id] = true;
    }
  }

  struct Own {
    size_t dialect;
    Finding finding;
    uint64_t more;
  };

  LineTable lines;
  Scan scanned;
  Header header;
  std::optional<MscclUse> use;
  std::vector<GpuRows> gpus;
  std::vector<Row> rows;
  std::vector<Own> findings;
  std::map<std::tuple<size_t, Effect, std::string>, size_t> kinds;
  std::vector<Constraints> constraints; ///< by runtime
  size_t dialect = 0;                   ///< the current one
};
} // namespace

MscclLint cclc::lintMsccl(StringRef text) { return Linter(text).run(); }
