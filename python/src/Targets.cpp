//===- Targets.cpp - Import, description and check of machines ------------===//
//
// Arguments have the names of the options of the command targets of cclc.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Rows.h"

#include "cclc/Support/Text.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;

static std::optional<std::string> optionalPathOf(py::handle value) {
  return value.is_none() ? std::nullopt : std::optional(pathOf(value));
}

static std::string importTarget(py::object file, py::object system, py::object fabric,
                                py::object nodes, const std::string &order,
                                std::optional<uint32_t> gpusPerHost, std::optional<std::string> gpu,
                                std::optional<double> nicBandwidth,
                                std::optional<double> nodeBandwidth,
                                std::optional<double> uplinkBandwidth) {
  api::ImportOptions options;
  options.system = optionalPathOf(system);
  options.fabric = optionalPathOf(fabric);
  if (!nodes.is_none())
    options.nodes = valueText(nodes);
  options.order = order;
  options.gpusPerHost = gpusPerHost;
  options.gpu = std::move(gpu);
  options.nicBandwidth = nicBandwidth;
  options.nodeBandwidth = nodeBandwidth;
  options.uplinkBandwidth = uplinkBandwidth;
  const std::string path = pathOf(file);
  return take(released([&] { return api::importTarget(path, options); }), "Refused");
}

static void addDescription(py::module_ &module) {
  py::class_<api::Description> description(module, "Machine");
  description.def_readonly("name", &api::Description::name)
      .def_readonly("endpoints", &api::Description::endpoints)
      .def_readonly("dot", &api::Description::dot)
      .def("__repr__", [](const api::Description &self) {
        return "<machine " + self.name + ": " + std::to_string(self.endpoints) + " endpoints>";
      });
  addReport(description);
  module.def(
      "describe",
      [](py::object target, py::object settings, std::optional<uint32_t> ranks) {
        const api::Target machine = targetOf(target, settings);
        return take(released([&] { return toolchain().describe(machine, ranks); }), "Refused");
      },
      "target"_a, py::kw_only(), "set"_a = py::none(), "ranks"_a = py::none(),
      "Describes a machine, as `cclc targets describe`: its levels, links, routes and limits.");
}

static void addCheck(py::module_ &module) {
  using api::FindingCost;
  RowType<FindingCost>(module, "FindingCost")
      .field("collective", &FindingCost::collective)
      .field("bytes", &FindingCost::bytes)
      .field("picoseconds", &FindingCost::with)
      .field("without_picoseconds", &FindingCost::without);
  RowType<api::Finding>(module, "Finding")
      .field("text", &api::Finding::text)
      .field("parts", &api::Finding::parts)
      .field("details", &api::Finding::details)
      .field("remedy", &api::Finding::remedy)
      .field("costs", &api::Finding::costs);
  py::class_<api::TargetCheck> check(module, "TargetCheck");
  check.def_property_readonly("healthy", &api::TargetCheck::healthy)
      .def_readonly("examined", &api::TargetCheck::examined)
      .def("__repr__", [](const api::TargetCheck &self) {
        return "<check of " + self.examined + ": " + counted(self.findings.size(), "finding") + ">";
      });
  addRows(check, &api::TargetCheck::findings);
  addReport(check);
  module.def(
      "check",
      [](py::object file, py::object against) {
        const std::string path = pathOf(file);
        const std::optional<std::string> reference = optionalPathOf(against);
        return take(released([&] { return toolchain().check(path, reference); }), "Refused");
      },
      "file"_a, py::kw_only(), "against"_a = py::none(),
      "Finds parts of a machine that are slower than their siblings, as `cclc targets check`, and "
      "what they cost. The file is a target, or one that import_target() reads.");
}

void python::addTargets(py::module_ &module) {
  addDescription(module);
  addCheck(module);
  module.def("targets", [] { return toolchain().targets(); }, "The names of the bundled machines.");
  module.def("import_target", importTarget, "file"_a, "system"_a = py::none(), py::kw_only(),
             "fabric"_a = py::none(), "nodes"_a = py::none(), "order"_a = "given",
             "gpus_per_host"_a = py::none(), "gpu"_a = py::none(), "nic_bandwidth"_a = py::none(),
             "node_bandwidth"_a = py::none(), "uplink_bandwidth"_a = py::none(),
             "Converts a file of another tool to the text of a target, as `cclc targets import`. "
             "Bandwidths are 10^9 bytes per second.");
}
