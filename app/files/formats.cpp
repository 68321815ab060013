#include "app/files/formats.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

std::span<const FileFormat> file_formats() {
    static constexpr std::array all = {
        FileFormat{"edges", "graph", ".edges .el .txt", "two names a line, '#' comments", false, read_edge_list,
                   write_edge_list},
        FileFormat{"graphml", "graph", ".graphml .xml", "GraphML: node, edge, and the nodes' label", true, read_graphml,
                   write_graphml},
        FileFormat{"dot", "graph", ".dot .gv", "DOT: graph { a -- b -- c; d [label=x]; }, without subgraphs", true,
                   read_dot, write_dot},
        FileFormat{"metis", "graph", ".metis .graph", "METIS: N M, then a line of neighbours for each node, from 1",
                   false, read_metis, write_metis},
        FileFormat{"mm", "graph", ".mm .mtx", "Matrix Market: matrix coordinate pattern, symmetric or general", false,
                   read_matrix_market, write_matrix_market},
        FileFormat{"graph6", "graph", ".g6 .graph6", "graph6: a bit for each pair of nodes", false, read_graph6,
                   write_graph6}};
    return all;
}

const FileFormat& format_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const FileFormat& format : file_formats()) {
        if (format.name == name) return format;
        names.push_back(format.name);
    }
    throw RequestError(
        fmt::format("unknown format {}{} ({})", quoted(name), did_you_mean(name, names), fmt::join(names, ", ")));
}

bool has_ending(std::string_view path, std::string_view endings) {
    return std::ranges::any_of(split(endings, ' '),
                               [&](std::string_view e) { return !e.empty() && boost::iends_with(path, e); });
}

const FileFormat* format_of_path(std::string_view path) {
    const auto found = std::ranges::find_if(file_formats(),
                                            [&](const FileFormat& format) { return has_ending(path, format.endings); });
    return found == file_formats().end() ? nullptr : &*found;
}

}  // namespace kport
