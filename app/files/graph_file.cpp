#include "app/files/graph_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/formats.hpp"
#include "app/files/graphs/graph_builder.hpp"
#include "app/files/graphs/utf8.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

constexpr std::string_view white_space = " \t\r\n";

std::string_view without_space(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(white_space), text.size()));
}

/// "strict", "graph" or "digraph", and a bracket somewhere after it: comments may stand before.
bool begins_as_dot(std::string_view text) {
    text = without_space(text);
    while (text.starts_with("//") || text.starts_with("/*") || text.starts_with("#")) {
        const std::string_view end = text.starts_with("/*") ? "*/" : "\n";
        const std::size_t found = text.find(end);
        if (found == std::string_view::npos) return false;
        text = without_space(text.substr(found + end.size()));
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n{\""));
    const auto is = [&](std::string_view keyword) { return boost::iequals(word, keyword); };
    return (is("strict") || is("graph") || is("digraph")) && text.find('{') != std::string_view::npos;
}

/// As the begin of the text says, else the path's ending.
const FileFormat& format_of(TextSource& text, const std::string& path) {
    constexpr std::size_t looked_at = 4096;
    const std::string_view begin = text.ahead(looked_at);
    if (without_space(begin).starts_with("<")) return format_named("graphml");
    if (begin.starts_with("\xFE\xFF") || begin.starts_with("\xFF\xFE")) return format_named("graphml");  // in UTF-16
    if (boost::istarts_with(begin, "%%MatrixMarket")) return format_named("mm");
    if (begin.starts_with(">>graph6<<")) return format_named("graph6");
    if (begins_as_dot(begin)) return format_named("dot");
    if (const FileFormat* by_ending = format_of_path(path); by_ending != nullptr && by_ending->read_graph != nullptr)
        return *by_ending;
    return format_named(begin.starts_with("%") ? "metis" : "edges");
}

std::shared_ptr<const Topology> graph_in(std::istream& in, const std::string& path) {
    TextSource text(in, path);
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8
    if (text.ahead(mark.size()) == mark)
        for (std::size_t i = 0; i < mark.size(); ++i) (void)text.get();
    GraphBuilder builder(text);
    format_of(text, path).read_graph(text, builder);
    return builder.graph("file:" + path);
}

bool is_path(std::string_view spec) {
    std::error_code ignored;
    return spec.find('/') != std::string_view::npos || format_of_path(spec) != nullptr ||
           std::filesystem::is_regular_file(std::filesystem::path(spec), ignored);
}

}  // namespace

std::shared_ptr<const Topology> read_graph(std::istream& in, const std::string& name) { return graph_in(in, name); }

std::shared_ptr<const Topology> read_graph(const std::string& path) {
    if (!is_plain_utf8(path))
        throw RequestError(
            fmt::format("graph {}: a path with control characters, or no UTF-8", quoted(in_ascii(path))));
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw RequestError(fmt::format("graph {}: it is a folder; want a file", quoted(path)));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw RequestError(fmt::format("graph {} cannot be read: {}", quoted(path), std::strerror(errno)));
    return graph_in(in, path);
}

void know_graph_files() {
    add_topology_family({.name = "file",
                         .form = "file:PATH",
                         .about = "the graph in a file, also its path alone ('kport list formats')",
                         .build = [](const Parameters& given) { return read_graph(std::string(given.text())); },
                         .members = [](NodeId) { return std::vector<std::string>(); },
                         .weight = 0,
                         .means = is_path});
}

}  // namespace kport
