//===- Style.h - How pictures look ------------------------------*- C++ -*-===//
//
// Colours, lines and texts that all pictures share. Fills are Paul Tol's light
// palette, lines Okabe and Ito's: both can be told apart by people who do not see all
// colours, and lines differ in style as well.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DOT_STYLE_H
#define CCL_LIB_DOT_STYLE_H

#include "Graph.h"

#include <array>

namespace cclc {

/// Chunks far apart share a colour.
inline constexpr uint32_t numChunkColors = 16;
StringRef chunkColor(uint32_t chunk);

struct DotEdgeStyle {
  StringRef name; ///< "message"
  StringRef color;
  StringRef width;      ///< in points, where lines do not show how many they stand for
  StringRef attributes; ///< what else there is to say of its line, after a comma
  StringRef sample;     ///< the line as text, for the legend
};
const DotEdgeStyle &styleOf(DotEdge kind);

inline constexpr StringRef dotFusedColor = "#00614a";
inline constexpr StringRef dotStubAttributes =
    "style=\"rounded,filled,dashed\", fillcolor=\"#f2f2f2\", color=\"#a0a0a0\", "
    "fontcolor=\"#707070\"";

/// \p text between quotes, and as part of a label between < and >. What is no UTF-8 or no printable
/// character is replaced; a new line stays one.
std::string dotQuoted(StringRef text);
std::string dotHtml(StringRef text);

/// "file:3", and for a fused instruction the line of its other half; "no source line".
std::string sourceLines(const ProgramInfo &info, LocId loc, LocId sendLoc);

/// What the legend of a picture explains.
struct DotLegend {
  std::array<bool, numDotEdges> edges = {};
  std::optional<uint32_t> chunks; ///< colours; unset: they mean nothing
  bool border = false, fused = false;
};

/// The beginning of the file: name, defaults, and as a title \p subtitle (HTML) and the legend.
void beginDot(const DotGraph &graph, raw_ostream &os, StringRef subtitle, const DotLegend &legend);

} // namespace cclc

#endif // CCL_LIB_DOT_STYLE_H
