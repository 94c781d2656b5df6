//===- OrbitTest.cpp - Operations repeated under renumbering --------------===//

#include "../../support/Text.h"

#include "cclc/DSL/DSL.h"
#include "cclc/DSL/Trace.h"
#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Symmetry/RotationGroup.h"

using namespace cclc;
using namespace cclc::dsl;
using cclc::test::messages;
using cclc::test::printed;

namespace {
int bad, note; ///< lines
const std::string file = std::source_location::current().file_name();
std::string at(int line) { return file + ":" + std::to_string(line) + ": "; }

/// The operations of a program, or its messages.
std::string operations(CollectiveKind kind, uint32_t ranks, void (*body)(Program &)) {
  bad = note = 0;
  Declaration declaration("p");
  declaration.collective(kind).body(body);
  TraceOptions options;
  options.ranks = ranks;
  DiagnosticEngine diags;
  TraceResult result = trace(declaration, options, diags);
  if (!result.program)
    return messages(diags);
  std::string text = printed(*result.program);
  size_t start = text.find("{\n") + 2;
  return text.substr(start, text.rfind('}') - start);
}

void mustFail(CollectiveKind kind, uint32_t ranks, void (*body)(Program &),
              const std::string &text) {
  std::string got = operations(kind, ranks, body);
  CHECK(got ==
        at(bad) + "error: " + text + "\n" + (note ? at(note) + "note: it was written here\n" : ""));
}
} // namespace

TEST_CASE("a ring is the path of one chunk, rotated") {
  CHECK(operations(AllGather, 3, [](Program &p) {
          p.orbit({{.ranks = 3}}, [&] {
            ChunkRef c = p.chunk(0, Output, 0).copy(1);
            CHECK(c.rank() == 1);
            CHECK(c.index() == 0);
            c.copy(2);
          });
        }) == operations(AllGather, 3, [](Program &p) {
          for (int g = 0; g < 3; ++g) {
            ChunkRef c = p.chunk(g, Output, g).copy((g + 1) % 3);
            c.copy((g + 2) % 3);
          }
        }));
}

TEST_CASE("two rotations repeat the body under all combinations, the last one fastest") {
  CHECK(operations(AllReduce, 6, [](Program &p) {
          p.chunks(12);
          p.orbit({{.ranks = 2, .stride = 3, .chunks = 6}, {.ranks = 3, .chunks = 2}}, [&] {
            CHECK(p.repetition() < 6);
            p.chunk(1, Input, 8, 2).copy(5);
          });
        }) == operations(AllReduce, 6, [](Program &p) {
          p.chunks(12);
          for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 3; ++b)
              p.chunk(a * 3 + (1 + b) % 3, Input, (1 + a) % 2 * 6 + (1 + b) % 3 * 2, 2)
                  .copy((1 + a) % 2 * 3 + (2 + b) % 3);
        }));
}

TEST_CASE("buffers without chunks of all ranks, and scratch, keep their indices") {
  CHECK(operations(ReduceScatter, 3, [](Program &p) {
          dsl::Buffer s = p.scratch("s");
          p.orbit({{.ranks = 3}}, [&] { p.chunk(1, Input, 2).copy(0, s, 1).copy(0, Output, 0); });
        }) == operations(ReduceScatter, 3, [](Program &p) {
          dsl::Buffer s = p.scratch("s");
          for (int g = 0; g < 3; ++g)
            p.chunk((1 + g) % 3, Input, (2 + g) % 3).copy(g, s, 1).copy(g, Output, 0);
        }));
}

TEST_CASE("ranges of whole periods of chunks stay where they are") {
  CHECK(operations(AllReduce, 4, [](Program &p) {
          p.chunks(16);
          p.orbit({{.ranks = 2, .stride = 2, .chunks = 1}, {.ranks = 2, .chunks = 2}}, [&] {
            p.chunk(0, Input, 0, 4).copy(2, Input, 4);
            p.chunk(0, Input, 8, 2).copy(1, Input, 12);
          });
        }) == operations(AllReduce, 4, [](Program &p) {
          p.chunks(16);
          for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b) {
              p.chunk(2 * a + b, Input, 0, 4).copy(2 * (1 - a) + b, Input, 4);
              p.chunk(2 * a + b, Input, 8 + 2 * b, 2).copy(2 * a + 1 - b, Input, 12 + 2 * b);
            }
        }));
  // Scratch keeps the order of its chunks.
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        dsl::Buffer s = p.scratch("s");
        p.chunks(2);
        p.orbit({{.ranks = 2, .chunks = 1}}, [&] {
          bad = __LINE__ + 1;
          p.chunk(0, Input, 0, 2).copy(0, s, 0);
        });
      },
      "the orbit renumbers the chunks of r0:i[0:2] and r0:s[0:2] differently");
}

TEST_CASE("later orbits may depend on earlier ones") {
  CHECK(operations(AllReduce, 2, [](Program &p) {
          p.chunks(2);
          p.orbit({{.ranks = 2, .chunks = 1}},
                  [&] { p.chunk(1, Output, 0).reduce(p.chunk(0, Output, 0)); });
          p.orbit({{.ranks = 2, .chunks = 1}}, [&] { p.chunk(1, Output, 0).copy(0); });
        }).find("error") == std::string::npos);
}

TEST_CASE("repetitions of an orbit must be independent") {
  // The first repetition writes chunk 0 of rank 1, which the second reads.
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          ChunkRef mine = p.chunk(0, Output, 0);
          note = __LINE__ + 1;
          mine.copy(1);
        });
      },
      "repetition 1 of the orbit reads r1:o[0], which another repetition has written");
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.chunks(2);
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          p.chunk(0, Input, 1).copy(0, Output, 0);
          note = __LINE__ + 1;
          p.chunk(1, Input, 1).copy(1, Output, 0);
        });
      },
      "repetition 1 of the orbit writes r1:o[0], which another repetition has written");
}

TEST_CASE("references belong to one repetition") {
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        ChunkRef outside = p.chunk(0, Input, 0);
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          outside.copy(1);
        });
      },
      "the reference to r0:i[0] was made outside of the orbit");
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.chunks(2);
        std::optional<ChunkRef> kept;
        p.orbit({{.ranks = 2, .chunks = 1}}, [&] { kept = p.chunk(0, Input, 1); });
        bad = __LINE__ + 1;
        kept->copy(1);
      },
      "the reference to r0:i[1] was made in another repetition of an orbit");
}

TEST_CASE("rotations must fit the ranks and chunks") {
  mustFail(
      AllReduce, 6,
      [](Program &p) {
        bad = __LINE__ + 1;
        p.orbit({{.ranks = 4}}, [] {});
      },
      "a rotation of 4 ranks with stride 1 does not fit 6 ranks");
  mustFail(
      AllReduce, 4,
      [](Program &p) {
        p.chunks(6);
        bad = __LINE__ + 1;
        p.orbit({{.ranks = 4, .chunks = 1}}, [] {});
      },
      "a rotation of 4 input chunks with stride 1 does not fit 6 input chunks");
  mustFail(
      AllReduce, 8,
      [](Program &p) {
        bad = __LINE__ + 1;
        p.orbit({{.ranks = 4}, {.ranks = 2, .stride = 2}}, [] {});
      },
      "two rotations of ranks overlap: 4 with stride 1 and 2 with stride 2");
  mustFail(
      AllReduce, 8,
      [](Program &p) {
        bad = __LINE__ + 1;
        p.orbit({{.ranks = 4, .stride = 0}}, [] {});
      },
      "a rotation of 4 ranks with stride 0 and chunks 0: ranks and stride must be at least 1, "
      "chunks at least 0");
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.chunks(4);
        p.orbit({{.ranks = 2, .chunks = 1}}, [&] {
          bad = __LINE__ + 1;
          p.chunk(0, Input, 1, 2);
        });
      },
      "r0:i[1:3] consists of chunks that the orbit renumbers differently");
}

TEST_CASE("calls that have no meaning in an orbit") {
  auto inside = [](const char *what) {
    return std::string(what) + " is not possible inside orbit()";
  };
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          p.orbit({{.ranks = 2}}, [] {});
        });
      },
      inside("orbit()"));
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        dsl::Buffer s = p.scratch("s");
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          p.chunk(0, Input, 0).copy(1, s);
        });
      },
      inside("a copy without an index"));
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        p.orbit({{.ranks = 2}}, [&] {
          bad = __LINE__ + 1;
          p.neighbour(0, Direction::E, 1);
        });
      },
      inside("neighbour()"));
  mustFail(
      AllReduce, 2,
      [](Program &p) {
        bad = __LINE__ + 1;
        p.repetition();
      },
      "repetition() outside of orbit()");
}

TEST_CASE("ranks are products of classes and elements") {
  RotationGroup group({{2, 12, {0, 0}}, {3, 2, {4, 0}}});
  Collective collective(CollectiveKind::AllReduce, 24, 24);
  CHECK(group.findFault(collective) == "");
  CHECK(group.order() == 6);
  CHECK(group.numClasses(24) == 4);
  for (uint32_t rank = 0; rank < 24; ++rank) {
    CHECK(group.rankOf(group.classOf(rank), group.elementOf(rank)) == rank);
    for (uint64_t n = 0; n < group.order(); ++n) {
      RotationGroup::Element by = group.element(n);
      uint32_t image = group.rotateRank(rank, by);
      CHECK(group.classOf(image) == group.classOf(rank));
      CHECK(group.difference(group.elementOf(image), group.elementOf(rank)) == by);
      // Relative indices do not change, those of ranges neither.
      for (uint32_t count : {1, 2, 4, 12})
        for (uint32_t index = 0; index + count <= 24; ++index) {
          bool keeps = group.keepsRange(cclc::Buffer::Input, index, count);
          CHECK(keeps == (count == 1 || index / 4 == (index + count - 1) / 4 ||
                          (count == 12 && index % 12 == 0)));
          if (keeps)
            CHECK(group.relativeIndex(cclc::Buffer::Input,
                                      group.rotateIndex(cclc::Buffer::Input, index, by, count),
                                      group.elementOf(image), count) ==
                  group.relativeIndex(cclc::Buffer::Input, index, group.elementOf(rank), count));
          CHECK(group.keepsOrder(cclc::Buffer::Input, index, count) == (keeps && count < 12));
        }
      for (uint32_t index = 0; index < 24; ++index)
        CHECK(group.relativeIndex(cclc::Buffer::Input,
                                  group.rotateIndex(cclc::Buffer::Input, index, by),
                                  group.elementOf(image)) ==
              group.relativeIndex(cclc::Buffer::Input, index, group.elementOf(rank)));
    }
  }
}

TEST_CASE("a program that does not begin with an orbit is traced as a whole") {
  Declaration declaration("p");
  declaration.collective(AllGather).body([](Program &p) {
    auto scratch = p.scratch("s");
    p.chunk(1, Output, 1).copy(2, scratch, 3);
    p.orbit({{.ranks = 3}}, [&] { p.chunk(0, Output, 0).copy(1); });
  });
  TraceOptions options;
  options.ranks = 3;
  DiagnosticEngine diags;
  CHECK_FALSE(traceSymmetric(declaration, options, diags).symmetric);
  CHECK(diags.hasErrors());
  diags.clear();
  TraceResult found = traceSymmetricOrWhole(declaration, options, diags);
  TraceResult whole = trace(declaration, options, diags);
  REQUIRE((found.program && whole.program));
  CHECK_FALSE(found.symmetric);
  CHECK(printed(*found.program) == printed(*whole.program));

  declaration.body(
      [](Program &p) { p.orbit({{.ranks = 3}}, [&] { p.chunk(0, Output, 0).copy(1); }); });
  found = traceSymmetricOrWhole(declaration, options, diags);
  CHECK_FALSE(found.program);
  REQUIRE(found.symmetric);
  CHECK(found.symmetric->ops.size() == 1);
  CHECK_FALSE(diags.hasErrors());
}
