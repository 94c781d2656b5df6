#include "LinkHistory.h"

using namespace cclc;

void LinkHistory::widen() {
  width *= 2;
  for (std::vector<int64_t> &link : links) {
    for (size_t w = 0; w < link.size(); ++w)
      link[w / 2] = (w % 2 ? link[w / 2] : 0) + link[w];
    link.resize((link.size() + 1) / 2);
  }
}

void LinkHistory::add(LinkId id, Bytes bytes, SimTime from, SimTime to) {
  Bandwidth rate = machine.link(id).bandwidth;
  if (rate.isUnlimited() || bytes == Bytes())
    return;
  int64_t begin = from.picoseconds(), end = to.picoseconds();
  while (uint64_t(end) >= numWindows * uint64_t(width))
    widen();
  std::vector<int64_t> &link = links[id.index()];
  size_t first = begin / width, last = end / width;
  if (link.size() <= last)
    link.resize(last + 1);
  int64_t left = to - from == SimTime() ? 0 : transferTime(bytes, rate).picoseconds();
  if (first == last || left == 0) {
    link[last] += left ? left : transferTime(bytes, rate).picoseconds();
    return;
  }
  int64_t all = left, time = end - begin;
  for (size_t w = first; w < last; ++w) {
    int64_t inside = std::min(int64_t(w + 1) * width, end) - std::max(int64_t(w) * width, begin);
    int64_t share = all == time ? inside : int64_t(Wide(all) * inside / time);
    link[w] += share;
    left -= share;
  }
  link[last] += left;
}
