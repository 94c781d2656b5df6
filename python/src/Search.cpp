//===- Search.cpp - Portfolios --------------------------------------------===//
//
// The rows of a portfolio are its plans, and its columns are those of all tuned sizes.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Options.h"
#include "Rows.h"

#include "cclc/Support/Text.h"

#include <deque>

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;
using api::Choice;
using api::Portfolio;

namespace {
/// A program in Python that a search tries.
struct Contestant {
  Trace trace;
  dsl::Declaration declaration;

  Contestant(py::handle algorithm, const PythonCall &call)
      : trace(py::reinterpret_borrow<py::object>(algorithm), py::none()),
        declaration(trace.declare()) {
    trace.endWith(call);
  }

  /// Compiles the program with its default parameters: an error with these is raised, but not that
  /// it refuses them.
  void prove(const api::Target &machine, const api::TuneOptions &search) {
    api::CompileOptions options;
    options.ranks = search.ranks;
    options.target = machine;
    options.endpoints = search.endpoints;
    options.guard = false;
    trace.follow(options);
    auto plan = trace.released([&] { return toolchain().compile(declaration, options); });
    trace.raiseForeign();
    if (!plan && plan.failure() != api::Failure::Unusable)
      trace.raiseError(plan.failure(), plan.messages());
  }
};

/// A list, or the only element of one; nothing of None.
py::list listOf(py::handle value) {
  py::list list;
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return py::list(py::reinterpret_borrow<py::object>(value));
  if (!value.is_none())
    list.append(value);
  return list;
}
} // namespace

static Portfolio tune(py::object target, const std::string &collective, py::object settings,
                      std::optional<uint32_t> ranks, std::optional<std::vector<uint32_t>> endpoints,
                      py::object sizes, const std::string &type, std::optional<std::string> network,
                      std::optional<std::string> runtime, py::object programs,
                      std::optional<uint32_t> maxPlans, std::optional<uint64_t> budget,
                      bool invariant, unsigned jobs, py::object progress) {
  const api::Target machine = targetOf(target, settings);
  api::TuneOptions options;
  options.collective = collective;
  options.ranks = ranks;
  options.endpoints = endpoints.value_or(std::vector<uint32_t>());
  options.bytes = sizesOf(sizes);
  options.type = type;
  options.network = std::move(network);
  options.runtime = std::move(runtime);
  options.maxPlans = maxPlans;
  options.budget = budget;
  options.invariant = invariant;
  options.jobs = jobs;
  options.guard = false;
  PythonCall call(std::move(progress));
  call.follow(options);
  std::deque<Contestant> contestants;
  for (py::handle program : listOf(programs)) {
    if (!py::isinstance<py::str>(program)) {
      checkAlgorithm(program);
      contestants.emplace_back(program, call).prove(machine, options);
      options.declarations.push_back(&contestants.back().declaration);
    }
    options.programs.push_back(py::cast<std::string>(
        py::isinstance<py::str>(program) ? py::object(py::str(program)) : program.attr("name")));
  }
  auto result = call.released([&] { return toolchain().tune(machine, options); });
  for (Contestant &each : contestants)
    each.trace.raiseForeign();
  call.raiseKept();
  return take(std::move(result), "Refused");
}

namespace {
/// A simulated size of a choice.
struct TunedSize {
  std::string collective;
  uint32_t ranks;
  Choice::Point point;
  std::string command, file;
};

std::vector<TunedSize> sizesOfAll(const Portfolio &portfolio) {
  std::vector<TunedSize> sizes;
  for (const Choice &choice : portfolio.choices)
    for (const Choice::Point &point : choice.points)
      sizes.push_back({choice.collective, choice.ranks, point, choice.command, choice.file});
  return sizes;
}

template <auto member> auto ofPoint(const TunedSize &row) { return row.point.*member; }
} // namespace

static void addRowsOfPortfolios(py::module_ &module) {
  using Point = Choice::Point;
  RowType<Point>(module, "Point")
      .field("bytes", &Point::bytes)
      .field("picoseconds", &Point::picoseconds)
      .field("bound_share", &Point::boundShare)
      .field("binds", &Point::binds)
      .field("measured_picoseconds", &Point::measuredPicoseconds)
      .field("library_picoseconds", &Point::libraryPicoseconds);
  RowType<TunedSize>(module, "TunedSize")
      .field("collective", &TunedSize::collective)
      .field("ranks", &TunedSize::ranks)
      .field("bytes", ofPoint<&Point::bytes>)
      .field("picoseconds", ofPoint<&Point::picoseconds>)
      .field("bound_share", ofPoint<&Point::boundShare>)
      .field("binds", ofPoint<&Point::binds>)
      .field("command", &TunedSize::command)
      .field("file", &TunedSize::file);
  RowType<api::Gap>(module, "Gap")
      .field("collective", &api::Gap::collective)
      .field("runtime", &api::Gap::runtime)
      .field("ranks", &api::Gap::ranks)
      .field("min_bytes", &api::Gap::minBytes)
      .field("max_bytes", &api::Gap::maxBytes)
      .field("reason", &api::Gap::reason)
      .field("is_of_library", &api::Gap::isOfLibrary);
  RowType<Choice> choices(module, "ChosenPlan");
  choices.field("collective", &Choice::collective)
      .field("ranks", &Choice::ranks)
      .field("min_bytes", &Choice::minBytes)
      .field("max_bytes", &Choice::maxBytes)
      .field("multiple", &Choice::multiple)
      .field("runtime", &Choice::runtime)
      .field("protocol", &Choice::protocol)
      .field("command", &Choice::command)
      .field("file", &Choice::file);
  choices.type.def_readonly("points", &Choice::points)
      .def_readonly("reduction_hash", &Choice::reductionHash)
      .def_property_readonly("plan", [](const Choice &self) {
        return take(released([&] { return self.plan(); }), "Refused");
      });
}

void python::addSearch(py::module_ &module) {
  addRowsOfPortfolios(module);
  py::class_<Portfolio> portfolio(module, "Portfolio");
  portfolio.def_readonly("target", &Portfolio::target)
      .def_readonly("network", &Portfolio::network)
      .def_readonly("type", &Portfolio::type)
      .def_readonly("gaps", &Portfolio::gaps)
      .def_readonly("is_partial", &Portfolio::isPartial)
      .def(
          "save",
          [](const Portfolio &self, py::object folder) {
            const std::string path = pathOf(folder);
            return take(released([&] { return self.save(path); }), "Refused");
          },
          "folder"_a, "Writes what the runtimes load, as `ccl-tune -o`.")
      .def(
          "best",
          [](const Portfolio &self, const std::string &collective, uint32_t ranks,
             py::object bytes) {
            const Choice *best = self.best(collective, ranks, sizeOf(bytes));
            return best ? std::optional(*best) : std::nullopt;
          },
          "collective"_a, "ranks"_a, "bytes"_a, "The plan for a size, or None.")
      .def("__repr__", [](const Portfolio &self) {
        return "<portfolio for " + self.target + ": " + counted(self.choices.size(), "plan") + ">";
      });
  addSequence(portfolio, &Portfolio::choices);
  // A row for each size says more than one for each plan.
  portfolio.def(
      "columns", [](const Portfolio &self) { return columnsOf(sizesOfAll(self)); },
      "The fields of all tuned sizes: a dict of lists, such as pandas.DataFrame takes.");
  module.def(
      "load_portfolio",
      [](py::object path) {
        const std::string file = pathOf(path);
        return take(released([&] { return Portfolio::load(file); }), "Refused");
      },
      "path"_a, "Reads a portfolio from its folder or its file portfolio.json.");
  module.def(
      "tune", tune, "target"_a, "collective"_a, py::kw_only(), "set"_a = py::none(),
      "ranks"_a = py::none(), "endpoints"_a = py::none(), "sizes"_a = "1K:1G", "dtype"_a = "f32",
      "network"_a = py::none(), "runtime"_a = py::none(), "programs"_a = py::none(),
      "max_plans"_a = py::none(), "budget"_a = py::none(), "invariant"_a = false, "jobs"_a = 1,
      "progress"_a = py::none(),
      "Finds the fastest plan of every size on a machine, as `ccl-tune`. Programs are names, "
      "or functions with @cclc.program.");
}
