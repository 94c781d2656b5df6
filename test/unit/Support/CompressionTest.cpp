//===- CompressionTest.cpp - Files that end in .zst and .gz ---------------===//

#include "cclc/Support/Compression.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace cclc;
using llvm::MemoryBuffer;

/// Text that repeats itself, like a plan, and noise, which does not become smaller.
static std::string contentOf(size_t size) {
  std::string text;
  uint64_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += i % 1000 < 700 ? char('a' + i % 26) : char(state >> 56);
  }
  return text;
}

static std::string packed(StringRef path, StringRef content) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  {
    auto stream = compressingStream(path, os);
    REQUIRE(stream);
    *stream << content;
    CHECK(stream->tell() == content.size());
  }
  return bytes;
}

/// The content of \p bytes, or the message of the error.
static std::string unpacked(StringRef bytes) {
  DiagnosticEngine diags;
  auto buffer = decompressed(MemoryBuffer::getMemBufferCopy(bytes, "f"), "'f'", diags);
  return succeeded(buffer) ? (*buffer)->getBuffer().str() : diags.all()[0].text;
}

TEST_CASE("compressed content is read again", "[compression]") {
  const char *path = GENERATE("plan.json.zst", "plan.json.gz");
  for (size_t size : {0, 1, 1000, (1 << 17) - 1, 1 << 17, 1000000}) {
    INFO(path << " with " << size << " bytes");
    const std::string content = contentOf(size);
    const std::string bytes = packed(path, content);
    CHECK(unpacked(bytes) == content);
    CHECK(bytes == packed(path, content)); // no time, no name
    if (size > 1000)
      CHECK(bytes.size() < size / 2);
    // Concatenated files are one file, as for the programs zstd and gzip.
    CHECK(unpacked(bytes + packed(path, "end")) == content + "end");
  }
}

TEST_CASE("a file that is cut off anywhere is an error", "[compression]") {
  const std::string path = GENERATE("f.zst", "f.gz");
  const std::string bytes = packed(path, contentOf(3000));
  // The first bytes say that the file is compressed; with fewer, it is a file like others.
  for (size_t size = 4; size < bytes.size(); ++size)
    CHECK(unpacked(StringRef(bytes).take_front(size)) ==
          "cannot read 'f': the compressed file is cut off");
}

TEST_CASE("a damaged byte is found", "[compression]") {
  const std::string path = GENERATE("f.zst", "f.gz");
  const std::string content = contentOf(3000), bytes = packed(path, content);
  for (size_t at = 20; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 0x55);
    CHECK_THAT(unpacked(damaged), Catch::StartsWith("cannot read 'f': "));
  }
}

TEST_CASE("other files are left as they are", "[compression]") {
  CHECK_FALSE(compressingStream("plan.json", llvm::nulls()));
  CHECK(withoutCompression("plan.json") == "plan.json");
  CHECK(withoutCompression("plan.json.zst") == "plan.json");
  CHECK(withoutCompression("plan.bin.gz") == "plan.bin");
  CHECK(unpacked("") == "");
  CHECK(unpacked("{}") == "{}");
}
