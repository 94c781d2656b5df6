#include "cclc/Tools/Api/Report.h"

#include "Access.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc::api;

std::string Report::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (content)
    content->text(os);
  return text;
}

std::string Report::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (content)
    content->json(os);
  return text;
}
