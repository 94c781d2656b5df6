//===- Rotation.h - Cyclic renumberings of ranks and chunks -----*- C++ -*-===//
//
// Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_ROTATION_H
#define CCL_DSL_ROTATION_H

namespace cclc::dsl {

/// Rotates one digit of ranks and of chunk indices by the same amount: rank r becomes the rank
/// whose digit (r / stride) % ranks is larger by the amount, modulo `ranks`. Program::orbit repeats
/// operations under rotations.
struct Rotation {
  /// The number of ranks that follow each other cyclically.
  int ranks;
  /// The difference of successive ranks.
  int stride = 1;
  /// The difference of successive chunk indices of input and output; 0: chunks are not renumbered.
  /// A buffer with chunks of all ranks needs no such number, because its chunks follow the ranks.
  int chunks = 0;
};

} // namespace cclc::dsl

#endif // CCL_DSL_ROTATION_H
