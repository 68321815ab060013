/// @file sccl_schedule.cpp   Schedules of SCCL, msccl-tools and TACCL: judged on the network in the file.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/chunk_schedule.hpp"
#include "app/files/foreign_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {

namespace sccl {

namespace {

using Channel = std::pair<NodeId, NodeId>;
using Loads = std::map<Channel, std::uint64_t>;

/// Compares what each step sends with links and switches.
class BandwidthJudge {
  public:
    BandwidthJudge(const ScclFile& file, FaultList& faults) : file_(file), faults_(faults) {}

    void judge() {
        const std::size_t steps = file_.schedule.steps.size();
        const std::size_t apart = file_.pipeline ? std::min<std::size_t>(*file_.pipeline, steps) : steps;
        for (std::size_t first = 0; first < apart; ++first) {
            Loads loads;  // of a step and of all that overlap it, from the last one back
            for (std::size_t step = first + (steps - 1 - first) / apart * apart;; step -= apart) {
                for (const chunked::Send& send : file_.schedule.steps[step].sends) ++loads[{send.from, send.to}];
                if (faults_.is_full(ScheduleFault::bandwidth)) return;
                judge(step, loads);
                if (step < apart) break;
            }
        }
    }

  private:
    void judge(std::size_t step, const Loads& loads) {
        for (const auto& [channel, load] : loads) {
            const double link = file_.links[channel.second][channel.first];
            if (link > 0)  // a missing link is reported separately
                require(step, load, link, fmt::format("the link from rank {} to {}", channel.first, channel.second));
        }
        for (const Switch& one : file_.switches) {
            std::uint64_t load = 0;
            for (const auto& [channel, count] : loads)
                if (std::ranges::binary_search(one.sources, channel.first) &&
                    std::ranges::binary_search(one.destinations, channel.second))
                    load += count;
            require(step, load, one.bandwidth, fmt::format("the switch {}", quoted(one.name)));
        }
    }

    void require(std::size_t step, std::uint64_t load, double bandwidth, const std::string& what) {
        const double rounds = file_.rounds[step];
        if (static_cast<double>(load) <= bandwidth * rounds || faults_.is_full(ScheduleFault::bandwidth)) return;
        faults_.add(ScheduleFault::bandwidth,
                    fmt::format("{}{}: {} over {}, which carries {} a round; this step has rounds {}, so at most {}",
                                file_.schedule.steps[step].place,
                                file_.pipeline ? " and the steps of the pipeline that overlap it" : "",
                                counted(load, "chunk"), what, bandwidth, rounds, bandwidth * rounds));
    }

    const ScclFile& file_;
    FaultList& faults_;
};

bool has_link(const ScclFile& file, NodeId from, NodeId to) { return file.links[to][from] > 0; }

/// Returns a known family's graph with these links and numbers of nodes, if it is one of those that most files have.
std::shared_ptr<const Topology> known_graph(NodeId ranks, const std::vector<StoredGraph::Link>& links) {
    std::vector<std::string> specs = {fmt::format("complete:{}", ranks)};
    if (ranks >= 3) specs.push_back(fmt::format("ring:{}", ranks));
    if (ranks >= 2 && std::has_single_bit(ranks)) specs.push_back(fmt::format("hypercube:{}", std::countr_zero(ranks)));
    for (const std::string& spec : specs) {
        auto graph = make_topology(spec);
        if (graph->channels() == 2 * links.size() && std::ranges::all_of(links, [&](const StoredGraph::Link& link) {
                return graph->port_to(link.a, link.b) != no_port;
            }))
            return graph;
    }
    return nullptr;
}

bool is_connected(NodeId ranks, const std::vector<StoredGraph::Link>& links) {
    std::vector<std::uint32_t> part(ranks);
    std::iota(part.begin(), part.end(), 0U);
    const auto root = [&](std::uint32_t v) {
        while (part[v] != v) v = part[v] = part[part[v]];
        return v;
    };
    NodeId parts = ranks;
    for (const StoredGraph::Link& link : links)
        if (const auto a = root(link.a), b = root(link.b); a != b) {
            part[a] = b;
            --parts;
        }
    return parts == 1;
}

/// Returns the network of the file, whose links may be directed.
std::shared_ptr<const Topology> graph_of(const ScclFile& file, std::vector<std::string>& remarks) {
    const auto ranks = static_cast<std::uint32_t>(file.schedule.ranks);
    std::vector<StoredGraph::Link> links;
    bool one_way = false;
    for (std::uint32_t a = 0; a < ranks; ++a)
        for (std::uint32_t b = a + 1; b < ranks; ++b) {
            if (has_link(file, a, b) || has_link(file, b, a)) links.push_back({a, b});
            one_way = one_way || has_link(file, a, b) != has_link(file, b, a);
        }
    if (one_way)
        remarks.emplace_back("some links lead one way only; the bounds are those of the network with both ways");
    if (!is_connected(ranks, links)) {
        remarks.emplace_back("the links do not connect all ranks; the bounds are those of a complete graph");
        return make_topology(fmt::format("complete:{}", ranks));
    }
    if (auto known = known_graph(ranks, links)) return known;
    return std::make_shared<const StoredGraph>(std::string(unnamed_network), ranks, links);
}

ToldSchedule read(std::istream& in, const std::string& name, const ScheduleContext& context) {
    const auto file = std::make_shared<ScclFile>(read_sccl_text(in, name));
    chunked::ChunkFile chunks;
    chunks.likely_operation = file->operation;
    chunks.remarks.push_back(
        fmt::format("rounds of the file: {}", std::accumulate(file->rounds.begin(), file->rounds.end(), 0.0)));
    chunks.topology = context.machine.topology;
    if (chunks.topology != nullptr) {
        chunks.remarks.push_back(fmt::format(
            "judged on {}: the links, switches and bandwidths of the file are not looked at", chunks.topology->spec()));
    } else if (!file->links.empty()) {
        chunks.topology = graph_of(*file, chunks.remarks);
        chunks.linked = [file](NodeId from, NodeId to) { return has_link(*file, from, to); };
        BandwidthJudge(*file, chunks.faults).judge();
        chunks.judgement.judged.emplace_back("bandwidth");
    } else if (file->is_taccl) {
        chunks.topology = make_topology(fmt::format("complete:{}", file->schedule.ranks));
        chunks.remarks.emplace_back(
            "judged on a complete graph, without bandwidths: 'node_links' of TACCL is the network of one machine");
    } else {
        throw RequestError("has no 'topology' in the file; want it, or --on with a topology");
    }
    chunks.schedule = file->schedule;
    return judged_chunks(std::move(chunks), context);
}

}  // namespace

}  // namespace sccl

bool begins_sccl(std::string_view head) {
    return head.starts_with('{') && (head.find("\"msccl_type\"") != std::string_view::npos ||
                                     head.find("\"sccl_type\"") != std::string_view::npos);
}

ToldSchedule read_sccl(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return chunked::read_named(name, [&] { return sccl::read(in, name, context); });
}

}  // namespace kport
