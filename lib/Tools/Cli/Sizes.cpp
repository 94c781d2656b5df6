//===- Sizes.cpp - Sizes of --bytes, --sweep and -b, -e, -f ---------------===//
//
// The options of nccl-tests are translated into --bytes or --sweep, and a sweep into its
// sizes: from the first by the factor while they are below the last, and the last.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/Sizes.h"

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Values.h"

using namespace cclc;

void cclc::addSizeOptions(CommandLine &line, SizeArguments &args, const char *verb) {
  line.list("--bytes", "SIZE", args.bytes, "set the size of a rank's buffer (default: 1M)");
  line.option("--sweep", "FROM:TO[:FACTOR]", args.sweep,
              std::string(verb) + " several sizes (default factor: 2)");
  line.option("-b", "SIZE", args.begin,
              "begin a sweep with SIZE, as in nccl-tests; alone: --bytes");
  line.option("-e", "SIZE", args.end, "end the sweep that -b begins with SIZE");
  line.option("-f", "FACTOR", args.factor, "multiply the size by FACTOR in the sweep (default: 2)");
}

/// Translates -b, -e and -f to --bytes or --sweep.
static LogicalResult translate(SizeArguments &args, DiagnosticEngine &diags) {
  if (!args.begin && !args.end && !args.factor)
    return success();
  std::string meant;
  if (args.begin)
    meant = args.end ? "--sweep " + *args.begin + ":" + *args.end +
                           (args.factor ? ":" + *args.factor : "")
                     : "--bytes " + *args.begin;
  if (!args.bytes.empty() || args.sweep)
    return diags.error({}, (args.sweep ? llvm::Twine("--sweep") : llvm::Twine("--bytes")) +
                               " and -b, -e, -f exclude each other: give the sizes in one of the "
                               "two ways" +
                               (meant.empty() ? "" : "; the latter are equivalent to " + meant));
  if (!args.begin)
    return diags.error({}, llvm::Twine(args.end ? "-e" : "-f") +
                               " needs -b, the first size: -b 1K -e 1M -f 2 is --sweep 1K:1M:2");
  if (args.factor && !args.end)
    return diags.error({}, "-f needs -e, the last size: -b 1K -e 1M -f 2 is --sweep 1K:1M:2");
  meant = meant.substr(meant.find(' ') + 1);
  if (args.end)
    args.sweep = meant;
  else
    args.bytes = {meant};
  return success();
}

static LogicalResult parseSweep(const std::string &sweep, const std::string &given,
                                std::vector<uint64_t> &sizes, DiagnosticEngine &diags) {
  SmallVector<StringRef, 3> parts;
  StringRef(sweep).split(parts, ':');
  std::optional<uint64_t> from, to;
  uint64_t factor = 2;
  if (parts.size() >= 2) {
    from = parseSize(parts[0]);
    to = parseSize(parts[1]);
  }
  if (!from || !to || parts.size() > 3 || *from == 0 || *from > *to ||
      (parts.size() == 3 && (parts[2].getAsInteger(10, factor) || factor < 2)))
    return diags.error({}, given);
  for (uint64_t size = *from; size <= *to; size *= factor) {
    sizes.push_back(size);
    if (size > *to / factor)
      break;
  }
  if (sizes.back() != *to)
    sizes.push_back(*to);
  return success();
}

LogicalResult cclc::parseSizes(const SizeArguments &args, std::vector<uint64_t> &sizes,
                               DiagnosticEngine &diags) {
  if (!args.bytes.empty() && args.sweep)
    return diags.error({}, "--bytes and --sweep exclude each other");
  if (args.bytes.size() > 1)
    return diags.error({}, llvm::Twine("--bytes is given ") + llvm::Twine(args.bytes.size()) +
                               " times: give several sizes with --sweep");
  SizeArguments meant = args;
  if (failed(translate(meant, diags)))
    return failure();
  if (!meant.sweep) {
    std::optional<uint64_t> size = parseSize(
        args.begin ? "-b" : "--bytes", meant.bytes.empty() ? "1M" : meant.bytes.front(), diags);
    if (!size)
      return failure();
    sizes = {*size};
    return success();
  }
  if (!args.sweep)
    return parseSweep(
        *meant.sweep,
        "-b, -e and -f take the first size, the last size and a factor of at least 2, "
        "such as -b 1K -e 1M -f 4, not '-b " +
            *args.begin + " -e " + *args.end + (args.factor ? " -f " + *args.factor : "") + "'",
        sizes, diags);
  return parseSweep(*meant.sweep,
                    "--sweep takes FROM:TO or FROM:TO:FACTOR, such as 1K:1M:4, not '" +
                        *meant.sweep + "'",
                    sizes, diags);
}
