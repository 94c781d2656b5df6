//===- Language.cpp - The compilation of a program in Python --------------===//
//
// An error of the program is raised at its call, and raised again when the compilation has
// returned, with the messages that the tools print. Other exceptions of the body end the
// compilation.
//
//===----------------------------------------------------------------------===//

#include "Language.h"

#include "Objects.h"

#include <pybind11/stl.h>

#include <stdexcept>

using namespace cclc;
using namespace cclc::python;

namespace {
/// Ends the call of a function after an exception of Python, which is kept.
struct Raised : std::runtime_error {
  explicit Raised(py::handle error)
      : runtime_error(
            py::cast<std::string>(py::module_::import("cclc._tool").attr("described")(error))) {}
};

/// A parameter of an algorithm: an object of cclc.Int, cclc.Bool or cclc.Choice, by its name.
struct Parameter {
  std::string name;
  py::object domain;

  void declareIn(dsl::Declaration &declaration) const;
  /// The value that \p values have, of a Program or of ParamValues.
  template <class Values> py::object valueIn(const Values &values) const;
  std::string kind() const { return py::cast<std::string>(domain.attr("kind")); }
};

std::vector<Parameter> parametersOf(py::handle algorithm) {
  std::vector<Parameter> parameters;
  for (auto [name, domain] : py::cast<py::dict>(algorithm.attr("parameters")))
    parameters.push_back({py::cast<std::string>(name), py::reinterpret_borrow<py::object>(domain)});
  return parameters;
}

dsl::IntParam intParam(const char *name, py::handle domain, const char *help) {
  dsl::IntParam param{name,
                      help,
                      py::cast<int>(domain.attr("value")),
                      py::cast<int>(domain.attr("min")),
                      py::cast<int>(domain.attr("max")),
                      {}};
  const py::object tuned = domain.attr("tuned");
  if (tuned.is_none())
    return param;
  const auto values = py::cast<std::vector<int>>(tuned);
  param.tuning.kind = values.empty() ? dsl::Tuning::Kind::Fixed : dsl::Tuning::Kind::Values;
  for (int value : values)
    param.tuning.values.at(param.tuning.count++) = value;
  return param;
}

void Parameter::declareIn(dsl::Declaration &declaration) const {
  const auto help = py::cast<std::string>(domain.attr("help"));
  if (kind() == "int")
    return void(declaration.param(intParam(name.c_str(), domain, help.c_str())));
  if (kind() == "bool")
    return void(declaration.param(
        dsl::BoolParam{name.c_str(), help.c_str(), py::cast<bool>(domain.attr("value"))}));
  const auto value = py::cast<std::string>(domain.attr("value"));
  const auto choices = py::cast<std::vector<std::string>>(domain.attr("choices"));
  dsl::ChoiceParam param{name.c_str(), help.c_str(), value.c_str(), {}};
  for (size_t n = 0; n < choices.size(); ++n)
    param.choices.at(n) = choices[n].c_str();
  declaration.param(param);
}

template <class Values> py::object Parameter::valueIn(const Values &values) const {
  if (kind() == "int")
    return py::cast(values.get(dsl::IntParam{name.c_str(), "", 0, 0, 0, {}}));
  if (kind() == "bool")
    return py::cast(values.get(dsl::BoolParam{name.c_str(), "", false}));
  return py::cast(std::string(values.get(dsl::ChoiceParam{name.c_str(), "", "", {}})));
}

dsl::Buffers buffersOf(const std::string &name) {
  for (dsl::Buffers each : {dsl::Buffers::InPlace, dsl::Buffers::OutOfPlace, dsl::Buffers::Both})
    if (name == dsl::buffersName(each))
      return each;
  raiseUsage("buffers are in_place, out_of_place or both, not '" + name + "'");
}
} // namespace

void python::checkAlgorithm(py::handle program) {
  if (!py::hasattr(program, "parameters"))
    throw py::type_error("a program is the name of a bundled one, a file, or a function with "
                         "@cclc.program, not " +
                         py::cast<std::string>(py::repr(program)));
}

void Trace::raiseAt(const char *name, const std::string &text, const dsl::SourceLocation &at,
                    uint64_t program) {
  const size_t end = text.find('\n');
  api::Message message{api::Severity::Error, {at.file, at.line}, text.substr(0, end), {}};
  try {
    raise(name, {message});
  } catch (py::error_already_set &error) {
    for (size_t from = end; from != std::string::npos;) {
      const size_t next = text.find('\n', from + 1);
      error.value().attr("add_note")(text.substr(from + 1, next - from - 1));
      from = next;
    }
    error.value().attr("_program") = program;
    error.restore();
  }
}

void Trace::raiseError(api::Failure failure, const std::vector<api::Message> &messages) {
  if (kept() && keepsError)
    kept().attr("messages") = messages;
  raiseKept();
  raise(failure, messages, "ProgramError");
}

template <class Fn> auto Trace::inPython(Fn fn) {
  py::gil_scoped_acquire acquire;
  try {
    return fn();
  } catch (py::error_already_set &error) {
    error.restore();
  }
  keep();
  throw Raised(kept());
}

void Trace::trace(dsl::Program &program) {
  inPython([&] {
    if (keepsError) // of a trace before, whose error was not one of the program
      forget();
    py::dict values;
    for (const Parameter &parameter : parametersOf(algorithm))
      values[parameter.name.c_str()] = parameter.valueIn(program);
    py::object object = py::reinterpret_steal<py::object>(newProgram(program, *this));
    py::tuple arguments = py::make_tuple(object);
    PyObject *result =
        PyObject_Call(py::object(algorithm.attr("body")).ptr(), arguments.ptr(), values.ptr());
    reinterpret_cast<ProgramObject *>(object.ptr())->program = nullptr;
    Py_XDECREF(result);
    if (result)
      return;
    py::error_already_set error;
    const uint64_t number = reinterpret_cast<ProgramObject *>(object.ptr())->number;
    keepsError = py::cast<uint64_t>(py::getattr(error.value(), "_program", py::int_(0))) == number;
    if (!keepsError)
      throw error;
    error.restore();
    keep(/*cancels=*/false); // the trace has it
  });
}

int Trace::ranksFrom(const dsl::ParamValues &values) {
  return inPython([&] {
    py::dict given;
    for (const Parameter &parameter : parametersOf(algorithm))
      if (values.has(parameter.name))
        given[parameter.name.c_str()] = parameter.valueIn(values);
    return py::cast<int>(py::object(algorithm.attr("ranks_from"))(**given));
  });
}

dsl::Declaration Trace::declare() {
  auto text = [&](const char *name) { return py::cast<std::string>(algorithm.attr(name)); };
  dsl::Declaration declaration(text("name"));
  const std::string collective = text("collective");
  const std::optional<CollectiveKind> kind = parseCollective(collective);
  if (!kind)
    raiseUsage("unknown collective '" + collective + "'");
  declaration.collective(*kind).summary(text("summary")).source(text("source")).cost(text("cost"));
  if (!algorithm.attr("buffers").is_none()) {
    const dsl::Buffers buffers = buffersOf(text("buffers"));
    declaration.buffers(buffers,
                        algorithm.attr("default_buffers").is_none()
                            ? buffers == dsl::Buffers::Both ? dsl::Buffers::InPlace : buffers
                            : buffersOf(text("default_buffers")));
  }
  if (!algorithm.attr("mapper").is_none()) {
    const std::optional<Mapper> mapper = parseMapper(text("mapper"));
    if (!mapper)
      raiseUsage("unknown mapper '" + text("mapper") +
                 "': it is all_pes, cube_leaders or leader_only");
    declaration.mapper(*mapper);
  }
  const auto [fewest, otherwise] = py::cast<std::pair<int, int>>(algorithm.attr("ranks"));
  declaration.ranks(fewest, otherwise);
  if (py::cast<bool>(algorithm.attr("for_switches")))
    declaration.forSwitches();
  if (!algorithm.attr("ranks_from").is_none())
    declaration.ranksFrom([this](const dsl::ParamValues &values) { return ranksFrom(values); });
  for (const Parameter &parameter : parametersOf(algorithm))
    parameter.declareIn(declaration);
  declaration.body([this](dsl::Program &program) { trace(program); });
  return declaration;
}
