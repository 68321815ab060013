/// @file info.cpp   kport info: what is known of a topology.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/json_report.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/request.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/renumbered.hpp"
#include "emulator/topology/searches.hpp"

namespace kport::requests {

namespace {

/// Distances of hosts; nothing where they take too long. In a graph without switches they are those of its nodes.
struct HostDistances {
    std::optional<std::uint64_t> diameter;          ///< in links
    std::optional<std::uint64_t> message_diameter;  ///< in messages of a relay of hosts
    std::optional<std::uint64_t> eccentricity_0;
    std::optional<std::uint64_t> sum_0;
    std::optional<std::uint64_t> sum_last;
};

/// From a host to all: in links, or in messages, which pass switches for nothing.
std::vector<std::uint32_t> distances_of_host(const Topology& graph, NodeId hosts, NodeId from, bool in_messages) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    std::vector<std::uint32_t> distance(graph.nodes(), unknown);
    std::deque<NodeId> open{from};
    distance[from] = 0;
    while (!open.empty()) {
        const NodeId v = open.front();
        open.pop_front();
        for_each_neighbour(graph, v, [&](NodeId w) {
            const bool free = in_messages && w >= hosts;
            const std::uint32_t found = distance[v] + (free ? 0 : 1);
            if (distance[w] <= found) return;
            distance[w] = found;
            if (free)
                open.push_front(w);
            else
                open.push_back(w);
        });
    }
    distance.resize(hosts);
    return distance;
}

HostDistances distances_of_hosts(const Topology& graph, NodeId hosts) {
    constexpr double steps_max = 1e9;
    const auto from = [&](NodeId v, bool in_messages) { return distances_of_host(graph, hosts, v, in_messages); };
    HostDistances found;
    const std::vector<std::uint32_t> of_first = from(0, false);
    const std::vector<std::uint32_t> of_last = from(hosts - 1, false);
    found.eccentricity_0 = *std::ranges::max_element(of_first);
    found.sum_0 = std::accumulate(of_first.begin(), of_first.end(), std::uint64_t{0});
    found.sum_last = std::accumulate(of_last.begin(), of_last.end(), std::uint64_t{0});
    if (static_cast<double>(hosts) * static_cast<double>(graph.channels() + graph.nodes()) > steps_max) return found;
    found.diameter = 0;
    found.message_diameter = 0;
    for (NodeId v = 0; v < hosts; ++v) {
        found.diameter = std::max<std::uint64_t>(*found.diameter, std::ranges::max(from(v, false)));
        found.message_diameter = std::max<std::uint64_t>(*found.message_diameter, std::ranges::max(from(v, true)));
    }
    return found;
}

/// What is found of a topology; nothing where that takes too long.
struct Info {
    struct OfNode {
        std::string name;  ///< "0", "mid", "last"
        NodeId node;
        std::optional<Hops> eccentricity;
        std::optional<std::uint64_t> distance_sum;
        std::optional<PublishedSchedule> broadcast;
        std::string wires;
    };

    std::optional<Port> degree_min;
    std::optional<Port> degree_max;
    std::optional<std::uint64_t> links;
    std::optional<std::uint64_t> channels;  ///< the sum of the links' capacities, both directions
    std::optional<Hops> diameter;
    std::optional<Hops> radius;
    std::optional<double> average_distance;
    std::optional<Connectivity> connectivity;
    std::optional<bool> vertex_symmetric;
    std::optional<bool> bipartite;
    std::optional<std::uint64_t> wiring_hash;
    HostDistances hosts;
    std::vector<OfNode> of_nodes;
    std::string missing;  ///< why something is not known
};

class Finding {
  public:
    Finding(const DescribedGraph& described, std::atomic<const char*>& at_work)
        : topology_(described.graph()), fabric_(described.fabric.get()), hosts_(described.hosts()), at_work_(at_work) {}

    [[nodiscard]] Info all() {
        look_at_ports();
        found_.vertex_symmetric = known("symmetry", [&] { return topology_.vertex_symmetry(); }).value_or(std::nullopt);
        if (found_.vertex_symmetric == true) found_.degree_min = topology_.degree(0);
        found_.degree_max = known("degrees", [&] { return topology_.max_degree(); });
        found_.links = known("links", [&] { return topology_.channels() / 2; });
        if (!found_.channels && fabric_ != nullptr)
            found_.channels = fabric_->capacities();
        else if (!found_.channels && found_.links)
            found_.channels = 2 * *found_.links;
        look_at("0", 0);
        look_at("mid", topology_.nodes() / 2);
        look_at("last", topology_.nodes() - 1);
        found_.bipartite = known("cycles", [&] { return topology_.bipartite(); });
        found_.diameter = known("diameter", [&] { return topology_.diameter(); });
        found_.radius = known("radius", [&] { return topology_.radius(); });
        at_work_ = "distances";
        found_.average_distance = average_distance();
        at_work_ = "connectivity";
        found_.connectivity = connectivity_of(topology_);
        look_at_hosts();
        return std::move(found_);
    }

  private:
    template <class Find>
    auto known(const char* what, const Find& find) -> std::optional<decltype(find())> {
        at_work_ = what;
        try {
            return find();
        } catch (const DoesNotFit& error) {
            if (found_.missing.empty()) found_.missing = error.what();
            return std::nullopt;
        }
    }

    /// Of two different nodes; nothing where the searches from all nodes would take more than some seconds.
    [[nodiscard]] std::optional<double> average_distance() const {
        constexpr double steps_max = 4e9;
        const auto nodes = static_cast<double>(topology_.nodes());
        if (topology_.nodes() == 1) return std::nullopt;
        try {
            if (topology_.vertex_symmetric()) return static_cast<double>(topology_.sum_of_distances(0)) / (nodes - 1);
            if (nodes * (nodes + static_cast<double>(topology_.channels())) > steps_max) return std::nullopt;
            double sum = 0;
            for (NodeId v = 0; v < topology_.nodes(); ++v) sum += static_cast<double>(topology_.sum_of_distances(v));
            return sum / (nodes * (nodes - 1));
        } catch (const DoesNotFit&) {
            return std::nullopt;
        }
    }

    /// How many links the trunk by a port has.
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const {
        return fabric_ == nullptr ? topology_.capacity(v, p) : fabric_->capacity(v, p);
    }

    void look_at_hosts() {
        at_work_ = "hosts";
        if (hosts_ < topology_.nodes()) {
            found_.hosts = distances_of_hosts(topology_, hosts_);
            return;
        }
        const Info::OfNode& first = found_.of_nodes.front();
        found_.hosts = {found_.diameter, found_.diameter, first.eccentricity, first.distance_sum,
                        found_.of_nodes.back().distance_sum};
    }

    void look_at_ports() {
        constexpr std::uint64_t ports_max = std::uint64_t{1} << 32;  // some ten seconds
        at_work_ = "wiring";
        const NodeId end = topology_.nodes();
        const auto too_many = [&] {
            found_.missing = fmt::format("{} has too many ports to look at all", topology_.spec());
        };
        // Before the walk, where most nodes have as many ports as the least of these.
        const std::uint64_t typical =
            std::min({topology_.labels(0), topology_.labels(end / 2), topology_.labels(end - 1)});
        if (typical > ports_max / end) return too_many();
        std::uint64_t ports = 0;
        std::uint64_t hash = 0;
        std::uint64_t channels = 0;
        Port least = no_port;
        for (NodeId v = 0; v < end; ++v) {
            const Port labels = topology_.labels(v);
            ports += labels;
            if (ports + end - v > ports_max) return too_many();
            Port degree = 0;
            for (Port p = 0; p < labels; ++p) {
                const NodeId w = topology_.across(v, p).node;
                if (w == no_node) continue;
                ++degree;
                const std::uint64_t links = capacity(v, p);
                channels += links;
                for (std::uint64_t i = 0; i < links; ++i) hash = 1000003 * hash + 31 * v + std::uint64_t{7} * p + w + 1;
            }
            least = std::min(least, degree);
        }
        found_.wiring_hash = hash;
        found_.channels = channels;
        found_.degree_min = least;
    }

    void look_at(const char* name, NodeId v) {
        constexpr Port wires_max = 4096;
        Info::OfNode node{name, v, {}, {}, topology_.published_broadcast(v), {}};
        node.eccentricity = known("distances", [&] { return topology_.eccentricity(v); });
        node.distance_sum = known("distances", [&] { return topology_.sum_of_distances(v); });
        std::vector<std::string> wires;
        const Port labels = topology_.labels(v);
        for (Port p = 0; p < std::min(labels, wires_max); ++p) {
            const NodeId w = topology_.across(v, p).node;
            wires.push_back(w == no_node ? "-" : std::to_string(w));
            if (w != no_node && capacity(v, p) > 1) wires.back() += fmt::format("*{}", capacity(v, p));
        }
        if (labels > wires_max) wires.emplace_back("...");
        node.wires = fmt::format("{}", fmt::join(wires, " "));
        found_.of_nodes.push_back(std::move(node));
    }

    const Topology& topology_;
    const Fabric* fabric_;  ///< null: neither switches nor trunks
    NodeId hosts_;
    std::atomic<const char*>& at_work_;
    Info found_;
};

/// In a thread of its own, so that progress can be shown.
Info found_out(const DescribedGraph& described, Client& client) {
    std::atomic<const char*> at_work = "";
    auto result = std::async(std::launch::async, [&] { return Finding(described, at_work).all(); });
    const std::unique_ptr<Signs> signs = client.signs();
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
        if (signs->due())
            signs->show(fmt::format("looking at the {} of {}", at_work.load(), quoted(described.graph().spec())));
    return result.get();
}

template <class T>
std::string text_of(const std::optional<T>& value) {
    if (!value) return "-";
    if constexpr (std::is_integral_v<T>)
        return grouped_count(*value);
    else
        return *value;
}
std::string text_of(const std::optional<bool>& value) { return !value ? "-" : *value ? "yes" : "no"; }

/// Whether no broadcast takes fewer rounds: that is proven, or so many take the distances or the doubling of who knows.
bool is_least(const Topology& topology, const Info::OfNode& node) {
    const std::uint64_t rounds = node.broadcast->rounds;
    return node.broadcast->exact || rounds == node.eccentricity ||
           rounds <= static_cast<std::uint64_t>(std::bit_width(topology.nodes() - 1));
}

/// "3", "1 to 4".
std::string degree_of(const Info& info) {
    const bool regular = info.degree_min && info.degree_min == info.degree_max;
    return regular ? text_of(info.degree_max)
                   : fmt::format("{} to {}", text_of(info.degree_min), text_of(info.degree_max));
}

/// Below the title of its picture.
std::string in_short(const Topology& topology, const Info& info) {
    return fmt::format("{}, {} links, degree {}, diameter {}", grouped_count(topology.nodes(), "node"),
                       text_of(info.links), degree_of(info), text_of(info.diameter));
}

/// "comma, with a header"
std::string layout_of(const GraphFile& file) {
    return fmt::format("{}{}{}", file.format,
                       file.separator.empty() ? "" : fmt::format(", separated by {}", file.separator),
                       file.header ? ", with a header" : "");
}

/// The facts of a graph file, with what info alone says of it.
std::vector<std::string> notes_of(const GraphFile& file) {
    std::vector<std::string> notes = file.notes;
    if (file.switches() == 0) notes.emplace_back("no node is marked a switch: every node computes");
    return notes;
}

/// "1 to 20", "2; 3 links have none"
std::string range_of(const LinkAttribute& weight) {
    std::vector<double> values = weight.values;
    std::erase_if(values, [](double value) { return std::isnan(value); });
    const std::uint64_t missing = weight.values.size() - values.size();
    const auto [least, most] = std::ranges::minmax_element(values);
    return fmt::format("{}{}{}", number(*least), *least == *most ? "" : " to " + number(*most),
                       missing == 0 ? "" : fmt::format("; {} without", counted(missing, "link")));
}

/// Which family a graph file is; empty where it is none that is recognized.
std::string family_of(const DescribedGraph& described) {
    if (!described.file || described.fabric != nullptr) return {};
    const std::shared_ptr<const Topology> family = recognized(described.topology);
    return family == nullptr ? std::string() : family_in_words(*family);
}

std::string text_of(const DescribedGraph& described, const Info& info, const Paint& paint, std::size_t width) {
    const Topology& topology = described.graph();
    Table facts({{"property"}, {"value"}});
    if (described.file) {
        facts.row({{"format"}, {layout_of(*described.file)}});
        for (const LinkAttribute& weight : described.file->attributes)
            if (!weight.values.empty()) facts.row({{"weight " + quoted(weight.name)}, {range_of(weight)}});
    }
    facts.row({{"nodes"}, {grouped_count(topology.nodes())}});
    if (described.hosts() < topology.nodes()) {
        facts.row({{"hosts"}, {grouped_count(described.hosts())}});
        facts.row({{"switches"}, {grouped_count(topology.nodes() - described.hosts())}});
        facts.row({{"diameter of hosts"}, {text_of(info.hosts.diameter)}});
        facts.row({{"diameter in messages"}, {text_of(info.hosts.message_diameter)}});
    }
    facts.row({{"links"}, {text_of(info.links)}});
    if (info.channels && info.links && *info.channels != 2 * *info.links)
        facts.row({{"channels"}, {text_of(info.channels)}});
    facts.row({{"degree"}, {degree_of(info)}});
    facts.row({{"port labels"}, {std::to_string(topology.labels_in_use())}});
    facts.row({{"diameter"}, {text_of(info.diameter)}});
    facts.row({{"radius"}, {text_of(info.radius)}});
    facts.row({{"average distance"}, {info.average_distance ? fmt::format("{:.6g}", *info.average_distance) : "-"}});
    facts.row({{"connectivity"},
               {info.connectivity ? fmt::format("{}, {}", counted(info.connectivity->links, "link"),
                                                counted(info.connectivity->nodes, "node"))
                                  : "-"}});
    if (const std::string family = family_of(described); !family.empty()) facts.row({{"family"}, {family}});
    facts.row({{"vertex symmetric"}, {text_of(info.vertex_symmetric)}});
    facts.row({{"bipartite"}, {text_of(info.bipartite)}});
    facts.row({{"wiring hash"}, {text_of(info.wiring_hash)}});
    using enum Table::Align;
    Table nodes({{"node"}, {"eccentricity", right}, {"sum of distances", right}, {"neighbours by port"}});
    std::vector<Info::OfNode> of_nodes = info.of_nodes;  // in small topologies some are the same
    of_nodes.erase(std::ranges::unique(of_nodes, {}, &Info::OfNode::node).begin(), of_nodes.end());
    for (const Info::OfNode& node : of_nodes)
        nodes.row(
            {{topology.name(node.node)}, {text_of(node.eccentricity)}, {text_of(node.distance_sum)}, {node.wires}});
    const std::string which = of_nodes.size() < topology.nodes()
                                  ? fmt::format("{} of {} nodes: the first, the one in the middle, the last\n",
                                                of_nodes.size(), grouped_count(topology.nodes()))
                                  : "";
    const auto family = std::ranges::find(topology_families(), topology.family(), &TopologyFamily::name);
    std::string known;
    for (const Info::OfNode& node : of_nodes)
        if (node.broadcast)
            known += fmt::format("{} 1-port broadcast from node {}: {} ({})\n",
                                 is_least(topology, node) ? "best" : "best known", node.node,
                                 counted(node.broadcast->rounds, "round"), node.broadcast->by);
    std::string notes;
    if (described.file)
        for (const std::string& note : notes_of(*described.file))
            notes += wrapped(fmt::format("note    {}\n", note), 8, width);
    return wrapped(fmt::format("{}: {}\n\n", topology.spec(), family->about), 0, width) + facts.text(paint, width) +
           (notes.empty() ? "" : "\n" + notes) + "\n" + which + nodes.text(paint, width) +
           wrapped((known.empty() ? "" : "\n") + known, 2, width);
}

/// How a graph file was read.
void put_file(Json& json, const GraphFile& file) {
    constexpr NodeId names_shown = 64;
    json["format"] = file.format;
    if (!file.separator.empty()) {
        json["separator"] = file.separator;
        json["header"] = file.header;
    }
    const Topology& graph = *file.topology;
    Json names = Json::array();
    for (NodeId v = 0; v < std::min(graph.nodes(), names_shown); ++v) {
        const std::string label = graph.label(v);
        names.push_back(label.empty() ? std::to_string(v) : label);
    }
    json["names"] = std::move(names);
    json["weights"] = Json::array();
    for (const LinkAttribute& attribute : file.attributes) json["weights"].push_back(attribute.name);
    json["loops_dropped"] = file.loops_dropped;
    json["parallel_merged"] = file.parallel_merged;
    json["nodes_dropped"] = file.nodes_dropped;
    json["notes"] = notes_of(file);
}

/// The keys are the columns of tests/oracle/tables/topologies.csv, and more.
Json json_of(const DescribedGraph& described, const Info& info) {
    const Topology& topology = described.graph();
    const GraphFile* file = described.file ? &*described.file : nullptr;
    Json json;
    const auto put = [&](const std::string& key, const auto& value) { json[key] = value ? Json(*value) : Json(); };
    const auto put_word = [&](const std::string& key, const std::optional<bool>& value) {
        json[key] = value ? Json(text_of(value)) : Json();
    };
    json["topology"] = topology.spec();
    json["nodes"] = topology.nodes();
    json["hosts"] = described.hosts();
    json["switches"] = topology.nodes() - described.hosts();
    put("links", info.links);
    put("channels", info.channels);
    put("degree_min", info.degree_min);
    put("degree_max", info.degree_max);
    json["port_labels"] = topology.labels_in_use();
    put("diameter", info.diameter);
    put("radius", info.radius);
    put("host_diameter", info.hosts.diameter);
    put("message_diameter", info.hosts.message_diameter);
    put("host_ecc_0", info.hosts.eccentricity_0);
    put("host_distance_sum_0", info.hosts.sum_0);
    put("host_distance_sum_last", info.hosts.sum_last);
    put("average_distance", info.average_distance);
    json["link_connectivity"] = info.connectivity ? Json(info.connectivity->links) : Json();
    json["node_connectivity"] = info.connectivity ? Json(info.connectivity->nodes) : Json();
    put_word("vertex_symmetric", info.vertex_symmetric);
    put_word("bipartite", info.bipartite);
    for (const Info::OfNode& node : info.of_nodes) {
        put("ecc_" + node.name, node.eccentricity);
        put("distance_sum_" + node.name, node.distance_sum);
        json["wires_" + node.name] = node.wires;
        if (node.broadcast) {
            json["broadcast_rounds_" + node.name] = node.broadcast->rounds;
            json["broadcast_exact_" + node.name] = is_least(topology, node);
            json["broadcast_by_" + node.name] = node.broadcast->by;
        }
    }
    json["wiring_hash"] = info.wiring_hash ? Json(std::to_string(*info.wiring_hash)) : Json();
    if (file != nullptr) put_file(json, *file);
    return json;
}

/// Describes what is left of the graph without the parts of --broken.
void leave_out_broken(const Words& words, DescribedGraph& described) {
    if (!words.has("--broken")) return;
    described.topology = without_broken(words, described.topology);
    if (!described.file) return;
    GraphFile& file = *described.file;
    file.topology = described.topology;
    file.hosts = file.topology->nodes();
}

}  // namespace

Answer info(Request& request) {
    const Words& words = request.words;
    if (!words.subject)
        throw RequestError("kport info needs a topology, such as hypercube:10 ('kport list topologies' shows all)");
    require_place_of_picture(request);
    DescribedGraph described = described_graph(*words.subject);
    leave_out_broken(words, described);
    const std::shared_ptr<const Topology> topology = described.shared_graph();
    const Info found = found_out(described, request.client);
    std::string picture;
    const auto draw = [&] {
        if (words.has("--picture")) picture = picture_of(request, story_of(topology, in_short(*topology, found)));
    };
    if (!found.missing.empty()) request.client.warn(found.missing);
    return answer_beside(draw, [&] {
        return words.has("--json") ? request.document([&] { return json_of(described, found); })
                                   : text_of(described, found, request.client.paint, request.client.width) + picture;
    });
}

}  // namespace kport::requests
