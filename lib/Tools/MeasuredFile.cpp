//===- MeasuredFile.cpp - Tables of nccl-tests and OSU --------------------===//
//
// The title of a table names its columns: "# size count type redop root time algbw ..." with one or
// two columns "time", or "# Size Avg Latency(us)". Rows are the lines after it whose first word is
// a number and that have as many words as the title. nccl-tests print a line per rank, and newer
// versions the name of the test; OSU prints the name of the collective, but no number of ranks.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/MeasuredFile.h"

#include "cclc/IR/CollectiveNames.h"
#include "cclc/Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace cclc;

namespace {
using Words = SmallVector<StringRef, 16>;

Words wordsOf(StringRef line) {
  Words words;
  llvm::SplitString(line, words);
  return words;
}

/// The lower-case letters of \p text: "all_reduce" and "All-Reduce" are "allreduce".
std::string lettersOf(StringRef text) {
  std::string letters;
  for (char c : text)
    if (llvm::isAlpha(c))
      letters += llvm::toLower(c);
  return letters;
}

std::optional<CollectiveKind> collectiveOf(StringRef text) {
  std::string letters = lettersOf(text);
  if (StringRef(letters).starts_with("alltoallpersonalized"))
    return CollectiveKind::AllToAll;
  if (letters == "bcast")
    return CollectiveKind::Broadcast;
  for (const std::string &name : collectiveNames())
    if (letters == name)
      return parseCollective(std::string_view(name));
  return std::nullopt;
}

/// The collective of the first "all_reduce_perf" or "osu_allreduce" in \p text.
std::optional<CollectiveKind> namedIn(StringRef text) {
  auto isOfWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = 0; at < text.size();) {
    StringRef word = text.drop_front(at).take_while(isOfWord);
    at += std::max<size_t>(word.size(), 1);
    if (word.consume_back("_perf") || word.consume_front("osu_"))
      if (std::optional<CollectiveKind> kind = collectiveOf(word))
        return kind;
  }
  return std::nullopt;
}

/// "25.30": microseconds.
std::optional<SimTime> timeOf(StringRef word) {
  double us;
  if (word.getAsDouble(us) || !(us > 0) || us > 1e12)
    return std::nullopt;
  return SimTime(std::llround(us * 1e6));
}

class Parser {
public:
  explicit Parser(MeasuredFile &file) : file(file) {}

  void line(StringRef line) {
    bool isComment = line.ltrim().consume_front("#");
    Words words = wordsOf(line.ltrim().ltrim("#"));
    if (words.empty())
      return;
    uint32_t rank;
    if (isComment && words[0] == "Rank" && words.size() > 1 && !words[1].getAsInteger(10, rank))
      file.ranks = std::max(file.ranks.value_or(0), rank + 1);
    else if (isComment && words[0] == "OSU")
      titleOfOsu(words);
    else if (isComment && words[0].equals_insensitive("size"))
      titleOfTable(words);
    else if (!isComment && !timeColumns.empty())
      row(words);
  }

private:
  /// "OSU MPI-CUDA Allreduce Latency Test v7.3".
  void titleOfOsu(ArrayRef<StringRef> words) {
    auto end = llvm::find(words, "Latency");
    if (end == words.end() || end - words.begin() < 3)
      return;
    file.collective = collectiveOf(llvm::join(words.begin() + 2, end, ""));
  }

  void titleOfTable(ArrayRef<StringRef> words) {
    timeColumns.clear();
    bool isOsu = words.size() > 1 && words[1] == "Avg";
    file.program = isOsu ? "OSU" : "nccl-tests";
    columns = isOsu ? 2 : words.size();
    for (size_t w = 1; w < words.size(); ++w)
      if (isOsu ? w == 1 : words[w] == "time")
        timeColumns.push_back(w);
  }

  void row(ArrayRef<StringRef> words) {
    MeasuredFile::Row row{};
    if (words.size() < columns || words[0].getAsInteger(10, row.bytes) || row.bytes == 0)
      return;
    row.outOfPlace = timeOf(words[timeColumns[0]]);
    if (timeColumns.size() > 1)
      row.inPlace = timeOf(words[timeColumns[1]]);
    if (row.outOfPlace || row.inPlace)
      file.rows.push_back(row);
  }

  MeasuredFile &file;
  SmallVector<size_t, 2> timeColumns;
  size_t columns = 0;
};
} // namespace

Bytes MeasuredFile::bufferOf(const Row &row, const Collective &of) const {
  switch (of.kind()) {
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    return Bytes(program == "OSU" ? row.bytes * of.ranks() : row.bytes);
  default:
    return Bytes(row.bytes);
  }
}

FailureOr<MeasuredFile> cclc::parseMeasuredFile(StringRef text, StringRef path,
                                                DiagnosticEngine &diags) {
  MeasuredFile file;
  Parser parser(file);
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    parser.line(line);
  if (file.rows.empty())
    return diags.error({},
                       "--measured " + path +
                           " has no row of a table of nccl-tests ('# size count type redop root "
                           "time algbw busbw') or OSU ('# Size Avg Latency(us)')");
  if (!file.collective)
    file.collective = namedIn(text);
  if (!file.collective)
    file.collective = namedIn(path);
  return file;
}

FailureOr<MeasuredFile> cclc::readMeasuredFile(StringRef path, DiagnosticEngine &diags) {
  auto buffer = readInput(path, "'" + path + "'", diags);
  if (failed(buffer))
    return failure();
  return parseMeasuredFile((*buffer)->getBuffer(), path, diags);
}
