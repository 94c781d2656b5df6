//===- PlanJsonOrderTest.cpp - The required order of keys -----------------===//
//
// The reader is a stream: a key that comes too late to be applied is rejected.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanJson.h"

#include <catch2/catch.hpp>

using namespace cclc;

static std::string problemWith(const std::string &before, const std::string &collective,
                               const std::string &rank, const std::string &after = "") {
  std::string text = "{\"format\":\"cclc-plan\",\"version\":1,\"name\":\"x\"," + before +
                     "\"placements\":[\"in_place\"],\"collective\":{\"kind\":\"allreduce\"," +
                     collective + "},\"ranks\":[{" + rank + "}]" + after + "}";
  DiagnosticEngine diags;
  if (succeeded(readPlanJson(text, "test.json", diags)))
    return "";
  REQUIRE(diags.all().size() == 1);
  return diags.all().front().text;
}

static const char *const collective = "\"ranks\":1,\"chunks\":1";
static const char *const rank = "\"rank\":0,\"scratch\":0,\"threadblocks\":[]";

TEST_CASE("keys in an order that a stream can read") {
  CHECK(problemWith("", collective, rank) == "");
  CHECK(problemWith("", collective, "\"scratch\":0,\"rank\":0,\"threadblocks\":[]") == "");
  CHECK(problemWith("", collective,
                    "\"rank\":0,\"scratch\":0,\"threadblocks\":[{\"channel\":0,\"tb\":0,"
                    "\"steps\":[]}]") == "");
}

TEST_CASE("keys that come too late") {
  CHECK(problemWith("", collective, rank, ",\"slots\":1") ==
        "'ranks' must be the last key of a plan");
  CHECK(problemWith("", "\"chunks\":1,\"ranks\":1", rank) == "'ranks' must come before 'chunks'");
  CHECK(problemWith("", collective, "\"rank\":0,\"threadblocks\":[],\"scratch\":0") ==
        "'scratch' is missing");
  CHECK(problemWith("", collective,
                    "\"rank\":0,\"scratch\":0,\"threadblocks\":[{\"tb\":0,\"channel\":0,"
                    "\"steps\":[],\"send\":0}]") ==
        "'steps' must be the last key of a threadblock");
}

TEST_CASE("a plan has at least one instance") {
  CHECK(problemWith("\"instances\":1,", collective, rank) == "");
  CHECK(problemWith("\"instances\":0,", collective, rank) == "a program has at least one instance");
}

TEST_CASE("a rank beyond those of the collective") {
  std::string expected = "there is no rank 1: the collective has 1";
  for (const char *keys : {"{\"rank\":1,\"scratch\":0", "{\"scratch\":1000,\"rank\":1"})
    CHECK(problemWith("", collective, rank + std::string("},") + keys + ",\"threadblocks\":[]") ==
          expected);
}
