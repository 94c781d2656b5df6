//===- Style.h - Styles of pictures -----------------------------*- C++ -*-===//
//
// Colours, lines and texts common to all pictures. Fills use Paul Tol's light palette, lines that
// of Okabe and Ito. Both are suitable for colour-blind readers, and lines also differ in style.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_DOT_STYLE_H
#define CCL_LIB_VIEWS_DOT_STYLE_H

#include "Graph.h"

#include "cclc/Support/DotText.h"

#include <array>

namespace cclc {

/// Colours repeat after this number of chunks.
inline constexpr uint32_t numChunkColors = 16;
StringRef chunkColor(uint32_t chunk);

struct DotEdgeStyle {
  StringRef name; ///< "message"
  StringRef color;
  StringRef width;      ///< in points, for lines that do not represent several edges
  StringRef attributes; ///< further attributes of the line, after a comma
  StringRef sample;     ///< the line as text, for the legend
};
const DotEdgeStyle &styleOf(DotEdge kind);

inline constexpr StringRef dotFusedColor = "#00614a";
inline constexpr StringRef dotStubAttributes =
    "style=\"rounded,filled,dashed\", fillcolor=\"#f2f2f2\", color=\"#a0a0a0\", "
    "fontcolor=\"#707070\"";

/// "file:3", and for a fused instruction the line of its other half; "no source line".
std::string sourceLines(const ProgramInfo &info, LocId loc, LocId sendLoc);

/// The entries of the legend of a picture.
struct DotLegend {
  std::array<bool, numDotEdges> edges = {};
  std::optional<uint32_t> chunks; ///< number of colours; unset: colours have no meaning
  bool border = false, fused = false;
};

/// Writes the beginning of the file: name, defaults, and the title with \p subtitle (HTML) and the
/// legend.
void beginDot(const DotGraph &graph, raw_ostream &os, StringRef subtitle, const DotLegend &legend);

} // namespace cclc

#endif // CCL_LIB_VIEWS_DOT_STYLE_H
