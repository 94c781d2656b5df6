//===- MutationMain.cpp - A fuzzer without libFuzzer ----------------------===//
//
// Mutates a corpus; the same seed gives the same inputs, so that failures are reproducible:
//
//   fuzz-x [--seed N|today]... [--runs N] [--seconds N] [--write-seeds FOLDER] [FILE...]
//
// With several seeds, --runs and --seconds apply to each of them. The seed `today` is the date in
// UTC as a number such as 20250131; it is printed before the first input. With files, only these
// are run. Mutations are bit flips, truncation, splices of two inputs, copied and removed sections,
// and tokens of one input in the place of another's; accepted inputs are mutated further. The
// corpus consists of plans, programs and targets that are generated at run time from the bundled
// ones, and of the files in corpus/x, as far as they are accepted. An input that crashes the
// program is written to fuzz-x.input if the folder is writable.
//
//===----------------------------------------------------------------------===//

#include "../support/MscclppPlans.h"
#include "../support/RandomProgram.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Formats/PlanBin.h"
#include "cclc/Formats/PlanJson.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/// Mutations of the structure, if a fuzzer has them.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                                                size_t maxSize, unsigned seed);

using namespace cclc;
using test::Random;

namespace {

// --- Output of a crash ---------------------------------------------------------------

std::string current;
std::string inputFile;

extern "C" void saveInput(int signal) {
  int fd = open(inputFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) {
    ssize_t ignored = write(fd, current.data(), current.size());
    (void)ignored;
    close(fd);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// --- Seeds ----------------------------------------------------------------------------

template <class Program> std::string printed(const Program &program, bool locations = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintOptions options;
  options.locations = locations;
  print(os, program, options);
  return os.str();
}

void addProgram(const dsl::Declaration &program, Protocol protocol,
                std::vector<std::string> &corpus) {
  CompileRequest request;
  if (!program.ranksFrom() && program.fewestRanks() <= 3)
    request.ranks = 3;
  if (program.fixesMapper())
    request.target = TargetRequest{
        "ahbm", CCLC_TARGET_DIR, {{"cubes.width", "2"}, {"cubes.height", "2"}}, std::nullopt};
  request.protocol = protocol;
  request.onChunkProgram = [&](const ChunkProgram &chunks) { corpus.push_back(printed(chunks)); };
  request.onInstrProgram = [&](const InstrProgram &instrs) { corpus.push_back(printed(instrs)); };
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(program, request, diags);
  if (failed(outcome))
    return;
  const ExecPlan &plan = outcome->plan;
  if (plan.steps().size() > 200)
    return;
  corpus.push_back(printed(plan));
  corpus.push_back(printed(plan, /*locations=*/true));
  std::string json, xml, binary;
  llvm::raw_string_ostream jsonOs(json), xmlOs(xml), binaryOs(binary);
  writePlanJson(plan, jsonOs);
  writePlanBin(plan, binaryOs);
  corpus.push_back(binaryOs.str());
  writeMscclXml(plan, *findMscclDialect("msccl"), xmlOs);
  corpus.push_back(jsonOs.str());
  corpus.push_back(xmlOs.str());
  if (FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags); succeeded(lowered)) {
    std::string form;
    llvm::raw_string_ostream os(form);
    mscclpp::writeJson(*lowered, os);
    corpus.push_back(os.str());
  }
}

std::vector<std::string> makeCorpus() {
  std::vector<std::string> corpus;
  dsl::ProgramRegistry registry;
  dsl::registerAllPrograms(registry);
  for (const dsl::Declaration &program : registry.all())
    for (Protocol protocol : {Protocol::Simple, Protocol::LL})
      addProgram(program, protocol, corpus);
  for (const auto &[name, description] : listTargets(CCLC_TARGET_DIR)) {
    std::string path = std::string(CCLC_TARGET_DIR) + "/" + name + ".json";
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      corpus.push_back((*buffer)->getBuffer().str());
  }
  test::RandomProgramOptions small{.maxRanks = 4, .maxOps = 8, .directives = true};
  for (uint64_t seed = 0; seed < 12; ++seed)
    corpus.push_back(printed(test::randomProgram(seed, small)));
  corpus.push_back(R"({"name": "list", "family": "graph", "nodes": [{"name": "a"},
{"name": "b", "overhead": 1e-9}, {"name": "s", "endpoint": "off"}],
"links": [{"from": "a", "to": "s", "bandwidth": 1e9, "propagation": 1e-6},
{"from": "s", "to": "b"}, {"from": "b", "to": "a", "duplex": "off"}]})");
  corpus.push_back(R"({"name": "grid", "family": "graph", "shape": "torus_2d", "width": 3,
"height": 4, "link": {"bandwidth": 1e9, "propagation": 1e-6}, "launch": 1e-6})");
  corpus.push_back(R"({"name": "small", "family": "ahbm", "sips": {"count": 4,
"topology": "torus_2d", "width": 2, "height": 2}, "cubes": {"width": 3, "height": 2, "pes": 5},
"io": {"phys": 2}, "noc": {"bandwidth": 256e9}})");
  corpus.push_back(R"({"name": "sw", "family": "switched", "gpus_per_node": 4, "nodes": 2,
"nic": {"gpus_per_nic": 2, "bandwidth": 25e9}, "limits": {"channels": 4, "count": 9}})");
  corpus.push_back("ccl.version 3\nchunk.program @custom coll custom ranks 2 outofplace {\n"
                   "  input 2\n  output 1\n  expect r1:o[0] = r0:i[1] + r1:i[0]\n"
                   "  phase 1 \"go\"\n  scratch \"tmp\" 2\n"
                   "  %0 = copy r1:o[0] <- r0:i[1] ch 1 phase 1\n"
                   "  %1 = reduce r1:o[0] += r1:i[0] sendtb 2\n"
                   "  %2 = copy r0:\"tmp\"[0:2] <- r1:i[0:2]\n}\n");
  for (const std::string *plan :
       {&test::gatherByPort, &test::reduceBySwitch, &test::pipelinedRelay, &test::sharedRelay})
    corpus.push_back(*plan);
  return corpus;
}

// --- Mutations ------------------------------------------------------------------------

/// Words, numbers and single punctuation characters.
std::vector<StringRef> tokensOf(StringRef text) {
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    // Numbers are separate tokens, also in r3 and tb1.
    size_t length = llvm::isDigit(text.front())
                        ? text.find_if_not(llvm::isDigit)
                        : text.find_if_not([](char c) { return llvm::isAlpha(c) || c == '_'; });
    length = std::clamp<size_t>(length, 1, text.size());
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

/// The files of a folder in the order of their names; none if it does not exist.
std::vector<std::string> filesOf(const std::string &folder) {
  std::vector<std::string> names, texts;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    names.push_back(at->path());
  llvm::sort(names);
  for (const std::string &name : names)
    if (auto buffer = llvm::MemoryBuffer::getFile(name))
      texts.push_back((*buffer)->getBuffer().str());
  return texts;
}

class Mutator {
public:
  Mutator(std::vector<std::string> corpus, uint64_t seed)
      : corpus(std::move(corpus)), random(seed) {}

  /// Adds an accepted input to the corpus for further mutations.
  void keep(const std::string &text) {
    constexpr size_t most = 3000;
    if (text.size() > 20000 || !random.chance(20))
      return;
    if (corpus.size() < most)
      corpus.push_back(text);
    else
      corpus[random.below(most)] = text;
  }

  std::string next() {
    std::string text = pick();
    if (LLVMFuzzerCustomMutator)
      return mutateStructure(std::move(text));
    for (uint32_t n = random.between(1, 4); n > 0; --n)
      mutate(text);
    return text;
  }

private:
  const std::string &pick() { return corpus[random.below(corpus.size())]; }
  size_t place(const std::string &text) { return random.below(text.size() + 1); }
  size_t length(const std::string &text, size_t from) {
    return std::min<size_t>(random.below(random.chance(20) ? 400 : 12) + 1, text.size() - from);
  }

  std::string mutateStructure(std::string text) {
    const size_t size = text.size();
    text.resize(std::max<size_t>(2 * size, 4096));
    auto *data = reinterpret_cast<uint8_t *>(text.data());
    text.resize(LLVMFuzzerCustomMutator(data, size, text.size(), unsigned(random.next())));
    return text;
  }

  void mutate(std::string &text) {
    if (text.empty()) {
      text = pick();
      return;
    }
    if (looksLikePlanBin(text) && random.chance(70)) {
      swapWord(text);
      return;
    }
    switch (random.below(9)) {
    case 0: // flip a bit
      text[random.below(text.size())] ^= 1 << random.below(8);
      return;
    case 1: // set a byte
      text[random.below(text.size())] = random.next();
      return;
    case 2: // truncate
      if (random.chance(20))
        text.resize(place(text));
      return;
    case 3: { // remove a section
      size_t at = place(text);
      text.erase(at, length(text, at));
      return;
    }
    case 4: { // copy a section to another place
      size_t at = place(text);
      std::string piece = text.substr(at, length(text, at));
      text.insert(place(text), piece);
      return;
    }
    case 5: { // join the head of one input and the tail of another
      const std::string &other = pick();
      if (random.chance(20))
        text = text.substr(0, place(text)) + other.substr(place(other));
      return;
    }
    default:
      swapToken(text);
    }
  }

  /// Replaces a word of a binary plan by another word, or by a boundary value.
  void swapWord(std::string &text) {
    auto word = [&] { return text.data() + random.below(text.size() / 4) * 4; };
    constexpr uint32_t edges[] = {0,       1,          2,          3,        255, 65535, 1 << 16,
                                  1 << 27, 0x3fffffff, 0x40000000, 1u << 31, ~1u, ~0u};
    char *victim = word();
    if (random.chance(50))
      std::memmove(victim, word(), 4);
    else
      llvm::support::endian::write32le(victim, edges[random.below(std::size(edges))]);
  }

  /// Replaces a token by a token of this or of another input, or by a boundary value.
  void swapToken(std::string &text) {
    std::vector<StringRef> tokens = tokensOf(text);
    StringRef victim = tokens[random.below(tokens.size())];
    constexpr const char *edges[] = {
        "0",          "1",          "2",          "3",          "-1",
        "7",          "255",        "65535",      "65536",      "1073741823",
        "1073741824", "2147483648", "4294967294", "4294967295", "18446744073709551615",
        "1e3",        "0.5",        "null"};
    std::string with;
    if (llvm::isDigit(victim.front()) && random.chance(60)) {
      with = edges[random.below(random.chance(50) ? 6 : std::size(edges))];
    } else {
      std::string other = random.chance(70) ? text : pick();
      std::vector<StringRef> donors = tokensOf(other);
      if (donors.empty())
        return;
      with = donors[random.below(donors.size())].str();
    }
    text.replace(victim.data() - text.data(), victim.size(), with);
  }

  std::vector<std::string> corpus;
  Random random;
};

/// Returns true if the input was accepted.
bool run(const std::string &text) {
  current = text;
  // A copy of exactly this size lets a sanitizer detect reads beyond the end.
  std::vector<uint8_t> bytes(text.begin(), text.end());
  return LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0;
}
} // namespace

/// A number, or the current date as a number.
static std::optional<uint64_t> parseSeed(StringRef text) {
  uint64_t seed;
  if (text == "today") {
    std::time_t now = std::time(nullptr);
    std::tm date{};
    gmtime_r(&now, &date);
    return (date.tm_year + 1900) * 10000 + (date.tm_mon + 1) * 100 + date.tm_mday;
  }
  if (text.getAsInteger(10, seed))
    return std::nullopt;
  return seed;
}

/// Mutates \p corpus until the number of runs or the time is reached.
static void fuzz(const std::vector<std::string> &corpus, uint64_t seed, uint64_t runs,
                 uint64_t seconds) {
  llvm::outs() << "seed " << seed << '\n';
  llvm::outs().flush();
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::seconds(seconds);
  Mutator mutator(corpus, seed);
  uint64_t done = 0, accepted = 0;
  for (; done < runs && Clock::now() < end; ++done) {
    alarm(60); // an input that takes this long counts as a hang
    std::string text = mutator.next();
    if (run(text)) {
      ++accepted;
      mutator.keep(text);
    }
  }
  alarm(0);
  llvm::outs() << done << " inputs, " << accepted << " accepted, seed " << seed << '\n';
}

int main(int argc, char **argv) {
  uint64_t runs = ~uint64_t(0), seconds = 5;
  std::vector<uint64_t> seeds;
  if (const char *text = std::getenv("CCLC_FUZZ_SECONDS"))
    seconds = std::strtoull(text, nullptr, 10);
  std::vector<std::string> files;
  std::string seedFolder;
  for (int i = 1; i < argc; ++i) {
    StringRef option = argv[i];
    uint64_t *place = option == "--runs" ? &runs : option == "--seconds" ? &seconds : nullptr;
    if (option == "--write-seeds" && i + 1 < argc) {
      seedFolder = argv[++i];
    } else if (option == "--seed") {
      std::optional<uint64_t> seed = ++i < argc ? parseSeed(argv[i]) : std::nullopt;
      if (!seed) {
        llvm::errs() << "--seed takes a number or 'today'\n";
        return 2;
      }
      seeds.push_back(*seed);
    } else if (!place) {
      files.push_back(argv[i]);
    } else if (++i == argc || StringRef(argv[i]).getAsInteger(10, *place)) {
      llvm::errs() << option << " takes a number\n";
      return 2;
    }
  }
  if (seeds.empty()) {
    const char *text = std::getenv("CCLC_FUZZ_SEED");
    seeds.push_back(text ? parseSeed(text).value_or(1) : 1);
  }
  inputFile = StringRef(argv[0]).rsplit('/').second.str();
  if (inputFile.empty())
    inputFile = argv[0];
  inputFile += ".input";
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM})
    std::signal(signal, saveInput);

  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer) {
      llvm::errs() << "cannot read '" << file << "'\n";
      return 2;
    }
    run((*buffer)->getBuffer().str());
  }
  if (!files.empty())
    return 0;

  if (!seedFolder.empty()) { // the main function of libFuzzer, which first runs the given files
    unsigned n = 0;
    for (const std::string &text : makeCorpus()) {
      std::error_code error;
      llvm::raw_fd_ostream os(seedFolder + "/seed" + std::to_string(n++), error);
      if (error) {
        llvm::errs() << "cannot write to '" << seedFolder << "'\n";
        return 2;
      }
      os << text;
    }
    return 0;
  }

  std::vector<std::string> corpus = makeCorpus();
  const std::string fuzzer = StringRef(inputFile).split('.').first.split('-').second.str();
  for (std::string &text : filesOf(CCLC_CORPUS_DIR "/" + fuzzer))
    corpus.push_back(std::move(text));
  // An input that is refused does not become a useful one by mutations.
  llvm::erase_if(corpus, [](const std::string &text) { return !run(text); });
  for (uint64_t seed : seeds)
    fuzz(corpus, seed, runs, seconds);
  return 0;
}
