//===- Declaration.cpp - Declaring a program ------------------------------===//
//
// What allocates is here and not in the header: each user's program would instantiate it again,
// which takes a third of the time of its compilation.
//
//===----------------------------------------------------------------------===//

#include "cclc/DSL/Declaration.h"

using namespace cclc::dsl;

Declaration &Declaration::summary(std::string text) { return theSummary = std::move(text), *this; }
Declaration &Declaration::source(std::string text) { return theSource = std::move(text), *this; }
Declaration &Declaration::cost(std::string text) { return theCost = std::move(text), *this; }

Declaration &Declaration::ranksFrom(std::function<int(const ParamValues &)> fn) {
  return theRanksFrom = std::move(fn), *this;
}
Declaration &Declaration::body(std::function<void(Program &)> fn) {
  return theBody = std::move(fn), *this;
}

Declaration &Declaration::param(const IntParam &param) {
  return theParams.emplace_back(param), *this;
}
Declaration &Declaration::param(const BoolParam &param) {
  return theParams.emplace_back(param), *this;
}
Declaration &Declaration::param(const ChoiceParam &param) {
  return theParams.emplace_back(param), *this;
}

std::string_view cclc::dsl::buffersName(Buffers buffers) {
  switch (buffers) {
  case Buffers::InPlace:
    return "in_place";
  case Buffers::OutOfPlace:
    return "out_of_place";
  case Buffers::Both:
    return "both";
  }
  return "";
}
