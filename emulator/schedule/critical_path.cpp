#include "emulator/schedule/critical_path.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/participants.hpp"

namespace kport {

namespace {

/// A message that holds up another one.
struct Held {
    std::size_t by = 0;
    Delay delay = Delay::start;
};

class Chain {
  public:
    Chain(const Schedule& schedule, const Machine& machine, const Collective& collective, Round last)
        : schedule_(schedule), machine_(machine), collective_(carried_in(collective)),
          nodes_(machine.topology->nodes()), space_(collective_, nodes_) {
        for (std::size_t i = 0; i < schedule.size() && schedule.round(i) <= last; ++i) {
            const Transfer transfer = schedule.transfer(i);
            if (transfer.from >= nodes_ || transfer.to >= nodes_) continue;
            by_sender_.push_back(i);
            by_receiver_.push_back(i);
        }
        std::ranges::stable_sort(by_sender_, {}, [&](std::size_t i) { return schedule_.transfer(i).from; });
        std::ranges::stable_sort(by_receiver_, {}, [&](std::size_t i) { return schedule_.transfer(i).to; });
    }

    [[nodiscard]] CriticalPath path() {
        CriticalPath path;
        std::optional<std::size_t> at = last_receipt();
        const Round last = at ? schedule_.round(*at) : 0;
        while (at) {
            const Transfer transfer = schedule_.transfer(*at);
            const std::optional<Held> held = holding_up(*at);
            path.messages.push_back(
                {*at, schedule_.round(*at), transfer.from, transfer.to, held ? held->delay : Delay::start});
            path.latency += latency_of(*at);
            at = held ? std::optional(held->by) : std::nullopt;
        }
        std::ranges::reverse(path.messages);
        path.other_rounds = last - path.messages.size();
        return path;
    }

  private:
    [[nodiscard]] double latency_of(std::size_t i) const {
        const Transfer transfer = schedule_.transfer(i);
        const std::uint64_t bytes =
            exist(transfer) ? bytes_in(transfer.packets, collective_, collective_.segments(nodes_)) : 0;
        return machine_.latency(transfer.from, transfer.route, bytes);
    }

    /// Whether the packets exist; others move nothing.
    [[nodiscard]] bool exist(const Transfer& transfer) const { return space_.allows(transfer.packets); }

    [[nodiscard]] std::optional<std::size_t> last_receipt() const {
        Round round = 0;
        for (const std::size_t i : by_sender_) round = std::max(round, schedule_.round(i));
        std::optional<std::size_t> last;
        double latency = 0;
        for (const std::size_t i : by_sender_) {
            if (schedule_.round(i) != round) continue;
            const double its = latency_of(i);
            if (last && (its < latency || (its == latency && i > *last))) continue;
            last = i;
            latency = its;
        }
        return last;
    }

    [[nodiscard]] std::span<const std::size_t> sent_by(NodeId v) const {
        return std::ranges::equal_range(by_sender_, v, {}, [&](std::size_t i) { return schedule_.transfer(i).from; });
    }
    [[nodiscard]] std::span<const std::size_t> received_by(NodeId v) const {
        return std::ranges::equal_range(by_receiver_, v, {}, [&](std::size_t i) { return schedule_.transfer(i).to; });
    }

    [[nodiscard]] std::optional<Held> holding_up(std::size_t i) {
        const Transfer transfer = schedule_.transfer(i);
        std::optional<Held> latest;
        const auto take = [&](std::optional<std::size_t> by, Delay delay) {
            if (by && (!latest || schedule_.round(*by) > schedule_.round(latest->by))) latest = Held{*by, delay};
        };
        take(bringing(i, transfer), Delay::packet);
        const auto first_channel = [&](std::size_t earlier) {
            const Transfer other = schedule_.transfer(earlier);
            return !transfer.route.empty() && !other.route.empty() && other.route.front() == transfer.route.front();
        };
        const auto never = [](std::size_t) { return false; };
        const bool one_way = machine_.duplex == Duplex::half || machine_.pairwise;
        const auto sends = machine_.pairwise ? 1 : machine_.sends_of(transfer.from);
        const auto receives = machine_.pairwise ? 1 : machine_.receives_of(transfer.to);
        take(filling(sent_by(transfer.from), i, sends, first_channel), Delay::sender);
        if (one_way) take(filling(received_by(transfer.from), i, sends, never), Delay::sender);
        take(filling(received_by(transfer.to), i, receives, never), Delay::receiver);
        if (one_way) take(filling(sent_by(transfer.to), i, receives, never), Delay::receiver);
        return latest;
    }

    /// Returns the latest message before the i-th that brought its sender a packet of it for the first time.
    [[nodiscard]] std::optional<std::size_t> bringing(std::size_t i, const Transfer& transfer) {
        if (!collective_.promises() || !exist(transfer)) return std::nullopt;
        const PacketSet wanted = contents_of(transfer.packets);
        const std::vector<News>& news = news_of(transfer.from);
        auto at = std::ranges::lower_bound(news, schedule_.round(i), {},
                                           [&](const News& one) { return schedule_.round(one.transfer); });
        while (at != news.begin()) {
            --at;
            if (common_size(at->packets.blocks(), wanted) > 0) return at->transfer;
        }
        return std::nullopt;
    }

    /// A result of a reduction contains all contributions to its segment.
    [[nodiscard]] PacketSet contents_of(std::span<const PacketBlock> packets) const {
        PacketSet contents;
        for (const PacketBlock& block : packets)
            if (collective_.folds() && block.columns() == result_packet(nodes_).columns())
                contents.include(contributions_to({&block, 1}, nodes_));
            else
                contents.include({&block, 1});
        return contents;
    }

    /// A receipt with packets that the node did not have.
    struct News {
        std::size_t transfer = 0;
        PacketSet packets;
    };

    [[nodiscard]] const std::vector<News>& news_of(NodeId v) {
        const auto [at, is_new] = news_.try_emplace(v);
        if (!is_new) return at->second;
        PacketSet held = collective_.owned(v, nodes_);
        for (const std::size_t i : received_by(v)) {
            const Transfer transfer = schedule_.transfer(i);
            if (!exist(transfer)) continue;
            PacketSet came = contents_of(transfer.packets);
            came.remove(held);
            if (came.empty()) continue;
            held.include(came);
            at->second.push_back({i, std::move(came)});
        }
        return at->second;
    }

    /// Returns the first message of the latest round before the i-th message's in which these messages of one node are as many as
    /// its ports, or in which one of them takes its channel.
    template <class IsSameChannel>
    [[nodiscard]] std::optional<std::size_t> filling(std::span<const std::size_t> of_node, std::size_t i, Port ports,
                                                     const IsSameChannel& same_channel) const {
        const auto round_of = [&](std::size_t j) { return schedule_.round(j); };
        auto end = std::ranges::lower_bound(of_node, schedule_.round(i), {}, round_of);
        while (end != of_node.begin()) {
            const Round round = round_of(*(end - 1));
            auto begin = end;
            while (begin != of_node.begin() && round_of(*(begin - 1)) == round) --begin;
            if (static_cast<std::uint64_t>(end - begin) >= ports) return *begin;
            for (auto at = begin; at != end; ++at)
                if (same_channel(*at)) return *at;
            end = begin;
        }
        return std::nullopt;
    }

    const Schedule& schedule_;
    const Machine& machine_;
    Collective collective_;
    NodeId nodes_;
    PacketSpace space_;
    std::vector<std::size_t> by_sender_;
    std::vector<std::size_t> by_receiver_;
    std::map<NodeId, std::vector<News>> news_;
};

}  // namespace

std::string_view name(Delay delay) {
    constexpr std::array<std::string_view, 4> names = {"start", "packet", "sender", "receiver"};
    return names.at(static_cast<std::size_t>(delay));
}

CriticalPath critical_path(const Schedule& schedule, const Machine& machine, const Collective& collective, Round last) {
    return Chain(schedule, machine, collective, last).path();
}

namespace {

/// Returns the port of the receiver by which a path arrives.
Port last_port(const Transfer& transfer, const Topology& topology) {
    LinkEnd at{transfer.from, no_port};
    for (const Port port : transfer.route) {
        at = topology.across(at.node, port);
        if (at.node == no_node) return no_port;
    }
    return at.node == transfer.to ? at.port : no_port;
}

}  // namespace

std::vector<FirstReceipt> first_receipts(const Schedule& schedule, const Topology& topology) {
    require_well_formed(schedule, topology);
    std::vector<FirstReceipt> first(topology.nodes());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        FirstReceipt& before = first[transfer.to];
        if (before.round != 0 && before.round < schedule.round(i)) continue;
        const FirstReceipt now{schedule.round(i), last_port(transfer, topology), transfer.from};
        if (before.round == 0 || std::tuple(now.from, now.port) < std::tuple(before.from, before.port)) before = now;
    }
    return first;
}

std::vector<PacketSet> holdings(const Schedule& schedule, const Collective& collective, const Topology& topology) {
    require_well_formed(schedule, topology);
    std::vector<PacketSet> held(topology.nodes());
    if (!collective.promises()) return held;
    for (NodeId v = 0; v < held.size(); ++v) held[v] = collective.owned(v, topology.nodes());
    const PacketSpace space(collective, topology.nodes());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        if (!space.allows(transfer.packets))
            throw RequestError(
                fmt::format("transfers[{}].packets: it names {}", i, space.text(space.fault_of(transfer.packets))));
        PacketSet& own = held[transfer.to];
        own.add(without(transfer.packets, own.blocks()));
    }
    return held;
}

}  // namespace kport
