//===- Result.h - Values, or the reason why there are none ------*- C++ -*-===//

#ifndef CCLC_API_RESULT_H
#define CCLC_API_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cclc::api {

/// A position in a file. An empty file: unknown; line 0: the whole file; column 0: the whole line.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

enum class Severity { Error, Warning, Note };

/// A message to the user: in lower case, without a full stop.
struct Message {
  struct Note {
    Place place;
    std::string text;
  };
  Severity severity = Severity::Error;
  Place place;
  std::string text;
  std::vector<Note> notes;
};

/// The messages as the tools print them, one per line: "FILE:LINE: error: TEXT".
std::string textOf(const std::vector<Message> &messages);

/// Why there is no value: the input was understood and found wrong, or cannot be used, or there is
/// a defect of the library, or the call was cancelled. The values are the exit codes of the tools.
enum class Failure { Wrong = 1, Unusable = 2, Internal = 70, Interrupted = 130 };

/// A value with the warnings of its computation, or a failure with its errors.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value, std::vector<Message> messages = {})
      : content(std::move(value)), theMessages(std::move(messages)) {}
  Result(Failure failure, std::vector<Message> messages)
      : theFailure(failure), theMessages(std::move(messages)) {}

  explicit operator bool() const { return content.has_value(); }
  T &operator*() & { return assert(content), *content; }
  const T &operator*() const & { return assert(content), *content; }
  T &&operator*() && { return assert(content), *std::move(content); }
  T *operator->() { return assert(content), &*content; }
  const T *operator->() const { return assert(content), &*content; }

  /// Only if there is no value.
  Failure failure() const { return assert(!content), theFailure; }
  const std::vector<Message> &messages() const { return theMessages; }
  /// The messages as text.
  std::string text() const { return textOf(theMessages); }

private:
  std::optional<T> content;
  Failure theFailure = Failure::Internal;
  std::vector<Message> theMessages;
};

} // namespace cclc::api

#endif // CCLC_API_RESULT_H
