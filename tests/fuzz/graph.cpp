#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/files/formats.hpp"
#include "app/files/graph_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

/// Graphs larger than this cost time and test nothing new.
constexpr NodeId graph_nodes_max = 256;

std::shared_ptr<const Topology> graph_in(const std::string& text, std::string_view ending) {
    std::istringstream in(text);
    return read_graph(in, "fuzzed" + std::string(ending));
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

/// A letter for the ending of the file ("a" is the first format's), and the file.
void graph(std::string_view text) {
    if (text.empty()) return;
    const std::span<const FileFormat> formats = file_formats();
    const auto ending_of = [](const FileFormat& format) { return format.endings.substr(0, format.endings.find(' ')); };
    const auto chosen = static_cast<std::size_t>(static_cast<unsigned char>(text.front() - 'a'));
    const auto read = graph_in(std::string(text.substr(1)), chosen < formats.size() ? ending_of(formats[chosen]) : "");
    expect(read->nodes() >= 1, "a graph has nodes");
    if (read->nodes() > graph_nodes_max) return;
    for (NodeId v = 0; v < read->nodes(); ++v)
        expect(read->label(v).empty() || read->node(read->label(v)) == v, "a node is found by its name");
    for (const FileFormat& format : formats) {
        if (format.write_graph == nullptr || (read->nodes() == 1 && format.name == "edges")) continue;
        std::ostringstream out;
        format.write_graph(out, *read);
        const auto again = graph_in(out.str(), ending_of(format));
        expect(shape(*again, format.keeps_labels) == shape(*read, format.keeps_labels),
               "a graph that was written is read again");
    }
}

}  // namespace kport::fuzz
