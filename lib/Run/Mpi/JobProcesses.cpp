//===- JobProcesses.cpp - Reading the table of processes ------------------===//
//
// Launchers pass the rank and the job in the environment, which Linux shows in /proc to the same
// user. The job is Open MPI's name space; MPICH's Hydra passes none, but is the parent of all
// processes of a machine. A wrapper, such as a shell, has the same environment as the process that
// it starts: of several processes the last is taken.
//
//===----------------------------------------------------------------------===//

#include "JobProcesses.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace cclc;
using namespace cclc::run;
using llvm::StringRef;

namespace {
std::string contents(int process, StringRef file) {
  std::string path = llvm::formatv("/proc/{0}/{1}", process, file);
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The value of a variable of \p environment, whose entries end with a zero.
StringRef valueOf(StringRef environment, StringRef name) {
  while (!environment.empty()) {
    auto [entry, rest] = environment.split('\0');
    if (entry.consume_front(name) && entry.consume_front("="))
      return entry;
    environment = rest;
  }
  return "";
}

/// The fields of /proc/ID/stat after the command: state, parent.
llvm::SmallVector<StringRef, 64> statusOf(StringRef text) {
  llvm::SmallVector<StringRef, 64> fields;
  text.rsplit(')').second.ltrim().split(fields, ' ');
  return fields;
}

/// The first process above \p process that is not of a rank: its launcher on this machine. There
/// may be programs between the two, as env or setsid.
int launcherOf(int process, StringRef rankVariable) {
  while (process > 1 && !valueOf(contents(process, "environ"), rankVariable).empty()) {
    std::string status = contents(process, "stat");
    auto fields = statusOf(status);
    if (fields.size() < 2 || fields[1].getAsInteger(10, process))
      return 0;
  }
  return process;
}
} // namespace

JobTable run::findJobProcesses() {
  JobTable result;
  std::string mine = contents(getpid(), "environ");
  StringRef job = valueOf(mine, "PMIX_NAMESPACE");
  bool isOpenMpi = !job.empty();
  StringRef variable = isOpenMpi ? "PMIX_RANK" : "PMI_RANK";
  valueOf(mine, variable).getAsInteger(10, result.rank);
  valueOf(mine, isOpenMpi ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE").getAsInteger(10, result.size);
  int launcher = isOpenMpi ? 0 : launcherOf(getpid(), variable);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it("/proc", error), end; it != end && !error;
       it.increment(error)) {
    int id, rank;
    if (StringRef(it->path()).rsplit('/').second.getAsInteger(10, id))
      continue;
    std::string environment = contents(id, "environ"), status = contents(id, "stat");
    auto fields = statusOf(status);
    if (valueOf(environment, variable).getAsInteger(10, rank) || fields.empty() || fields[0] == "Z")
      continue;
    bool belongs = isOpenMpi ? valueOf(environment, "PMIX_NAMESPACE") == job
                             : launcherOf(id, variable) == launcher;
    auto known = result.processes.find(rank);
    if (!belongs || (known != result.processes.end() && known->second.id > id))
      continue;
    std::string command = StringRef(status).split('(').second.rsplit(')').first.str();
    result.processes.insert_or_assign(rank,
                                      JobProcess{id, command, fields[0] == "T" || fields[0] == "t",
                                                 fields[0] == "R" || fields[0] == "D"});
  }
  return result;
}

bool JobTable::seemsToRun(int other) const {
  auto own = processes.find(rank), found = processes.find(other);
  return own == processes.end() || (found != processes.end() && !found->second.isStopped &&
                                    found->second.command == own->second.command);
}

std::optional<int> JobTable::firstLost() const {
  for (int other = 0; other < size; ++other)
    if (!seemsToRun(other))
      return other;
  return std::nullopt;
}

bool JobTable::isBusy(int other) const {
  auto found = processes.find(other);
  return found != processes.end() && found->second.isBusy;
}

std::string JobTable::text(int other) const {
  if (processes.empty())
    return "its process is not known";
  auto found = processes.find(other);
  if (found == processes.end())
    return "no process of this rank is on this machine: it has ended, or is on another one";
  const JobProcess &process = found->second;
  return llvm::formatv("process {0} ({1}) {2}", process.id, process.command,
                       process.isStopped ? "is stopped" : "is on this machine");
}
