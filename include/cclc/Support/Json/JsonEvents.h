//===- JsonEvents.h - Reading JSON without a tree ---------------*- C++ -*-===//
//
// A reader of JSON derives from JsonEvents and is called for each value and key in the order of the
// text, with the position in it. The parser is that of nlohmann/json, which is compiled here once
// for all readers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_JSON_JSONEVENTS_H
#define CCL_SUPPORT_JSON_JSONEVENTS_H

#include "cclc/Support/TextCursor.h"

#include <string>

namespace cclc {

/// The parts of a JSON text. All functions return false to end the reading.
class JsonEvents {
public:
  explicit JsonEvents(StringRef text) : position(text) {}
  virtual ~JsonEvents() = default;

  virtual bool null() = 0;
  virtual bool boolean(bool value) = 0;
  virtual bool number(uint64_t value) = 0;
  virtual bool negativeNumber() = 0;
  /// A number that is not whole, or is too large for 64 bits.
  virtual bool fraction() = 0;
  virtual bool string(std::string &text) = 0;
  virtual bool key(std::string &name) = 0;
  virtual bool startObject() = 0;
  virtual bool endObject() = 0;
  virtual bool startArray() = 0;
  virtual bool endArray() = 0;
  /// The text is not JSON; the position is that of the error.
  virtual void syntaxError(StringRef message) = 0;

  TextPosition position; ///< the end of the last part
};

/// Reads \p text, that of \p events; false if it is not JSON, or if the reading was ended.
bool readJson(StringRef text, JsonEvents &events);

/// A string of JSON with its quotes; invalid UTF-8 is replaced.
std::string jsonQuoted(StringRef text);

} // namespace cclc

#endif // CCL_SUPPORT_JSON_JSONEVENTS_H
