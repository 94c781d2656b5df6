//===- Compile.cpp - Compile programs -------------------------------------===//
//
// A program of Python is compiled without the guard of the process: its body takes the GIL, which
// the thread that waits for the guard may have.
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "Language.h"
#include "Rows.h"

#include "cclc/UserPrograms/UserProgram.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;
using api::CompileOptions;
using api::Plan;

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
  return py::module_::import("cclc._tool").attr("algorithm_of")(file);
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
  checkAlgorithm(program);
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
  module.def(
      "programs", [] { return toolchain().programs(); }, "The names of the bundled programs.");
  module.def("compile", compile, "program"_a,
             ("Compiles and proves a program: the name of a bundled one, a file in C++ or Python, "
              "or a function with @cclc.program.\n\nKeywords are parameters of the program, and "
              "options of cclc. Sizes are bytes, or a text such as \"64K\".\n\n" +
              compilationHelp())
                 .c_str());
  module.def("graph", graph, "program"_a, "stage"_a = "chunk-dag",
             ("The graph of a program at a stage of its compilation: chunk-dag, inst-dag or "
              "schedule, as cclc --dump-chunk-dag.\n\nKeywords select what is drawn, or are those "
              "of compile().\n\n"
              "  rank: draw only this rank and its neighbours\n"
              "  chunk: draw only this chunk index\n"
              "  phase: draw only this phase, given by name or number\n"
              "  fold: choose what a node represents: auto, none, rank-phase, rank, group-phase, "
              "group or phase\n" +
              compilationHelp())
                 .c_str());
  py::class_<api::Synthesis>(module, "Synthesis")
      .def_readonly("plan", &api::Synthesis::plan)
      .def_readonly("source", &api::Synthesis::source)
      .def_readonly("summary", &api::Synthesis::summary)
      .def("__repr__",
           [](const api::Synthesis &self) { return "<synthesis of " + self.plan.name() + ">"; });
  module.def("synth", synth, "collective"_a,
             ("Finds an algorithm for the links of a target, as `cclc synth`, and compiles it.\n\n"
              "Keywords are those of the search, and those of compile(); target is required.\n\n"
              "  trees: set the number of trees per root, or of paths per pair of ranks\n"
              "  chunks: divide the data of a tree into N chunks\n"
              "  root: set the root of a broadcast, reduction, gather or scatter (default: 0)\n"
              "  neighbours: let paths lead from neighbour to neighbour\n"
              "  latency: minimise the time of small buffers, of max_bytes\n" +
              compilationHelp())
                 .c_str());
}
