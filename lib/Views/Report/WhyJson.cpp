//===- WhyJson.cpp - Provenance as JSON -----------------------------------===//
//
// Nodes are written in reverse post-order, the cell first, with the indices of their operands, so
// that a shared value is written once.
//
//===----------------------------------------------------------------------===//

#include "WhyJson.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

using Json = nlohmann::ordered_json;

Json WhyJson::of(const Why &why) {
  const ExecPlan &plan = why.plan;
  const Provenance &provenance = why.provenance;
  ArrayRef<ProvenanceId> reached = why.reached;
  std::vector<uint32_t> number(provenance.size());
  for (size_t i = 0; i < reached.size(); ++i)
    number[reached[reached.size() - 1 - i].index()] = i;
  Json nodes = Json::array();
  for (size_t i = reached.size(); i-- > 0;) {
    ProvenanceId id = reached[i];
    Json node;
    if (provenance.isAction(id)) {
      Provenance::Place place = provenance.place(id);
      uint32_t tb = threadblockOf(plan, place.step).index();
      node["rank"] = plan.threadblocks()[tb].rank.index();
      node["threadblock"] = plan.localId(tb).index();
      node["step"] = place.step.index() - plan.threadblocks()[tb].firstStep;
      node["op"] = traits(plan.steps()[place.step.index()].op).mnemonic;
      node["does"] = why.doing(id);
      std::string where;
      llvm::raw_string_ostream(where) << stepLocation(plan, place.step);
      node["location"] = where;
      Provenance::Operands operands = provenance.operands(id);
      node["from"] = {number[operands.lhs.index()]};
      if (operands.rhs)
        node["from"].push_back(number[(*operands.rhs).index()]);
    } else {
      node["initial"] = provenance.isContribution(id) ? Json(why.textOf(id)) : Json(nullptr);
    }
    nodes.push_back(std::move(node));
  }
  Json out;
  out["cell"] = formatv("{0}:{1}[{2}]", why.name.rank, bufferLetter(why.name.cell.buffer()),
                        why.name.cell.index())
                    .str();
  out["placement"] = why.placement == Placement::InPlace ? "in_place" : "out_of_place";
  out["value"] = why.expression();
  out["initial_chunks"] = why.contributions;
  out["reductions"] = why.reductions;
  out["messages"] = why.messages;
  out["nodes"] = std::move(nodes);
  return out;
}

void cclc::writeWhyJson(Verdict verdict, ArrayRef<Why> answers, raw_ostream &os) {
  Json out;
  out["format"] = "ccl-provenance";
  out["version"] = 1;
  out["verdict"] = verdictName(verdict).str();
  out["answers"] = Json::array();
  for (const Why &why : answers)
    out["answers"].push_back(WhyJson::of(why));
  // Names in files may be invalid UTF-8.
  os << jsonText(out) << '\n';
}
