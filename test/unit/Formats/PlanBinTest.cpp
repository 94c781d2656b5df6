//===- PlanBinTest.cpp - The binary form of a plan ------------------------===//
//
// The layout of the bytes, and the treatment of bytes that are not a plan: an input
// results in a plan or in exactly one error.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Plans.h"

#include "cclc/IR/PlanAttributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace cclc;
using namespace cclc::test;
using llvm::support::endian::read32le;
using llvm::support::endian::write32le;

namespace {
/// The constants of docs/PlanFormat.md.
enum Table {
  Info,
  Outputs,
  Contributions,
  Parameters,
  Levels,
  Endpoints,
  Phases,
  Files,
  Locations,
  Ranks,
  Threadblocks,
  Ops,
  Shapes,
  Steps,
  Waits,
  Strings,
  Text,
  Neighbours,
  Communicators,
  Groups,
  Members,
  Calls,
  Gates,
  Target,
  Settings,
  numTables
};
constexpr size_t rowBytes[numTables] = {64, 12, 8, 8, 16, 4, 4, 4, 12, 8,  16, 4, 16,
                                        12, 12, 4, 1, 12, 8, 4, 4, 12, 20, 8,  4};
constexpr size_t headerBytes = 12 + 4 * numTables;
constexpr uint32_t none = ~uint32_t(0);

/// A binary plan that can be modified.
struct File {
  std::string bytes;

  uint32_t rows(Table table) const { return read32le(bytes.data() + 12 + 4 * table); }
  char *at(Table table, uint32_t row, uint32_t word = 0) {
    size_t offset = headerBytes;
    for (int t = 0; t < table; ++t)
      offset += rows(Table(t)) * rowBytes[t];
    return bytes.data() + offset + row * rowBytes[table] + 4 * word;
  }
  uint32_t get(Table table, uint32_t row, uint32_t word = 0) {
    return read32le(at(table, row, word));
  }
  /// A copy with one word replaced.
  File with(Table table, uint32_t row, uint32_t word, uint32_t value) const {
    File copy = *this;
    write32le(copy.at(table, row, word), value);
    copy.sign();
    return copy;
  }
  File withRows(Table table, uint32_t value) const {
    File copy = *this;
    write32le(copy.bytes.data() + 12 + 4 * table, value);
    copy.sign();
    return copy;
  }
  void sign() {
    size_t end = bytes.size() - 4;
    write32le(bytes.data() + end,
              llvm::crc32(llvm::arrayRefFromStringRef(StringRef(bytes).take_front(end))));
  }
  std::string error() const {
    std::string text = readBad(bytes, "x.bin");
    StringRef rest = text;
    CHECK(rest.consume_front("x.bin: error: "));
    CHECK(rest.count('\n') == 1);
    return rest.trim().str();
  }
};

File ring() { return {binaryOf(compiled({"allreduce_ring", {}, 2}))}; }

/// A plan with an entry in every table.
File everything() {
  return {binaryOf(readGood(R"(
    ccl.version 3
    exec.program @all coll custom ranks 2 outofplace slots 4 {
      input 2
      output 1
      expect r1:o[0] = r0:i[0] + r1:i[0]
      param "k" = "v"
      level "rank" flat 2 x 1
      target "line" hash "0f" set "nodes=2" set "launch=0" machine "{}"
      place 1 0
      neighbour r0 E r1
      neighbour r1 W r0
      communicator 0 "both" [r0 r1]
      call 0 "swap" gen 2
      phase 1 "go" call 0 comm 0 stage 1 gen 5
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[0] phase 1
        }
      }
      rank 1 scratch 1 {
        tb 0 recv r0 ch 0 {
          0: r -> s[0] pub
        }
        tb 1 ch 0 {
          0: cpy s[0] -> o[0] dep tb0:0
          1: re i[0] -> o[0]
        }
      }
    }
    )"_lines))};
}
} // namespace

TEST_CASE("the layout of a binary plan is the documented one", "[planbin]") {
  File file = ring();
  CHECK(StringRef(file.bytes)
            .starts_with(StringRef("\x89"
                                   "CCL\r\n\x1a\n\3\0\0\0",
                                   12)));
  auto string = [&](uint32_t number) {
    size_t offset = 0;
    for (uint32_t s = 0; s < number; ++s)
      offset += file.get(Strings, s);
    return StringRef(file.at(Text, offset), file.get(Strings, number)).str();
  };
  std::vector<uint32_t> rows;
  for (int t = 0; t < numTables; ++t)
    rows.push_back(file.rows(Table(t)));
  CHECK(rows ==
        std::vector<uint32_t>{1, 0, 0, 1, 1, 0, 2, 1, 2, 2, 2, 3, 3, 6, 0, 14, file.rows(Text),
                              0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(string(file.get(Info, 0, 0)) == "allreduce_ring");
  CHECK(string(file.get(Info, 0, 1)) == "");
  CHECK(string(file.get(Info, 0, 2)) == "allreduce");
  CHECK(string(file.get(Info, 0, 3)) == "Simple");
  std::vector<uint32_t> info;
  for (uint32_t w = 4; w < 16; ++w)
    info.push_back(file.get(Info, 0, w));
  // Flags: in place, the number of slots is present.
  CHECK(info == std::vector<uint32_t>{5, 2, 2, 0, 0, 0, 1, 8, 0, 0, 0, 0});
  CHECK(string(file.get(Files, 0)) == "programs/allreduce_ring.cpp");
  CHECK(file.get(Threadblocks, 1, 0) == 0);
  CHECK(file.get(Threadblocks, 1, 3) == 3);
  // Rank 1: s i[1]; rrcs i[0] -> i[0]; r -> i[1].
  CHECK(string(file.get(Ops, file.get(Shapes, file.get(Steps, 4, 0), 0) & 0xff)) == "rrcs");
  CHECK(file.get(Steps, 3, 1) == 1);
  CHECK(file.get(Steps, 3, 2) == none);
  CHECK(file.get(Steps, 5, 2) == 1);
  size_t end = headerBytes;
  for (int t = 0; t < numTables; ++t)
    end += file.rows(Table(t)) * rowBytes[t];
  CHECK(file.bytes.size() == end + 4);
}

TEST_CASE("binary plans of older versions are read", "[planbin]") {
  // Their headers end after the row counts of the text and of the gates, respectively.
  for (auto [version, end] : {std::pair(1, Neighbours), std::pair(2, Target)}) {
    File old = ring();
    old.bytes.erase(12 + 4 * end, headerBytes - (12 + 4 * end));
    old.bytes[8] = version;
    old.sign();
    CHECK(jsonOf(readGood(old.bytes)) == jsonOf(readGood(ring().bytes)));
  }
}

TEST_CASE("the bytes of a binary plan do not depend on the build", "[planbin]") {
  // A checksum of the file, computed with one compiler and compared in every build.
  ExecPlan plan = readGood(R"(
        ccl.version 3
        exec.program @one coll alltonext ranks 2 chunks 1 outofplace slots 8 {
          rank 0 {
            tb 0 send r1 ch 0 {
              0: s i[0]
            }
          }
          rank 1 {
            tb 0 recv r0 ch 0 {
              0: r -> o[0]
            }
          }
        }
        )"_lines,
                           "one.ccl");
  std::string bytes = binaryOf(plan);
  CHECK(bytes.size() == 375);
  CHECK(read32le(bytes.data() + bytes.size() - 4) == 0x22eaa56e);
}

TEST_CASE("truncated and modified binary plans are rejected", "[planbin]") {
  for (const File &file : {ring(), everything()}) {
    for (size_t length = 8; length < file.bytes.size(); ++length) {
      INFO("cut after " << length);
      CHECK_FALSE(File{file.bytes.substr(0, length)}.error().empty());
    }
    CHECK_FALSE(File{file.bytes + '\0'}.error().empty());
    for (size_t at = 8; at < file.bytes.size(); ++at) {
      File other = file;
      other.bytes[at] ^= 1 << at % 8;
      INFO("changed at " << at);
      CHECK_FALSE(other.error().empty());
    }
  }
}

TEST_CASE("any value is safe in any word of a binary plan", "[planbin]") {
  unsigned accepted = 0, refused = 0;
  for (const File &file : {ring(), everything()})
    for (size_t at = 8; at + 8 <= file.bytes.size(); at += 4)
      for (uint32_t value :
           {0u, 1u, 2u, 7u, 255u, 65536u, 1u << 27, 1u << 30, 1u << 31, 3u << 30, none - 1, none}) {
        File other = file;
        write32le(other.bytes.data() + at, value);
        other.sign();
        INFO("the word at " << at << " is " << value);
        DiagnosticEngine diags;
        FailureOr<ExecPlan> plan = readPlan(other.bytes, "x.bin", diags);
        CHECK(diags.all().size() == (succeeded(plan) ? 0 : 1));
        if (failed(plan)) {
          ++refused;
          continue;
        }
        ++accepted;
        CHECK(jsonOf(readGood(binaryOf(*plan))) == jsonOf(*plan));
      }
  CHECK(accepted > 100);
  CHECK(refused > 1000);
}

TEST_CASE("errors in binary plans are described", "[planbin]") {
  File file = ring(), all = everything();
  CHECK(File{file.bytes.substr(0, 20)}.error() ==
        "truncated: 20 bytes are less than the 116 of header and checksum");
  File newer = file;
  for (unsigned version : {0u, planVersion + 1}) {
    newer.bytes[8] = version;
    CHECK(newer.error() == "version " + std::to_string(version) +
                               " is not supported: this tool reads up to " +
                               std::to_string(planVersion));
  }
  std::string size = std::to_string(file.bytes.size());
  CHECK(File{file.bytes + "x"}.error() == "corrupt: the header describes a file of " + size +
                                              " bytes, but it has " +
                                              std::to_string(file.bytes.size() + 1));
  File flipped = file;
  flipped.bytes[headerBytes] ^= 1;
  CHECK(StringRef(flipped.error()).starts_with("corrupt: the checksum is "));

  // Sizes of gigabytes are rejected before allocation.
  for (int t = 0; t < numTables; ++t)
    CHECK(StringRef(file.withRows(Table(t), none).error())
              .starts_with("corrupt: the header describes "));
  CHECK(file.with(Info, 0, 0, 99).error() ==
        "information 0: there is no string 99: the file has 14");
  CHECK(file.with(Info, 0, 2, 0).error() == "unknown collective 'allreduce_ring'");
  CHECK(file.with(Info, 0, 3, 0).error() == "unknown protocol 'allreduce_ring'");
  CHECK(file.with(Info, 0, 4, 4).error() == "the flags cannot be 4");
  CHECK(file.with(Info, 0, 4, 16).error() == "the flags cannot be 16");
  CHECK(file.with(Info, 0, 5, 0).error() == "ranks: 0 is not between 1 and 65536");
  CHECK(file.with(Info, 0, 5, 3).error() == "the collective has 3 ranks, but the plan lists 2");
  CHECK(file.with(Info, 0, 6, 0).error() == "chunks: 0 is not between 1 and 134217728");
  CHECK(file.with(Info, 0, 7, 2).error() == "information 0: there is no rank 2: the file has 2");
  CHECK(file.with(Info, 0, 10, 0).error() == "instances: 0 is not between 1 and 65536");
  CHECK(all.with(Info, 0, 8, 1u << 30).error() ==
        "input chunks: 1073741824 is not between 0 and 134217728");
  CHECK(all.with(Outputs, 0, 2, 3).error() == "output 0 has 3 contributions, but 2 are left");
  CHECK(all.with(Outputs, 0, 2, 1).error() == "1 contributions belong to no output");
  CHECK(all.with(Outputs, 0, 1, 1).error() == "an expected output chunk does not exist");
  CHECK(all.with(Contributions, 1, 1, 2).error() == "an expected contribution does not exist");
  CHECK(file.with(Levels, 0, 1, 0).error() == "unknown grid kind 'allreduce_ring'");
  CHECK(file.with(Levels, 0, 2, none).error() == "width: 4294967295 is not between 0 and 65536");
  CHECK(file.with(Locations, 0, 0, 1).error() == "location 1: there is no file 1: the file has 1");
  CHECK(file.with(Ranks, 0, 1, 3).error() == "rank 0 has 3 threadblocks, but 2 are left");
  CHECK(file.with(Ranks, 1, 1, 0).error() == "1 threadblocks belong to no rank");
  CHECK(file.with(Threadblocks, 0, 0, 2).error() ==
        "threadblock 0: there is no rank 2: the file has 2");
  CHECK(file.with(Threadblocks, 0, 2, 1 << 16).error() ==
        "channel: 65536 is not between 0 and 65535");
  CHECK(file.with(Threadblocks, 1, 3, 4).error() == "threadblock 1 has 4 steps, but 3 are left");
  CHECK(file.with(Threadblocks, 1, 3, 2).error() == "1 steps belong to no threadblock");
  CHECK(file.with(Ops, 0, 0, 0).error() == "unknown instruction 'allreduce_ring'");
  CHECK(file.with(Shapes, 1, 0, 3).error() == "shape 1: there is no instruction 3: the file has 3");
  CHECK(file.with(Shapes, 1, 0, 1 << 9).error() == "shape 1: the flags cannot be 2");
  CHECK(file.with(Shapes, 1, 0, 3 << 16).error() == "shape 1: there is no phase 3: the file has 3");
  CHECK(file.with(Shapes, 1, 1, none).error() ==
        "count: 4294967295 is not between 0 and 268435456");
  CHECK(file.with(Shapes, 1, 2, 3).error() == "shape 1: there is no location 3: the file has 3");
  CHECK(file.with(Shapes, 1, 3, 0).error() == "shape 1: its sending half has no location");
  CHECK(file.with(Shapes, 1, 2, 0).error() == "shape 1: only its sending half has a location");
  CHECK(file.with(Steps, 5, 0, 9).error() == "step 5: there is no shape 9: the file has 3");
  CHECK(file.with(Steps, 5, 2, none - 1).error() == "step 5: there is no buffer 3");
  CHECK(all.with(Neighbours, 0, 1, 0).error() == "unknown direction 'all'");
  CHECK(all.with(Neighbours, 0, 0, 2).error() == "r1, the E neighbour of r2: there are 2 ranks");
  CHECK(all.with(Neighbours, 0, 2, 0).error() == "r0, the E neighbour of r0, is r0 itself");
  CHECK(all.with(Communicators, 0, 1, 2).error() == "communicator 0 has 2 groups, but 1 are left");
  CHECK(all.with(Communicators, 0, 1, 0).error() ==
        "groups or ranks that belong to no communicator");
  CHECK(all.with(Groups, 0, 0, 3).error() == "group 0 has 3 ranks, but 2 are left");
  CHECK(all.with(Members, 1, 0, 0).error() ==
        "communicator 'both': r0 is out of order or a duplicate");
  CHECK(all.with(Members, 1, 0, none).error() ==
        "communicator 'both': there is no rank 4294967295");
  CHECK(all.with(Calls, 0, 1, 0).error() == "generation: 0 is not between 1 and 1073741824");
  CHECK(all.with(Calls, 0, 2, 99).error() == "call 0: there is no location 99: the file has 5");
  CHECK(all.with(Gates, 0, 0, 2).error() == "gate 0: there is no phase 2: the file has 2");
  CHECK(all.with(Gates, 0, 1, 1).error() ==
        "phase 1 belongs to call 1, but the number of calls is 1");
  CHECK(all.with(Gates, 0, 2, 1).error() ==
        "phase 1 uses communicator 1, but the number of communicators is 1");
  CHECK(all.with(Gates, 0, 3, 3).error() == "phase 1 has stage 3, but calls have 3 stages");
  CHECK(all.with(Gates, 0, 4, none).error() == "gate 0: its phase 1 has no generation");
  CHECK(all.with(Gates, 0, 4, 0).error() == "generation: 0 is not between 1 and 3221225472");
  CHECK(all.with(Gates, 0, 4, 3221225473u).error() ==
        "generation: 3221225473 is not between 1 and 3221225472");
  CHECK(all.with(Waits, 0, 0, 4).error() ==
        "wait 0: its step 4 does not ascend, or does not exist");
  CHECK(all.with(Waits, 0, 1, none).error() ==
        "threadblock of a wait: 4294967295 is not between 0 and 4294967294");
  CHECK(file.with(Strings, 0, 0, 1000).error() ==
        "string 0 has 1000 bytes, but " + std::to_string(file.rows(Text)) + " are left");
  CHECK(file.with(Strings, 0, 0, 13).error() == "1 bytes belong to no string");

  // The structure of the plan is checked as in every format; a step is identified by its position.
  CHECK(file.with(Steps, 5, 2, 2).error() ==
        "r1 tb0 step 2 (r): destination i[2:3] is out of range: the buffer has 2 chunks");
  CHECK(all.with(Waits, 0, 2, 1).error() ==
        "r1 tb1 step 0 (cpy): waits for step 1 of tb0, which has 1 steps");
}
