/// @file graph_forms.hpp   The formats of graphs: a reader and a writer each.
///
/// A reader takes the text from its begin to its end, adds what it finds to the builder, and refuses through the text what is
/// not in the format, or is more than a machine's graph has: direction, weights, several graphs.
/// A writer writes any topology, with the nodes' labels as far as the format has them.
#pragma once

#include <ostream>

#include "app/files/graphs/graph_builder.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

void read_edge_list(TextSource& text, GraphBuilder& into);
void write_edge_list(std::ostream& out, const Topology& graph);

void read_metis(TextSource& text, GraphBuilder& into);
void write_metis(std::ostream& out, const Topology& graph);

void read_matrix_market(TextSource& text, GraphBuilder& into);
void write_matrix_market(std::ostream& out, const Topology& graph);

void read_graph6(TextSource& text, GraphBuilder& into);
void write_graph6(std::ostream& out, const Topology& graph);

void read_dot(TextSource& text, GraphBuilder& into);
void write_dot(std::ostream& out, const Topology& graph);

void read_graphml(TextSource& text, GraphBuilder& into);
void write_graphml(std::ostream& out, const Topology& graph);

/// Lines of comments with the nodes' labels, for formats that have none: "# 3 Medici".
void write_labels(std::ostream& out, const Topology& graph, char comment, NodeId first);

}  // namespace kport
