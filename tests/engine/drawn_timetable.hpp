/// @file drawn_timetable.hpp   Broadcasts of a few packets by timetables that are drawn: lawful ones, and ones that break rules.
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

/// In each round some nodes send a packet that they hold to a neighbour that lacks it, and has not been sent another one. With
/// `wrong` nodes at times err: one sends what it does not hold, or what its neighbour has, or to a node that gets two; a receiver waits
/// for no node, or for another, or in vain; or a node ends early, or begins late.
class DrawnTimetable final : public Timetable {
  public:
    DrawnTimetable(const Topology& topology, std::uint64_t packets, NodeId root, double wrong, std::uint64_t seed)
        : dice_(seed), lines_(topology.nodes()), first_(topology.nodes(), 1) {
        std::vector<std::set<PacketId>> held(topology.nodes());
        for (PacketId packet = 0; packet < packets; ++packet) held[root].insert(packet);
        const Round rounds = static_cast<Round>(packets + 2 + dice_.below(topology.nodes()));
        for (std::vector<TimetableLine>& lines : lines_) lines.resize(rounds);
        for (Round round = 1; round <= rounds; ++round) {
            auto after = held;
            std::vector<NodeId> nodes(topology.nodes());
            for (NodeId v = 0; v < topology.nodes(); ++v) nodes[v] = v;
            dice_.shuffle(nodes);
            for (const NodeId v : nodes) {
                const NodeId w = topology.across(v, static_cast<Port>(dice_.below(topology.ports()))).node;
                if (w == no_node || dice_.below(4) == 0) continue;
                const bool is_wrong = dice_.happens(wrong);
                PacketId packet = dice_.below(packets);
                for (PacketId i = 0; i < packets && (!held[v].contains(packet) || after[w].contains(packet)); ++i)
                    packet = (packet + 1) % packets;
                const bool is_useful = held[v].contains(packet) && !after[w].contains(packet);
                if (!is_wrong && (!is_useful || line(w, round).from != no_node)) continue;
                at(v, round).to = w;
                at(v, round).packet = packet;
                at(w, round).from = v;
                after[w].insert(packet);
                if (is_wrong) spoil(topology, v, w, round, packets);
            }
            held = std::move(after);
        }
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            if (dice_.happens(wrong / 4)) first_[v] += 1 + static_cast<Round>(dice_.below(2));
            if (dice_.happens(wrong / 4)) lines_[v].resize(rounds - 1);
        }
    }
    [[nodiscard]] Round first(NodeId v) const override { return first_[v]; }
    [[nodiscard]] Round last(NodeId v) const override { return static_cast<Round>(lines_[v].size()); }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override { return lines_[v][round - 1]; }

  private:
    [[nodiscard]] TimetableLine& at(NodeId v, Round round) { return lines_[v][round - 1]; }
    void spoil(const Topology& topology, NodeId v, NodeId w, Round round, std::uint64_t packets) {
        switch (dice_.below(6)) {
            case 0: at(v, round).packet = dice_.below(packets); break;
            case 1: at(v, round).to = no_node; break;
            case 2: at(w, round).from = no_node; break;
            case 3:
                at(w, round).from = topology.across(w, static_cast<Port>(dice_.below(topology.ports()))).node;
                break;
            case 4: at(w, round + 1 < last(w) ? round + 1 : round).from = v; break;
            default: break;
        }
    }

    Dice dice_;
    std::vector<std::vector<TimetableLine>> lines_;
    std::vector<Round> first_;
};

inline Job broadcast_by(std::shared_ptr<const Timetable> timetable, const Machine& machine, NodeId root,
                        std::uint64_t packets) {
    Job job;
    job.machine = machine;
    job.collective = Collective::broadcast(root, 24);
    job.collective.packets_each = packets;
    job.program = PlanProgram(std::move(timetable));
    job.starters = {root};
    return job;
}

}  // namespace kport::test
