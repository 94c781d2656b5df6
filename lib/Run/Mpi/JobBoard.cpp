//===- JobBoard.cpp - Texts that the processes of a job publish -----------===//
//
// Open MPI's launchers have PMIx, whose fence in MPI_Init distributes what was put before, on all
// nodes. MPICH's launcher Hydra has PMI-1, lines of text on a socket that the process inherits: its
// table of keys is emptied by MPI_Init, but the names of services are in the launcher at once.
// Texts vanish with the job, however it ends.
//
//===----------------------------------------------------------------------===//

#include "JobBoard.h"

#include <mpi.h>

#include <cstdlib>

using namespace cclc;

#ifdef CCL_HAS_PMIX

#include <pmix.h>

namespace {
constexpr char key[] = "cclc.mpi";
pmix_proc_t self;
} // namespace

bool run::publishInJob(const std::string &text) {
  // PMIx_Init fails without a launcher, after which Open MPI cannot call it.
  if (!std::getenv("PMIX_NAMESPACE") || PMIx_Init(&self, nullptr, 0) != PMIX_SUCCESS)
    return false;
  pmix_value_t value;
  value.type = PMIX_STRING;
  value.data.string = const_cast<char *>(text.c_str());
  return PMIx_Put(PMIX_GLOBAL, key, &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS;
}

std::vector<std::optional<std::string>> run::publishedInJob(int ranks) {
  std::vector<std::optional<std::string>> texts(ranks);
  // What the fence has distributed is in this process: there is no need to ask other ones, and no
  // wait for a process that has put nothing.
  pmix_info_t present;
  bool yes = true;
  PMIX_INFO_LOAD(&present, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  for (int rank = 0; rank < ranks; ++rank) {
    pmix_proc_t other = self;
    other.rank = rank;
    pmix_value_t *value = nullptr;
    if (PMIx_Get(&other, key, &present, 1, &value) != PMIX_SUCCESS)
      continue;
    if (value->type == PMIX_STRING)
      texts[rank] = value->data.string;
    PMIX_VALUE_RELEASE(value);
  }
  PMIx_Finalize(nullptr, 0); // Open MPI has called PMIx_Init as well
  return texts;
}

#elif defined(MPICH_VERSION)

#include "llvm/ADT/StringRef.h"

#include <poll.h>
#include <unistd.h>

using llvm::StringRef;

namespace {
/// The reply of the launcher to one line; empty if there is none.
std::string ask(int launcher, const std::string &line) {
  constexpr int patience = 30'000; // milliseconds
  if (write(launcher, line.data(), line.size()) != ssize_t(line.size()))
    return "";
  std::string reply;
  for (char next = 0; next != '\n'; reply += next) {
    pollfd waits{launcher, POLLIN, 0};
    if (poll(&waits, 1, patience) != 1 || read(launcher, &next, 1) != 1)
      return "";
  }
  return reply;
}

/// The value of NAME=VALUE in a reply.
std::string valueOf(StringRef reply, StringRef name) {
  while (!reply.empty()) {
    auto [field, rest] = reply.split(' ');
    if (field.consume_front(name) && field.consume_front("="))
      return field.rtrim().str();
    reply = rest;
  }
  return "";
}

int launcher = -1;
std::string job; ///< jobs of one launcher have different names
} // namespace

bool run::publishInJob(const std::string &text) {
  // Other launchers have sockets with other protocols; this variable is Hydra's.
  const char *socket = std::getenv("PMI_FD"), *rank = std::getenv("PMI_RANK");
  if (!socket || !rank || !std::getenv("MPI_LOCALNRANKS"))
    return false;
  launcher = std::atoi(socket);
  job = valueOf(ask(launcher, "cmd=get_my_kvsname\n"), "kvsname");
  return !job.empty() && valueOf(ask(launcher, "cmd=publish_name service=" + job + "-cclc-" + rank +
                                                   " port=" + text + "\n"),
                                 "info") == "ok";
}

std::vector<std::optional<std::string>> run::publishedInJob(int ranks) {
  std::vector<std::optional<std::string>> texts(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    std::string reply =
        ask(launcher, "cmd=lookup_name service=" + job + "-cclc-" + std::to_string(rank) + "\n");
    if (std::string text = valueOf(reply, "port"); !text.empty())
      texts[rank] = text;
  }
  return texts;
}

#else

bool run::publishInJob(const std::string &) { return false; }
std::vector<std::optional<std::string>> run::publishedInJob(int ranks) {
  return std::vector<std::optional<std::string>>(ranks);
}

#endif
