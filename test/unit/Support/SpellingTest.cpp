//===- SpellingTest.cpp - Suggestions for misspelt words ------------------===//

#include "cclc/Support/Spelling.h"

#include <catch2/catch.hpp>

using namespace cclc;

TEST_CASE("the nearest word is suggested", "[spelling]") {
  const std::vector<std::string> words = {"ahbm", "--ranks", "slot_size", "link"};
  CHECK(didYouMean("ahmb", words) == " (did you mean 'ahbm'?)"); // one swap
  CHECK(didYouMean("abhm", words) == " (did you mean 'ahbm'?)");
  CHECK(didYouMean("hbm", words) == " (did you mean 'ahbm'?)");
  CHECK(didYouMean("--rank", words) == " (did you mean '--ranks'?)");
  CHECK(didYouMean("slotsize", words) == " (did you mean 'slot_size'?)");
  CHECK(didYouMean("slot_sise", words) == " (did you mean 'slot_size'?)");
  CHECK(didYouMean("links", words) == " (did you mean 'link'?)");
}

TEST_CASE("a word that is far from all others has no suggestion", "[spelling]") {
  CHECK(didYouMean("mesh", {"ahbm", "link"}) == "");
  CHECK(didYouMean("", {"ahbm"}) == "");
  CHECK(didYouMean("ahbm", {}) == "");
}

TEST_CASE("an unknown word is reported with the known ones", "[spelling]") {
  CHECK(unknownWord("colour", "rde", {"green", "red"}) ==
        "unknown colour 'rde' (did you mean 'red'?); it must be one of green, red");
  CHECK(unknownWord("colour", "violet", {"green", "red"}) ==
        "unknown colour 'violet'; it must be one of green, red");
}
