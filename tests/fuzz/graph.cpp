#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/files/formats.hpp"
#include "app/files/graph_file.hpp"
#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

/// Graphs larger than this cost time and test nothing new.
constexpr NodeId graph_nodes_max = 256;

GraphFile graph_in(const std::string& text, std::string_view ending, const GraphOptions& options = {}) {
    std::istringstream in(text);
    return read_graph_file(in, "fuzzed" + std::string(ending), options);
}

/// Neighbours, degrees and names.
std::string shape(const Topology& graph, bool with_names) {
    std::string text;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        if (with_names) text += graph.label(v);
        for (Port p = 0; p < graph.degree(v); ++p) text += " " + std::to_string(graph.across(v, p).node);
        text += '\n';
    }
    return text;
}

}  // namespace

/// A letter for the ending of the file ("a" is the first format's; a capital takes what is directed, parallel or not connected), and
/// the file.
void graph(std::string_view text) {
    if (text.empty()) return;
    const std::span<const FileFormat> formats = file_formats();
    const auto ending_of = [](const FileFormat& format) { return format.endings.substr(0, format.endings.find(' ')); };
    const bool takes_all = text.front() >= 'A' && text.front() <= 'Z';
    const auto chosen = static_cast<std::size_t>(static_cast<unsigned char>(text.front() - (takes_all ? 'A' : 'a')));
    GraphOptions options;
    options.undirected = options.simplify = options.largest = takes_all;
    const GraphFile read =
        graph_in(std::string(text.substr(1)), chosen < formats.size() ? ending_of(formats[chosen]) : "", options);
    const Topology& graph = *read.topology;
    expect(graph.nodes() >= 1 && read.hosts >= 1, "a graph has nodes");
    if (graph.nodes() > graph_nodes_max) return;
    for (NodeId v = 0; v < graph.nodes(); ++v)
        expect(graph.label(v).empty() || graph.node(graph.label(v)) == v, "a node is found by its name");
    for (const FileFormat& format : formats) {
        if (format.write_graph == nullptr || (graph.nodes() == 1 && format.name == "edges")) continue;
        std::ostringstream out;
        format.write_graph(out, read);
        const GraphFile again = graph_in(out.str(), ending_of(format), {.trunks = true});
        const bool names = has_word(format.keeps, "names");
        expect(shape(*again.topology, names) == shape(graph, names), "a graph that was written is read again");
        expect(!has_word(format.keeps, "switches") || again.hosts == read.hosts,
               "switches that were written are read again");
    }
}

}  // namespace kport::fuzz
