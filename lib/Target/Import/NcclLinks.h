//===- NcclLinks.h - Links between GPUs of topology files -------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_NCCLLINKS_H
#define CCL_LIB_TARGET_IMPORT_NCCLLINKS_H

#include "NcclTopology.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <pugixml.hpp>

#include <map>

namespace cclc::nccl {

/// Nodes by host and bus id.
using BusIds = std::map<std::pair<uint32_t, std::string>, uint32_t>;

/// An element `gpu`.
struct Element {
  pugi::xml_node xml;
  uint32_t node = 0; ///< of its `pci`
  uint32_t host = 0;
  uint32_t number = 0; ///< `dev`
  int64_t part = -1;   ///< `mlopart`
  uint32_t device = 0;
  bool isFirst = false; ///< whether it is the first of its device, whose links count
};

/// The number at the beginning of an attribute, as the runtimes read it; unset without one.
std::optional<int64_t> integerOf(pugi::xml_node node, const char *name);

/// A bus id in one form: runtimes ignore case, separators and zeros in front.
std::string busId(StringRef written);

/// Reports a problem of an element; of several with the same kind, the first one.
using WarnOnce = llvm::function_ref<void(pugi::xml_node, StringRef kind, const llvm::Twine &)>;

/// Gives the devices of \p server the links of \p gpus, whose targets are bus ids of \p nodes.
void resolveLinks(Server &server, ArrayRef<Element> gpus, const BusIds &nodes, WarnOnce warn);

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_NCCLLINKS_H
