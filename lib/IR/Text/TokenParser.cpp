//===- TokenParser.cpp - Ranks, ranges and operands of the text IR --------===//
//
// One function for each phrase; each leaves the token after it as the current one.
//
//===----------------------------------------------------------------------===//

#include "TokenParser.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;

LogicalResult TokenParser::rank(OptionalId<RankId> &value) {
  uint32_t index;
  StringRef text = token.text;
  if (token.kind != Token::Kind::Word || !text.consume_front("r") || text.getAsInteger(10, index))
    return expected("a rank");
  if (index >= numRanks)
    return error("rank " + llvm::Twine(index) + " is out of range: the program has " +
                 counted(numRanks, "rank"));
  value = RankId(index);
  advance();
  return success();
}

LogicalResult TokenParser::ranks(SmallVectorImpl<RankId> &values) {
  do {
    OptionalId<RankId> value;
    if (failed(rank(value)))
      return failure();
    values.push_back(*value);
  } while (token.kind == Token::Kind::Word && token.text.starts_with("r") && token.text != "recv");
  return success();
}

LogicalResult TokenParser::id(StringRef prefix, uint32_t &value, StringRef what) {
  StringRef text = token.text;
  if (token.kind != Token::Kind::Word || !text.consume_front(prefix) ||
      text.getAsInteger(10, value) || value == ~uint32_t(0))
    return expected(what);
  advance();
  return success();
}

LogicalResult TokenParser::range(uint32_t &index, uint32_t &count) {
  uint32_t end;
  if (failed(expect("[")) || failed(number(index, Operand::maxIndex, "an index")))
    return failure();
  count = 1;
  if (accept(":")) {
    if (failed(number(end, Operand::maxIndex + uint64_t(1), "the end of the range")))
      return failure();
    if (end <= index)
      return errorAtLast("the range is empty");
    count = end - index;
  }
  return expect("]");
}

/// SIZE stride STRIDE i STRIDE o STRIDE
LogicalResult TokenParser::rotation(RotationFactor &factor) {
  auto value = [&](uint32_t &to) { return number(to, Operand::maxIndex, "a number"); };
  return success(succeeded(value(factor.size)) && succeeded(expect("stride")) &&
                 succeeded(value(factor.rankStride)) && succeeded(expect("i")) &&
                 succeeded(value(factor.chunkStride[0])) && succeeded(expect("o")) &&
                 succeeded(value(factor.chunkStride[1])));
}

LogicalResult TokenParser::operand(Operand &value, uint32_t &count) {
  std::optional<Buffer> buffer;
  if (token.kind == Token::Kind::Word)
    buffer = parseBuffer(token.text);
  if (!buffer)
    return expected("an operand");
  Location start = here();
  advance();
  uint32_t index, n;
  if (failed(range(index, n)))
    return failure();
  if (count && n != count)
    return diags.error(start,
                       llvm::formatv("the operands have different counts: {0} and {1}", count, n));
  count = n;
  value = Operand(*buffer, index);
  return success();
}
