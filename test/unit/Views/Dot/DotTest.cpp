//===- DotTest.cpp - Graphs match the program, and graphviz draws them ----===//

#include "../../../support/Lines.h"

#include "Plans.h"

#include "cclc/Views/Dot/Dot.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <deque>
#include <map>
#include <regex>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {

template <class Program> std::string dotOf(const Program &program, DotOptions options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDot(program, os, options);
  return os.str();
}

DotOptions folded(DotFold fold) {
  DotOptions options;
  options.fold = fold;
  return options;
}
/// One node for each operation, in one band.
DotOptions unlimited() {
  DotOptions options = folded(DotFold::None);
  options.most = ~uint32_t(0);
  return options;
}
const DotOptions unfolded = unlimited();

constexpr StringRef message = "#0072b2", trueEdge = "#202020", falseEdge = "#d55e00",
                    wait = "#aa3377", next = "#b0b0b0";

/// A graph as its file describes it, one statement per line.
struct Picture {
  struct Node {
    int x, y;
    std::string attributes;
  };
  using Edge = std::tuple<std::string, std::string, std::string>; ///< from, to, colour
  std::map<std::string, Node> nodes;
  std::multiset<Edge> edges;
  std::vector<std::string> tooltips; ///< of edges

  explicit Picture(StringRef dot) {
    static const std::regex node("^ *([a-z]+[0-9]+) \\[pos=\"(-?[0-9]+),(-?[0-9]+)\", (.*)\\];$");
    static const std::regex edge("^ *([a-z]+[0-9]+) -> ([a-z]+[0-9]+) "
                                 "\\[color=\"(#[0-9a-f]+)\".*tooltip=\"(.*)\"\\];$");
    for (StringRef line : llvm::split(dot, "\n")) {
      std::string text = line.str();
      std::smatch match;
      if (std::regex_match(text, match, node)) {
        bool isNew =
            nodes.insert({match[1], {std::stoi(match[2]), std::stoi(match[3]), match[4]}}).second;
        CHECK(isNew);
      } else if (std::regex_match(text, match, edge)) {
        edges.insert({match[1], match[2], match[3]});
        tooltips.push_back(match[4]);
      } else {
        INFO(text);
        CHECK_FALSE(line.contains("->"));
      }
    }
  }
  size_t count(StringRef color) const {
    return llvm::count_if(edges, [&](const Edge &edge) { return std::get<2>(edge) == color; });
  }
};

/// The output of graphviz; none if graphviz is missing or reports an error.
std::optional<std::string> svgOf(const std::string &dot) {
  auto program = llvm::sys::findProgramByName("dot");
  if (!program) {
    WARN("graphviz is not installed");
    return std::nullopt;
  }
  TemporaryFile file(dot, "dot");
  std::string errors = file.name() + ".err", svg = file.name() + ".svg";
  llvm::FileRemover removeErrors(errors), removeSvg(svg);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(svg), StringRef(errors)};
  int code =
      llvm::sys::ExecuteAndWait(*program, {"dot", "-Tsvg", file.name()}, std::nullopt, redirects);
  auto said = llvm::MemoryBuffer::getFile(errors);
  REQUIRE(said);
  INFO((*said)->getBuffer().str() << "\n" << dot);
  if (code != 0 || (*said)->getBufferSize() != 0)
    return std::nullopt;
  auto drawn = llvm::MemoryBuffer::getFile(svg);
  REQUIRE(drawn);
  return (*drawn)->getBuffer().str();
}

/// True if graphviz is not installed.
bool isDrawn(const std::string &dot) {
  return !llvm::sys::findProgramByName("dot") || svgOf(dot).has_value();
}

struct Levels {
  std::optional<ChunkProgram> chunks;
  std::optional<InstrProgram> instrs;
  std::optional<ExecPlan> plan;
};

Levels levelsOf(const Recipe &recipe) {
  Levels levels;
  CompileRequest request = requestFor(recipe);
  request.onChunkProgram = [&](const ChunkProgram &program) { levels.chunks.emplace(program); };
  request.onInstrProgram = [&](const InstrProgram &program) { levels.instrs.emplace(program); };
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  REQUIRE(succeeded(outcome));
  levels.plan.emplace(std::move(outcome->plan));
  return levels;
}

template <class Fn> void forEachLevel(const Levels &levels, Fn fn) {
  fn(*levels.chunks);
  fn(*levels.instrs);
  fn(*levels.plan);
}

// --- What the edges must be, from the definitions ------------------------------------------

/// Cell by cell: a read depends on the last write, a write on the reads since then, or on the last
/// write if there were none.
std::multiset<Picture::Edge> edgesOf(const ChunkProgram &program) {
  std::map<std::pair<std::string, std::string>, bool> edges; // whether it is a true dependence
  const Collective &collective = program.info().collective;
  std::map<std::string, uint32_t> rankOf;
  for (const CellSpace &space : program.cellSpaces()) {
    std::map<uint64_t, std::string> writer;
    std::map<uint64_t, std::set<std::string>> readers;
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      for (uint32_t c = 0; c < collective.inputChunks(); ++c) {
        std::string name = "src" + std::to_string(r * collective.inputChunks() + c);
        rankOf[name] = r;
        if (collective.hasInput(RankId(r)))
          writer[space.cell(RankId(r), Operand(Buffer::Input, c))] = name;
      }
    for (size_t i = 0; i < program.ops().size(); ++i) {
      const ChunkOp &op = program.ops()[i];
      std::string me = "op" + std::to_string(i);
      rankOf[me] = op.dstRank.index();
      auto read = [&](uint64_t cell) {
        if (writer.count(cell))
          edges[{writer[cell], me}] = true;
        readers[cell].insert(me);
      };
      uint64_t src = space.cell(op.srcRank, program.srcOperand(op));
      uint64_t dst = space.cell(op.dstRank, program.dstOperand(op));
      for (uint32_t k = 0; k < op.count; ++k)
        read(src + k);
      for (uint32_t k = 0; op.kind == ChunkOpKind::Reduce && k < op.count; ++k)
        read(dst + k);
      for (uint32_t k = 0; k < op.count; ++k) {
        std::set<std::string> before = std::exchange(readers[dst + k], {});
        if (before.empty() && writer.count(dst + k))
          before = {writer[dst + k]};
        for (const std::string &other : before)
          if (other != me)
            edges.insert({{other, me}, false});
        writer[dst + k] = me;
      }
    }
  }
  std::multiset<Picture::Edge> all;
  for (const auto &[ends, isTrue] : edges) {
    StringRef color = !isTrue                                     ? falseEdge
                      : rankOf[ends.first] != rankOf[ends.second] ? message
                                                                  : trueEdge;
    all.insert({ends.first, ends.second, color.str()});
  }
  return all;
}

std::multiset<Picture::Edge> edgesOf(const InstrProgram &program) {
  std::multiset<Picture::Edge> all;
  auto name = [](uint32_t id) { return "n" + std::to_string(id); };
  for (uint32_t id = 0; id < program.size(); ++id) {
    for (DepEdge pred : program.dependences().preds(id))
      all.insert({name(pred.node()), name(id), (pred.isTrue() ? trueEdge : falseEdge).str()});
    if (OptionalId<InstrId> to = program.instrs()[id].to)
      all.insert({name(id), name((*to).index()), message.str()});
  }
  return all;
}

std::multiset<Picture::Edge> edgesOf(const ExecPlan &plan) {
  std::multiset<Picture::Edge> all;
  auto name = [](uint32_t id) { return "s" + std::to_string(id); };
  std::map<std::tuple<RankId, RankId, ChannelId>, std::deque<uint32_t>> sent, received;
  for (const Threadblock &tb : plan.threadblocks())
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      const Step &step = plan.steps()[s];
      if (s > tb.firstStep)
        all.insert({name(s - 1), name(s), next.str()});
      Peers to = plan.sendPeers(tb), from = plan.recvPeers(tb);
      for (size_t i = 0; traits(step.op).sends && i < to.size(); ++i)
        sent[{tb.rank, to[i], tb.channel}].push_back(s);
      for (size_t i = 0; traits(step.op).receives && i < from.size(); ++i)
        received[{from[i], tb.rank, tb.channel}].push_back(s);
      if (std::optional<Wait> on = step.wait())
        all.insert({name(plan.threadblocks(tb.rank)[on->tb.index()].firstStep + on->step.index()),
                    name(s), wait.str()});
    }
  for (const auto &[connection, sends] : sent)
    for (size_t i = 0; i < sends.size(); ++i)
      all.insert({name(sends[i]), name(received[connection][i]), message.str()});
  return all;
}

size_t numNodes(const ChunkProgram &program) { return program.ops().size(); }
size_t numNodes(const InstrProgram &program) { return program.size(); }
size_t numNodes(const ExecPlan &plan) { return plan.steps().size(); }
} // namespace

TEST_CASE("a graph has every node once and exactly the edges of the dependences", "[dot]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    forEachLevel(levelsOf(recipe), [](const auto &program) {
      Picture picture(dotOf(program, unfolded));
      size_t operations = 0;
      for (const auto &[name, node] : picture.nodes)
        operations += !StringRef(name).starts_with("src");
      CHECK(operations == numNodes(program));
      CHECK(picture.edges == edgesOf(program));
    });
  }
  for (const Recipe &recipe : switchRecipes()) {
    ExecPlan plan = compiled(recipe);
    CHECK(Picture(dotOf(plan, unfolded)).edges == edgesOf(plan));
  }
  // Random programs with overlapping ranges and several scratch buffers.
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ChunkProgram program = randomProgram(seed);
    CHECK(Picture(dotOf(program, unfolded)).edges == edgesOf(program));
    ExecPlan plan = randomPlan(seed);
    CHECK(Picture(dotOf(plan, unfolded)).edges == edgesOf(plan));
  }
}

TEST_CASE("time runs downwards, and no two nodes have the same position", "[dot]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    forEachLevel(levelsOf(recipe), [](const auto &program) {
      Picture picture(dotOf(program, unfolded));
      for (const auto &[from, to, color] : picture.edges)
        CHECK(picture.nodes.at(from).y > picture.nodes.at(to).y);
      std::set<std::pair<int, int>> places;
      for (const auto &[name, node] : picture.nodes)
        CHECK(places.insert({node.x, node.y}).second);
    });
  }
}

TEST_CASE("only the edges that close a cycle point up", "[dot]") {
  // s2 -> s3 -> s4 -> s5 -> s2 is a cycle of two receives before sends, below a chain of two steps.
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @circle coll alltoall ranks 2 outofplace {
      rank 0 {
        tb 0 send r1 recv r1 ch 0 {
          0: cpy i[0] -> o[0]
          1: cpy i[1] -> o[1]
          2: r -> o[0]
          3: s i[0]
        }
      }
      rank 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: r -> o[0]
          1: s i[0]
        }
      }
    }
    )"_lines);
  const std::string dot = dotOf(plan, unfolded);
  INFO(dot);
  Picture picture(dot);
  CHECK(picture.edges == edgesOf(plan));
  std::vector<std::pair<std::string, std::string>> up;
  std::set<int> rows;
  for (const auto &[from, to, color] : picture.edges)
    if (picture.nodes.at(from).y <= picture.nodes.at(to).y)
      up.emplace_back(from, to);
  for (const auto &[name, node] : picture.nodes)
    rows.insert(node.y);
  CHECK(up.size() == 1);
  CHECK(rows.size() == plan.steps().size()); // s0, s1, s2, s3, s4, s5
  CHECK(isDrawn(dotOf(plan, unfolded)));
  for (DotFold fold : {DotFold::RankPhase, DotFold::Rank, DotFold::Phase})
    CHECK(isDrawn(dotOf(plan, folded(fold))));
}

TEST_CASE("ranks are drawn side by side in order", "[dot]") {
  ExecPlan plan = compiled({"alltoall_direct", {}, 5});
  Picture picture(dotOf(plan, unfolded));
  int right = -1000;
  for (uint32_t r = 0; r < 5; ++r) {
    int left = 1 << 30, most = 0;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
        int x = picture.nodes.at("s" + std::to_string(s)).x;
        left = std::min(left, x);
        most = std::max(most, x);
      }
    CHECK(left > right);
    right = most;
  }
}

TEST_CASE("a chunk has one colour in all graphs", "[dot]") {
  auto colorOf = [](const Picture::Node &node) {
    std::smatch match;
    REQUIRE(std::regex_search(node.attributes, match,
                              std::regex("(?:fillcolor|BGCOLOR)=\"(#[0-9a-f]+)\"")));
    return match[1].str();
  };
  // In an all-gather in place the input of a rank is part of its output.
  Levels levels = levelsOf({"allgather_ring", {}, 5});
  Picture chunks(dotOf(*levels.chunks)), instrs(dotOf(*levels.instrs)), steps(dotOf(*levels.plan));
  std::map<uint32_t, std::set<std::string>> colors;
  for (uint32_t id = 0; id < levels.chunks->ops().size(); ++id)
    colors[levels.chunks->ops()[id].dstIndex].insert(
        colorOf(chunks.nodes.at("op" + std::to_string(id))));
  for (uint32_t id = 0; id < 5; ++id)
    colors[id].insert(colorOf(chunks.nodes.at("src" + std::to_string(id))));
  auto chunkOf = [](Operand operand, RankId rank) {
    return operand.buffer() == Buffer::Input ? rank.index() : operand.index();
  };
  for (uint32_t id = 0; id < levels.instrs->size(); ++id) {
    const Instr &instr = levels.instrs->instrs()[id];
    colors[chunkOf(instr.dst.isNone() ? instr.src : instr.dst, instr.rank)].insert(
        colorOf(instrs.nodes.at("n" + std::to_string(id))));
  }
  for (const Threadblock &tb : levels.plan->threadblocks())
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      const Step &step = levels.plan->steps()[s];
      colors[chunkOf(step.dst.isNone() ? step.src : step.dst, tb.rank)].insert(
          colorOf(steps.nodes.at("s" + std::to_string(s))));
    }
  std::set<std::string> all;
  REQUIRE(colors.size() == 5);
  for (const auto &[chunk, used] : colors) {
    CHECK(used.size() == 1);
    all.insert(used.begin(), used.end());
  }
  CHECK(all.size() == 5);
}

TEST_CASE("a chunk keeps its colour in scratch", "[dot]") {
  ExecPlan plan = readGood(R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 2 chunks 2 inplace {
      rank 0 {
        tb 0 send r1 ch 0 {
          0: s i[1]
        }
      }
      rank 1 scratch 1 {
        tb 0 recv r0 ch 0 {
          0: r -> s[0]
        }
      }
    }
    )"_lines);
  Picture picture(dotOf(plan));
  CHECK(StringRef(picture.nodes.at("s0").attributes).contains("fillcolor=\"#ee8866\""));
  CHECK(StringRef(picture.nodes.at("s1").attributes).contains("fillcolor=\"#ee8866\""));
}

TEST_CASE("fused instructions show their parts and both source lines", "[dot]") {
  Levels levels = levelsOf({"allreduce_ring", {}, 4});
  Picture picture(dotOf(*levels.instrs));
  size_t fused = 0;
  for (uint32_t id = 0; id < levels.instrs->size(); ++id) {
    const Instr &instr = levels.instrs->instrs()[id];
    StringRef attributes = picture.nodes.at("n" + std::to_string(id)).attributes;
    std::map<OpKind, StringRef> first = {{OpKind::RecvCopySend, ">r<"},
                                         {OpKind::RecvReduceSend, ">rr<"},
                                         {OpKind::RecvReduceCopySend, ">rrc<"}};
    auto part = first.find(instr.op);
    CHECK(attributes.contains("<TABLE") == (part != first.end()));
    if (part == first.end())
      continue;
    ++fused;
    CHECK(attributes.contains(part->second));
    CHECK(attributes.contains(">s<"));
  }
  CHECK(fused == 5 * 4);
  CHECK(StringRef(dotOf(*levels.instrs)).contains("programs/allreduce_ring.cpp:"));
  CHECK(StringRef(dotOf(*levels.instrs)).contains("\\nthen programs/allreduce_ring.cpp:"));
}

// --- Filters -------------------------------------------------------------------------------

/// The selected nodes, and those at their border.
static std::pair<size_t, size_t> drawn(const Picture &picture) {
  size_t border = 0;
  for (const auto &[name, node] : picture.nodes)
    border += StringRef(node.attributes).contains("dashed");
  return {picture.nodes.size() - border, border};
}

TEST_CASE("a filter keeps the neighbours of selected nodes, in grey", "[dot]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  DotOptions rank1;
  rank1.rank = RankId(1);
  Picture one(dotOf(plan, rank1));
  size_t steps = plan.threadblocks(RankId(1))[0].numSteps;
  REQUIRE(plan.numThreadblocks(RankId(1)) == 1);
  // 6 incoming and 6 outgoing messages, of separate steps.
  CHECK(drawn(one) == std::pair<size_t, size_t>(steps, 12));
  CHECK(one.count(message) == 12);
  CHECK(StringRef(dotOf(plan, rank1)).contains("only of rank 1<"));
  CHECK_FALSE(StringRef(dotOf(plan, rank1)).contains("label=\"rank 3\""));

  // Chunk 2 of an all-reduce over 4 ranks in place: each rank handles it twice, except for the
  // first and the last rank of its route, which have one step each.
  DotOptions chunk2;
  chunk2.chunk = 2;
  CHECK(drawn(Picture(dotOf(plan, chunk2))) == std::pair<size_t, size_t>(2 * (4 - 1) + 1, 0));
  DotOptions both = chunk2;
  both.rank = RankId(3);
  CHECK(drawn(Picture(dotOf(plan, both))) == std::pair<size_t, size_t>(2, 4));
  CHECK(StringRef(dotOf(plan, both)).contains("2 steps, only of rank 3 and chunk 2<"));
  DotOptions beyond;
  beyond.chunk = 4;
  CHECK(Picture(dotOf(plan, beyond)).nodes.empty());
  CHECK(isDrawn(dotOf(plan, beyond)));
  CHECK(isDrawn(dotOf(plan, both)));
}

TEST_CASE("a phase is drawn with its incoming and outgoing edges", "[dot]") {
  Levels levels = levelsOf({"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "2"}}});
  forEachLevel(levels, [](const auto &program) {
    size_t total = 0;
    for (uint32_t phase = 0; phase < program.info().phases.size(); ++phase) {
      DotOptions options;
      options.phase = PhaseId(phase);
      Picture picture(dotOf(program, options));
      for (const auto &[name, node] : picture.nodes) {
        bool border = StringRef(node.attributes).contains("dashed");
        if (StringRef(name).starts_with("src"))
          continue;
        total += !border;
        CHECK((border ||
               StringRef(node.attributes).contains(">" + program.info().phases[phase].name + "<")));
      }
    }
    CHECK(total == numNodes(program));
  });
  DotOptions second;
  second.phase = PhaseId(2);
  CHECK(drawn(Picture(dotOf(*levels.plan, second))).second > 0);
  CHECK(StringRef(dotOf(*levels.plan, second))
            .contains("only of phase 2 reduce-scatter across nodes<"));
}

TEST_CASE("every edge of a selected node survives a filter", "[dot]") {
  for (const Recipe &recipe : {Recipe{"allreduce_recursive_doubling", {{"chunks", "2"}}, 5},
                               Recipe{"alltoall_direct", {}, 4}}) {
    forEachLevel(levelsOf(recipe), [](const auto &program) {
      Picture whole(dotOf(program, unfolded));
      for (uint32_t rank = 0; rank < program.info().ranks(); ++rank) {
        DotOptions options;
        options.rank = RankId(rank);
        Picture part(dotOf(program, options));
        auto isSelected = [&](const std::string &name) {
          auto node = part.nodes.find(name);
          return node != part.nodes.end() && !StringRef(node->second.attributes).contains("dashed");
        };
        std::multiset<Picture::Edge> expected, got;
        for (const Picture::Edge &edge : whole.edges)
          if (std::get<2>(edge) != next &&
              (isSelected(std::get<0>(edge)) || isSelected(std::get<1>(edge))))
            expected.insert(edge);
        for (const Picture::Edge &edge : part.edges)
          if (std::get<2>(edge) != next)
            got.insert(edge);
        CHECK(expected == got);
      }
    });
  }
}

// --- Folding -------------------------------------------------------------------------------

/// The sum of the numbers that follow \p word.
static uint64_t sumAfter(StringRef text, StringRef word) {
  uint64_t sum = 0;
  for (auto [before, rest] = text.split(word); !rest.empty();
       std::tie(before, rest) = rest.split(word)) {
    uint64_t number = 0;
    rest.consumeInteger(10, number);
    sum += number;
  }
  return sum;
}

static uint64_t sumBefore(StringRef text, StringRef word) {
  uint64_t sum = 0;
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
    StringRef before = text.take_front(at);
    uint64_t number = 0;
    before.take_back(before.size() - before.find_last_not_of("0123456789") - 1)
        .getAsInteger(10, number);
    sum += number;
  }
  return sum;
}

TEST_CASE("a folded graph accounts for every operation and every edge", "[dot]") {
  for (const Recipe &recipe :
       {Recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}},
        Recipe{"allreduce_hierarchical_3level", {{"pipeline", "2"}}, {}, 1, {}, "ahbm"},
        Recipe{"allreduce_ring", {}, 70}, Recipe{"alltoall_direct", {}, 5}}) {
    INFO(nameOf(recipe));
    forEachLevel(levelsOf(recipe), [](const auto &program) {
      Picture whole(dotOf(program, unfolded));
      StringRef what = std::is_same_v<decltype(program), const ExecPlan &>       ? " steps"
                       : std::is_same_v<decltype(program), const InstrProgram &> ? " instructions"
                                                                                 : " operations";
      // Initial chunks are not drawn.
      std::map<std::string, size_t> expected;
      for (const auto &[from, to, color] : whole.edges)
        if (!StringRef(from).starts_with("src"))
          ++expected[color];
      for (DotFold fold : {DotFold::RankPhase, DotFold::Rank, DotFold::GroupPhase, DotFold::Group,
                           DotFold::Phase}) {
        INFO(static_cast<int>(fold));
        std::string dot = dotOf(program, folded(fold));
        std::string nodes, edges;
        for (StringRef line : llvm::split(dot, "\n"))
          if (line.starts_with("  g") || line.starts_with("    g"))
            (line.contains("->") ? edges : nodes) += line;
        CHECK(sumBefore(nodes, what) == numNodes(program));
        for (auto [color, kind] : {std::pair(message, "message"),
                                   {trueEdge, "true dependence"},
                                   {falseEdge, "false dependence"},
                                   {wait, "wait for another threadblock"}})
          CHECK(sumAfter(nodes, (kind + StringRef(" inside: ")).str()) +
                    sumAfter(edges, (kind + StringRef(": ")).str()) ==
                expected[color.str()]);
      }
    });
  }
}

TEST_CASE("a graph of 100,000 steps is folded to a readable size", "[dot]") {
  Levels levels = levelsOf({"allreduce_ring", {}, 256});
  REQUIRE(levels.plan->steps().size() > 100'000);
  std::string dot = dotOf(*levels.plan);
  Picture picture(dot);
  CHECK(picture.nodes.size() == 32);
  CHECK(picture.edges.size() == 32);
  CHECK(StringRef(dot).contains("<B>folded</B>: a node is a group of ranks, "));
  CHECK(StringRef(dot).contains("256 ranks, 130816 steps<"));
  CHECK(isDrawn(dot));
  DotOptions one = unfolded;
  one.chunk = 7;
  CHECK(Picture(dotOf(*levels.plan, one)).nodes.size() == 2 * 256 - 1);
}

TEST_CASE("the size of the picture decides on folding", "[dot]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  DotOptions options;
  CHECK(Picture(dotOf(plan, options)).nodes.size() == plan.steps().size());
  options.most = 300;
  // One node for each of the 4 ranks and 2 phases is too wide.
  CHECK(Picture(dotOf(plan, options)).nodes.size() == 2);
  options.fold = DotFold::None;
  CHECK(Picture(dotOf(plan, options)).nodes.size() == plan.steps().size());
}

TEST_CASE("a wide picture has few lanes, then bands of ranks", "[dot]") {
  // Each rank reads the 7 chunks of the others at once.
  ChunkProgram program = *levelsOf({"alltoall_direct", {}, 8}).chunks;
  Picture whole(dotOf(program, unfolded)), split(dotOf(program));
  CHECK(split.edges == whole.edges);
  CHECK(split.nodes.size() == whole.nodes.size());
  auto widthOf = [](const Picture &picture) {
    std::set<int> all;
    for (const auto &[name, node] : picture.nodes)
      all.insert(node.x);
    return *all.rbegin() - *all.begin();
  };
  CHECK(widthOf(whole) > 4320);
  CHECK(widthOf(split) < 4320);
  // The 15 receivers of one root: one lane each.
  ExecPlan plan = compiled({"broadcast_direct", {}, 15});
  std::string bands = dotOf(plan);
  CHECK(StringRef(bands).contains("ranks in 2 bands, in each of which time runs downwards"));
  CHECK(Picture(bands).nodes.size() == plan.steps().size());
  CHECK(widthOf(Picture(bands)) < widthOf(Picture(dotOf(plan, unfolded))) * 2 / 3);
  CHECK(isDrawn(bands));
}

TEST_CASE("arrows are routed around nodes where the detour is short", "[dot]") {
  // 4 ranks: 28 instructions, 8 ranks: 120.
  std::string small = dotOf(*levelsOf({"allreduce_ring", {}, 4}).instrs);
  std::string large = dotOf(*levelsOf({"allreduce_ring", {}, 8}).instrs);
  CHECK(StringRef(small).contains("layout=nop; splines=true;"));
  CHECK(StringRef(large).contains("layout=nop2; splines=line; outputorder=edgesfirst;"));
  // A rank is one lane, in which a cell is overwritten long after it was read.
  CHECK(StringRef(small).count("pos=\"e,") == 0);
  CHECK(StringRef(large).count("pos=\"e,") == Picture(large).count(falseEdge));
  CHECK(Picture(large).count(falseEdge) == 7 * 8);
  CHECK(isDrawn(large));
}

TEST_CASE("groups are those of the machine", "[dot]") {
  Levels levels = levelsOf({"allreduce_hierarchical_3level", {}, {}, 1, {}, "ahbm"});
  Picture picture(dotOf(*levels.plan, folded(DotFold::Group)));
  CHECK(picture.nodes.size() == 32);
  StringRef dot = picture.nodes.at("g17").attributes;
  CHECK(dot.contains("sip 1, cube 1</B><BR/>ranks 136-143"));
  // Cubes are arranged in rows of four.
  CHECK(picture.nodes.at("g3").y == picture.nodes.at("g0").y);
  CHECK(picture.nodes.at("g4").y < picture.nodes.at("g0").y);
  CHECK(picture.nodes.at("g4").x == picture.nodes.at("g0").x);
}

// --- Graphviz ------------------------------------------------------------------------------

TEST_CASE("graphviz draws all graphs without errors", "[dot]") {
  for (const Recipe &recipe :
       {Recipe{"allreduce_ring", {}, 3}, Recipe{"allreduce_recursive_doubling", {}, 5},
        Recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "2"}}}})
    forEachLevel(levelsOf(recipe), [](const auto &program) {
      for (DotFold fold : {DotFold::None, DotFold::RankPhase, DotFold::Rank, DotFold::GroupPhase,
                           DotFold::Group, DotFold::Phase})
        CHECK(isDrawn(dotOf(program, folded(fold))));
    });
  CHECK(isDrawn(dotOf(randomProgram(3))));
  ExecPlan ahbm = compiled({"allreduce_lrab", {}, {}, 1, {}, "ahbm"});
  CHECK(isDrawn(dotOf(ahbm, folded(DotFold::Rank))));
  CHECK(isDrawn(dotOf(ahbm, folded(DotFold::GroupPhase))));
}

TEST_CASE("graphs have clusters and tooltips", "[dot]") {
  ExecPlan plan = compiled({"allreduce_lrab", {}, {}, 1, {}, "ahbm"});
  std::optional<std::string> svg = svgOf(dotOf(plan, unfolded));
  if (!svg)
    return;
  StringRef text = *svg;
  CHECK(text.count("class=\"node\"") == plan.steps().size());
  CHECK(text.contains(">rank 17, cube 1</text>"));
  CHECK(text.contains(">sip 1</text>"));
  CHECK(text.count("class=\"cluster\"") == 2 + plan.ranks() + plan.threadblocks().size());
  CHECK(text.contains("xlink:title=\"programs/allreduce_lrab.cpp:"));
  CHECK(text.contains("xlink:title=\"message from r0 to r1&#10;0: s i[0] (programs/"));
  CHECK(text.contains("xlink:title=\"wait for another threadblock&#10;"));
}

TEST_CASE("names that need escapes in graphviz are drawn", "[dot]") {
  ExecPlan plan = readGood(R"(
        ccl.version 3
        exec.program @"a\"b\\<i>&amp;\x0Ac\x01\xFF" coll allreduce ranks 1 outofplace {
          phase 1 "</TD>\\N & more"
          rank 0 {
            tb 0 ch 0 {
              0: cpy i[0] -> o[0] phase 1 loc("c\"d\\e<.cpp":3)
            }
          }
        }
        )"_lines);
  std::string dot = dotOf(plan);
  INFO(dot);
  CHECK(StringRef(dot).starts_with("digraph \"a\\\"b\\\\<i>&amp;amp;\\nc?\xEF\xBF\xBD\" {\n"));
  CHECK(StringRef(dot).contains("<B>a&quot;b\\&#8203;&lt;i&gt;&amp;amp;<BR/>c?\xEF\xBF\xBD</B>"));
  CHECK(StringRef(dot).contains("&lt;/TD&gt;\\&#8203;N &amp; more</FONT>"));
  CHECK(StringRef(dot).contains("tooltip=\"c\\\"d\\\\e<.cpp:3\""));
  for (DotFold fold : {DotFold::None, DotFold::RankPhase, DotFold::Phase}) {
    std::optional<std::string> svg = svgOf(dotOf(plan, folded(fold)));
    CHECK((svg || !llvm::sys::findProgramByName("dot")));
    if (svg)
      CHECK(StringRef(*svg).contains("&lt;/TD&gt;\\\xE2\x80\x8BN &amp; more</text>"));
  }
  if (std::optional<std::string> svg = svgOf(dot))
    CHECK(StringRef(*svg).contains("xlink:title=\"c&quot;d\\e&lt;.cpp:3\""));
}

TEST_CASE("a malformed graph is detected", "[dot]") {
  if (llvm::sys::findProgramByName("dot"))
    CHECK_FALSE(isDrawn("digraph { a -> }"));
}
