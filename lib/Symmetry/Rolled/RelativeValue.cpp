//===- RelativeValue.cpp - Boxes of cyclic intervals ----------------------===//
//
// Two boxes are joined if they are equal in all factors but one, in which one interval follows the
// other. Sums along rings and rows of tori so remain single boxes. A value that moves to another
// rank has all its distances and its index reduced by the distance.
//
//===----------------------------------------------------------------------===//

#include "RelativeValue.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

RelativeValue RelativeValue::input(const RotationGroup &group, uint32_t index) {
  RelativeValue value(State::Sum);
  value.index = index;
  value.boxes.emplace_back(group.factors().size(), Interval{0, 1});
  return value;
}

RelativeValue RelativeValue::movedBy(const RotationGroup &group, const Element &distance) const {
  if (state != State::Sum)
    return *this;
  RelativeValue value = *this;
  value.index = group.relativeIndex(Buffer::Input, index, distance);
  for (Box &box : value.boxes)
    for (size_t k = 0; k < box.size(); ++k) {
      uint32_t size = group.factors()[k].size;
      if (box[k].length < size)
        box[k].first = (box[k].first + size - distance[k]) % size;
    }
  return value;
}

bool RelativeValue::intersect(const RotationGroup &group, const Box &a, const Box &b) {
  for (size_t k = 0; k < a.size(); ++k) {
    uint32_t size = group.factors()[k].size;
    bool meet = (b[k].first + size - a[k].first) % size < a[k].length ||
                (a[k].first + size - b[k].first) % size < b[k].length;
    if (!meet)
      return false;
  }
  return true;
}

/// Extends \p a by the disjoint box \p b, if the result is a box.
bool RelativeValue::join(const RotationGroup &group, Box &a, const Box &b) {
  std::optional<size_t> differs;
  for (size_t k = 0; k < a.size(); ++k)
    if (a[k] != b[k]) {
      if (differs)
        return false;
      differs = k;
    }
  if (!differs)
    return false;
  Interval &left = a[*differs];
  const Interval &right = b[*differs];
  uint32_t size = group.factors()[*differs].size;
  if ((left.first + left.length) % size != right.first) {
    if ((right.first + right.length) % size != left.first)
      return false;
    left.first = right.first;
  }
  left.length += right.length;
  if (left.length == size)
    left.first = 0;
  return true;
}

/// Adds a box that is disjoint from all others.
void RelativeValue::add(const RotationGroup &group, Box box) {
  for (size_t i = 0; i < boxes.size();) {
    if (join(group, box, boxes[i])) {
      boxes.erase(boxes.begin() + i);
      i = 0; // the larger box may join one that the smaller did not
    } else {
      ++i;
    }
  }
  boxes.push_back(std::move(box));
}

RelativeValue RelativeValue::plus(const RotationGroup &group, const RelativeValue &other) const {
  if (state == State::Undefined || other.state == State::Undefined)
    return RelativeValue();
  if (state != State::Sum)
    return *this;
  if (other.state != State::Sum)
    return other;
  if (index != other.index)
    return RelativeValue(State::Mixed);
  for (const Box &a : boxes)
    for (const Box &b : other.boxes)
      if (intersect(group, a, b))
        return RelativeValue(State::Twice);
  RelativeValue sum = *this;
  for (const Box &box : other.boxes)
    sum.add(group, box);
  return sum;
}

uint64_t RelativeValue::contributions() const {
  uint64_t total = 0;
  for (const Box &box : boxes) {
    uint64_t size = 1;
    for (const Interval &interval : box)
      size *= interval.length;
    total += size;
  }
  return total;
}

/// Why this is no sum of chunks \p expected.
std::string RelativeValue::fault(uint32_t expected) const {
  switch (state) {
  case State::Undefined:
    return "has no value";
  case State::Twice:
    return "has a contribution twice";
  case State::Mixed:
    return "is a sum of different chunks";
  case State::Sum:
    break;
  }
  if (index != expected)
    return formatv("consists of input chunks {0}, not {1}", index, expected);
  return "";
}

std::string RelativeValue::differenceFromSum(const RotationGroup &group, uint32_t expected) const {
  if (std::string text = fault(expected); !text.empty())
    return text;
  if (contributions() != group.order())
    return formatv("has {0} of {1} contributions", contributions(), group.order());
  return "";
}

std::string RelativeValue::differenceFromChunk(const RotationGroup &group, const Element &distance,
                                               uint32_t expected) const {
  if (std::string text = fault(expected); !text.empty())
    return text;
  if (contributions() != 1)
    return formatv("has {0} contributions instead of 1", contributions());
  for (size_t k = 0; k < distance.size(); ++k)
    if (group.factors()[k].size > 1 && boxes[0][k].first != distance[k])
      return "is the chunk of another rank";
  return "";
}
