#include "cclc/Compiler/Placement/RankPlacement.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

std::unique_ptr<Pass> cclc::placePass(RankPlacement how, const Machine *machine, Geometry geometry,
                                      std::vector<uint32_t> endpoints,
                                      std::optional<uint64_t> buffer, PlacementMemo *memo) {
  return makePass<InstrProgram, InstrProgram>(
      "place",
      [how, machine, geometry = std::move(geometry), endpoints = std::move(endpoints), buffer,
       memo](InstrProgram &&program, PassContext &context) -> FailureOr<InstrProgram> {
        if (!machine)
          return context.diags.error({}, "place needs a target: --target NAME|FILE");
        if (program.info().ranks() > endpoints.size())
          return context.diags.error(
              {}, formatv("place: the program has {0} ranks, but target {1} has room for {2}",
                          program.info().ranks(), machine->name, endpoints.size()));
        program.placeRanks(placeRanks(how, program, *machine, geometry, endpoints, buffer, memo));
        return std::move(program);
      });
}

void cclc::registerPlacement(PassRegistry &registry, const Machine *machine) {
  registry.add(
      {"place", Level::Instr, Level::Instr, "map each rank to a PE of the target",
       "how (auto): auto, linear or snake\n"
       "mapper (all_pes): all_pes, cube_leaders or leader_only: candidate PEs",
       [machine](PassOptions &options) {
         auto how = parseRankPlacement(options.choice("how", {"auto", "linear", "snake"}))
                        .value_or(RankPlacement::Auto);
         auto mapper =
             parseMapper(options.choice("mapper", {"all_pes", "cube_leaders", "leader_only"}))
                 .value_or(Mapper::AllPes);
         if (!machine)
           return placePass(how, nullptr, {}, {});
         Machine::Selection places = machine->select(mapper);
         return placePass(how, machine, std::move(places.geometry), std::move(places.endpoints));
       }});
}
