//===- CompileOptions.cpp - Keywords of compilations ----------------------===//
//
// One row for each option, in the words of `cclc --help`. The docstrings of compile(), graph() and
// synth() have the same rows.
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"

using namespace cclc;
using namespace cclc::python;
using api::CompileOptions;

/// The kinds of fused instructions: all or none, a text such as "rcs,rrs", or a list.
static std::optional<std::vector<std::string>> fusionOf(const py::object &value) {
  if (py::isinstance<py::bool_>(value))
    return py::cast<bool>(value) ? std::nullopt : std::optional(std::vector<std::string>());
  return textsOf("fuse", py::isinstance<py::str>(value) ? value.attr("split")(",") : value);
}

static void takeTarget(Keywords &given, CompileOptions &options) {
  const py::object target = given.take("target"), settings = given.take("set");
  if (!target.is_none())
    options.target = targetOf(target, settings);
  else if (!settings.is_none())
    raiseUsage("set changes values of a target: name one");
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

namespace {
struct Keyword {
  const char *name, *help;
  void (*take)(const Keyword &self, Keywords &given, CompileOptions &options);
};

template <auto member> void as(const Keyword &self, Keywords &given, CompileOptions &options) {
  given.take(self.name, options.*member);
}
template <auto member, auto read>
void by(const Keyword &self, Keywords &given, CompileOptions &options) {
  given.take(self.name, options.*member, read);
}
/// Is taken together with another one.
void beside(const Keyword &, Keywords &, CompileOptions &) {}

using O = CompileOptions;
constexpr Keyword keywords[] = {
    {"ranks", "set the number of ranks (default: the target's, else the program's)", as<&O::ranks>},
    {"target", "compile for this machine: a name or a file",
     [](const Keyword &, Keywords &given, O &options) { takeTarget(given, options); }},
    {"set", "override values of the target: \"PATH=VALUE\", a list, or a dict", beside},
    {"endpoints", "compile for a group of endpoints, one for each rank in order",
     as<&O::endpoints>},
    {"protocol", "set the protocol: Simple, LL or LL128 (default: Simple; with O=3 the fastest)",
     as<&O::protocol>},
    {"instances", "run N copies of the algorithm, each on a share of every chunk",
     as<&O::instances>},
    {"instance_layout",
     "choose the part of a buffer that each copy handles: blocked, interleaved "
     "or batched",
     as<&O::instanceLayout>},
    {"placement", "map ranks to PEs: linear, snake or auto (default: linear; with O=3 the fastest)",
     as<&O::placement>},
    {"slots", "set the number of slots of a connection, or \"inf\" (default: the target's, else 8)",
     by<&O::slots, slotsOf>},
    {"slot_size", "set the size of a slot in bytes, on a target whose slots plans choose",
     by<&O::slotSize, sizeOf>},
    {"O",
     "set the optimisation level: 0 none, 1 fusion, 2 alternative schedules (default), 3 "
     "variants timed on the target",
     as<&O::optimisation>},
    {"optimize_for", "choose the goal of O=2: balance (default), path, steps or threadblocks",
     as<&O::optimizeFor>},
    {"max_channels", "limit the number of channels", as<&O::maxChannels>},
    {"max_threadblocks", "limit the number of threadblocks of a rank", as<&O::maxThreadblocks>},
    {"aggregate", "join adjacent operations between the same ranks wherever that preserves fusions",
     as<&O::aggregate>},
    {"fuse", "enable only these fusions: a list of rcs, rrcs and rrs, or False",
     by<&O::fuse, fusionOf>},
    {"fused_ops", "keep or split fused receives: keep or lower", as<&O::fusedOps>},
    {"emit",
     "compile for this form: json, text, bin, xml within the limits of xml_dialect, or "
     "mscclpp",
     as<&O::form>},
    {"xml_dialect", "choose the runtime of XML: msccl (default), rccl or msccl-executor",
     as<&O::dialect>},
    {"threadblock_group",
     "share the operations of each threadblock of MSCCL++ among N "
     "threadblocks",
     as<&O::threadblockGroup>},
    {"trace_limit", "limit the number of operations of the program (default: 100000000)",
     as<&O::traceLimit>},
    {"min_bytes", "set the smallest buffer size of the plan", by<&O::minBytes, sizeOf>},
    {"max_bytes", "set the largest buffer size of the plan", by<&O::maxBytes, sizeOf>},
    {"verify", "prove the program and the plan (default: True)", as<&O::verify>},
    {"jobs", "use up to N threads (default: 1)", as<&O::jobs>},
    {"param",
     "set parameters of the program by a dict, such as those that are named like an option",
     beside},
    {"progress", "call a function with the name of each stage", beside},
};
} // namespace

py::object python::takeCompilation(Keywords &given, CompileOptions &options) {
  for (const Keyword &keyword : keywords)
    keyword.take(keyword, given, options);
  py::object progress = given.take("progress");
  takeParameters(given, options);
  // The body takes the GIL, and Python has handlers of its own.
  options.guard = false;
  return progress;
}

std::string python::compilationHelp() {
  std::string text;
  for (const Keyword &keyword : keywords)
    text += std::string("  ") + keyword.name + ": " + keyword.help + "\n";
  return text;
}
