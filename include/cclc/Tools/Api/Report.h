//===- Report.h - The output of a tool for the same work --------*- C++ -*-===//

#ifndef CCLC_API_REPORT_H
#define CCLC_API_REPORT_H

#include <memory>
#include <string>

namespace cclc::api {

/// What a tool prints and writes with the same input. A copy is the same report.
class Report {
public:
  /// What the tool prints to standard output.
  std::string text() const;
  /// What it writes with --json. Its command guide documents the keys.
  std::string json() const;

private:
  friend class ReportAccess;
  struct Content;
  std::shared_ptr<const Content> content;
};

} // namespace cclc::api

#endif // CCLC_API_REPORT_H
