//===- WhyJson.h - Provenance as JSON ---------------------------*- C++ -*-===//

#ifndef CCL_LIB_VIEWS_REPORT_WHYJSON_H
#define CCL_LIB_VIEWS_REPORT_WHYJSON_H

#include "cclc/Views/Report/Why.h"

#include "JsonText.h"

namespace cclc {

struct WhyJson {
  static nlohmann::ordered_json of(const Why &why);
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_WHYJSON_H
