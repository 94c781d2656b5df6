//===- Diagnostics.h - Messages to the user ---------------------*- C++ -*-===//
//
// Everything that can be wrong with a user's program, file or command line is a diagnostic: a
// severity, a location, one sentence, and notes that point to the other places involved. Libraries
// collect them in a DiagnosticEngine and return failure(); the engine has the kind of the failure,
// by which the tools choose their exit code. The text follows LLVM's style: it starts in lower
// case, has no full stop and names the object and both numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_DIAGNOSTICS_H
#define CCL_SUPPORT_DIAGNOSTICS_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Location.h"

#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace cclc {

enum class Severity { Error, Warning, Note };

/// What a failure says about the request and its input.
enum class Failure : uint8_t {
  Unusable, ///< they cannot be read, or do not go together
  Wrong,    ///< a program or a plan is wrong
  Unfit,    ///< the program or plan is right, but its destination cannot execute it
  Defect    ///< of the toolchain
};

struct Diagnostic {
  struct Note {
    Location loc;
    std::string text;
  };

  Severity severity;
  Location loc;
  std::string text;
  std::vector<Note> notes;

  /// The text, and its notes as further lines: "file:line: note: text".
  std::string textWithNotes() const;
};

/// How a tool prints its diagnostics: as text, in colour on a terminal unless NO_COLOR is set; as
/// annotations of GitHub Actions; or as a report of JUnit.
enum class MessageForm : uint8_t { Text, Github, Junit };

/// Collects diagnostics in the order in which they were reported.
class DiagnosticEngine {
public:
  /// The result of error(): accepts notes, and converts to failure() so that `return
  /// diags.error(...)` reads well.
  class InFlight {
  public:
    InFlight(DiagnosticEngine &engine, size_t index) : engine(engine), index(index) {}
    InFlight &note(Location loc, const llvm::Twine &text);
    /// Sets the kind of the failure.
    InFlight &as(Failure kind);
    operator LogicalResult() const { return llvm::failure(); }
    template <class T> operator FailureOr<T>() const { return llvm::failure(); }

  private:
    DiagnosticEngine &engine;
    size_t index;
  };

  InFlight error(Location loc, const llvm::Twine &text);
  InFlight warning(Location loc, const llvm::Twine &text);
  /// A remark that is neither error nor warning.
  InFlight note(Location loc, const llvm::Twine &text);

  /// The kind of the failure with the last error: Unusable, unless it is known better.
  Failure failure() const { return kind; }
  /// Sets the kind of the failure, whose errors are reported. Returns failure().
  LogicalResult fail(Failure known) {
    kind = known;
    return llvm::failure();
  }

  bool hasErrors() const { return errors != 0; }
  ArrayRef<Diagnostic> all() const { return diagnostics; }
  void clear();
  /// Appends the diagnostics of \p other; those without a location get \p where.
  void append(DiagnosticEngine other, const Location &where = {});
  /// The diagnostics without warnings that are equal to an earlier one, as those of a file that is
  /// read several times.
  DiagnosticEngine withoutRepeats() const;

  /// Prints everything as "file:line:col: error: text", notes below their
  /// diagnostic. A diagnostic without a file is printed as "\p tool: error: text".
  void print(raw_ostream &os, StringRef tool, bool color = false) const;

private:
  InFlight add(Severity severity, Location loc, const llvm::Twine &text);

  std::vector<Diagnostic> diagnostics;
  size_t errors = 0;
  Failure kind = Failure::Unusable;
};

} // namespace cclc

#endif // CCL_SUPPORT_DIAGNOSTICS_H
