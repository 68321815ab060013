#include "app/requests/graphs.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/files/formats.hpp"
#include "app/files/graph_file.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

/// Of the request that this thread answers; null: it answers none, and all files may be read.
thread_local GraphsOfRequest* graphs_here = nullptr;

std::shared_ptr<const Topology> graph_named(const Parameters& given) {
    const std::string path(given.text());
    return graphs_here != nullptr ? graphs_here->graph(path) : read_graph(path);
}

bool names_graph(std::string_view spec) {
    const std::string path(spec);
    if (spec == "-") return graphs_here != nullptr;
    if (spec.find('/') != std::string_view::npos || format_of_path(spec) != nullptr) return true;
    std::error_code ignored;
    return (graphs_here == nullptr || graphs_here->may_read(path)) && std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

void know_graphs_of_requests() {
    // No std::call_once: an exception that leaves it needs memory in the C library.
    static const bool known = [] {
        add_topology_family({.name = "file",
                             .form = "file:PATH",
                             .about = "the graph in a file, also its path alone ('kport list formats')",
                             .build = graph_named,
                             .members = [](NodeId) { return std::vector<std::string>(); },
                             .weight = 0,
                             .means = names_graph});
        const auto file = std::ranges::find(topology_families(), "file", &TopologyFamily::name);
        invariant(file->build == graph_named, "know_graph_files() was called before the first request");
        return true;
    }();
    (void)known;
}

GraphsOfRequest::GraphsOfRequest(Request& request) : request_(request), before_(graphs_here) { graphs_here = this; }
GraphsOfRequest::~GraphsOfRequest() { graphs_here = before_; }

std::shared_ptr<const Topology> GraphsOfRequest::graph(const std::string& path) {
    if (path == "-") {
        if (of_input_ == nullptr) of_input_ = read_graph(request_.input, path);
        return of_input_;
    }
    if (!may_read(path))
        throw RequestError(
            fmt::format("graph {}: no file is read here; want its text as the input, and - as its name", quoted(path)));
    return read_graph(path);
}

bool GraphsOfRequest::may_read(const std::string& path) const { return request_.client.may_read(path); }

}  // namespace kport::requests
