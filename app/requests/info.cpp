/// @file info.cpp   kport info: what is known of a topology.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/json_report.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/request.hpp"
#include "app/requests/show.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/table.hpp"
#include "emulator/topology/connectivity.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

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
    std::optional<Hops> diameter;
    std::optional<Hops> radius;
    std::optional<double> average_distance;
    std::optional<Connectivity> connectivity;
    std::optional<bool> vertex_symmetric;
    std::optional<bool> bipartite;
    std::optional<std::uint64_t> wiring_hash;
    std::vector<OfNode> of_nodes;
    std::string missing;  ///< why something is not known
};

class Finding {
  public:
    Finding(const Topology& topology, std::atomic<const char*>& at_work) : topology_(topology), at_work_(at_work) {}

    [[nodiscard]] Info all() {
        look_at_ports();
        found_.vertex_symmetric = known("symmetry", [&] { return topology_.vertex_symmetry(); }).value_or(std::nullopt);
        if (found_.vertex_symmetric == true) found_.degree_min = topology_.degree(0);
        found_.degree_max = known("degrees", [&] { return topology_.max_degree(); });
        found_.links = known("links", [&] { return topology_.channels() / 2; });
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

    void look_at_ports() {
        constexpr std::uint64_t ports_max = std::uint64_t{1} << 32;  // some ten seconds
        at_work_ = "wiring";
        std::uint64_t ports = 0;
        std::uint64_t hash = 0;
        Port least = no_port;
        for (NodeId v = 0; v < topology_.nodes(); ++v) {
            const Port labels = topology_.labels(v);
            ports += labels;
            if (ports + topology_.nodes() - v > ports_max) {
                found_.missing = fmt::format("{} has too many ports to look at all", topology_.spec());
                return;
            }
            Port degree = 0;
            for (Port p = 0; p < labels; ++p) {
                const NodeId w = topology_.across(v, p).node;
                if (w == no_node) continue;
                ++degree;
                hash = 1000003 * hash + 31 * v + std::uint64_t{7} * p + w + 1;
            }
            least = std::min(least, degree);
        }
        found_.wiring_hash = hash;
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
        }
        if (labels > wires_max) wires.emplace_back("...");
        node.wires = fmt::format("{}", fmt::join(wires, " "));
        found_.of_nodes.push_back(std::move(node));
    }

    const Topology& topology_;
    std::atomic<const char*>& at_work_;
    Info found_;
};

/// In a thread of its own, so that progress can be shown.
Info found_out(const Topology& topology, Client& client) {
    std::atomic<const char*> at_work = "";
    auto result = std::async(std::launch::async, [&] { return Finding(topology, at_work).all(); });
    const std::unique_ptr<Signs> signs = client.signs();
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
        if (signs->due()) signs->show(fmt::format("looking at the {} of {}", at_work.load(), quoted(topology.spec())));
    return result.get();
}

template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "-";
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
    return fmt::format("{}, {} links, degree {}, diameter {}", counted(topology.nodes(), "node"), text_of(info.links),
                       degree_of(info), text_of(info.diameter));
}

std::string text_of(const Topology& topology, const Info& info, const Paint& paint, std::size_t width) {
    Table facts({{"property"}, {"value"}});
    facts.row({{"nodes"}, {std::to_string(topology.nodes())}});
    facts.row({{"links"}, {text_of(info.links)}});
    facts.row({{"degree"}, {degree_of(info)}});
    facts.row({{"port labels"}, {std::to_string(topology.ports())}});
    facts.row({{"diameter"}, {text_of(info.diameter)}});
    facts.row({{"radius"}, {text_of(info.radius)}});
    facts.row({{"average distance"}, {info.average_distance ? fmt::format("{:.6g}", *info.average_distance) : "-"}});
    facts.row({{"connectivity"},
               {info.connectivity ? fmt::format("{}, {}", counted(info.connectivity->links, "link"),
                                                counted(info.connectivity->nodes, "node"))
                                  : "-"}});
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
                                                of_nodes.size(), topology.nodes())
                                  : "";
    const auto family = std::ranges::find(topology_families(), topology.family(), &TopologyFamily::name);
    std::string known;
    for (const Info::OfNode& node : of_nodes)
        if (node.broadcast)
            known += fmt::format("a 1-port broadcast from node {} in {} {} is known: {}\n", node.node,
                                 is_least(topology, node) ? "exactly" : "at most",
                                 counted(node.broadcast->rounds, "round"), node.broadcast->by);
    return wrapped(fmt::format("{}: {}\n\n", topology.spec(), family->about), 0, width) + facts.text(paint, width) +
           "\n" + which + nodes.text(paint, width) + wrapped((known.empty() ? "" : "\n") + known, 2, width);
}

/// The keys are the columns of tests/oracle/tables/topologies.csv, and more.
Json json_of(const Topology& topology, const Info& info) {
    Json json;
    const auto put = [&](const std::string& key, const auto& value) { json[key] = value ? Json(*value) : Json(); };
    const auto put_word = [&](const std::string& key, const std::optional<bool>& value) {
        json[key] = value ? Json(text_of(value)) : Json();
    };
    json["topology"] = topology.spec();
    json["nodes"] = topology.nodes();
    put("links", info.links);
    put("degree_min", info.degree_min);
    put("degree_max", info.degree_max);
    json["port_labels"] = topology.ports();
    put("diameter", info.diameter);
    put("radius", info.radius);
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
    return json;
}

}  // namespace

Answer info(Request& request) {
    const Words& words = request.words;
    if (!words.subject)
        throw RequestError("kport info needs a topology, such as hypercube:10 ('kport list topologies' shows all)");
    require_place_of_picture(request);
    const std::shared_ptr<const Topology> topology = make_topology(*words.subject);
    const Info found = found_out(*topology, request.client);
    std::string picture;
    const auto draw = [&] {
        if (words.has("--picture")) picture = picture_of(request, story_of(topology, in_short(*topology, found)));
    };
    if (!found.missing.empty()) request.client.warn(found.missing);
    return answer_beside(draw, [&] {
        return words.has("--json") ? request.document([&] { return json_of(*topology, found); })
                                   : text_of(*topology, found, request.client.paint, request.client.width) + picture;
    });
}

}  // namespace kport::requests
