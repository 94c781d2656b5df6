//===- HtmlReportTest.cpp - The data of report pages match the simulation -===//

#include "../../Sim/Simulation.h"

#include "cclc/Views/Report/HtmlReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

#include <nlohmann/json.hpp>

#include <numeric>
#include <set>

using namespace cclc;
using namespace cclc::test;
using nlohmann::json;

namespace {
constexpr StringRef page = "<title><!--title--></title><script><!--data--></script>";

/// The data that a browser finds in a page.
class Reader {
public:
  explicit Reader(StringRef html) {
    StringRef data = html.split("<script>").second.split("</script>").first;
    auto [encoding, base64] = data.split(' ');
    std::vector<char> packed;
    REQUIRE_FALSE(llvm::errorToBool(llvm::decodeBase64(base64, packed)));
    if (encoding == "zlib") {
      SmallVector<uint8_t, 0> all;
      auto bytes = llvm::arrayRefFromStringRef(StringRef(packed.data(), packed.size()));
      REQUIRE_FALSE(llvm::errorToBool(llvm::compression::zlib::decompress(bytes, all, 64 << 20)));
      text.assign(all.begin(), all.end());
    } else {
      REQUIRE(encoding == "plain");
      text.assign(packed.begin(), packed.end());
    }
    uint64_t length = 0;
    for (unsigned byte = 8; byte-- > 0;)
      length = length << 8 | uint8_t(text[byte]);
    document = json::parse(text.substr(8, length));
    columns = 8 + length;
  }

  std::vector<int64_t> column(const json &place) const {
    size_t at = columns + place[0].get<size_t>();
    std::vector<int64_t> values;
    int64_t sum = 0;
    for (size_t n = place[1].get<size_t>(); n-- > 0;) {
      uint64_t value = 0;
      unsigned shift = 0;
      do {
        value |= uint64_t(text[at] & 0x7f) << shift;
        shift += 7;
      } while (text[at++] & 0x80);
      if (place[2] == "deltas")
        values.push_back(sum += int64_t(value >> 1) ^ -int64_t(value & 1));
      else
        values.push_back(value);
    }
    return values;
  }

  json document;

private:
  std::string text;
  size_t columns;
};

/// A plan simulated for two sizes.
struct Reported {
  explicit Reported(std::string name = "ring") : target(machine("ahbm")) {
    Recipe recipe;
    recipe.program = "allreduce_ring";
    recipe.ranks = 8;
    ExecPlan compiledPlan = compiled(recipe);
    plan.emplace(std::move(compiledPlan));
    for (uint64_t bytes : {1 << 12, 1 << 16}) {
      Simulation &simulation = *simulations.emplace_back(
          std::make_unique<Simulation>(*plan, target, bytes, DataType::F16));
      Timeline &timeline = *timelines.emplace_back(Timeline(simulation.placed));
      SimOptions options;
      options.criticalPath = true;
      options.listeners = {&timeline};
      results.push_back(simulation.run("", options));
      timeline.finish();
      summary.sizes.push_back(
          makeSizeResult(simulation.placed, simulation.sizing, SimResult(results.back()), 1));
    }
    summary.target.name = "ahbm";
    summary.network = "cut-through";
    summary.conditions = {{"1=x2"}, "random:4"};
    file = std::move(name);
  }

  ReportedPlan get() {
    ReportedPlan reported{file, simulations.front()->placed, summary, timelines, {}, {}, {}};
    for (const SizeResult &size : summary.sizes)
      reported.costs.push_back(costsOf(size, simulations.front()->placed));
    reported.provenance = Provenance::trace(*plan, Placement::InPlace);
    return reported;
  }
  std::string html() {
    std::string text;
    llvm::raw_string_ostream os(text);
    REQUIRE(writeHtmlReport(get(), page, os));
    return text;
  }

  Machine target;
  std::string file;
  std::optional<ExecPlan> plan;
  std::vector<std::unique_ptr<Simulation>> simulations;
  std::vector<std::optional<Timeline>> timelines;
  std::vector<SimResult> results;
  SweepResult summary;
};
} // namespace

TEST_CASE("a page holds the plan, the runs and their spans") {
  Reported reported;
  Reader reader(reported.html());
  const ExecPlan &plan = *reported.plan;
  const json &out = reader.document["plans"][0];
  CHECK(out["conditions"] == "--skew 1=x2 --schedule random:4");
  CHECK(out["name"] == "allreduce_ring");
  CHECK(out["ranks"] == 8);
  auto ops = reader.column(out["steps"]["op"]);
  REQUIRE(ops.size() == plan.steps().size());
  for (size_t s = 0; s < ops.size(); ++s)
    CHECK(reader.document["ops"][ops[s]]["name"] == traits(plan.steps()[s].op).mnemonic);
  for (size_t s = 0; s < 2; ++s) {
    const json &size = out["sizes"][s];
    CHECK(size["time"] == reported.results[s].time.picoseconds());
    const Timeline &timeline = *reported.timelines[s];
    auto tbs = reader.column(size["timeline"]["tb"]);
    auto steps = reader.column(size["timeline"]["step"]);
    auto causes = reader.column(size["timeline"]["cause"]);
    auto lengths = reader.column(size["timeline"]["length"]);
    REQUIRE(lengths.size() == timeline.spans().size());
    for (size_t i = 0; i < lengths.size(); ++i) {
      const Timeline::Span &span = timeline.spans()[i];
      REQUIRE(tbs[i] == span.threadblock);
      REQUIRE(steps[i] == span.step);
      REQUIRE(causes[i] == int64_t(span.cause));
      REQUIRE(lengths[i] == (span.end - span.begin).picoseconds());
    }
    auto taken = reader.column(size["timeline"]["msg_taken"]);
    REQUIRE(taken.size() == timeline.messages().size());
    for (size_t m = 0; m < taken.size(); ++m)
      REQUIRE(taken[m] == timeline.messages()[m].taken->picoseconds() + 1);
    auto path = reader.column(size["path_length"]);
    CHECK(std::accumulate(path.begin(), path.end(), int64_t(0)) == size["time"]);
    int64_t costs = 0;
    for (const json &cost : size["costs"])
      costs += cost["time"].get<int64_t>();
    CHECK(costs == size["time"]);
    auto bytes = reader.column(size["timeline"]["bin_bytes"]);
    uint64_t moved = 0;
    for (const LinkUse &use : reported.results[s].links)
      moved += use.bytes.count();
    CHECK(std::accumulate(bytes.begin(), bytes.end(), int64_t(0)) == int64_t(moved));
  }
}

TEST_CASE("a page contains the provenance of each cell") {
  Reported reported;
  Reader reader(reported.html());
  const json &origin = reader.document["plans"][0]["provenance"];
  auto lhs = reader.column(origin["lhs"]), rhs = reader.column(origin["rhs"]);
  auto cells = reader.column(origin["cells"]), sizes = reader.column(origin["sizes"]);
  int64_t firstAction = 1 + 8 * origin["input_chunks"].get<int64_t>();
  // Chunk 0 of the output of rank 0 follows the input of rank 0.
  std::vector<int64_t> open = {cells[sizes[0]]};
  std::multiset<int64_t> ranks;
  while (!open.empty()) {
    int64_t id = open.back();
    open.pop_back();
    if (id < firstAction) {
      ranks.insert((id - 1) / origin["input_chunks"].get<int64_t>());
      continue;
    }
    open.push_back(lhs[id - firstAction]);
    if (rhs[id - firstAction])
      open.push_back(rhs[id - firstAction] - 1);
  }
  CHECK(ranks == std::multiset<int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("no text of a plan ends the script element, and pages are reproducible") {
  Reported reported("</script><!--<b>&.json");
  std::string html = reported.html();
  CHECK(html == reported.html());
  StringRef data = StringRef(html).split("<script>").second.split("</script>").first;
  CHECK(data.find_first_of("<>&!") == StringRef::npos);
  Reader reader(html);
  CHECK(reader.document["plans"][0]["file"] == "</script><!--<b>&.json");
}

TEST_CASE("the title of a page is escaped") {
  Reported reported;
  ExecPlan named = readGood(with(jsonOf(*reported.plan), "\"allreduce_ring\"", "\"a<b>&c\""));
  Simulation simulation(named, reported.target, 1 << 12);
  SweepResult summary;
  summary.sizes.push_back(
      makeSizeResult(simulation.placed, simulation.sizing, simulation.run(), 1));
  ReportedPlan plan{"x", simulation.placed, summary, {std::nullopt}, {{}}, {}, {}};
  std::string html;
  llvm::raw_string_ostream os(html);
  REQUIRE(writeHtmlReport(plan, page, os));
  CHECK(StringRef(html).starts_with("<title>a&lt;b&gt;&amp;c</title>"));
}

TEST_CASE("a page template without a place for the data is an error") {
  Reported reported;
  std::string text;
  llvm::raw_string_ostream os(text);
  CHECK_FALSE(writeHtmlReport(reported.get(), "<title><!--title--></title>", os));
  CHECK_FALSE(writeHtmlReport(reported.get(), "<!--data-->", os));
}

TEST_CASE("timelines are omitted from the smallest size on, never the last") {
  Reported reported;
  std::vector<ReportedPlan> plans;
  plans.push_back(reported.get());
  size_t large = plans[0].timelines[1]->spans().size();
  limitTimelines(plans, large + plans[0].timelines[0]->spans().size());
  CHECK(plans[0].timelines[0]);
  limitTimelines(plans, large);
  CHECK_FALSE(plans[0].timelines[0]);
  limitTimelines(plans, 1);
  CHECK(plans[0].timelines[1]);
}
