//===- Compile.cpp - Compile programs -------------------------------------===//
//
// A program of Python is compiled without the guard of the process: its body takes the GIL, which
// the thread that waits for the guard may have.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Options.h"
#include "Rows.h"

#include "cclc/UserPrograms/UserProgram.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;
using api::CompileOptions;
using api::Plan;

/// The kinds of fused instructions: all or none, a text such as "rcs,rrs", or a list.
static std::optional<std::vector<std::string>> fusionOf(const py::object &value) {
  if (py::isinstance<py::bool_>(value))
    return py::cast<bool>(value) ? std::nullopt : std::optional(std::vector<std::string>());
  return textsOf(py::isinstance<py::str>(value) ? value.attr("split")(",") : value);
}

/// Takes the options of a compilation. The rest are parameters of the program.
static void takeOptions(Keywords &given, CompileOptions &options) {
  given.take("ranks", options.ranks);
  const py::object target = given.take("target"), settings = given.take("set");
  if (!target.is_none())
    options.target = targetOf(target, settings);
  else if (!settings.is_none())
    raiseUsage("set changes values of a target: name one");
  given.take("endpoints", options.endpoints);
  given.take("protocol", options.protocol);
  given.take("instances", options.instances);
  given.take("instance_layout", options.instanceLayout);
  given.take("placement", options.placement);
  given.take("slots", options.slots, slotsOf);
  given.take("slot_size", options.slotSize, sizeOf);
  given.take("O", options.optimisation);
  given.take("optimize_for", options.optimizeFor);
  given.take("max_channels", options.maxChannels);
  given.take("max_threadblocks", options.maxThreadblocks);
  given.take("aggregate", options.aggregate);
  given.take("fuse", options.fuse, fusionOf);
  given.take("fused_ops", options.fusedOps);
  given.take("emit", options.form);
  given.take("xml_dialect", options.dialect);
  given.take("threadblock_group", options.threadblockGroup);
  given.take("trace_limit", options.traceLimit);
  given.take("min_bytes", options.minBytes, sizeOf);
  given.take("max_bytes", options.maxBytes, sizeOf);
  given.take("verify", options.verify);
  given.take("jobs", options.jobs);
}

/// Parameters by name, of the argument `param` and of the rest.
static void takeParameters(Keywords &given, CompileOptions &options) {
  auto add = [&](const py::dict &parameters) {
    for (auto [name, value] : parameters)
      options.parameters[py::cast<std::string>(name)] = valueText(value);
  };
  if (const py::object param = given.take("param"); !param.is_none())
    add(param);
  add(given.rest());
}

/// Takes all keywords of a compilation. Returns who follows its progress.
static py::object takeCompilation(Keywords &given, CompileOptions &options) {
  takeOptions(given, options);
  py::object progress = given.take("progress");
  takeParameters(given, options);
  // The body takes the GIL, and Python has handlers of its own.
  options.guard = false;
  return progress;
}

/// Compiles a file as the tool does: users' objects need the language in the process, whose symbols
/// this module hides.
static Plan compileFile(const std::string &file, const py::kwargs &keywords,
                        const CompileOptions &options, const py::dict &rest,
                        const py::object &progress) {
  if (!progress.is_none())
    progress("cclc " + file);
  py::dict its = keywords.attr("copy")(), parameters;
  for (auto [name, value] : rest)
    its.attr("pop")(name);
  for (const char *name : {"param", "progress"})
    its.attr("pop")(name, py::none());
  for (const auto &[name, value] : options.parameters)
    parameters[name.c_str()] = value;
  const auto [code, bytes, found] = py::cast<std::tuple<int, std::string, std::vector<py::tuple>>>(
      py::module_::import("cclc._files").attr("compiled")(file, its, parameters));
  std::vector<api::Message> messages;
  for (const py::tuple &each : found)
    messages.push_back(
        {static_cast<api::Severity>(py::cast<int>(each[0])),
         {py::cast<std::string>(each[1]), py::cast<unsigned>(each[2]), py::cast<unsigned>(each[3])},
         py::cast<std::string>(each[4]),
         {}});
  if (code != 0)
    raise(code == 1 || code == 2 ? static_cast<api::Failure>(code) : api::Failure::Internal,
          messages, "ProgramError");
  warn(messages);
  return take(released([&, &bytes = bytes] { return Plan::read(bytes, ""); }), "Refused");
}

/// The program of a file in Python, which is executed.
static py::object programOf(const std::string &file) {
  return py::module_::import("cclc._tool").attr("load")(file).attr("algorithm");
}

/// The path, if a program is given by its file.
static std::optional<std::string> fileOf(const py::object &program) {
  if (!py::isinstance<py::str>(program) && !py::hasattr(program, "__fspath__"))
    return std::nullopt;
  std::string path = pathOf(program);
  return isUserProgram(path) ? std::optional(std::move(path)) : std::nullopt;
}

/// The value that \p call makes of the name of a bundled program, or of the declaration of one in
/// Python.
template <class Call>
static auto withProgram(py::object program, py::object progress, CompileOptions &options,
                        Call call) {
  if (py::isinstance<py::str>(program)) {
    PythonCall ofName(std::move(progress));
    ofName.follow(options);
    const auto name = py::cast<std::string>(program);
    return take(ofName.run([&] { return call(name); }), "Refused");
  }
  if (!py::hasattr(program, "parameters"))
    throw py::type_error(
        "a program is the name of a bundled one, a file, or a function with @cclc.program");
  Trace trace(std::move(program), std::move(progress));
  const dsl::Declaration declaration = trace.declare();
  trace.follow(options);
  auto result = trace.released([&] { return call(declaration); });
  if (!result)
    trace.raiseError(result.failure(), result.messages());
  warn(result.messages());
  return *std::move(result);
}

static Plan compile(py::object program, const py::kwargs &keywords) {
  Keywords given(keywords);
  CompileOptions options;
  py::object progress = takeCompilation(given, options);
  if (const std::optional<std::string> file = fileOf(program)) {
    if (!StringRef(*file).ends_with(".py"))
      return compileFile(*file, keywords, options, given.rest(), progress);
    program = programOf(*file);
  }
  return withProgram(std::move(program), std::move(progress), options,
                     [&](const auto &its) { return toolchain().compile(its, options); });
}

static py::object graph(py::object program, const std::string &stage, const py::kwargs &keywords) {
  Keywords given(keywords);
  api::GraphOptions how;
  how.stage = stage;
  given.take("rank", how.rank);
  given.take("chunk", how.chunk);
  given.take("phase", how.phase, valueText);
  given.take("fold", how.fold);
  CompileOptions options;
  py::object progress = takeCompilation(given, options);
  if (const std::optional<std::string> file = fileOf(program)) {
    if (!StringRef(*file).ends_with(".py"))
      raiseUsage("the tool draws programs in C++: cclc " + *file + " --dump-" + stage + " FILE");
    program = programOf(*file);
  }
  const std::string dot =
      withProgram(std::move(program), std::move(progress), options,
                  [&](const auto &its) { return toolchain().graph(its, options, how); });
  return py::module_::import("cclc._pictures").attr("Graph")(dot);
}

static api::Synthesis synth(const std::string &collective, const py::kwargs &keywords) {
  Keywords given(keywords);
  api::SynthOptions how;
  given.take("trees", how.trees);
  given.take("chunks", how.chunks);
  given.take("root", how.root);
  given.take("neighbours", how.neighbours);
  given.take("latency", how.latency);
  CompileOptions options;
  PythonCall call(takeCompilation(given, options));
  call.follow(options);
  return take(call.run([&] { return toolchain().synthesise(collective, options, how); }),
              "Refused");
}

void python::addCompile(py::module_ &module) {
  module.def("programs", [] { return toolchain().programs(); });
  module.def(
      "compile", compile, "program"_a,
      "Compiles and proves a program: the name of a bundled one, a file in C++ or Python, or a "
      "function with @cclc.program.\n\nKeywords are options of cclc, such as ranks=8, "
      "target=\"ring\" or "
      "O=3, and parameters of the program.");
  module.def("graph", graph, "program"_a, "stage"_a = "chunk-dag",
             "The graph of a program at a stage of its compilation: chunk-dag, inst-dag or "
             "schedule, as cclc --dump-chunk-dag.\n\nKeywords are rank, chunk, phase and fold, "
             "which select what is drawn, and those of compile().");
  py::class_<api::Synthesis>(module, "Synthesis")
      .def_readonly("plan", &api::Synthesis::plan)
      .def_readonly("source", &api::Synthesis::source)
      .def_readonly("summary", &api::Synthesis::summary)
      .def("__repr__",
           [](const api::Synthesis &self) { return "<synthesis of " + self.plan.name() + ">"; });
  module.def(
      "synth", synth, "collective"_a,
      "Finds an algorithm for the links of a target, as `cclc synth`, and compiles it.\n\n"
      "Keywords are trees, chunks, root, neighbours, latency, and those of compile(); target "
      "is required.");
}
