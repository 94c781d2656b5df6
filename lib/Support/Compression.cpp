//===- Compression.cpp - Zstandard and gzip as streams --------------------===//
//
// Both directions work in blocks: a writer needs no copy of the file, and a reader charges each
// block to the memory budget before it is allocated, so that a small file that expands to a huge
// one ends with the message of the budget.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Compression.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <zlib.h>
#include <zstd.h>

using namespace cclc;
using llvm::MemoryBuffer;

static constexpr StringRef zstdEnding = ".zst", gzipEnding = ".gz";
static constexpr StringRef zstdMagic("\x28\xb5\x2f\xfd", 4), gzipMagic("\x1f\x8b", 2);
/// Size of the blocks that pass to and from the libraries.
static constexpr size_t blockSize = 1 << 17;
/// Plans and traces repeat themselves: higher levels take several times as long for a few percent.
static constexpr int zstdLevel = 3, gzipLevel = 4;
/// Added to the logarithm of zlib's window: the header and trailer of gzip.
static constexpr int gzipFormat = 16;

StringRef cclc::withoutCompression(StringRef path) {
  if (!path.consume_back(zstdEnding))
    path.consume_back(gzipEnding);
  return path;
}

// --- Writing -----------------------------------------------------------------------------

namespace {
/// Compresses what is written. pack() of \c Codec takes from the input, fills a block, and returns
/// whether it has to be called again.
template <typename Codec> class CompressingStream : public llvm::raw_ostream {
public:
  explicit CompressingStream(raw_ostream &to) : to(to) { SetBufferSize(blockSize); }
  ~CompressingStream() override {
    flush();
    pack(nullptr, 0, /*last=*/true);
  }
  CompressingStream(const CompressingStream &) = delete;
  CompressingStream &operator=(const CompressingStream &) = delete;

private:
  void write_impl(const char *bytes, size_t size) override {
    written += size;
    pack(bytes, size, /*last=*/false);
  }
  uint64_t current_pos() const override { return written; }

  void pack(const char *bytes, size_t size, bool last) {
    bool more = true;
    while (more) {
      size_t made = 0;
      more = codec.pack(bytes, size, last, block, made);
      to.write(block, made);
    }
  }

  raw_ostream &to;
  Codec codec;
  uint64_t written = 0;
  char block[blockSize];
};

class ZstdPacker {
public:
  ZstdPacker() : context(ZSTD_createCCtx()) {
    if (!context)
      throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, zstdLevel);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() { ZSTD_freeCCtx(context); }
  ZstdPacker(const ZstdPacker &) = delete;
  ZstdPacker &operator=(const ZstdPacker &) = delete;

  bool pack(const char *&bytes, size_t &size, bool last, char (&block)[blockSize], size_t &made) {
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_outBuffer out = {block, blockSize, 0};
    size_t left = ZSTD_compressStream2(context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    bytes += in.pos;
    size -= in.pos;
    made = out.pos;
    return last ? left != 0 : size != 0;
  }

private:
  ZSTD_CCtx *context;
};

class GzipPacker {
public:
  GzipPacker() {
    if (deflateInit2(&stream, gzipLevel, Z_DEFLATED, MAX_WBITS + gzipFormat, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() { deflateEnd(&stream); }
  GzipPacker(const GzipPacker &) = delete;
  GzipPacker &operator=(const GzipPacker &) = delete;

  bool pack(const char *&bytes, size_t &size, bool last, char (&block)[blockSize], size_t &made) {
    // zlib counts in 32 bits.
    const uInt part = uInt(std::min<size_t>(size, 1 << 30));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes));
    stream.avail_in = part;
    stream.next_out = reinterpret_cast<Bytef *>(block);
    stream.avail_out = blockSize;
    int state = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    bytes += part - stream.avail_in;
    size -= part - stream.avail_in;
    made = blockSize - stream.avail_out;
    return last ? state != Z_STREAM_END : size != 0;
  }

private:
  z_stream stream = {};
};
} // namespace

std::unique_ptr<raw_ostream> cclc::compressingStream(StringRef path, raw_ostream &to) {
  if (path.ends_with(zstdEnding))
    return std::make_unique<CompressingStream<ZstdPacker>>(to);
  if (path.ends_with(gzipEnding))
    return std::make_unique<CompressingStream<GzipPacker>>(to);
  return nullptr;
}

// --- Reading -----------------------------------------------------------------------------

namespace {
/// A file in the making, whose memory is charged before it is used.
class Unpacked {
public:
  /// Room for more bytes behind those that are there.
  MutableArrayRef<char> room() {
    if (bytes.size() - used < blockSize) {
      size_t more = std::max<size_t>(bytes.size(), 4 * blockSize);
      MemoryBudget::require(Bytes(bytes.size() + more)); // the vector copies
      bytes.resize_for_overwrite(bytes.size() + more);
    }
    return MutableArrayRef<char>(bytes).drop_front(used);
  }
  void took(size_t count) { used += count; }
  std::unique_ptr<MemoryBuffer> finish(StringRef name) {
    bytes.truncate(used);
    return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), name);
  }

private:
  SmallVector<char, 0> bytes;
  size_t used = 0;
};

/// Why a file cannot be unpacked, or "".
using Reason = std::string;
} // namespace

static constexpr char cutOff[] = "the compressed file is cut off";

static Reason unpackZstd(StringRef packed, Unpacked &result) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context)
    throw std::bad_alloc();
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  for (;;) {
    MutableArrayRef<char> room = result.room();
    ZSTD_outBuffer out = {room.data(), room.size(), 0};
    size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left))
      return std::string("the compressed file is damaged: ") + ZSTD_getErrorName(left);
    result.took(out.pos);
    if (in.pos < in.size || out.pos == out.size)
      continue; // another frame, or more of this one
    return left == 0 ? Reason() : cutOff;
  }
}

static Reason unpackGzip(StringRef packed, Unpacked &result) {
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + gzipFormat) != Z_OK)
    throw std::bad_alloc();
  std::unique_ptr<z_stream, int (*)(z_stream *)> guard(&stream, inflateEnd);
  for (;;) {
    MutableArrayRef<char> room = result.room();
    const uInt part = uInt(std::min<size_t>(packed.size(), 1 << 30));
    const uInt free = uInt(std::min<size_t>(room.size(), 1 << 30));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
    stream.avail_in = part;
    stream.next_out = reinterpret_cast<Bytef *>(room.data());
    stream.avail_out = free;
    int state = inflate(&stream, Z_NO_FLUSH);
    packed = packed.drop_front(part - stream.avail_in);
    result.took(free - stream.avail_out);
    if (state == Z_STREAM_END) {
      if (packed.empty())
        return {};
      inflateReset(&stream); // another member
    } else if (state == Z_BUF_ERROR || (state == Z_OK && packed.empty() && stream.avail_out)) {
      return cutOff;
    } else if (state != Z_OK) {
      return std::string("the compressed file is damaged: ") +
             (stream.msg ? stream.msg : zError(state));
    }
  }
}

FailureOr<std::unique_ptr<MemoryBuffer>> cclc::decompressed(std::unique_ptr<MemoryBuffer> file,
                                                            const llvm::Twine &shown,
                                                            DiagnosticEngine &diags) {
  const StringRef packed = file->getBuffer();
  const bool isZstd = packed.starts_with(zstdMagic);
  if (!isZstd && !packed.starts_with(gzipMagic))
    return file;
  Unpacked content;
  Reason reason = isZstd ? unpackZstd(packed, content) : unpackGzip(packed, content);
  if (!reason.empty())
    return diags.error({}, "cannot read " + shown + ": " + reason);
  return content.finish(file->getBufferIdentifier());
}
