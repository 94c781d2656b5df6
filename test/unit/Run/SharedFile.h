//===- SharedFile.h - Memory with several addresses -------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_RUN_SHAREDFILE_H
#define CCL_TEST_UNIT_RUN_SHAREDFILE_H

#include <catch2/catch.hpp>

#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace cclc::test {

/// Memory of zeros that can be mapped several times.
class SharedFile {
public:
  explicit SharedFile(size_t bytes) : bytes(bytes), file(memfd_create("test", 0)) {
    REQUIRE(ftruncate(file, off_t(bytes)) == 0);
  }
  SharedFile(const SharedFile &) = delete;
  ~SharedFile() {
    for (void *mapping : mappings)
      munmap(mapping, bytes);
    close(file);
  }
  std::byte *map() {
    void *mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(mapping != MAP_FAILED);
    mappings.push_back(mapping);
    return static_cast<std::byte *>(mapping);
  }

private:
  size_t bytes;
  int file;
  std::vector<void *> mappings;
};

} // namespace cclc::test

#endif // CCL_TEST_UNIT_RUN_SHAREDFILE_H
