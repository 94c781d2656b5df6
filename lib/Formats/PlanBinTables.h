//===- PlanBinTables.h - The tables of a binary plan ------------*- C++ -*-===//
//
// The header has the number of rows of each table, and the file must have exactly the resulting
// length. No table can therefore exceed the file, and no memory is allocated for missing rows.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANBINTABLES_H
#define CCL_LIB_FORMATS_PLANBINTABLES_H

#include "PlanBinLayout.h"

#include "cclc/Formats/PlanBin.h"

#include "llvm/Support/Endian.h"

namespace cclc::bin {

class PlanBinTables {
public:
  PlanBinTables(StringRef bytes, StringRef fileName, DiagnosticEngine &diags)
      : bytes(bytes), fileName(fileName), diags(diags) {}

  /// Must succeed before any other call.
  LogicalResult open() { return succeeded(findTables()) ? readStrings() : failure(); }

  DiagnosticEngine::InFlight error(const llvm::Twine &text) {
    return diags.error({fileName.str()}, text);
  }

  // --- Rows ----------------------------------------------------------------------------

  /// 0 for a table that the version of the file does not have.
  uint32_t rows(Table table) const {
    return size_t(table) < tablesOf(version) ? wordAt(magicBytes + 4 + 4 * size_t(table)) : 0;
  }
  uint32_t word(Table table, uint32_t row, uint32_t index = 0) const {
    return wordAt(begin[size_t(table)] + size_t(row) * rowBytes[size_t(table)] + 4 * size_t(index));
  }
  uint32_t infoWord(InfoWord index) const { return word(Table::Info, 0, index); }

  // --- Checks --------------------------------------------------------------------------

  /// Checks the index in row \p row of \p what into a table with \p size entries.
  LogicalResult checkIndex(const char *what, uint32_t row, const char *of, uint32_t index,
                           uint64_t size) {
    return index < size ? success() : badIndex(what, row, of, index, size);
  }
  LogicalResult checkLimit(const char *what, uint64_t value, uint64_t least, uint64_t most) {
    return value >= least && value <= most ? success() : badValue(what, value, least, most);
  }
  /// Reads a string whose number is in a word of a row.
  LogicalResult readString(StringRef &to, Table table, uint32_t row, uint32_t index,
                           const char *what);
  LogicalResult readString(std::string &to, Table table, uint32_t row, uint32_t index,
                           const char *what) {
    StringRef text;
    if (failed(readString(text, table, row, index, what)))
      return failure();
    to = text.str();
    return success();
  }
  uint32_t fileVersion() const { return version; }
  /// Reads an enumerator by name; \p noun is the kind of name, for the error message.
  template <class T>
  LogicalResult readNamed(T &to, std::optional<T> (*parse)(std::string_view), const char *noun,
                          Table table, uint32_t row, uint32_t index, const char *what) {
    StringRef name;
    if (failed(readString(name, table, row, index, what)))
      return failure();
    std::optional<T> parsed = parse(name);
    if (!parsed)
      return error(llvm::Twine("unknown ") + noun + " '" + name + "'");
    to = *parsed;
    return success();
  }

private:
  uint32_t wordAt(size_t offset) const {
    return llvm::support::endian::read32le(bytes.data() + offset);
  }
  LogicalResult findTables();
  LogicalResult readStrings();
  LogicalResult badIndex(const char *what, uint32_t row, const char *of, uint32_t index,
                         uint64_t size);
  LogicalResult badValue(const char *what, uint64_t value, uint64_t least, uint64_t most);

  StringRef bytes, fileName;
  DiagnosticEngine &diags;
  uint32_t version = planVersion;
  std::array<size_t, numTables> begin{};
  std::vector<StringRef> strings;
};

/// The header of a plan: all parts except ranks and steps. None after an error.
std::optional<ProgramInfo> readHeader(PlanBinTables &tables);

} // namespace cclc::bin

#endif // CCL_LIB_FORMATS_PLANBINTABLES_H
