#include "app/files/graph_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/case_conv.hpp>

#include "app/files/formats.hpp"
#include "app/files/graphs/graph_builder.hpp"
#include "app/files/graphs/gunzip.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Refuses what has no effect on this format.
void require_effective(const GraphOptions& options, const FileFormat& format, const TextSource& text) {
    for (const auto& [option, given] : {std::pair<std::string_view, bool>{"--header", options.header.has_value()},
                                        {"--separator", !options.separator.empty()}})
        if (given && !has_word(format.options, option))
            text.refuse(fmt::format("it is {}, which {} does not change; leave {} out", format.name, option, option));
}

GraphFile graph_in_text(std::istream& in, const std::string& name, const GraphOptions& options) {
    constexpr std::size_t looked_at = std::size_t{1} << 16;
    TextSource text(in, name);
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8
    if (text.ahead(mark.size()) == mark)
        for (std::size_t i = 0; i < mark.size(); ++i) (void)text.get();
    const std::string_view head = text.ahead(looked_at);
    const FileFormat& format =
        options.format.empty() ? format_of_graph(head, head.size() < looked_at, name) : format_named(options.format);
    require_effective(options, format, text);
    GraphBuilder builder(text, options);
    format.read_graph(text, builder);
    GraphFile file = builder.graph("file:" + name);
    file.format = format.name;
    return file;
}

/// The values of "NAME" or "1/NAME", a link each; `option` begins messages.
std::vector<double> factors_by(const GraphFile& file, std::string_view option, std::string_view by) {
    const bool is_reciprocal = by.starts_with("1/");
    const std::string_view name = is_reciprocal ? by.substr(2) : by;
    const auto attribute = std::ranges::find(file.attributes, name, &LinkAttribute::name);
    if (attribute != file.attributes.end()) {
        std::vector<double> factors = attribute->values;
        for (double& factor : factors) factor = is_reciprocal ? 1 / factor : factor;
        return factors;
    }
    std::vector<std::string_view> names;
    for (const LinkAttribute& one : file.attributes) names.push_back(one.name);
    throw RequestError(fmt::format(
        "{} {}: the links of {} have no attribute {} with finite numbers{}{}", option, quoted(by),
        file.topology->spec(), quoted(name), did_you_mean(name, names),
        names.empty() ? "; want a file whose links have weights" : fmt::format(" ({})", fmt::join(names, ", "))));
}

bool is_path(std::string_view spec) {
    std::error_code ignored;
    return spec.find('/') != std::string_view::npos || format_of_path(spec) != nullptr ||
           std::filesystem::is_regular_file(std::filesystem::path(spec), ignored);
}

}  // namespace

std::uint64_t GraphFile::channels() const {
    return capacities.empty() ? topology->channels()
                              : 2 * std::accumulate(capacities.begin(), capacities.end(), std::uint64_t{0});
}

GraphFile read_graph_file(std::istream& in, const std::string& name, const GraphOptions& options) {
    if (options.trunks && options.simplify)
        throw RequestError("--trunks and --simplify: parallel links are one or the other; want one of them");
    if (options.trunks && !options.capacity_by.empty())
        throw RequestError(
            "--trunks and --capacity-by: capacities are numbers of parallel links, or those of an attribute; want one "
            "of them");
    if (!begins_gzip(in)) return graph_in_text(in, name, options);
    Gunzip unzipped(in, name);
    std::istream text(&unzipped);
    text.exceptions(std::ios::badbit);  // else the stream hides what is thrown below it
    return graph_in_text(text, name, options);
}

GraphFile read_graph_file(const std::string& path, const GraphOptions& options) {
    if (!is_plain_utf8(path))
        throw RequestError(
            fmt::format("graph {}: a path with control characters, or no UTF-8", quoted(in_ascii(path))));
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw RequestError(fmt::format("graph {}: it is a folder; want a file", quoted(path)));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) throw RequestError(fmt::format("graph {} cannot be read: {}", quoted(path), std::strerror(errno)));
    return read_graph_file(in, path, options);
}

std::vector<LinkPrices::Priced> prices_of_links(const GraphFile& file, const PriceSources& sources) {
    const Topology& graph = *file.topology;
    std::vector<LinkPrices::Priced> links;
    if (sources.hop_by.empty() && sources.byte_by.empty()) return links;
    for_each_link(graph, [&](NodeId a, NodeId b) { links.push_back({a, graph.port_to(a, b), {}}); });
    const auto put = [&](std::string_view option, const std::string& by, double LinkPrice::*factor) {
        if (by.empty()) return;
        const std::vector<double> factors = factors_by(file, option, by);
        for (std::size_t i = 0; i < links.size(); ++i) {
            LinkPrices::Priced& link = links[i];
            link.price.*factor = factors[i];
            const auto where = [&] {
                return fmt::format("{} {}: the link between {} and {}", option, quoted(by), graph.name(link.node),
                                   graph.name(graph.across(link.node, link.port).node));
            };
            if (std::isnan(factors[i])) throw RequestError(where() + " has no such attribute; want it on every link");
            require_valid(link.price, where);
        }
    };
    put("--td-by", sources.hop_by, &LinkPrice::hop);
    put("--tm-by", sources.byte_by, &LinkPrice::byte);
    return links;
}

std::shared_ptr<const Topology> machine_graph(const GraphFile& file) {
    if (file.switches() == 0 && file.capacities.empty()) return file.topology;
    return hosts_of(fabric_of(file));
}

std::shared_ptr<const Fabric> fabric_of(const GraphFile& file) {
    const Topology& graph = *file.topology;
    std::vector<StoredFabric::Link> links;
    for_each_link(graph, [&](NodeId a, NodeId b) {
        const std::uint64_t capacity = file.capacities.empty() ? 1 : file.capacities[links.size()];
        links.push_back({a, graph.port_to(a, b), b, graph.port_to(b, a), capacity});
    });
    std::vector<std::string> names;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const std::string label = graph.label(v);
        names.push_back(label.empty() ? std::to_string(v) : label);
    }
    return std::make_shared<const StoredFabric>(StoredFabric::Shape{graph.spec(), file.hosts, file.switches()}, links,
                                                std::move(names));
}

std::shared_ptr<const Topology> read_graph(std::istream& in, const std::string& name) {
    return machine_graph(read_graph_file(in, name));
}

std::shared_ptr<const Topology> read_graph(const std::string& path) { return machine_graph(read_graph_file(path)); }

void know_graph_files() {
    know_graph_files([](const Parameters& path) { return read_graph(std::string(path.text())); }, is_path);
}

void know_graph_files(std::shared_ptr<const Topology> (*build)(const Parameters&), bool (*means)(std::string_view)) {
    add_topology_family({.name = "file",
                         .form = "file:PATH",
                         .about = "the graph in a file, also its path alone ('kport list formats')",
                         .build = build,
                         .members = [](NodeId) { return std::vector<std::string>(); },
                         .weight = 0,
                         .means = means});
}

}  // namespace kport
