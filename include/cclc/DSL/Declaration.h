//===- Declaration.h - Declaration of a program -----------------*- C++ -*-===//
//
// A file contains one program and its declaration:
//
//   #include "cclc/DSL/DSL.h"
//   using namespace cclc::dsl;
//
//   static void ring(Program &p) { ... }
//
//   CCLC_PROGRAM(my_ring) {
//     d.collective(AllReduce)
//         .summary("Sends every chunk once around the ring ...")
//         .param(channels)
//         .body(ring);
//   }
//
// `cclc my_ring.cpp` compiles and runs such a file. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_DECLARATION_H
#define CCL_DSL_DECLARATION_H

#include "cclc/DSL/Params.h"
#include "cclc/IR/CollectiveKind.h"
#include "cclc/IR/Geometry.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cclc::dsl {

using enum CollectiveKind;

class Program;

/// Whether input and output are the same memory (where the collective permits it), separate, or
/// either.
enum class Buffers { InPlace, OutOfPlace, Both };
/// "in_place", "out_of_place", "both".
std::string_view buffersName(Buffers buffers);

class Declaration {
public:
  explicit Declaration(std::string name) : theName(std::move(name)) {}

  Declaration &collective(CollectiveKind kind) { return theKind = kind, *this; }
  /// A description of the algorithm in one paragraph.
  Declaration &summary(std::string text);
  /// The paper or document that describes the algorithm.
  Declaration &source(std::string text);
  /// The cost: the number of sequential steps and the data sent by a rank, for R ranks and S bytes.
  Declaration &cost(std::string text);
  /// The placements that the program supports, and the default placement. Without this call, it is
  /// in place, or out of place for a custom collective.
  Declaration &buffers(Buffers which, Buffers otherwise) {
    return theBuffers = which, theDefaultBuffers = otherwise, *this;
  }
  /// The members that participate on a machine with levels. Without this call, every PE does unless
  /// the user chooses otherwise.
  Declaration &mapper(Mapper which) { return theMapper = which, hasMapper = true, *this; }
  /// The minimum and the default number of ranks.
  Declaration &ranks(int fewest, int otherwise) {
    return theFewestRanks = fewest, theDefaultRanks = otherwise, *this;
  }
  /// The program is for machines whose switches multicast and add: ccl-tune tries it on others only
  /// if the user asks for it.
  Declaration &forSwitches() { return isForSwitches = true, *this; }
  /// Computes the number of ranks from the parameters.
  Declaration &ranksFrom(std::function<int(const ParamValues &)> fn);
  Declaration &param(const IntParam &param);
  Declaration &param(const BoolParam &param);
  Declaration &param(const ChoiceParam &param);
  Declaration &body(std::function<void(Program &)> fn);

  const std::string &name() const { return theName; }
  CollectiveKind collective() const { return theKind; }
  const std::string &summary() const { return theSummary; }
  const std::string &source() const { return theSource; }
  const std::string &cost() const { return theCost; }
  Buffers buffers() const { return theBuffers.value_or(usualBuffers()); }
  Buffers defaultBuffers() const { return theDefaultBuffers.value_or(usualBuffers()); }
  Mapper mapper() const { return theMapper; }
  bool fixesMapper() const { return hasMapper; }
  bool needsSwitches() const { return isForSwitches; }
  int fewestRanks() const { return theFewestRanks; }
  int defaultRanks() const { return theDefaultRanks; }
  const std::function<int(const ParamValues &)> &ranksFrom() const { return theRanksFrom; }
  const std::vector<ParamSpec> &params() const { return theParams; }
  const std::function<void(Program &)> &body() const { return theBody; }

private:
  Buffers usualBuffers() const {
    return theKind == CollectiveKind::Custom ? Buffers::OutOfPlace : Buffers::InPlace;
  }

  std::string theName;
  CollectiveKind theKind = CollectiveKind::Custom;
  std::string theSummary;
  std::string theSource;
  std::string theCost;
  std::optional<Buffers> theBuffers;
  std::optional<Buffers> theDefaultBuffers;
  Mapper theMapper = Mapper::AllPes;
  bool hasMapper = false, isForSwitches = false;
  int theFewestRanks = 1;
  int theDefaultRanks = 8;
  std::function<int(const ParamValues &)> theRanksFrom;
  std::vector<ParamSpec> theParams;
  std::function<void(Program &)> theBody;
};

/// Incremented whenever code compiled against older headers would misbehave.
inline constexpr unsigned abiVersion = 11;

} // namespace cclc::dsl

/// Begins the function that declares the program NAME through `d`. Bundled programs are linked
/// together, so each has its own function; a user's program is loaded separately and has a fixed
/// entry point.
#ifdef CCLC_BUNDLED_PROGRAM
#define CCLC_PROGRAM(NAME) void cclcDeclare_##NAME(cclc::dsl::Declaration &d)
#else
#define CCLC_PROGRAM(NAME)                                                                         \
  extern "C" __attribute__((visibility("default"))) const unsigned cclc_program_abi =              \
      cclc::dsl::abiVersion;                                                                       \
  extern "C" __attribute__((visibility("default"))) const char *const cclc_program_name = #NAME;   \
  extern "C" __attribute__((visibility("default"))) void cclc_program_declare(                     \
      cclc::dsl::Declaration &d)
#endif

#endif // CCL_DSL_DECLARATION_H
