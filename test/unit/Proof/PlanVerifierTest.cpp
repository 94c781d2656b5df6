//===- PlanVerifierTest.cpp - Verdicts, counter-examples, hashes ----------===//

#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanExecution.h"
#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
struct Result {
  PlanProof report;
  std::string text;
};
Result verify(const std::string &text, Slots slots = Slots(8)) {
  auto plan = parsed<ExecPlan>(text);
  DiagnosticEngine diags;
  PlanProof report = verifyPlan(plan, slots, diags);
  CHECK((report.verdict == Verdict::Ok) != diags.hasErrors());
  return {report, messages(diags)};
}
std::string twoRanks(const std::string &header, const std::string &r0, const std::string &r1) {
  return "ccl.version 3\nexec.program @p coll " + header + " {\n  rank 0 {\n" + r0 +
         "  }\n  rank 1 {\n" + r1 + "  }\n}\n";
}
const std::string send0 = R"(
      tb 0 send r1 recv r1 ch 0 {
        0: s i[0]
        1: r -> o[0]
      }
  )"_lines;
const std::string answer1 = R"(
      tb 0 send r0 recv r0 ch 0 {
        0: rrcs i[0] -> o[0]
      }
  )"_lines;

/// The expression in every output cell, by executing the plan on strings; in a plan without races
/// the order of steps does not matter.
std::map<std::pair<uint32_t, uint32_t>, std::string> expressions(const ExecPlan &plan,
                                                                 Placement placement) {
  using Place = std::pair<uint32_t, std::pair<char, uint32_t>>;
  std::map<Place, std::string> memory;
  const Collective &collective = plan.info().collective;
  auto place = [&](uint32_t rank, Operand operand, uint32_t c) -> Place {
    char letter = bufferLetter(operand.buffer());
    uint32_t index = operand.index() + c;
    if (letter == 's' || placement == Placement::OutOfPlace)
      return {rank, {letter, index}};
    bool shifted = (collective.kind() == CollectiveKind::AllGather && letter == 'i') ||
                   (collective.kind() == CollectiveKind::ReduceScatter && letter == 'o');
    return {rank, {'u', index + (shifted ? rank * collective.chunks() : 0)}};
  };
  auto value = [&](Place p) {
    auto it = memory.find(p);
    return it == memory.end() ? "undefined" : it->second;
  };
  auto sum = [](const std::string &a, const std::string &b) {
    return a == "undefined" || b == "undefined" ? "undefined" : "(" + a + " + " + b + ")";
  };
  // The local operand, if any, and the messages; a switch adds those of several peers.
  auto received = [&](const std::vector<std::vector<std::string>> &messages, uint32_t c,
                      std::optional<std::string> local) {
    if (messages.size() == 1)
      return local ? sum(*local, messages[0][c]) : messages[0][c];
    std::string text;
    bool isDefined = local != "undefined";
    for (const std::vector<std::string> &message : messages) {
      text += (text.empty() ? "{" : " + ") + message[c];
      isDefined &= message[c] != "undefined";
    }
    text += local ? " + " + *local : "";
    return isDefined ? text + "}" : "undefined";
  };
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    for (uint32_t c = 0; c < collective.inputChunks(); ++c)
      memory[place(r, Operand(Buffer::Input, 0), c)] =
          "r" + std::to_string(r) + ":i[" + std::to_string(c) + "]";

  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<std::vector<std::string>>> fifos;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> taken;
  std::vector<uint32_t> next(plan.threadblocks().size());
  NaivePlan naive(plan);
  std::vector<bool> done(plan.steps().size());
  for (bool progress = true; progress;) {
    progress = false;
    for (uint32_t t = 0; t < next.size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      uint32_t r = tb.rank.index();
      for (; next[t] < tb.numSteps; ++next[t]) {
        uint32_t s = tb.firstStep + next[t];
        const Step &step = plan.steps()[s];
        if (auto target = naive.waitTarget(s); target && !done[*target])
          break;
        std::vector<std::vector<std::string>> messages;
        Peers from = plan.recvPeers(tb), to = plan.sendPeers(tb);
        auto key = [&](size_t i) { return std::tuple(from[i].index(), r, tb.channel.index()); };
        bool isReady = true;
        for (size_t i = 0; NaivePlan::doesReceive(step.op) && i < from.size(); ++i)
          isReady &= taken[key(i)] < fifos[key(i)].size();
        if (!isReady)
          break;
        for (size_t i = 0; NaivePlan::doesReceive(step.op) && i < from.size(); ++i)
          messages.push_back(fifos[key(i)][taken[key(i)]++]);
        std::vector<std::string> out;
        for (uint32_t c = 0; c < step.count; ++c) {
          std::string v;
          switch (step.op) {
          case OpKind::Send:
          case OpKind::Copy:
            v = value(place(r, step.src, c));
            break;
          case OpKind::Recv:
          case OpKind::RecvCopySend:
            v = received(messages, c, std::nullopt);
            break;
          case OpKind::Reduce:
            v = sum(value(place(r, step.dst, c)), value(place(r, step.src, c)));
            break;
          default:
            v = received(messages, c, value(place(r, step.src, c)));
          }
          if (step.op != OpKind::Send && step.op != OpKind::RecvReduceSend)
            memory[place(r, step.dst, c)] = v;
          out.push_back(v);
        }
        for (size_t i = 0; NaivePlan::doesSend(step.op) && i < to.size(); ++i)
          fifos[{r, to[i].index(), tb.channel.index()}].push_back(out);
        done[s] = progress = true;
      }
    }
  }
  std::map<std::pair<uint32_t, uint32_t>, std::string> result;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks(); ++c)
      result[{r, c}] = value(place(r, Operand(Buffer::Output, 0), c));
  return result;
}
} // namespace

TEST_CASE("a correct plan") {
  Result right = verify(twoRanks("allreduce ranks 2 inplace outofplace", send0, answer1));
  CHECK(right.text == "");
  CHECK(right.report.verdict == Verdict::Ok);
  CHECK(right.report.slotsNeeded == 1u);
  CHECK(right.report.reductionHash.has_value());
  CHECK(right.report.note == "");
}

TEST_CASE("names of verdicts") {
  CHECK(verdictName(Verdict::Ok) == "ok");
  CHECK(verdictName(Verdict::WrongResult) == "wrong-result");
  CHECK(verdictName(Verdict::Race) == "race");
  CHECK(verdictName(Verdict::Deadlock) == "deadlock");
  CHECK(verdictName(Verdict::Illegal) == "illegal");
  CHECK(verdictName(Verdict::Unsupported) == "unsupported");
  CHECK(verdictName(Verdict::Malformed) == "malformed");
  CHECK((Verdict::Malformed > Verdict::Unsupported && Verdict::Unsupported > Verdict::Illegal &&
         Verdict::Illegal > Verdict::Deadlock && Verdict::Deadlock > Verdict::Race &&
         Verdict::Race > Verdict::WrongResult && Verdict::WrongResult > Verdict::Ok));
}

TEST_CASE("wrong results are reported with step, expected and actual value") {
  CHECK(verify(twoRanks("allreduce ranks 2 outofplace", send0,
                        R"(
              tb 0 send r0 recv r0 ch 0 {
                0: rcs -> o[0]
              }
          )"_lines))
            .text ==
        "t.ccl:6:7: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 2 "
        "ranks, but r1:i[0] is missing (1 more wrong cell)\n"
        "t.ccl:6:7: note: r0 tb0 step 1 (r) wrote it\n");
  // The sum was computed in another cell than the one that was written.
  Result twice = verify(twoRanks("allreduce ranks 2 outofplace",
                                 R"(
                   tb 0 send r1 recv r1 ch 0 {
                     0: s i[0]
                     1: s i[0]
                     2: r -> o[0]
                   }
               )"_lines,
                                 R"(
                   tb 0 send r0 recv r0 ch 0 {
                     0: rrc i[0] -> o[0]
                     1: rrc o[0] -> o[0]
                     2: s o[0]
                   }
               )"_lines));
  CHECK(twice.report.verdict == Verdict::WrongResult);
  CHECK(twice.text ==
        "t.ccl:7:7: error: wrong result: r0:o[0]: expected the reduction of chunk 0 over all 2 "
        "ranks, but r0:i[0] is contained more than once (1 more wrong cell)\n"
        "t.ccl:7:7: note: r0 tb0 step 2 (r) wrote it\n"
        "t.ccl:13:7: note: r1 tb0 step 1 (rrc) added r0:i[0] a second time\n"
        "t.ccl:6:7: note: r0 tb0 step 1 (s) read r0:i[0] from the input\n");
  CHECK(verify(twoRanks("broadcast ranks 2 outofplace",
                        R"(
              tb 0 ch 0 {
                0: cpy i[0] -> o[0]
              }
          )"_lines,
                        ""))
            .text == "tool: error: wrong result: r1:o[0]: expected r0:i[0], but it is undefined\n");
}

TEST_CASE("a plan that supports out of place does not modify the input") {
  const std::string writes = R"(
        tb 0 send r0 recv r0 ch 0 {
          0: rrcs i[0] -> i[0]
        }
    )"_lines;
  CHECK(verify(twoRanks("allreduce ranks 2 inplace", send0, writes)).text == "");
  CHECK(verify(twoRanks("allreduce ranks 2 inplace outofplace", send0, writes)).text ==
        "t.ccl:11:7: error: wrong result: r1 tb0 step 0 (rrcs) writes the input, which is "
        "read-only out of place\n");
}

TEST_CASE("the most severe failure is the verdict") {
  // All failures at once: the cycle is reported first, then the race, then the result.
  const std::string stuck = R"(
        tb 0 recv r1 ch 0 {
          0: r -> o[0]
        }
        tb 1 send r1 ch 0 {
          0: s i[0]
        }
        tb 2 ch 0 {
          0: cpy i[0] -> o[0]
        }
    )"_lines;
  const std::string echo = R"(
        tb 0 send r0 recv r0 ch 0 {
          0: r -> o[0]
          1: s o[0]
        }
    )"_lines;
  const std::string reversed = R"(
        tb 0 send r0 ch 0 {
          0: s i[0] dep tb1:0
        }
        tb 1 recv r0 ch 0 {
          0: r -> o[0] dep tb0:0 pub
        }
    )"_lines;
  Result race = verify(twoRanks("allreduce ranks 2 outofplace", stuck, echo));
  CHECK(race.report.verdict == Verdict::Race);
  CHECK_FALSE(race.report.reductionHash);
  CHECK(race.report.slotsNeeded == 1u);
  std::string both = reversed;
  both.replace(both.find("dep tb1:0"), 9, "dep tb1:0 pub");
  Result deadlock = verify(twoRanks("allreduce ranks 2 outofplace", stuck, both));
  CHECK(deadlock.report.verdict == Verdict::Deadlock);
  CHECK_FALSE(deadlock.report.reductionHash);
  CHECK_FALSE(deadlock.report.slotsNeeded);
}

TEST_CASE("too few slots are a deadlock, reported with the sufficient number") {
  const std::string text = twoRanks("allgather ranks 2 inplace",
                                    R"(
          tb 0 send r1 recv r1 ch 0 {
            0: s i[0]
            1: s i[0]
            2: s i[0]
            3: r -> o[1]
          }
      )"_lines,
                                    R"(
          tb 0 send r0 recv r0 ch 0 {
            0: s i[0]
            1: r -> o[0]
            2: r -> o[0]
            3: r -> o[0]
          }
      )"_lines);
  CHECK(verify(text, Slots(1)).report.verdict == Verdict::Ok);
  const std::string three = twoRanks("allgather ranks 2 inplace",
                                     R"(
          tb 0 send r1 recv r1 ch 0 {
            0: s i[0]
            1: s i[0]
            2: s i[0]
            3: r -> o[1]
          }
      )"_lines,
                                     R"(
          tb 0 send r0 ch 0 {
            0: s i[0] dep tb1:0
          }
          tb 1 recv r0 ch 0 {
            0: nop pub
            1: r -> o[0]
            2: r -> o[0]
            3: r -> o[0]
          }
      )"_lines);
  CHECK(verify(three, Slots(1)).report.slotsNeeded == 1u);
  const std::string late = twoRanks("allgather ranks 2 inplace",
                                    R"(
          tb 0 send r1 ch 0 {
            0: s i[0]
            1: s i[0]
            2: s i[0] pub
          }
          tb 1 send r1 ch 1 {
            0: s i[0] dep tb0:2
          }
          tb 2 recv r1 ch 0 {
            0: r -> o[1]
          }
      )"_lines,
                                    R"(
          tb 0 recv r0 ch 1 {
            0: r -> o[0] pub
          }
          tb 1 send r0 recv r0 ch 0 {
            0: r -> o[0] dep tb0:0
            1: r -> o[0]
            2: r -> o[0]
            3: s i[0]
          }
      )"_lines);
  Result two = verify(late, Slots(2));
  CHECK(two.report.verdict == Verdict::Deadlock);
  CHECK(two.report.slotsNeeded == 3u);
  CHECK(verify(late, Slots(3)).report.verdict == Verdict::Ok);
  CHECK(verify(late, Slots::unlimited()).report.verdict == Verdict::Ok);
}

TEST_CASE("a collective without post-condition is ok, with a note") {
  Result result = verify(R"(
    ccl.version 3
    exec.program @p coll custom ranks 1 outofplace {
      input 1
      output 1
      rank 0 {
        tb 0 ch 0 {
          0: cpy o[0] -> i[0]
        }
      }
    }
    )"_lines);
  CHECK(result.report.verdict == Verdict::Ok);
  CHECK(result.report.note == "the collective has no post-condition: the result was not checked");
  CHECK(result.report.reductionHash.has_value());
}

TEST_CASE("reduction orders match an execution on strings", "[property]") {
  uint32_t sums = 0;
  for (uint64_t seed = 0; seed < scaled(200); ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.maxOps = 12;
    options.maxRanks = 4;
    options.switches = seed % 3 == 2;
    ExecPlan plan = randomPlan(seed + 70000, Slots(2), seed % 2, options);
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    for (Placement placement : plan.info().placements.list()) {
      PlanExecution execution(plan, connections, runner, placement);
      for (auto &[cell, text] : expressions(plan, placement)) {
        // Expressions of more than 64 contributions are truncated.
        if (std::count(text.begin(), text.end(), 'r') > 64)
          continue;
        REQUIRE(execution.reductionOrder(RankId(cell.first), cell.second) == text);
        sums += text[0] == '(';
      }
    }
  }
  CHECK(sums > 100);
}

TEST_CASE("hashes are equal exactly if all reduction orders are", "[property]") {
  // Many small all-reduce programs, so that equal ones occur as well.
  std::map<std::string, uint64_t> hashOf;
  std::map<uint64_t, std::string> orderOf;
  uint32_t again = 0;
  for (uint64_t seed = 0; seed < scaled(3000); ++seed) {
    Random random(seed);
    std::string text = R"(
      ccl.version 3
      exec.program @p coll allreduce ranks 1 chunks 3 outofplace {
        rank 0 {
          tb 0 ch 0 {
      )"_lines;
    uint32_t n = random.between(1, 10);
    for (uint32_t k = 0; k < n; ++k) {
      bool reduce = random.chance(60);
      text += "      " + std::to_string(k) + (reduce ? ": re " : ": cpy ") +
              (random.chance(70) ? "i[" : "o[") + std::to_string(random.below(3)) + "] -> o[" +
              std::to_string(random.below(3)) + "]\n";
    }
    auto plan = parsed<ExecPlan>(text + R"(
          }
        }
      }
      )"_lines);
    DiagnosticEngine diags;
    uint64_t hash = *verifyPlan(plan, Slots(1), diags).reductionHash;
    CHECK_FALSE(verifyPlan(plan, Slots(1), diags, ReductionHash::Omit).reductionHash);
    std::string orders;
    for (auto &[cell, order] : expressions(plan, Placement::OutOfPlace))
      orders += order + "\n";
    auto [it, isNew] = hashOf.try_emplace(orders, hash);
    again += !isNew;
    REQUIRE(it->second == hash);
    REQUIRE(orderOf.try_emplace(hash, orders).first->second == orders);
  }
  CHECK(again > 100);
  CHECK(hashOf.size() > 500);
}

TEST_CASE("a switch adds in no order, and multicasts the sum") {
  // Three ranks; rank \p common lets the switch add, and sends the sum to the others.
  auto reduced = [](uint32_t common, StringRef op) {
    std::string text = R"(
      ccl.version 6
      exec.program @p coll allreduce ranks 3 inplace {
      )"_lines;
    for (uint32_t r = 0; r < 3; ++r) {
      std::string rank = "  rank " + std::to_string(r) + " {\n";
      std::string others, root = " r" + std::to_string(common);
      for (uint32_t other = 0; other < 3; ++other)
        others += other == r ? "" : " r" + std::to_string(other);
      if (r == common)
        rank += "    tb 0 send" + others + " recv" + others + " ch 0 {\n      0: " + op.str() +
                "\n    }\n";
      else
        rank += "    tb 0 send" + root + " recv" + root +
                " ch 0 {\n      0: s i[0]\n      1: r -> i[0]\n    }\n";
      text += rank + "  }\n";
    }
    return text + "}\n";
  };
  std::set<uint64_t> hashes;
  for (uint32_t common = 0; common < 3; ++common) {
    std::string text = reduced(common, "rrcs i[0] -> i[0]");
    INFO(text);
    Result result = verify(text);
    CHECK(result.text == "");
    REQUIRE(result.report.verdict == Verdict::Ok);
    hashes.insert(*result.report.reductionHash);
    ExecPlan plan = parsed<ExecPlan>(text);
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    PlanExecution execution(plan, connections, runner, Placement::InPlace);
    std::string order = execution.reductionOrder(RankId(1), 0);
    CHECK(order.front() == '{');
    CHECK(order.back() == '}');
    CHECK(std::count(order.begin(), order.end(), '+') == 2);
  }
  CHECK(hashes.size() == 1);
  // Without the value of the common rank, the result is wrong.
  CHECK(verify(reduced(0, "rcs -> i[0]")).report.verdict == Verdict::WrongResult);
}

TEST_CASE("the order of operands changes the hash, the route of the data does not") {
  auto hash = [](const std::string &r0, const std::string &r1) {
    Result result = verify(twoRanks("allreduce ranks 2 outofplace", r0, r1));
    CHECK(result.text == "");
    return *result.report.reductionHash;
  };
  uint64_t base = hash(send0, answer1);
  // With two steps instead of a fused one.
  CHECK(hash(send0, R"(
        tb 0 send r0 recv r0 ch 0 {
          0: rrc i[0] -> o[0]
          1: s o[0]
        }
    )"_lines) == base);
  // r0 + r1 instead of r1 + r0.
  CHECK(hash(send0, R"(
        tb 0 send r0 recv r0 ch 0 {
          0: r -> o[0]
          1: re i[0] -> o[0]
          2: s o[0]
        }
    )"_lines) != base);
}

TEST_CASE("a wrong result names the step that contributed the wrong chunk") {
  auto chain = [](const std::string &header, const std::string &first, const std::string &second,
                  const std::string &third) {
    return "ccl.version 3\nexec.program @p coll " + header +
           " {\n  rank 0 {\n    tb 0 send r1 ch 0 {\n" + first +
           "    }\n  }\n  rank 1 {\n    tb 0 send r2 recv r0 ch 0 {\n" + second +
           "    }\n  }\n  rank 2 {\n    tb 0 recv r1 ch 0 {\n" + third + "    }\n  }\n}\n";
  };
  // The wrong chunk is read two messages before the cell, and was added on the way.
  const std::string reduce = "reduce ranks 3 chunks 2 root r2 outofplace";
  CHECK(verify(chain(reduce, "      0: s i[1]\n      1: s i[1]\n",
                     "      0: rrs i[0]\n      1: rrs i[1]\n",
                     "      0: rrc i[0] -> o[0]\n      1: rrc i[1] -> o[1]\n"))
            .text ==
        "t.ccl:17:7: error: wrong result: r2:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r0:i[0] is missing, and r0:i[1] is contained but must not be\n"
        "t.ccl:17:7: note: r2 tb0 step 0 (rrc) wrote it\n"
        "t.ccl:11:7: note: r1 tb0 step 0 (rrs) added r0:i[1]\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (s) read r0:i[1] from the input\n");
  // The sums are those of another chunk: both were added in the same wrong step.
  CHECK(verify(chain(reduce, "      0: s i[0]\n      1: s i[1]\n",
                     "      0: rrs i[0]\n      1: rrs i[1]\n",
                     "      0: rrc i[1] -> o[0]\n      1: rrc i[0] -> o[1]\n"))
            .text ==
        "t.ccl:17:7: error: wrong result: r2:o[0]: expected the reduction of chunk 0 over all 3 "
        "ranks, but r2:i[0] is missing, and r2:i[1] is contained but must not be (1 more wrong "
        "cell)\n"
        "t.ccl:17:7: note: r2 tb0 step 0 (rrc) wrote it\n"
        "t.ccl:17:7: note: r2 tb0 step 0 (rrc) added r2:i[1]\n");
  // A chunk that is only moved.
  CHECK(verify(chain("broadcast ranks 3 chunks 2 root r0 inplace",
                     "      0: s i[1]\n      1: s i[1]\n",
                     "      0: rcs -> o[0]\n      1: rcs -> o[1]\n",
                     "      0: r -> o[0]\n      1: r -> o[1]\n"))
            .text ==
        "t.ccl:11:7: error: wrong result: r1:o[0]: expected r0:i[0], but it holds r0:i[1] (1 more "
        "wrong cell)\n"
        "t.ccl:11:7: note: r1 tb0 step 0 (rcs) wrote it\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (s) read r0:i[1] from the input\n");
  // Nothing that is missing has been contributed.
  CHECK(!StringRef(verify(twoRanks("allreduce ranks 2 outofplace", send0,
                                   R"(
                   tb 0 send r0 recv r0 ch 0 {
                     0: rcs -> o[0]
                   }
               )"_lines))
                       .text)
             .contains("input"));
}
