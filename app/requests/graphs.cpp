#include "app/requests/graphs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/formats.hpp"
#include "app/files/graph_file.hpp"
#include "app/files/promise_file.hpp"
#include "app/files/told_schedule.hpp"
#include "app/requests/command_table.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/members.hpp"

namespace kport::requests {

namespace {

/// Belongs to the request that this thread answers; null: it answers none, and all files may be read.
thread_local GraphsOfRequest* graphs_here = nullptr;

std::shared_ptr<const Topology> graph_named(const Parameters& given) {
    const std::string path(given.text());
    return graphs_here != nullptr ? graphs_here->machine(path) : read_graph(path);
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
        know_graph_files(graph_named, names_graph);
        const auto file = std::ranges::find(topology_families(), "file", &TopologyFamily::name);
        invariant(file->build == graph_named, "know_graph_files() was called before the first request");
        return true;
    }();
    (void)known;
}

GraphOptions graph_options_of(const Words& words) {
    GraphOptions options{.format = words.get("--format").value_or(""),
                         .separator = words.get("--separator").value_or(""),
                         .switches = words.get("--switches").value_or(""),
                         .undirected = words.has("--undirected"),
                         .trunks = words.has("--trunks"),
                         .capacity_by = words.get("--capacity-by").value_or(""),
                         .simplify = words.has("--simplify"),
                         .largest = words.has("--largest"),
                         .node_values = words.get("--ports-by").value_or("")};
    if (!options.format.empty()) (void)format_named(options.format);
    if (const auto header = words.get("--header")) {
        if (*header != "yes" && *header != "no")
            throw RequestError(fmt::format("--header {}: want yes or no", quoted(*header)));
        options.header = *header == "yes";
    }
    return options;
}

GraphsOfRequest::GraphsOfRequest(Request& request)
    : request_(request), words_(request.words), options_(graph_options_of(words_)), before_(graphs_here) {
    graphs_here = this;
}
GraphsOfRequest::~GraphsOfRequest() { graphs_here = before_; }

Words GraphsOfRequest::read_as(const Words& words) {
    options_ = graph_options_of(words);
    return std::exchange(words_, words);
}

Words GraphsReadAs::as(const Words& words) { return graphs_here == nullptr ? Words() : graphs_here->read_as(words); }

bool GraphsOfRequest::is_here() { return graphs_here != nullptr; }

GraphFile GraphsOfRequest::graph(const std::string& path) {
    has_read_ = true;
    if (path == "-") {
        if (!of_input_) of_input_ = read_graph_file(request_.input, path, options_);
        return *of_input_;
    }
    if (!may_read(path))
        throw RequestError(
            fmt::format("graph {}: no file is read here; want its text as the input, and - as its name", quoted(path)));
    return read_graph_file(path, options_);
}

std::shared_ptr<const Topology> GraphsOfRequest::machine(const std::string& path) {
    const GraphFile file = graph(path);
    std::shared_ptr<const Topology> machine = machine_graph(file);
    std::vector<std::string> notes = file.notes;
    if (std::string note = note_of_weights(file); !note.empty()) notes.push_back(std::move(note));
    for (const std::string& note : notes)
        if (const std::string text = fmt::format("graph {}: {}", quoted(path), note); warned_.insert(text).second)
            request_.client.warn(text);
    return machine;
}

std::vector<std::string> GraphsOfRequest::node_values(const std::string& path, const std::string& attribute) {
    if (path == "-") return graph(path).node_values;  // read as the words say, which name the attribute
    GraphOptions options = options_;
    options.node_values = attribute;
    return may_read(path) ? read_graph_file(path, options).node_values : std::vector<std::string>();
}

PriceSources GraphsOfRequest::price_sources() const {
    return {words_.get("--td-by").value_or(""), words_.get("--tm-by").value_or("")};
}

bool GraphsOfRequest::may_read(const std::string& path) const { return request_.client.may_read(path); }

void GraphsOfRequest::require_options_used() const {
    const std::string given = as_typed(request_.words, OptionGroup::graph);
    if (has_read_ || given.empty()) return;
    const std::string_view first = split(given, ' ')[1];
    throw RequestError(fmt::format("{0} has no effect here: no graph file is read; leave {0} out", first));
}

DescribedGraph described_graph(const std::string& spec) {
    constexpr std::string_view family = "file:";
    const bool named = spec.starts_with(family);
    if (graphs_here == nullptr || (!named && (begins_as_topology(spec) || !names_graph(spec)))) {
        DescribedGraph described{make_topology(spec), {}};
        if (described.topology->fabric() != nullptr)
            described.fabric = {described.topology, described.topology->fabric()};
        return described;
    }
    GraphFile file = graphs_here->graph(named ? spec.substr(family.size()) : spec);
    (void)prices_of_links(file, graphs_here->price_sources());
    if (std::string note = graphs_here->note_of_weights(file); !note.empty()) file.notes.push_back(std::move(note));
    const bool is_plain = file.switches() == 0 && file.capacities.empty();
    return {file.topology, file, is_plain ? nullptr : fabric_of(file)};
}

std::shared_ptr<const Topology> DescribedGraph::shared_graph() const {
    return file ? file->topology : std::shared_ptr<const Topology>(topology, &topology->wires());
}

bool DescribedGraph::has_trunks() const { return fabric != nullptr && fabric->capacities() != fabric->channels(); }

void know_permutation(Permutation& permutation, NodeId nodes) {
    if (permutation.list == nullptr || permutation.list->file.empty()) return;
    const std::string path = permutation.list->file;
    if (graphs_here == nullptr || !graphs_here->may_read(path))
        throw RequestError(
            fmt::format("--permutation {}: files are not read here; want list:T,T,...", quoted("file:" + path)));
    permutation = read_permutation(path, nodes);
}

void know_counts(Collective& collective, std::string_view option, const std::string& text, NodeId nodes,
                 std::uint64_t seed) {
    const std::string_view what = name(collective.operation);
    const CountedFor counted_for = collective.operation->counted_for;
    const bool are_sizes = option == "--sizes";
    if (counted_for == CountedFor::nothing)
        throw RequestError(
            collective.signals()
                ? fmt::format("{} {}: the signals of a {} have no packets; leave it out", option, quoted(text), what)
                : fmt::format("{} {}: every node has the same in {}; want {}", option, quoted(text), what,
                              are_sizes ? "--bytes SIZE" : "--packets M"));
    const bool is_file = names_counts_file(text);
    if (is_file && (graphs_here == nullptr || !graphs_here->may_read(text)))
        throw RequestError(
            fmt::format("{} {}: files are not read here; want a list such as 3,0,5", option, quoted(text)));
    const auto read = [&] {
        return is_file ? read_counts(text, what, nodes, counted_for)
                       : counts_named(text, what, nodes, counted_for, seed);
    };
    put_numbers(collective, numbers_read(are_sizes, read), are_sizes);
}

ToldPromise promise_named(const std::string& path, std::shared_ptr<const Topology> topology,
                          std::uint64_t packet_bytes) {
    const std::string option = fmt::format("--promise {}", quoted(path));
    if (graphs_here == nullptr || !graphs_here->may_read(path))
        throw RequestError(fmt::format("{}: files are not read here; want all-held, or the operation's name", option));
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw RequestError(fmt::format("{} is a folder; want a file with lines such as 'owns 0: 0..3'", option));
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw RequestError(
            fmt::format("{}: no such file can be opened ({}); want a file that says who owns and wants which packets, "
                        "or in kport check all-held",
                        option, std::strerror(errno)));
    return read_promise(in, path, std::move(topology), packet_bytes);
}

void know_node_ports(Machine& machine) {
    if (machine.node_ports == nullptr || machine.topology == nullptr) return;
    NodePorts own = *machine.node_ports;
    const Topology& whole = whole_of(*machine.topology);
    const Remains* left = as_broken(named_machine(*machine.topology));
    const std::string& spec = whole.spec();
    const auto refuse = [&](std::string_view why) {
        throw RequestError(fmt::format("--ports-by {}: {}", quoted(own.attribute), why));
    };
    if (whole.family() != "file" || graphs_here == nullptr)
        refuse(fmt::format("{} is no graph file, whose nodes could have it; want --ports", spec));
    const std::vector<std::string> values = graphs_here->node_values(spec.substr(spec.find(':') + 1), own.attribute);
    if (values.size() != whole.wires().nodes()) refuse("no node of the graph has this attribute");
    own.limits.clear();
    for (NodeId v = 0; v < machine.topology->nodes(); ++v) {  // hosts; what a switch passes is --switch-limit
        const NodeId named = machine.topology->number(v);
        const std::string& value = values[left == nullptr ? named : left->old(named)];
        const std::optional<PortLimit> limits = value.empty() ? machine.ports : port_limit_of(value);
        if (!limits)
            refuse(fmt::format("node {} has {}; want S:R or K, each a number or all, such as 2:1",
                               machine.topology->name(v), quoted(value)));
        own.limits.push_back(*limits);
    }
    machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    require_topology(machine);
}

void know_link_prices(Machine& machine) {
    if (machine.prices == nullptr || machine.topology == nullptr) return;
    const PriceSources& sources = machine.prices->sources();
    const Topology& graph = machine.topology->wires();
    const Topology& whole = whole_of(*machine.topology);
    std::vector<LinkPrices::Priced> links;
    const std::string& by = sources.hop_by.empty() ? sources.byte_by : sources.hop_by;
    if (!by.empty()) {
        if (whole.family() != "file" || graphs_here == nullptr)
            throw RequestError(fmt::format("{} {}: {} is no graph file, whose links could have it; want --slow PARTS",
                                           sources.hop_by.empty() ? "--tm-by" : "--td-by", quoted(by), whole.spec()));
        links = prices_of_links(graphs_here->graph(whole.spec().substr(whole.spec().find(':') + 1)), sources);
    }
    if (const Remains* left = as_broken(*machine.topology)) {
        for (LinkPrices::Priced& link : links) link.node = left->left(link.node);
        std::erase_if(links, [&](const LinkPrices::Priced& link) {
            return link.node == no_node || graph.across(link.node, link.port).node == no_node;
        });
    }
    machine.prices = std::make_shared<const LinkPrices>(sources, graph, links);
}

std::string GraphsOfRequest::note_of_weights(const GraphFile& file) const {
    const PriceSources prices = price_sources();
    std::vector<std::string> names;
    for (const LinkAttribute& attribute : file.attributes)
        if (attribute.name != options_.capacity_by &&
            std::ranges::none_of(std::array{&prices.hop_by, &prices.byte_by}, [&](const std::string* by) {
                return *by == attribute.name || *by == "1/" + attribute.name;
            }))
            names.push_back(quoted(attribute.name));
    return names.empty() ? "" : fmt::format("links have weights, which runs ignore: {}", fmt::join(names, ", "));
}

}  // namespace kport::requests
