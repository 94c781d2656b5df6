//===- Style.cpp - Colours and the title of a picture ---------------------===//
//
// Sixteen colours for chunks, a style for each kind of edge, and the preamble of a file with its
// legend.
//
//===----------------------------------------------------------------------===//

#include "Style.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

StringRef cclc::chunkColor(uint32_t chunk) {
  // The second eight are tints of the first.
  static constexpr StringRef palette[numChunkColors] = {
      "#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00",
      "#c9ddf1", "#f8cfc2", "#f8f1cf", "#ffdde4", "#d6f1ff", "#b4e4d6", "#e4ebad", "#dddd99"};
  return palette[chunk % numChunkColors];
}

const DotEdgeStyle &cclc::styleOf(DotEdge kind) {
  static constexpr DotEdgeStyle styles[numDotEdges] = {
      {"message", "#0072b2", "2", "", "━━▶"},
      {"true dependence", "#202020", "1", "", "──▶"},
      {"false dependence", "#d55e00", "1", ", style=dashed, arrowhead=empty", "╌╌▷"},
      {"wait for another threadblock", "#aa3377", "1.8", ", style=dotted", "┈┈▶"}};
  return styles[static_cast<size_t>(kind)];
}

std::string cclc::sourceLines(const ProgramInfo &info, LocId loc, LocId sendLoc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << info.locate(loc);
  if (sendLoc != loc)
    os << "\nthen " << info.locate(sendLoc);
  return text.empty() ? "no source line" : text;
}

static void writeLegend(const DotLegend &legend, raw_ostream &os) {
  os << "<TABLE BORDER=\"0\" CELLSPACING=\"6\" CELLPADDING=\"2\"><TR>";
  for (unsigned k = 0; k < numDotEdges; ++k)
    if (const DotEdgeStyle &style = styleOf(static_cast<DotEdge>(k)); legend.edges[k])
      os << "<TD><FONT COLOR=\"" << style.color << "\">" << style.sample << "</FONT> " << style.name
         << "</TD>";
  if (legend.fused)
    os << "<TD BORDER=\"2\" STYLE=\"ROUNDED\" COLOR=\"" << dotFusedColor
       << "\">fused: receive | send</TD>";
  if (legend.border)
    os << "<TD BORDER=\"1\" STYLE=\"ROUNDED\" BGCOLOR=\"#f2f2f2\" COLOR=\"#a0a0a0\"><FONT "
          "COLOR=\"#707070\">not selected, but adjacent</FONT></TD>";
  os << "<TD></TD></TR></TABLE>";
  if (!legend.chunks || *legend.chunks == 0)
    return;
  os << "</TD></TR><TR><TD><TABLE BORDER=\"0\" CELLSPACING=\"2\" "
        "CELLPADDING=\"2\"><TR><TD>chunk</TD>";
  for (uint32_t c = 0; c < std::min(*legend.chunks, numChunkColors); ++c)
    os << "<TD BGCOLOR=\"" << chunkColor(c) << "\">" << c << "</TD>";
  if (*legend.chunks > numChunkColors)
    os << "<TD>and again from " << numChunkColors << " on</TD>";
  os << "</TR></TABLE>";
}

void cclc::beginDot(const DotGraph &graph, raw_ostream &os, StringRef subtitle,
                    const DotLegend &legend) {
  os << "digraph \"" << dotQuoted(graph.info.name) << "\" {\n"
     << "  label=<<TABLE BORDER=\"0\" CELLSPACING=\"0\"><TR><TD><FONT POINT-SIZE=\"16\"><B>"
     << dotHtml(graph.info.name) << "</B>: " << graph.title() << "</FONT></TD></TR><TR><TD>"
     << subtitle << "</TD></TR><TR><TD>";
  writeLegend(legend, os);
  os << "</TD></TR></TABLE>>;\n"
     << "  labelloc=t; fontname=\"Helvetica\"; fontsize=11; tooltip=\" \";\n"
     << "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", "
        "fontname=\"Helvetica\", fontsize=10, margin=\"0.08,0.04\", height=0.3];\n"
     << "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n";
}
