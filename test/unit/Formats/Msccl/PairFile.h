//===- PairFile.h - An all-gather of two ranks as MSCCL XML -----*- C++ -*-===//

#ifndef CCL_TEST_UNIT_MSCCL_PAIRFILE_H
#define CCL_TEST_UNIT_MSCCL_PAIRFILE_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc::test {

/// The file: \p maxBytes and \p scratch, the scratch chunks of rank 0, are values of attributes;
/// \p steps are the lines of threadblock 1 of rank 0, which waits for step 0 of threadblock 0.
inline std::string pairFile(StringRef maxBytes, StringRef scratch, StringRef steps) {
  return R"(<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0" outofplace="1" minBytes="0" maxBytes=")" +
         maxBytes.str() + R"(">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks=")" +
         scratch.str() + R"(">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
)" + steps.str() +
         R"(    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";
}

} // namespace cclc::test

#endif // CCL_TEST_UNIT_MSCCL_PAIRFILE_H
