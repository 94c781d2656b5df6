//===- Scanner.h - XML in the dialect of the runtimes -----------*- C++ -*-===//
//
// The runtimes share a parser for a subset of XML: elements without text, attributes in double
// quotes separated by single blanks, no prolog, no tabs, no entities. The scanner reports XML that
// their parser does not support and continues after it; it stops where no parser can continue.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_MSCCL_SCANNER_H
#define CCL_LIB_FORMATS_MSCCL_SCANNER_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc::msccl {

/// All elements of a file in document order.
struct Scan {
  struct Attribute {
    StringRef name, value;
  };
  struct Element {
    StringRef name;
    size_t at; ///< offset of its opening bracket
    std::optional<uint32_t> parent;
    uint32_t firstAttribute, numAttributes;
  };
  struct Fault {
    size_t at;
    std::string text, remedy;
  };

  std::vector<Element> elements;
  std::vector<Attribute> attributes;
  /// The first fault of each kind.
  std::vector<Fault> faults;
  /// Whether all elements are closed and the text ends after the last one.
  bool complete = false;

  std::optional<StringRef> attribute(const Element &element, StringRef name) const {
    for (uint32_t a = 0; a < element.numAttributes; ++a)
      if (attributes[element.firstAttribute + a].name == name)
        return attributes[element.firstAttribute + a].value;
    return std::nullopt;
  }
};

/// \p text must outlive the result.
Scan scan(StringRef text);

} // namespace cclc::msccl

#endif // CCL_LIB_FORMATS_MSCCL_SCANNER_H
