//===- Plans.cpp - Read, prove, write and execute -------------------------===//
//
// The memory of ranks belongs to the caller, by the buffer protocol.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Options.h"
#include "Rows.h"

#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/OutputFile.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;
using api::Plan;

void python::raise(const api::Plan &plan, api::Failure failure,
                   const std::vector<api::Message> &messages) {
  if (failure == api::Failure::Wrong) {
    api::Proof proof = released([&] { return plan.verify(); });
    if (!proof.ok()) {
      try {
        raise("ProofError", messages);
      } catch (py::error_already_set &error) {
        error.value().attr("proof") = std::move(proof);
        throw;
      }
    }
  }
  raise(failure, messages, "Refused");
}

// --- Read and write -----------------------------------------------------------------

static Plan load(py::object path) {
  const std::string file = pathOf(path);
  return take(released([&] { return Plan::load(file); }), "Refused");
}

/// The bytes of a text, or of an object that has bytes.
static std::string bytesOf(py::handle content) {
  if (py::isinstance<py::str>(content))
    return textOf(content.ptr());
  const auto bytes = py::reinterpret_steal<py::object>(PyBytes_FromObject(content.ptr()));
  if (!bytes)
    throw py::error_already_set();
  return py::cast<std::string>(bytes);
}

static Plan readText(py::object text, const std::string &name) {
  const std::string bytes = bytesOf(text);
  return take(released([&] { return Plan::read(bytes, name); }), "Refused");
}

/// Binary plans are bytes, others text.
static py::object contentOf(const std::string &form, const std::string &made) {
  if (form == "bin")
    return py::bytes(made);
  return py::str(made);
}

static py::object convert(const Plan &plan, const std::string &form, const std::string &dialect,
                          std::optional<uint32_t> worldSize, uint32_t group, bool verify,
                          py::object progress) {
  api::ConvertOptions options{form, dialect, worldSize, group, verify, {}, {}};
  PythonCall call(std::move(progress));
  call.follow(options);
  return contentOf(form, take(plan, call.run([&] { return toolchain().convert(plan, options); })));
}

/// Without a form, that of the file's ending.
static void save(const Plan &plan, py::object path, const std::optional<std::string> &form,
                 const std::string &dialect) {
  const std::string file = pathOf(path);
  const std::string name = form.value_or(planFormatForFile(file).name);
  const std::string made = take(plan, released([&] { return plan.write(name, dialect); }));
  DiagnosticEngine diags;
  if (failed(writeFile(file, [&](raw_ostream &os) { os << made; }, diags)))
    raiseUsage(diags.all().back().text);
}

// --- Prove --------------------------------------------------------------------------

static api::Proof verify(const Plan &plan, py::object target, py::object settings, py::object slots,
                         py::object bytes, const std::string &type, py::object progress) {
  if (target.is_none()) {
    if (!settings.is_none() || !bytes.is_none())
      raiseUsage("sizes and values of a machine are those of a target: name one");
    const std::optional<uint32_t> number = slotsOf(slots);
    return released([&] { return plan.verify(number); });
  }
  const api::Target machine = targetOf(target, settings);
  api::VerifyOptions options;
  options.slots = slotsOf(slots);
  if (!bytes.is_none())
    options.bytes = sizesOf(bytes);
  options.type = type;
  PythonCall call(std::move(progress));
  call.follow(options);
  return take(plan, call.run([&] { return toolchain().verify(plan, machine, options); }));
}

static void addProof(py::module_ &module) {
  py::class_<api::Proof> proof(module, "Proof");
  proof.def_readonly("verdict", &api::Proof::verdict)
      .def_property_readonly("ok", &api::Proof::ok)
      .def_readonly("slots_needed", &api::Proof::slotsNeeded)
      .def_readonly("reduction_hash", &api::Proof::reductionHash)
      .def_readonly("safe_up_to", &api::Proof::safeUpTo)
      .def_readonly("same_bits", &api::Proof::sameBits)
      .def_readonly("messages", &api::Proof::messages)
      .def("__bool__", &api::Proof::ok)
      .def("__repr__", [](const api::Proof &self) { return "<proof: " + self.verdict + ">"; });
  addReport(proof);
}

static void addProvenance(py::module_ &module) {
  using api::CellValue;
  RowType<CellValue>(module, "CellValue")
      .field("placement", &CellValue::placement)
      .field("value", &CellValue::value)
      .field("initial_chunks", &CellValue::initialChunks)
      .field("reductions", &CellValue::reductions)
      .field("messages", &CellValue::messages);
  py::class_<api::Provenance> provenance(module, "Provenance");
  provenance.def_readonly("verdict", &api::Provenance::verdict)
      .def_readonly("messages", &api::Provenance::messages)
      .def("__repr__", [](const api::Provenance &self) {
        return "<provenance: " + (self.values.empty() ? self.verdict : self.values[0].value) + ">";
      });
  addRows(provenance, &api::Provenance::values);
  addReport(provenance);
}

// --- Execute ------------------------------------------------------------------------

namespace {
/// The memory of ranks, whose views are kept while the plan is executed.
class Memory {
public:
  Memory() = default;
  ~Memory() {
    for (Py_buffer &view : views)
      PyBuffer_Release(&view);
  }
  Memory(const Memory &) = delete;

  /// One buffer for each rank: those of a sequence, or the rows of one array. None has no memory.
  std::vector<std::span<std::byte>> spansOf(py::handle object, bool isWritten) {
    std::vector<std::span<std::byte>> spans;
    if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
      for (py::handle each : object)
        spans.push_back(each.is_none() ? std::span<std::byte>() : spanOf(view(each, isWritten)));
      return spans;
    }
    const Py_buffer &all = view(object, isWritten);
    if (all.ndim != 2)
      raiseUsage("an array of all ranks has 2 dimensions, ranks and elements, not " +
                 std::to_string(all.ndim));
    const size_t rows = size_t(all.shape[0]), row = rows ? size_t(all.len) / rows : 0;
    for (size_t rank = 0; rank < rows; ++rank)
      spans.push_back(spanOf(all).subspan(rank * row, row));
    return spans;
  }
  /// The element type of the views; \p given if it is set.
  std::string type(const std::optional<std::string> &given) const;

private:
  const Py_buffer &view(py::handle object, bool isWritten) {
    Py_buffer made;
    if (PyObject_GetBuffer(object.ptr(), &made,
                           PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (isWritten ? PyBUF_WRITABLE : 0)) <
        0)
      throw py::error_already_set();
    views.push_back(made);
    return views.back();
  }
  static std::span<std::byte> spanOf(const Py_buffer &view) {
    return {static_cast<std::byte *>(view.buf), size_t(view.len)};
  }

  std::deque<Py_buffer> views;
};

/// The element type of a format of the module struct; empty if there is none.
std::string typeOf(const std::string &format, size_t size) {
  const char code = format.empty() ? '\0' : format.back();
  const std::string native =
      format.size() == 2 && (format[0] == '<' || format[0] == '@' || format[0] == '=')
          ? format.substr(1)
          : format;
  if (native.size() != 1)
    return "";
  switch (code) {
  case 'e':
    return "f16";
  case 'f':
    return "f32";
  case 'd':
    return "f64";
  case 'b':
    return "i8";
  case 'B':
    return "u8";
  case 'i':
  case 'l':
  case 'q':
    return size == 4 ? "i32" : "i64";
  default:
    return "";
  }
}

std::string Memory::type(const std::optional<std::string> &given) const {
  const size_t givenSize = !given ? 0 : *given == "bf16" ? 2 : 0;
  std::string found = given.value_or("");
  for (const Py_buffer &each : views) {
    const std::string format = each.format ? each.format : "B";
    const std::string its = typeOf(format, size_t(each.itemsize));
    if (given && givenSize == 2 && each.itemsize == 2)
      continue; // Python has no such type: any of 16 bits has its bits
    if (its.empty())
      raiseUsage("elements of format '" + format + "' are of no type of plans" +
                 (each.itemsize == 2 ? "; name one of 16 bits, such as dtype='bf16'" : ""));
    if (!found.empty() && its != found)
      raiseUsage("the elements are " + its + ", not " + found);
    found = its;
  }
  return found.empty() ? "f32" : found;
}

api::RunOptions runOptions(std::string type, const std::string &op, std::optional<unsigned> threads,
                           double timeout) {
  if (!(timeout > 0))
    raiseUsage("timeout is a number of seconds above 0");
  return {std::move(type), op, threads, timeout};
}

double run(const Plan &plan, py::object inputs, py::object outputs, const std::string &op,
           const std::optional<std::string> &type, std::optional<unsigned> threads,
           double timeout) {
  Memory memory;
  const bool inPlace = outputs.is_none();
  const auto sources = memory.spansOf(inputs, inPlace);
  const auto results = inPlace ? sources : memory.spansOf(outputs, /*isWritten=*/true);
  if (sources.size() != results.size())
    raiseUsage("there are inputs of " + std::to_string(sources.size()) + " ranks and outputs of " +
               std::to_string(results.size()));
  std::vector<api::RankBuffers> buffers;
  for (size_t rank = 0; rank < sources.size(); ++rank)
    buffers.push_back({sources[rank], results[rank]});
  const api::RunOptions options = runOptions(memory.type(type), op, threads, timeout);
  auto time = released([&] { return api::run(plan, buffers, options); });
  return std::chrono::duration<double>(take(plan, std::move(time))).count();
}
} // namespace

/// The content of a plan for another process.
static py::tuple stateOf(const Plan &plan) {
  const char *form = plan.hasSteps() ? "bin" : "mscclpp";
  return py::make_tuple(py::bytes(take(plan, released([&] { return plan.write(form); }))),
                        plan.file());
}

static Plan planOf(const py::tuple &state) {
  const auto content = py::cast<std::string>(state[0]), file = py::cast<std::string>(state[1]);
  return take(released([&] { return Plan::read(content, file); }), "Refused");
}

// --- The type -----------------------------------------------------------------------

static void addPlan(py::module_ &module) {
  py::class_<Plan> plan(
      module, "Plan",
      "The steps of all threadblocks of all ranks, from compile(), load() or read().");
  plan.def_property_readonly("name", &Plan::name)
      .def_property_readonly("collective", &Plan::collective)
      .def_property_readonly("protocol", &Plan::protocol)
      .def_property_readonly("file", &Plan::file)
      .def_property_readonly("target", &Plan::target)
      .def_property_readonly("ranks", &Plan::ranks)
      .def_property_readonly("channels", &Plan::channels)
      .def_property_readonly("steps", &Plan::steps)
      .def("__repr__", [](const Plan &self) {
        return "<plan " + self.name() + ": " + self.collective() + " over " +
               std::to_string(self.ranks()) + " ranks, " + std::to_string(self.steps()) + " steps>";
      });
  plan.def(py::pickle([](const Plan &self) { return stateOf(self); },
                      [](const py::tuple &state) { return planOf(state); }));
  plan.def("convert", convert, "emit"_a = "json", py::kw_only(), "xml_dialect"_a = "msccl",
           "world_size"_a = py::none(), "threadblock_group"_a = 1, "verify"_a = true,
           "progress"_a = py::none(),
           "The plan in another form, within the limits of its runtime, as `cclc convert`.");
  plan.def(
      "write",
      [](const Plan &self, const std::string &form, const std::string &dialect) {
        return contentOf(form, take(self, released([&] { return self.write(form, dialect); })));
      },
      "emit"_a = "json", py::kw_only(), "xml_dialect"_a = "msccl",
      "The plan as a text, or as bytes with emit=\"bin\": json, text, bin, xml or mscclpp.");
  plan.def("save", save, "path"_a, "emit"_a = py::none(), py::kw_only(), "xml_dialect"_a = "msccl",
           "Writes the plan to a file, whose ending chooses the form unless emit does.");
  plan.def("verify", verify, py::kw_only(), "target"_a = py::none(), "set"_a = py::none(),
           "slots"_a = py::none(), "bytes"_a = py::none(), "dtype"_a = "f32",
           "progress"_a = py::none(),
           "Proves the plan, alone or on a machine with sizes in bytes, as `ccl-sim verify`: "
           "deadlocks, races, results and limits.");
  plan.def(
      "why",
      [](const Plan &self, const std::string &cell, py::object slots) {
        const std::optional<uint32_t> number = slotsOf(slots);
        return take(released([&] { return self.why(cell, number); }), "Refused");
      },
      "cell"_a, py::kw_only(), "slots"_a = py::none(),
      "The provenance of a cell, such as \"3:o:2\" for rank 3, output, chunk 2, as `ccl-sim why`: "
      "its value under each placement. text shows the steps, and json has them.");
  plan.def(
      "run", run, "inputs"_a, "outputs"_a = py::none(), py::kw_only(), "op"_a = "sum",
      "dtype"_a = py::none(), "threads"_a = py::none(), "timeout"_a = 10.0,
      "Executes the plan by threads on one buffer for each rank, or on the rows of an array; in "
      "place without outputs. Returns the time in seconds. timeout is in seconds, without a "
      "step.");
  plan.def(
      "run_test",
      [](const Plan &self, py::object bytes, const std::string &op, const std::string &type,
         std::optional<unsigned> threads, double timeout) {
        const uint64_t size = sizeOf(bytes);
        const api::RunOptions options = runOptions(type, op, threads, timeout);
        auto time = released([&] { return api::runTest(self, size, options); });
        return std::chrono::duration<double>(take(self, std::move(time))).count();
      },
      "bytes"_a = "1M", py::kw_only(), "op"_a = "sum", "dtype"_a = "f32", "threads"_a = py::none(),
      "timeout"_a = 10.0,
      "Executes the plan by threads with data of its own, and checks the results. Returns the time "
      "in seconds.");
}

void python::addPlans(py::module_ &module) {
  py::reinterpret_borrow<py::class_<api::Message>>(module.attr("Message"))
      .def("__str__", [](const api::Message &message) { return api::textOf({message}); });
  addProof(module);
  addProvenance(module);
  addPlan(module);
  module.def("load", load, "path"_a,
             "Reads a plan from a file in any form: JSON, text, binary, MSCCL XML or MSCCL++.");
  module.def("read", readText, "text"_a, "name"_a,
             "Reads a plan from a text or bytes; name is that of the file in messages.");
}
