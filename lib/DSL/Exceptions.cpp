#include "cclc/DSL/Trace.h"

#include <exception>
#include <new>

std::optional<std::string> cclc::dsl::thrownBy(llvm::function_ref<void()> code) {
  try {
    code();
    return std::nullopt;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &error) {
    return std::string(": ") + error.what();
  } catch (...) {
    return "";
  }
}
