//===- BestPlan.cpp - A service that knows the best plan of every size ----===//
//
// usage: best-plan PORTFOLIO
//
// Reads queries from standard input, one per line: collective, number of ranks, bytes. Answers each
// with a line: the file of the plan, its time in microseconds on the machine of the portfolio, and
// the largest lower bound as a share of it. PORTFOLIO is the file portfolio.json of `ccl-tune -o`.
// The times of sizes that the tuner has not simulated are simulated here, once.
//
//===----------------------------------------------------------------------===//

#include "cclc/cclc.h"

#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <tuple>

using namespace cclc::api;

namespace {
struct Query {
  std::string collective;
  uint32_t ranks = 0;
  uint64_t bytes = 0;
  friend auto operator<=>(const Query &, const Query &) = default;
};

class Service {
public:
  explicit Service(Portfolio plans) : portfolio(std::move(plans)), toolchain(TARGETS) {}

  std::string answer(const Query &query) {
    const Choice *best = portfolio.best(query.collective, query.ranks, query.bytes);
    if (!best)
      return "error: no plan for this collective, number of ranks and size\n";
    auto [known, isNew] = answers.try_emplace(query);
    if (isNew)
      known->second = timed(*best, query.bytes);
    return known->second;
  }

private:
  std::string timed(const Choice &best, uint64_t bytes) const {
    if (const Choice::Point *point = best.at(bytes))
      return line(best, point->picoseconds, point->boundShare);
    Result<Plan> plan = best.plan();
    if (!plan)
      return plan.text();
    Result<Simulation> simulation = toolchain.simulate(
        *plan, {portfolio.target, portfolio.settings},
        {.bytes = {bytes}, .type = portfolio.type, .network = portfolio.network});
    if (!simulation)
      return simulation.text();
    const Timing &timing = simulation->sizes.front();
    return line(best, timing.picoseconds, timing.boundShare);
  }

  static std::string line(const Choice &best, int64_t picoseconds, std::optional<double> share) {
    std::ostringstream os;
    os << std::fixed << best.file << ' ' << std::setprecision(3) << double(picoseconds) / 1e6
       << " us";
    if (share)
      os << ' ' << std::setprecision(1) << *share * 100 << " %";
    os << '\n';
    return os.str();
  }

  Portfolio portfolio;
  Toolchain toolchain;
  std::map<Query, std::string> answers;
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: best-plan PORTFOLIO\n";
    return 2;
  }
  Result<Portfolio> portfolio = Portfolio::load(argv[1]);
  if (!portfolio) {
    std::cerr << portfolio.text();
    return static_cast<int>(portfolio.failure());
  }
  Service service(std::move(*portfolio));
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream words(text);
    Query query;
    if (words >> query.collective >> query.ranks >> query.bytes)
      std::cout << service.answer(query) << std::flush;
    else
      std::cout << "error: a query is COLLECTIVE RANKS BYTES\n" << std::flush;
  }
}
