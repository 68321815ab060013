/// @file graph_forms.hpp   The formats of graphs: a reader and a writer each.
///
/// A reader takes the text from its begin to its end, adds what it finds to the builder, and refuses through the text what is
/// not in the format.
/// A writer writes any topology, with the nodes' labels as far as the format has them.
#pragma once

#include <cmath>
#include <ostream>

#include "app/files/graph_file.hpp"
#include "app/files/graphs/graph_builder.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// What a writer writes: a topology, and what a file says of it besides.
struct GraphToWrite {
    const Topology& graph;
    const GraphFile* file = nullptr;

    GraphToWrite(const Topology& topology) : graph(topology) {}                  // NOLINT(google-explicit-constructor)
    GraphToWrite(const GraphFile& read) : graph(*read.topology), file(&read) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] NodeId hosts() const { return file == nullptr ? graph.nodes() : file->hosts; }
    [[nodiscard]] bool has_trunks() const {
        return graph.has_trunks() || (file != nullptr && !file->capacities.empty());
    }
    /// Of the link v - w, which is number `link`.
    [[nodiscard]] std::uint64_t capacity(NodeId v, NodeId w, std::size_t link) const {
        if (file != nullptr && !file->capacities.empty()) return file->capacities[link];
        return graph.has_trunks() ? graph.capacity(v, graph.port_to(v, w)) : 1;
    }
    /// Calls visit(name, value) for each attribute that a link has.
    template <class Visit>
    void for_each_attribute(std::size_t link, const Visit& visit) const {
        if (file == nullptr) return;
        for (const LinkAttribute& attribute : file->attributes)
            if (!std::isnan(attribute.values[link])) visit(attribute.name, attribute.values[link]);
    }
};

/// Calls visit(v, w, number of the link) for each link, as often as its capacity says.
template <class Visit>
void for_each_written_link(const GraphToWrite& file, const Visit& visit) {
    std::size_t link = 0;
    for_each_link(file.graph, [&](NodeId v, NodeId w) {
        const std::uint64_t lines = file.capacity(v, w, link);
        for (std::uint64_t i = 0; i < lines; ++i) visit(v, w, link);
        ++link;
    });
}

void read_edge_list(TextSource& text, GraphBuilder& into);
void write_edge_list(std::ostream& out, const GraphToWrite& file);

void read_adjacency_list(TextSource& text, GraphBuilder& into);
void read_matrix(TextSource& text, GraphBuilder& into);
void read_lgl(TextSource& text, GraphBuilder& into);
void read_pajek(TextSource& text, GraphBuilder& into);
void read_dimacs(TextSource& text, GraphBuilder& into);
void read_konect(TextSource& text, GraphBuilder& into);

void read_metis(TextSource& text, GraphBuilder& into);
void write_metis(std::ostream& out, const GraphToWrite& file);

void read_matrix_market(TextSource& text, GraphBuilder& into);
void write_matrix_market(std::ostream& out, const GraphToWrite& file);

void read_graph6(TextSource& text, GraphBuilder& into);
void write_graph6(std::ostream& out, const GraphToWrite& file);
void read_sparse6(TextSource& text, GraphBuilder& into);

void read_dot(TextSource& text, GraphBuilder& into);
void write_dot(std::ostream& out, const GraphToWrite& file);

void read_gml(TextSource& text, GraphBuilder& into);
void write_gml(std::ostream& out, const GraphToWrite& file);

void read_graphml(TextSource& text, GraphBuilder& into);
void write_graphml(std::ostream& out, const GraphToWrite& file);

void read_gexf(TextSource& text, GraphBuilder& into);

void read_node_link(TextSource& text, GraphBuilder& into);
void write_node_link(std::ostream& out, const GraphToWrite& file);

/// Lines of comments with the nodes' labels, for formats that have none: "# 3 Medici".
void write_labels(std::ostream& out, const Topology& graph, char comment, NodeId first);

}  // namespace kport
