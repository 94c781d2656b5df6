//===- ParallelLinksTest.cpp - Several links between two nodes ------------===//

#include "Plans.h"

#include "cclc/Target/EqualRoutes.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// Two pairs of links between t1 and t2, the first ones as one entry.
const char *const twoByTwo = R"({"name": "twins", "family": "graph",
  "nodes": [{"name": "t1"}, {"name": "t2"}, {"name": "t3"}], "links": [
  {"from": "t1", "to": "t2", "links": 2, "bandwidth": 1e9, "propagation": 1e-6},
  {"from": "t2", "to": "t3", "bandwidth": 1e9, "propagation": 1e-6}]})";

std::vector<std::string> namesOf(const Machine &machine) {
  std::vector<std::string> names;
  for (uint32_t l = 0; l < machine.links().size(); ++l)
    names.push_back(machine.linkName(LinkId(l)));
  return names;
}

std::vector<std::string> linksFrom(const Machine &machine, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 8> links;
  machine.route(EndpointId(src), EndpointId(dst), links);
  std::vector<std::string> names;
  for (LinkId link : links)
    names.push_back(machine.linkName(link));
  return names;
}

std::string linksErrorOf(const std::string &text) {
  DiagnosticEngine diags;
  TemporaryFile file(text);
  (void)loadTarget(targetRequest(file.name()), diags);
  return diags.all().empty() ? "" : diags.all().front().text;
}
} // namespace

TEST_CASE("parallel links have names", "[target]") {
  TemporaryFile file(twoByTwo);
  CHECK(namesOf(machine(file.name())) == std::vector<std::string>{"t1 -> t2#1", "t2 -> t1#1",
                                                                  "t1 -> t2#2", "t2 -> t1#2",
                                                                  "t2 -> t3", "t3 -> t2"});
}

TEST_CASE("parallel links are written one by one or as a number", "[target]") {
  TemporaryFile number(twoByTwo);
  TemporaryFile single(R"({"name": "twins", "family": "graph",
    "nodes": [{"name": "t1"}, {"name": "t2"}, {"name": "t3"}], "links": [
    {"from": "t1", "to": "t2", "bandwidth": 1e9, "propagation": 1e-6},
    {"from": "t1", "to": "t2", "bandwidth": 1e9, "propagation": 1e-6},
    {"from": "t2", "to": "t3", "bandwidth": 1e9, "propagation": 1e-6}]})");
  CHECK(namesOf(machine(number.name())) == namesOf(machine(single.name())));
  // A link in one direction only.
  TemporaryFile oneWay(R"({"name": "twins", "family": "graph",
    "nodes": [{"name": "t1"}, {"name": "t2"}], "links": [
    {"from": "t1", "to": "t2", "links": 2, "duplex": "off"},
    {"from": "t2", "to": "t1", "duplex": "off"}]})");
  CHECK(namesOf(machine(oneWay.name())) ==
        std::vector<std::string>{"t1 -> t2#1", "t1 -> t2#2", "t2 -> t1"});
}

TEST_CASE("parallel links are changed one by one or together", "[target]") {
  TemporaryFile file(twoByTwo);
  auto present = [&](std::vector<std::string> sets) {
    const Machine changed = machine(file.name(), std::move(sets));
    std::string text;
    for (const Link &link : changed.links())
      text += link.present ? '+' : '-';
    return text;
  };
  CHECK(present({"links.t1->t2#1=off"}) == "-+++++");
  CHECK(present({"links.t1->t2#2=off"}) == "++-+++");
  CHECK(present({"links.t1<->t2#2=off"}) == "++--++");
  CHECK(present({"links.t2<->t1#2=off"}) == "++--++");
  CHECK(present({"links.t1->t2=off"}) == "-+-+++");
  CHECK(present({"links.*->*#1=off"}) == "--++++");
  CHECK(present({"links.t1<->*=off", "links.t1 -> t2#2=on"}) == "--+-++");
  Machine slow = machine(file.name(), {"links.t1->t2#2.bandwidth=5e8"});
  CHECK(slow.link(LinkId(0)).bandwidth.bytesPerSecond() == 1'000'000'000);
  CHECK(slow.link(LinkId(2)).bandwidth.bytesPerSecond() == 500'000'000);
  CHECK(linksFrom(machine(file.name()), 0, 2) ==
        std::vector<std::string>{"t1 -> t2#1", "t2 -> t3"});
  CHECK(linksFrom(machine(file.name(), {"links.t1->t2#1=off"}), 0, 2) ==
        std::vector<std::string>{"t1 -> t2#2", "t2 -> t3"});
  DiagnosticEngine diags;
  (void)loadTarget(targetRequest(file.name(), {"links.t1->t2#3=off"}), diags);
  CHECK(diags.all().front().text ==
        "'links.t1->t2#3' is not a link; similar ones are t1->t2#1, t1->t2#2, t2->t1#1");
}

TEST_CASE("the parallel links of a fat tree have names", "[target]") {
  TemporaryFile file(R"({"name": "tree", "family": "graph", "shape": "fat_tree", "ranks": 4,
    "tiers": [{"down": 2, "up": 1, "links": 2}, {"down": 2}]})");
  std::vector<std::string> names = namesOf(machine(file.name()));
  CHECK(llvm::is_contained(names, "tier0.0 -> tier1.0#2"));
  CHECK(llvm::is_contained(names, "n0 -> tier0.0"));
}

TEST_CASE("the number of parallel links is limited", "[target]") {
  auto withLinks = [](const std::string &number) {
    return R"({"name": "x", "family": "graph", "nodes": [{"name": "a"}, {"name": "b"}],
      "links": [{"from": "a", "to": "b", "links": )" +
           number + "}]}";
  };
  CHECK(linksErrorOf(withLinks("1024")) == "");
  CHECK(linksErrorOf(withLinks("0")) == "'links[0].links' takes a whole number from 1 to 1024");
  CHECK(linksErrorOf(withLinks("1025")) == "'links[0].links' takes a whole number from 1 to 1024");
}

TEST_CASE("the warning of equal routes names parallel links", "[target]") {
  TemporaryFile file(twoByTwo);
  Machine twins = machine(file.name());
  std::vector<EndpointId> endpoints = {EndpointId(0), EndpointId(1), EndpointId(2)};
  DiagnosticEngine diags;
  warnOfEqualRoutes(twins, endpoints, diags);
  CHECK(textOf(diags) ==
        "tool: warning: target twins: 4 of the 6 pairs of ranks have several equally short routes, "
        "of which all messages take one: r0 to r1 takes t1 -> t2#1, not t1 -> t2#2; r0 to r2 takes "
        "t1 -> t2#1 -> t3, not t1 -> t2#2 -> t3; --set routing=ecmp uses all of them, "
        "and routing=shortest accepts one\n");
  CHECK(
      equalRoutesText(twins, endpoints, {{1, 2}, {0, 1}}) ==
      "target twins: 1 of the 2 pairs of ranks that communicate has several equally short routes, "
      "of which all messages take one: r0 to r1 takes t1 -> t2#1, not t1 -> t2#2; --set "
      "routing=ecmp uses all of them, and routing=shortest accepts one");
  CHECK_FALSE(equalRoutesText(twins, endpoints, {{1, 2}}));
  DiagnosticEngine none;
  warnOfEqualRoutes(machine(file.name(), {"routing=ecmp"}), endpoints, none);
  warnOfEqualRoutes(machine(file.name(), {"routing=shortest"}), endpoints, none);
  warnOfEqualRoutes(machine(file.name(), {"links.t1<->t2#2=off"}), endpoints, none);
  CHECK(none.all().empty());
}
