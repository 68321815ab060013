#include "emulator/schedule/load.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/participants.hpp"

namespace kport {

namespace {

struct ChannelHash {
    std::size_t operator()(const std::pair<NodeId, Port>& channel) const {
        constexpr std::uint64_t spread = 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>((channel.first * spread + channel.second) * spread >> 7U);
    }
};

class Loading {
  public:
    explicit Loading(const Topology& wires) : wires_(wires) {}

    void add(const Transfer& transfer, std::uint64_t bytes) {
        ++load_.messages;
        load_.bytes += bytes;
        ++node(transfer.from).sent;
        NodeId v = transfer.from;
        for (const Port port : transfer.route) {
            if (v != transfer.from) ++node(v).passed_on;
            const NodeId next = wires_.across(v, port).node;
            if (next == no_node) break;
            ChannelLoad& channel = channels_[{v, port}];
            channel = {v, port, next, channel.messages + 1, channel.bytes + bytes};
            v = next;
        }
        ++node(transfer.to).received;
    }
    [[nodiscard]] Load finish() && {
        for (const auto& [key, channel] : channels_) load_.channels.push_back(channel);
        for (const auto& [v, node] : nodes_) load_.nodes.push_back(node);
        std::ranges::sort(load_.channels, {},
                          [](const ChannelLoad& channel) { return std::pair(channel.from, channel.port); });
        std::ranges::sort(load_.nodes, {}, &NodeLoad::node);
        return std::move(load_);
    }

  private:
    NodeLoad& node(NodeId v) {
        NodeLoad& load = nodes_[v];
        load.node = v;
        return load;
    }

    const Topology& wires_;
    std::unordered_map<std::pair<NodeId, Port>, ChannelLoad, ChannelHash> channels_;
    std::unordered_map<NodeId, NodeLoad> nodes_;
    Load load_;
};

}  // namespace

const ChannelLoad* Load::busiest_channel() const {
    const auto most = std::ranges::max_element(channels, {}, &ChannelLoad::messages);
    return most == channels.end() ? nullptr : &*most;
}

const NodeLoad* Load::busiest_node() const {
    const auto most = std::ranges::max_element(nodes, {}, &NodeLoad::messages);
    return most == nodes.end() ? nullptr : &*most;
}

Load load_of(const Schedule& schedule, const Topology& topology, const Collective& asked, Round first, Round last) {
    const Collective collective = carried_in(asked);
    const std::uint64_t segments = collective.segments(topology.nodes());
    const PacketSpace space(collective, topology.nodes());
    Loading loading(topology.wires());
    for (std::size_t i = 0; i < schedule.size() && schedule.round(i) <= last; ++i) {
        if (schedule.round(i) < first) continue;
        const Transfer transfer = schedule.transfer(i);
        if (transfer.from >= topology.nodes() || transfer.to >= topology.nodes()) continue;
        loading.add(transfer, space.allows(transfer.packets) ? bytes_in(transfer.packets, collective, segments) : 0);
    }
    return std::move(loading).finish();
}

}  // namespace kport
