//===- PlanBinLayout.h - The layout of a binary plan ------------*- C++ -*-===//
//
//   magic, version, rows of each table | the tables, one behind the other | CRC-32
// Numbers are little-endian words of 32 bits. Enumerators are stored by name, so that their order
// is private to the implementation. A step is an index into the table of shapes, which are
// combinations of fields common to many steps, and its operands; waits, which are rare, have a
// separate table.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANBINLAYOUT_H
#define CCL_LIB_FORMATS_PLANBINLAYOUT_H

#include "cclc/IR/PlanAttributes.h"

#include <array>

namespace cclc::bin {

/// Invalid as text in every encoding, and changed by any conversion of line ends.
inline constexpr char magic[] = "\x89"
                                "CCL\r\n\x1a\n";
inline constexpr size_t magicBytes = sizeof(magic) - 1;

/// The tables in the order of the file, each with the words of its rows.
enum class Table : uint8_t {
  Info,          ///< one row: see InfoWord
  Outputs,       ///< of a custom collective: rank, index, number of contributions
  Contributions, ///< rank, index: of all outputs, one after the other
  Parameters,    ///< name, value
  Levels,        ///< name, kind, width, height
  Endpoints,     ///< endpoint, by rank
  Phases,        ///< name, from phase 1 on
  Files,         ///< name
  Locations,     ///< file, line, column; from location 1 on
  Ranks,         ///< scratch, number of threadblocks
  Threadblocks,  ///< the only send peer, the only receive peer, channel, number of steps
  Ops,           ///< name
  Shapes,        ///< op + flags * 2^8 + phase * 2^16, count, loc, sendLoc
  Steps,         ///< shape, src, dst
  Waits,         ///< step, threadblock, step of it; ascending
  Strings,       ///< length; strings are consecutive in Text and referred to by number
  Text,          ///< one byte per row
  // Since version 2:
  Neighbours,    ///< rank, direction, peer
  Communicators, ///< name, number of groups
  Groups,        ///< number of ranks: of all communicators, one after the other
  Members,       ///< rank: of all groups, one after the other
  Calls,         ///< collective, generation, location
  Gates,         ///< phase, call, communicator, stage, generation; phases ascend
  // Since version 3:
  Target,   ///< hash, text of the machine; one row, or none if both are unknown
  Settings, ///< text
  // Since version 4:
  Rotations, ///< ranks, their stride, strides of input and output; of a rolled plan, else none
  // Since version 6:
  SeveralPeers, ///< threadblock, 0 to send or 1 to receive, rank; ascending
  // Since version 7:
  Options, ///< text
};
inline constexpr std::array<uint8_t, 28> rowBytes = {
    0, 12, 8, 8, 16, 4, 4, 4, 12, 8, 16, 4, 16, 12, 12, 4, 1, 12, 8, 4, 4, 12, 20, 8, 4, 16, 12, 4};
inline constexpr size_t numTables = rowBytes.size();
/// The number of tables in a version of the format.
constexpr size_t tablesOf(uint32_t version) {
  return version == 1 ? 17 : version == 2 ? 23 : version == 3 ? 25 : version <= 5 ? 26 : version == 6 ? 27 : numTables;
}
/// The number of words of the row of Info; newer versions may append words.
constexpr size_t infoWordsOf(uint32_t version) { return version < 5 ? 16 : 18; }
constexpr size_t headerBytes(uint32_t version) { return magicBytes + 4 + 4 * tablesOf(version); }
inline constexpr size_t checksumBytes = 4;

/// The words of the only row of Info.
enum InfoWord : uint32_t {
  NameWord,
  TargetWord,
  KindWord,
  ProtocolWord,
  FlagsWord,
  RanksWord,
  ChunksWord,
  RootWord,
  InputWord,
  OutputWord,
  InstancesWord,
  SlotsWord,
  MinBytesWord,
  MaxBytesWord = MinBytesWord + 2,
  // Since version 5:
  SlotSizeWord = MaxBytesWord + 2,
  MostInfoWords = SlotSizeWord + 2,
};

/// Bits of FlagsWord.
inline constexpr uint32_t inPlaceFlag = 1, outOfPlaceFlag = 2, slotsFlag = 4, maxBytesFlag = 8,
                          slotSizeFlag = 16;
constexpr uint32_t allFlags(uint32_t version) { return version < 5 ? 15 : 31; }

/// The position of an attribute of the header in Info: one word, or two, the lower one first.
struct InfoPlace {
  InfoWord word;
  unsigned words = 1;
  uint32_t flag = 0; ///< set if the plan has it; 0: always, since version 1
};
inline constexpr InfoPlace infoPlaces[] = {{ProtocolWord},
                                           {InstancesWord},
                                           {SlotsWord, 1, slotsFlag},
                                           {MinBytesWord, 2},
                                           {MaxBytesWord, 2, maxBytesFlag},
                                           {SlotSizeWord, 2, slotSizeFlag}};
static_assert(std::size(infoPlaces) == std::size(headerAttributes));

/// The position of an attribute of a step in the first word of its shape, whose lowest byte is the
/// operation.
struct ShapePlace {
  unsigned shift, bits;
  uint32_t mask() const { return (uint32_t(1) << bits) - 1; }
};
inline constexpr ShapePlace shapePlaces[] = {{8, 1}, {16, 16}};
static_assert(std::size(shapePlaces) == std::size(stepAttributes));
/// The second byte of a shape.
inline constexpr uint32_t allShapeFlags = 1;

/// No peer, no operand, no generation.
inline constexpr uint32_t none = ~uint32_t(0);

// Operands are buffer * 2^30 + index with these numbers.
static_assert(unsigned(Buffer::Input) == 0 && unsigned(Buffer::Output) == 1 &&
              unsigned(Buffer::Scratch) == 2);

} // namespace cclc::bin

#endif // CCL_LIB_FORMATS_PLANBINLAYOUT_H
