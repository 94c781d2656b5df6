//===- RunArguments.cpp - Options and their conflicts ---------------------===//
//
// All texts of the command line are parsed and checked before a plan is read.
//
//===----------------------------------------------------------------------===//

#include "RunArguments.h"

#include "cclc/Run/PreparedPlan.h"
#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

void RunArguments::addTo(CommandLine &line) {
  line.positionals("PLAN", files, "the plans to execute, in any form; - reads standard input");
  line.group("Execution");
  line.option(
      "--transport", "NAME", transport,
      "select what ranks are: threads of this process, or the processes of an MPI job, with all "
      "messages by MPI (mpi, mpi:openmpi, mpi:mpich) or those inside a node by shared memory "
      "(node, "
      "node:openmpi, node:mpich; default: threads or mpi, as the process was started)");
  line.number("--simulate-nodes", 1, 1 << 16, simulatedNodes,
              "divide the processes of --transport node into N nodes of successive ranks (default: "
              "the machines that they run on)");
  line.option("--threads", "N", threadsText,
              "set the number of threads that drive the ranks (default: one for each processor); "
              "threadblocks: one for each threadblock");
  line.option("--slots", "N", slotsText,
              "set the slots per connection (default: the plan's, or 8)");
  line.option("--slot-size", "SIZE", slotSizeText,
              "divide chunks such that an average message has at most SIZE (default: 128K, "
              "of --transport mpi: depends on the plan)");
  line.number("--jitter", 0, ~uint64_t(0) >> 1, jitter, "delay steps at random", "SEED");
  line.option("--timeout", "SECONDS", timeoutText,
              "give up and report the waits if no step is executed for SECONDS (default: 10)");
  line.flag("--unproved", unproved,
            "execute plans that the verifier rejects; they may hang, or give wrong results");
  line.group("Data");
  addSizeOptions(line, sizeTexts);
  line.choice("--dtype", dataTypeNames(), typeText, "set the type of the elements (default: f32)");
  line.choice("--op", reduceOpNames(), opText, "set the reduction operator (default: sum)");
  line.flag("--in-place", inPlace, "measure in place (default: out of place, if the plan can)");
  line.flag("--check-data", checkData,
            "compare the results of all placements with the definition of the collective");
  line.number("--seed", 0, ~uint64_t(0) >> 1, seed,
              "--check-data, and random data against the plan's own order of operations", "SEED");
  line.group("Measurement");
  line.number("--iterations", 0, 1000000, iterations,
              "measure N executions (default: 20; rounds of --calibrate: 4)");
  line.number("--warmup", 0, 1000000, warmup, "execute N times before (default: 5)");
  line.option(
      "--predict", "TARGET", predict,
      "simulate the plans on a bundled target or a target file, and report the times beside "
      "the measured ones");
  line.flag("--stale-inputs", staleInputs,
            "leave the inputs as they are between executions (default: each rank writes its input "
            "before each of them, as applications do)");
  line.option("--compare", "mpi[:ALGORITHM]", compare,
              "measure the MPI library's own collective as well; ALGORITHM is passed to it");
  line.flag("--turns", turns,
            "execute the plans in turns, N rounds of --iterations, and print their ratios to the "
            "library or to the first plan; a PLAN may be the folder of a portfolio, whose plans "
            "are measured for their sizes");
  line.flag(
      "--preload", preload,
      "with --turns and the folder of a portfolio: libccl-mpi executes the plans, in calls of "
      "MPI's functions one after another, as in an application");
  line.flag("--calibrate", calibrate,
            "measure this machine, and write a target that predicts executions on it to -o");
  line.list("--from", "RESULTS", from,
            "--calibrate measures nothing, but fits the target of --predict to the plans' times in "
            "RESULTS, which --json has written; may be given several times");
  line.group("Output");
  line.option("--trace", "FILE", trace,
              "write the timeline of one more execution to FILE, as ccl-sim --trace does; with "
              "--predict, beside the predicted one");
  line.option("-o", "FILE", output, "write the target of --calibrate to FILE");
  line.option("--json", "FILE", json, "write the results as JSON to FILE");
  line.messages(format);
}

run::RunOptions RunArguments::runOptions() const {
  run::RunOptions options;
  options.jitter = jitter;
  options.exactSlots = unproved;
  options.timeoutSeconds = processes.seconds;
  options.freshInputs = !staleInputs;
  return options;
}

run::RunSettings RunArguments::settingsOf(const ExecPlan &plan, uint32_t slots) const {
  const std::optional<uint64_t> own = plan.info().slotBytes;
  return {type, op, slots, own && !slotSizeText ? own : slotBytes};
}

std::vector<Setting> RunArguments::settings() const {
  auto number = [](const std::optional<uint64_t> &value) {
    return value ? std::to_string(*value) : "none";
  };
  auto flag = [](bool value) { return std::string(value ? "on" : "off"); };
  std::string bytes;
  for (uint64_t size : sizes)
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(size);
  return {{"the number of plans", std::to_string(files.size())},
          {"sizes", bytes},
          {"--dtype", dataTypeName(type).str()},
          {"--op", reduceOpName(op).str()},
          {"--slots", slots ? slots->str() : "those of the plan"},
          {"--slot-size", number(slotBytes)},
          {"--in-place", flag(inPlace)},
          {"--check-data", flag(checkData)},
          {"--seed", number(seed)},
          {"--jitter", number(jitter)},
          {"--unproved", flag(unproved)},
          {"--timeout", formatv("{0} s", processes.seconds)},
          {"--iterations", std::to_string(numIterations())},
          {"--warmup", std::to_string(numWarmups())},
          {"--transport node", flag(processes.sharesMemory)},
          {"--simulate-nodes", number(simulatedNodes)},
          {"--stale-inputs", flag(staleInputs)},
          {"--predict", predict.value_or("none")},
          {"--compare", compare.value_or("none")},
          {"--trace", flag(trace.has_value())},
          {"--turns", flag(turns)},
          {"--preload", flag(preload)},
          {"--calibrate", flag(calibrate)}};
}

LogicalResult RunArguments::read(const Resources &resources, DiagnosticEngine &diags) {
  if (calibrate && !output)
    return diags.error({}, "--calibrate requires -o FILE");
  if (output && !calibrate)
    return diags.error({}, "-o requires --calibrate");
  if (!from.empty() && (!calibrate || !predict))
    return diags.error({}, "--from requires --calibrate and the target of --predict");
  if (calibrate && !files.empty())
    return diags.error({}, "--calibrate measures plans of its own: give no plan");
  if (turns && (calibrate || checkData || seed || trace))
    return diags.error({}, "--turns excludes --calibrate, --check-data, --seed and --trace");
  if (turns && iterations == 0)
    return diags.error({}, "--turns needs at least one round: raise --iterations");
  if (preload && (!turns || files.size() != 1 || !llvm::sys::fs::is_directory(files.front())))
    return diags.error({}, "--preload requires --turns and the folder of one portfolio");
  if (files.empty() && !calibrate)
    return diags.error({}, "no plan is given: see 'ccl-run --help'");
  if (typeText)
    type = *parseDataType(*typeText);
  if (opText)
    op = *parseReduceOp(*opText);
  if (slotsText) {
    slots = parseSlots(*slotsText, diags);
    if (!slots)
      return failure();
    if (slots->isUnlimited())
      return diags.error({}, "--slots inf cannot be executed: a slot is memory");
  }
  slotBytes = run::threadSlotBytes;
  if (slotSizeText) {
    std::optional<uint64_t> bytes = parseSize("--slot-size", *slotSizeText, diags);
    if (!bytes)
      return failure();
    if (*bytes < sizeOf(type))
      return diags.error(
          {}, formatv("--slot-size {0} cannot hold one {1} element", *bytes, dataTypeName(type)));
    slotBytes = *bytes;
  }
  if (threadsText == "threadblocks") {
    threads.byThreadblock = true;
  } else if (threadsText) {
    uint32_t number = 0;
    if (StringRef(*threadsText).getAsInteger(10, number) || number == 0 || number > 1 << 12)
      return diags.error({}, "--threads takes a number from 1 to 4096, or threadblocks, not '" +
                                 *threadsText + "'");
    threads.number = number;
  }
  if (simulatedNodes)
    processes.nodes = uint32_t(*simulatedNodes);
  if (timeoutText) {
    std::optional<SimTime> time = parseSeconds(*timeoutText);
    if (!time || *time == SimTime())
      return diags.error({},
                         "--timeout takes a number of seconds above 0, not '" + *timeoutText + "'");
    processes.seconds = double(time->picoseconds()) * 1e-12;
  }
  if (compare) {
    StringRef library = *compare;
    if (!library.consume_front("mpi") || !(library.empty() || library.consume_front(":")))
      return diags.error({}, "--compare takes mpi or mpi:ALGORITHM, not '" + *compare + "'");
    mpiAlgorithm = library.str();
  }
  checkData |= seed.has_value();
  NamedFiles names;
  for (const std::string &file : files)
    names.input("PLAN", file);
  for (const std::string &file : from)
    names.input("--from", file);
  names.target(predict, resources.targets);
  names.output("--json", json);
  names.output("--trace", trace);
  names.output("-o", output);
  if (failed(names.check(diags)))
    return failure();
  if (failed(parseSizes(sizeTexts, sizes, diags)))
    return failure();
  if (trace && (sizes.size() > 1 || files.size() > 1))
    return diags.error({}, "--trace writes a single plan and size: select it with --bytes");
  return success();
}
