/// @file chunk_schedule.cpp   Judges a schedule of chunks: its operation, links, contents, rounds.
#include "app/files/chunk_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/files/ranked.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::chunked {

namespace {

class ChunkJudge {
  public:
    ChunkJudge(ChunkFile file, const ScheduleContext& context) : file_(std::move(file)), context_(context) {}

    ToldSchedule judge() {
        if (file_.topology->nodes() != schedule().ranks)
            throw RequestError(fmt::format("has {}, and {} has {}; want as many", counted(schedule().ranks, "rank"),
                                           file_.topology->spec(), counted(file_.topology->nodes(), "node")));
        told_.topology = file_.topology;
        const bool promises = context_.operation.value_or(Operation::broadcast) != Operation::none;
        const ChunkPackets packets = promises ? promise() : rules_alone();
        Rules rules = context_.rules;
        FaultList ignored;
        const auto carried = carried_chunks(schedule(), rules, promises ? file_.faults : ignored);
        for (std::size_t i = 0; i < carried.size(); ++i) add(schedule().steps[i], carried[i], packets);
        told_.collective = packets.collective;
        conclude(promises);
        // A fault that is independent of the operation takes precedence.
        if (has_other_chunks_ && told_.judgement.findings.empty())
            throw RequestError(fmt::format("has other chunks than the packets of {}; leave the operation out",
                                           name(*context_.operation)));
        return std::move(told_);
    }

  private:
    [[nodiscard]] ChunkSchedule& schedule() { return file_.schedule; }

    ChunkPackets promise() {
        if (auto known = operation_of(schedule(), context_, file_.likely_operation)) return *std::move(known);
        if (context_.operation) {
            if (auto promised = promised_by(schedule(), context_)) return *std::move(promised);
            has_other_chunks_ = true;
        }
        file_.remarks.emplace_back("its chunks are the packets of none of kport's operations: no bounds are known");
        return own_collective(schedule(), context_.packet_bytes);
    }
    ChunkPackets rules_alone() {
        ChunkPackets packets = own_collective(schedule(), context_.packet_bytes);
        packets.collective = Collective::none();
        packets.collective.packet_bytes = context_.packet_bytes;
        return packets;
    }

    [[nodiscard]] bool is_linked(const Send& send) const {
        if (file_.linked) return file_.linked(send.from, send.to);
        return context_.machine.switching == Switching::wormhole ||
               file_.topology->port_to(send.from, send.to) != no_port;
    }

    void add(const Step& step, const std::vector<PacketSet>& carried, const ChunkPackets& packets) {
        std::map<std::pair<NodeId, NodeId>, PacketSet> messages;
        std::set<std::pair<NodeId, NodeId>> unlinked;
        for (std::size_t i = 0; i < step.sends.size(); ++i) {
            const Send& send = step.sends[i];
            if (!is_linked(send)) {
                if (unlinked.emplace(send.from, send.to).second) add_link_fault(step, send);
                continue;
            }
            PacketSet& message = messages[{send.from, send.to}];
            bundled_ = bundled_ || !message.empty();
            for (const PacketBlock& block : carried[i].blocks())
                for (std::uint32_t k = 0; k < block.count; ++k)
                    message.include({&packets.of_chunk[block.columns()[k]], 1});
        }
        if (messages.empty()) return;
        ++round_;
        for (const auto& [ends, message] : messages) add(ends.first, ends.second, message);
    }

    void add(NodeId from, NodeId to, const PacketSet& message) {
        const Topology& topology = *told_.topology;
        const bool is_link = topology.fabric() == nullptr && topology.port_to(from, to) != no_port;
        const std::vector<Port> route =
            is_link ? std::vector{topology.port_to(from, to)} : route_between(topology, from, to);
        told_.schedule.add(round_, {from, to, route, message.blocks()});
    }

    void add_link_fault(const Step& step, const Send& send) {
        if (!file_.faults.is_full(ScheduleFault::link))
            file_.faults.add(ScheduleFault::link,
                             fmt::format("{}: {} sends {} to {}, but {} has no link from {} to {}", step.place,
                                         schedule().rank_name(send.from), schedule().address_name(send.address),
                                         schedule().rank_name(send.to), file_.topology->spec(), send.from, send.to));
    }

    void conclude(bool promises) {
        if (bundled_)
            told_.remarks.emplace_back("the chunks that a step sends from one rank to another are one message");
        told_.remarks.insert(told_.remarks.end(), file_.remarks.begin(), file_.remarks.end());
        ForeignJudgement& judgement = told_.judgement;
        judgement = std::move(file_.judgement);
        judgement.judged.emplace_back("links");
        if (promises) judgement.judged.emplace_back("contents");
        if (!promises) judgement.not_judged.clear();
        judgement.contents_judged = promises;
        judgement.findings = file_.faults.take();
        Machine machine;
        machine.ports = PortLimit::all();
        told_.machine = machine;
    }

    ChunkFile file_;
    const ScheduleContext& context_;
    ToldSchedule told_;
    Round round_ = 0;
    bool bundled_ = false;
    bool has_other_chunks_ = false;  ///< than the operation of the context
};

}  // namespace

ToldSchedule judged_chunks(ChunkFile file, const ScheduleContext& context) {
    return ChunkJudge(std::move(file), context).judge();
}

ToldSchedule read_named(const std::string& name, const std::function<ToldSchedule()>& read) {
    try {
        return read();
    } catch (const RequestError& error) {
        if (std::string_view(error.what()).starts_with("schedule ")) throw;
        throw RequestError(fmt::format("schedule {} {}", quoted(name), error.what()));
    }
}

}  // namespace kport::chunked
