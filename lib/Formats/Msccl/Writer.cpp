//===- Writer.cpp - Plans as MSCCL XML ------------------------------------===//
//
// Writes the rows of Rows.h, one threadblock at a time. The parsers of the runtimes require a fixed
// form, so there is no prolog, and line ends within values are character references.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Support/Text.h"
#include "cclc/Support/Watch.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::msccl;

namespace {
class XmlWriter {
public:
  XmlWriter(const ExecPlan &plan, const MscclDialect &dialect, raw_ostream &os)
      : plan(plan), dialect(dialect), os(os) {}

  void write() {
    const ProgramInfo &info = plan.info();
    Header header = headerOf(plan, dialect);
    os << "<algo name=\"" << xmlAttribute(header.name) << "\" proto=\""
       << protocolName(header.protocol) << "\" nchannels=\"" << header.channels
       << "\" nchunksperloop=\"" << header.chunksPerLoop << "\" ngpus=\"" << header.ranks
       << "\" coll=\"" << header.coll << "\" inplace=\"" << header.inPlace << '"';
    if (header.outOfPlace)
      os << " outofplace=\"" << *header.outOfPlace << '"';
    os << " minBytes=\"" << *header.minBytes << "\" maxBytes=\"" << *header.maxBytes << '"';
    if (info.collective.isRooted() && info.collective.root() != RankId(0))
      os << " root=\"" << info.collective.root().index() << '"';
    os << ">\n";
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      gpu(RankId(r));
    os << "</algo>\n";
  }

private:
  void gpu(RankId rank) {
    Gpu gpu = gpuOf(plan, rank);
    os << "  <gpu id=\"" << rank.index() << "\" i_chunks=\"" << gpu.chunks[0] << "\" o_chunks=\""
       << gpu.chunks[1] << "\" s_chunks=\"" << gpu.chunks[2] << "\">\n";
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(rank))
      threadblock(tbOf(plan, tb, id++, rows));
    os << "  </gpu>\n";
  }

  void threadblock(const Tb &tb) {
    Watch::look();
    os << "    <tb id=\"" << tb.id << "\" send=\"" << tb.send << "\" recv=\"" << tb.recv
       << "\" chan=\"" << tb.channel << "\">\n";
    uint32_t index = 0;
    for (const Row &row : tb.rows)
      step(index++, row);
    os << "    </tb>\n";
  }

  void step(uint32_t index, const Row &row) {
    os << "      <step s=\"" << index << "\" type=\"" << traits(row.op).mnemonic << '"';
    place("src", row.src);
    place("dst", row.dst);
    os << " cnt=\"" << row.count << "\" depid=\"" << row.waitTb << "\" deps=\"" << row.waitStep
       << "\" hasdep=\"" << row.publishes << "\"/>\n";
  }

  void place(const char *side, Place place) {
    os << ' ' << side << "buf=\"" << bufferLetter(place.buffer) << "\" " << side << "off=\""
       << place.offset << '"';
  }

  const ExecPlan &plan;
  const MscclDialect &dialect;
  raw_ostream &os;
  std::vector<Row> rows; ///< of one threadblock
};
} // namespace

void cclc::writeMscclXml(const ExecPlan &plan, const MscclDialect &dialect, raw_ostream &os) {
  XmlWriter(plan, dialect, os).write();
}
