/// @file convert.cpp   kport convert: a graph as a file.
#include <sstream>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/whole_file.hpp"
#include "files/formats.hpp"

namespace kport::cli {

namespace {

/// As --to says, else as the file's ending does.
const FileFormat& format_wanted(const Words& words) {
    if (const auto name = words.get("--to")) return format_named(*name);
    if (!words.of)
        throw RequestError(
            "into which format? --to FORMAT, or a file whose ending says it ('kport list formats' shows all)");
    const FileFormat* format = format_of_path(*words.of);
    if (format == nullptr)
        throw RequestError(
            fmt::format("{} has the ending of no format; want --to FORMAT, such as --to graphml "
                        "('kport list formats' shows all)",
                        quoted(*words.of)));
    return *format;
}

bool has_labels(const Topology& graph) {
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (!graph.label(v).empty()) return true;
    return false;
}

/// The whole text is made before anything is written.
std::string text_of(const FileFormat& format, const Topology& graph) {
    constexpr std::uint64_t ends_most = std::uint64_t{1} << 30;
    if (graph.nodes() > ends_most || graph.ports() > ends_most / graph.nodes())
        throw DoesNotFit(fmt::format("{} has {} nodes of {} ports; a file may have at most {} in all", graph.spec(),
                                     graph.nodes(), graph.ports(), ends_most));
    std::ostringstream out;
    format.write_graph(out, graph);
    return std::move(out).str();
}

}  // namespace

int convert(const Words& words) {
    if (!words.subject)
        throw RequestError(
            "kport convert needs a graph, such as petersen or net.graphml ('kport list topologies' shows all)");
    const FileFormat& format = format_wanted(words);
    if (format.write_graph == nullptr)
        throw RequestError(fmt::format("{} holds a {}, and no graph", format.name, format.holds));
    const std::shared_ptr<const Topology> graph = make_topology(*words.subject);
    const std::string text = text_of(format, *graph);
    if (!words.of)
        write_out(text);
    else if (const auto failure = replace_file(*words.of, text))
        throw OutputError(fmt::format("{} cannot be written: {}", quoted(*words.of), *failure), false);
    if (!format.keeps_labels && has_labels(*graph))
        complain(fmt::format("{} keeps the numbers of the nodes alone, not what they are called", format.name));
    return status_lawful;
}

}  // namespace kport::cli
