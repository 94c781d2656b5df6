//===- Results.cpp - Simulations, bounds and comparisons ------------------===//
//
// Times are whole picoseconds as in the interface, and nanoseconds beside them as in the outputs of
// the tools.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Rows.h"

#include "cclc/Support/Text.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;
using api::Plan;

/// Times are whole picoseconds; notebooks show nanoseconds.
static double nanoseconds(int64_t picoseconds) { return double(picoseconds) / 1000; }

// --- Simulations --------------------------------------------------------------------

static api::Simulation simulate(const Plan &plan, py::object target, py::object settings,
                                py::object bytes, const std::string &type, const std::string &op,
                                std::optional<std::string> network, py::object slots,
                                uint32_t repeat, bool checkData, std::optional<uint64_t> seed,
                                bool trace, bool report, py::object baseline, bool advise,
                                py::object progress) {
  const api::Target machine = targetOf(plan, target, settings);
  api::SimulateOptions options;
  options.bytes = sizesOf(bytes);
  options.type = type;
  options.op = op;
  options.network = std::move(network);
  options.slots = slotsOf(slots);
  options.repeat = repeat;
  options.checkData = checkData || seed;
  options.seed = seed;
  options.trace = trace;
  options.page = report;
  if (!baseline.is_none())
    options.baseline = pathOf(baseline);
  options.advise = advise;
  PythonCall call(std::move(progress));
  call.follow(options);
  return take(plan, call.run([&] { return toolchain().simulate(plan, machine, options); }));
}

static void addSimulation(py::module_ &module) {
  using api::Timing;
  RowType<Timing>(module, "Timing")
      .field("bytes", &Timing::bytes)
      .field("picoseconds", &Timing::picoseconds)
      .field("ns", [](const Timing &self) { return nanoseconds(self.picoseconds); })
      .field("messages", &Timing::messages)
      .field("bound_share", &Timing::boundShare)
      .field("binds", &Timing::binds);
  py::class_<api::Simulation> simulation(module, "Simulation");
  simulation.def_readonly("trace", &api::Simulation::trace)
      .def_readonly("page", &api::Simulation::page)
      .def_readonly("advice", &api::Simulation::advice)
      .def("__repr__", [](const api::Simulation &self) {
        return "<simulation: " + counted(self.sizes.size(), "size") + ">";
      });
  addRows(simulation, &api::Simulation::sizes);
  addReport(simulation);
}

static void addAdvice(py::module_ &module) {
  using api::AdvisedChange;
  RowType<AdvisedChange>(module, "AdvisedChange")
      .field("action", &AdvisedChange::action)
      .field("cause", &AdvisedChange::cause)
      .field("tool", &AdvisedChange::tool)
      .field("change", &AdvisedChange::change)
      .field("before", &AdvisedChange::before)
      .field("after", &AdvisedChange::after)
      .field("gain", &AdvisedChange::gain);
  py::class_<api::Advice> advice(module, "Advice");
  advice.def_readonly("notes", &api::Advice::notes).def("__repr__", [](const api::Advice &self) {
    return "<advice: " + counted(self.changes.size(), "change") + ">";
  });
  addRows(advice, &api::Advice::changes);
}

// --- Bounds -------------------------------------------------------------------------

static api::Bounds bound(py::object target, py::object settings, api::BoundOptions options,
                         const Plan *plan, py::object progress) {
  const api::Target machine = plan ? targetOf(*plan, target, settings) : targetOf(target, settings);
  PythonCall call(std::move(progress));
  call.follow(options);
  if (plan)
    return take(*plan, call.run([&] { return toolchain().bound(*plan, machine, options); }));
  return take(call.run([&] { return toolchain().bound(machine, options); }), "Refused");
}

static api::Bounds boundCollective(py::object target, const std::string &collective,
                                   py::object settings, std::optional<uint32_t> ranks,
                                   std::optional<std::vector<uint32_t>> endpoints, uint32_t root,
                                   std::optional<std::string> network, py::object bytes,
                                   py::object progress) {
  api::BoundOptions options;
  options.collective = collective;
  options.ranks = ranks;
  options.endpoints = endpoints.value_or(std::vector<uint32_t>());
  options.root = root;
  options.network = std::move(network);
  options.bytes = sizesOf(bytes);
  return bound(std::move(target), std::move(settings), std::move(options), nullptr,
               std::move(progress));
}

static api::Bounds boundPlan(const Plan &plan, py::object target, py::object settings,
                             std::optional<std::string> network, py::object bytes,
                             py::object progress) {
  api::BoundOptions options;
  options.network = std::move(network);
  options.bytes = sizesOf(bytes);
  return bound(std::move(target), std::move(settings), std::move(options), &plan,
               std::move(progress));
}

static void addBounds(py::module_ &module) {
  using api::LowerBound;
  RowType<LowerBound>(module, "LowerBound")
      .field("bytes", &LowerBound::bytes)
      .field("picoseconds", &LowerBound::picoseconds)
      .field("ns", [](const LowerBound &self) { return nanoseconds(self.picoseconds); })
      .field("binds", &LowerBound::binds)
      .field("witness", &LowerBound::witness)
      .field("throughput", &LowerBound::throughput)
      .field("volume", &LowerBound::volume)
      .field("latency", &LowerBound::latency)
      .field("engine", &LowerBound::engine)
      .field("memory", &LowerBound::memory)
      .field("protocol", &LowerBound::protocol)
      .field("plan_time", &LowerBound::planTime);
  py::class_<api::Bounds> bounds(module, "Bounds");
  bounds.def("__repr__", [](const api::Bounds &self) {
    return "<bounds: " + counted(self.sizes.size(), "size") + ">";
  });
  addRows(bounds, &api::Bounds::sizes);
  addReport(bounds);
  module.def("bound", boundCollective, "target"_a, "collective"_a, py::kw_only(),
             "set"_a = py::none(), "ranks"_a = py::none(), "endpoints"_a = py::none(), "root"_a = 0,
             "network"_a = py::none(), "bytes"_a = "1M", "progress"_a = py::none(),
             "Lower bounds on the time of a collective on a machine, which no plan can beat, as "
             "`ccl-bound`: a row for each size.");
}

// --- Comparisons --------------------------------------------------------------------

static api::Comparison diff(const Plan &before, const Plan &after, bool strict, py::object slots,
                            py::object targets, py::object settings, py::object bytes,
                            py::object types, std::optional<std::string> network, py::object gates,
                            bool gatesOnly, py::object progress) {
  api::DiffOptions options;
  options.strict = strict;
  options.slots = slotsOf(slots);
  for (const std::string &name : textsOf("target", targets))
    options.targets.push_back(targetOf(py::str(name), settings));
  options.bytes = sizesOf(bytes);
  options.types = textsOf("dtype", types);
  options.network = std::move(network);
  options.gates = textsOf("gate", gates);
  options.gatesOnly = gatesOnly;
  PythonCall call(std::move(progress));
  call.follow(options);
  return take(after, call.run([&] { return toolchain().diff(before, after, options); }));
}

static void addComparison(py::module_ &module) {
  using api::Comparison;
  using api::Difference;
  RowType<Difference>(module, "Difference")
      .field("aspect", &Difference::aspect)
      .field("rank", &Difference::rank)
      .field("subject", &Difference::subject)
      .field("before", &Difference::before)
      .field("after", &Difference::after);
  RowType<api::TimeChange>(module, "TimeChange")
      .field("target", &api::TimeChange::target)
      .field("type", &api::TimeChange::type)
      .field("bytes", &api::TimeChange::bytes)
      .field("before", &api::TimeChange::before)
      .field("after", &api::TimeChange::after);
  RowType<api::GateResult>(module, "GateResult")
      .field("gate", &api::GateResult::gate)
      .field("tripped", &api::GateResult::tripped)
      .field("text", &api::GateResult::text);
  py::class_<Comparison> comparison(module, "Comparison");
  comparison.def_readonly("comparable", &Comparison::comparable)
      .def_readonly("equivalent", &Comparison::equivalent)
      .def_readonly("verdict", &Comparison::verdict)
      .def_readonly("passes", &Comparison::passes)
      .def_readonly("times", &Comparison::times)
      .def_readonly("gates", &Comparison::gates)
      .def_readonly("summary", &Comparison::summary)
      .def("__repr__", [](const Comparison &self) {
        return "<comparison: " + self.verdict + ", " +
               counted(self.differences.size(), "difference") + ">";
      });
  addRows(comparison, &Comparison::differences);
  addReport(comparison);
  module.def(
      "diff", diff, "before"_a, "after"_a, py::kw_only(), "strict"_a = false,
      "slots"_a = py::none(), "target"_a = py::none(), "set"_a = py::none(), "bytes"_a = "1M",
      "dtype"_a = "f32", "network"_a = py::none(), "gate"_a = py::none(), "gates_only"_a = false,
      "progress"_a = py::none(),
      "Compares plans in terms of the algorithm, and their times on machines, as `ccl-diff`.");
}

// --- Lints --------------------------------------------------------------------------

static void addLint(py::module_ &module) {
  using api::LintFinding;
  RowType<LintFinding>(module, "LintFinding")
      .field("rule", &LintFinding::rule)
      .field("severity", [](const LintFinding &self) { return severityName(self.severity); })
      .field("file", [](const LintFinding &self) { return self.place.file; })
      .field("line", [](const LintFinding &self) { return self.place.line; })
      .field("column", [](const LintFinding &self) { return self.place.column; })
      .field("text", &LintFinding::text);
  py::class_<api::Lint> lint(module, "Lint");
  lint.def_readonly("right", &api::Lint::right).def("__repr__", [](const api::Lint &self) {
    return std::string("<lint: ") + (self.right ? "right" : "wrong") + ", " +
           counted(self.findings.size(), "finding") + ">";
  });
  addRows(lint, &api::Lint::findings);
  addReport(lint);
  module.def(
      "lint",
      [](py::object paths, std::optional<std::string> dialect) {
        std::vector<std::string> files;
        if (py::isinstance<py::list>(paths) || py::isinstance<py::tuple>(paths))
          for (py::handle each : paths)
            files.push_back(pathOf(each));
        else
          files.push_back(pathOf(paths));
        return take(released([&] { return api::lint(files, dialect); }), "Refused");
      },
      "paths"_a, py::kw_only(), "xml_dialect"_a = py::none(),
      "Checks files and folders as the runtimes do that load them, as `ccl-sim lint`.");
}

// --- Files for other simulators -----------------------------------------------------

static py::dict exportFiles(const Plan &plan, const std::string &format, py::object target,
                            py::object settings, py::object bytes, const std::string &type,
                            py::object slots, py::object progress) {
  const api::Target machine = targetOf(plan, target, settings);
  api::ExportOptions options;
  options.format = format;
  options.bytes = sizeOf(bytes);
  options.type = type;
  options.slots = slotsOf(slots);
  PythonCall call(std::move(progress));
  call.follow(options);
  auto files =
      take(plan, call.run([&] { return toolchain().exportFiles(plan, machine, options); }));
  py::dict contents;
  for (const api::ExportedFile &file : files)
    contents[py::str(file.name)] = py::bytes(file.bytes);
  return contents;
}

void python::addResults(py::module_ &module) {
  addAdvice(module);
  addSimulation(module);
  addBounds(module);
  addComparison(module);
  addLint(module);
  py::object plan = module.attr("Plan");
  py::class_<Plan> type = py::reinterpret_borrow<py::class_<Plan>>(plan);
  type.def(
      "simulate", simulate, "target"_a = py::none(), py::kw_only(), "set"_a = py::none(),
      "bytes"_a = "1M", "dtype"_a = "f32", "op"_a = "sum", "network"_a = py::none(),
      "slots"_a = py::none(), "repeat"_a = 1, "check_data"_a = false, "seed"_a = py::none(),
      "trace"_a = false, "report"_a = false, "baseline"_a = py::none(), "advise"_a = false,
      "progress"_a = py::none(),
      "Simulates the plan on a machine, by default its own, as `ccl-sim`: a row for each size.");
  type.def("bound", boundPlan, "target"_a = py::none(), py::kw_only(), "set"_a = py::none(),
           "network"_a = py::none(), "bytes"_a = "1M", "progress"_a = py::none(),
           "Lower bounds on the time of the plan's collective, and the plan's times.");
  type.def("export", exportFiles, "format"_a, "target"_a = py::none(), py::kw_only(),
           "set"_a = py::none(), "bytes"_a = "1M", "dtype"_a = "f32", "slots"_a = py::none(),
           "progress"_a = py::none(),
           "Files for other simulators by name: goal for LogGOPSim and ATLAHS, chakra for "
           "ASTRA-sim.");
}
