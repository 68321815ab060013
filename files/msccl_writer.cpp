/// @file msccl_writer.cpp   A schedule as MSCCL's XML: a block for each neighbour that a GPU talks to, a step for each run of chunks.
#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "files/foreign_schedule.hpp"
#include "files/msccl_text.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace {

/// A packet as (row, column).
using PacketName = std::pair<std::uint64_t, std::uint64_t>;

/// A run of chunks that lie side by side at the sender and at the receiver.
struct ChunkRun {
    msccl::Place source;
    msccl::Place destination;
    std::uint64_t count = 1;
};

struct WrittenStep {
    bool sends = false;
    ChunkRun run;
    Round round = 0;
    std::set<std::pair<std::size_t, std::size_t>> after = {};  ///< blocks and steps of this GPU
    std::size_t number = 0;                                    ///< among those that are written, `nop`s included
    bool awaited = false;
};

struct WrittenGpu {
    std::vector<NodeId> peers = {};  ///< by block
    std::vector<std::vector<WrittenStep>> blocks = {};
    std::map<PacketName, std::uint64_t> scratch = {};
    std::map<PacketName, std::pair<std::size_t, std::size_t>> came_by = {};  ///< block and step

    std::size_t block_for(NodeId peer) {
        const auto found = std::ranges::find(peers, peer);
        if (found != peers.end()) return static_cast<std::size_t>(found - peers.begin());
        peers.push_back(peer);
        blocks.emplace_back();
        return blocks.size() - 1;
    }
};

class MscclWriter {
  public:
    explicit MscclWriter(const ToldSchedule& told)
        : told_(told), collective_(told.collective), nodes_(told.topology->nodes()), gpus_(nodes_) {}

    void write(std::ostream& out) {
        const Schedule& schedule = told_.schedule;
        for (std::size_t first = 0; first < schedule.size();) {
            std::size_t end = first;
            while (end < schedule.size() && schedule.round(end) == schedule.round(first)) ++end;
            // What a node sends in a round it has before: sends first.
            for (std::size_t i = first; i < end; ++i) add(schedule.transfer(i), schedule.round(i), true);
            for (std::size_t i = first; i < end; ++i) add(schedule.transfer(i), schedule.round(i), false);
            first = end;
        }
        settle_waiting();
        put(out);
    }

  private:
    [[nodiscard]] bool is_wanted(NodeId v, const PacketName& packet) const {
        const PacketBlock block{static_cast<std::uint32_t>(packet.second), 1, 1,
                                static_cast<std::uint32_t>(packet.first)};
        return collective_.wanted(v, nodes_).covers({&block, 1});
    }

    /// Where a packet stands at a node.
    msccl::Place place_of(NodeId v, const PacketName& packet) {
        const auto [row, column] = packet;
        const Operation& operation = collective_.operation;
        const std::uint64_t m = collective_.packets_each;
        const std::uint64_t of_node = column * m + row;  // where they stand node by node
        if (operation == Operation::broadcast) return {v == collective_.root ? 'i' : 'o', column};
        if (operation == Operation::allgather) return column == v ? msccl::Place{'i', row} : msccl::Place{'o', of_node};
        if (operation == Operation::scatter && v == collective_.root) return {'i', of_node};
        if (operation == Operation::scatter && v == column) return {'o', row};
        if (operation == Operation::gather && v == column) return {'i', row};
        if (operation == Operation::gather && v == collective_.root) return {'o', of_node};
        if (operation == Operation::alltoall && v == row / m) return {'i', column * m + row % m};
        if (operation == Operation::alltoall && v == column) return {'o', row};
        if (operation == Operation::permutation && v == column) return {'i', row};
        if (operation == Operation::permutation && is_wanted(v, packet)) return {'o', row};
        auto& scratch = gpus_[v].scratch;
        return {'s', scratch.try_emplace(packet, scratch.size()).first->second};
    }

    std::vector<ChunkRun> runs_of(const Transfer& transfer) {
        std::vector<ChunkRun> runs;
        for (const PacketBlock& block : transfer.packets)
            for (std::uint32_t c = 0; c < block.count; ++c)
                for (std::uint32_t r = 0; r < block.rows; ++r) {
                    const PacketName packet{block.all_rows()[r], block.columns()[c]};
                    const msccl::Place from = place_of(transfer.from, packet);
                    const msccl::Place to = place_of(transfer.to, packet);
                    const auto follows = [](const msccl::Place& at, const msccl::Place& begin, std::uint64_t count) {
                        return at.buffer == begin.buffer && at.offset == begin.offset + count;
                    };
                    if (!runs.empty() && runs.back().count < msccl::count_max &&
                        follows(from, runs.back().source, runs.back().count) &&
                        follows(to, runs.back().destination, runs.back().count))
                        ++runs.back().count;
                    else
                        runs.push_back({from, to});
                }
        return runs;
    }

    void add(const Transfer& transfer, Round round, bool sends) {
        (void)way_in_words(transfer, *told_.topology);  // refuses what leads nowhere
        WrittenGpu& gpu = gpus_[sends ? transfer.from : transfer.to];
        const std::size_t block = gpu.block_for(sends ? transfer.to : transfer.from);
        std::vector<WrittenStep>& steps = gpu.blocks[block];
        const std::size_t first = steps.size();
        for (const ChunkRun& run : runs_of(transfer)) steps.push_back({sends, run, round});
        for (const PacketBlock& packets : transfer.packets)
            for (std::uint32_t r = 0; r < packets.rows; ++r)
                for (std::uint32_t c = 0; c < packets.count; ++c) {
                    const PacketName packet{packets.all_rows()[r], packets.columns()[c]};
                    if (!sends)
                        gpu.came_by.try_emplace(packet, block, steps.size() - 1);
                    else if (const auto came = gpu.came_by.find(packet);
                             came != gpu.came_by.end() && came->second.first != block)
                        steps[first].after.insert(came->second);
                }
    }

    /// Of each block the last step is enough. What waits for several blocks waits for each but the last with a `nop` before it.
    void settle_waiting() {
        for (WrittenGpu& gpu : gpus_) {
            for (std::vector<WrittenStep>& steps : gpu.blocks) {
                std::size_t number = 0;
                for (WrittenStep& step : steps) {
                    std::map<std::size_t, std::size_t> last;
                    for (const auto& [block, of] : step.after) last[block] = of;
                    step.after = {last.begin(), last.end()};
                    number += last.empty() ? 0 : last.size() - 1;
                    step.number = number++;
                }
            }
            for (const std::vector<WrittenStep>& steps : gpu.blocks)
                for (const WrittenStep& step : steps)
                    for (const auto& [block, of] : step.after) gpu.blocks[block][of].awaited = true;
        }
    }

    [[nodiscard]] std::string_view name_of_collective() const {
        for (const Operation& known : {Operation::broadcast, Operation::allgather, Operation::alltoall})
            if (collective_.operation == known) return name(known);
        return "custom";
    }

    void put(std::ostream& out) {
        const std::uint64_t m = collective_.packets_each;
        const std::uint64_t chunks = collective_.operation == Operation::broadcast ? m : nodes_ * m;
        out << fmt::format(
            "<algo name=\"kport\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
            "inplace=\"0\">\n",
            chunks, nodes_, name_of_collective());
        for (const std::string& line : header_in_words(told_))
            out << fmt::format("  <!--{}{} -->\n", msccl::own_words, line);
        for (NodeId v = 0; v < nodes_; ++v) put(out, v, chunks);
        out << "</algo>\n";
    }

    void put(std::ostream& out, NodeId v, std::uint64_t chunks) {
        const WrittenGpu& gpu = gpus_[v];
        if (gpu.blocks.size() > msccl::blocks_max)
            throw RequestError(fmt::format("node {} talks to {} others; MSCCL's XML has at most {} blocks a channel", v,
                                           gpu.blocks.size(), msccl::blocks_max));
        const bool gathers = collective_.operation == Operation::allgather;
        // The runtime wants all counts above 0 to say the same.
        const std::uint64_t inputs = gathers                                ? collective_.packets_each
                                     : collective_.owned(v, nodes_).empty() ? 0
                                                                            : chunks;
        const std::uint64_t outputs = collective_.wanted(v, nodes_).empty() ? 0 : chunks;
        out << fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", v, inputs, outputs,
                           gpu.scratch.size());
        for (std::size_t block = 0; block < gpu.blocks.size(); ++block) put(out, gpu, block);
        out << "  </gpu>\n";
    }

    void put(std::ostream& out, const WrittenGpu& gpu, std::size_t block) {
        const std::vector<WrittenStep>& steps = gpu.blocks[block];
        const bool sends = std::ranges::any_of(steps, &WrittenStep::sends);
        const bool receives = !std::ranges::all_of(steps, &WrittenStep::sends);
        out << fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", block,
                           sends ? fmt::to_string(gpu.peers[block]) : "-1",
                           receives ? fmt::to_string(gpu.peers[block]) : "-1");
        std::vector<Round> rounds;
        std::string lines;
        for (const WrittenStep& step : steps) put(lines, gpu, step, rounds);
        if (rounds.size() > msccl::steps_max)
            throw RequestError(fmt::format("a node has {} steps with one other; MSCCL's XML has at most {} a block",
                                           rounds.size(), msccl::steps_max));
        out << fmt::format("      <!--{}{}{} -->\n", msccl::own_words, msccl::round_words, fmt::join(rounds, " "))
            << lines << "    </tb>\n";
    }

    static void put(std::string& lines, const WrittenGpu& gpu, const WrittenStep& step, std::vector<Round>& rounds) {
        const auto line = [&](std::string_view type, const ChunkRun& run, std::uint64_t count, const std::string& after,
                              bool told) {
            lines += fmt::format(
                "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" "
                "{} hasdep=\"{}\"/>\n",
                rounds.size(), type, run.source.buffer, run.source.offset, run.destination.buffer,
                run.destination.offset, count, after, told ? 1 : 0);
            rounds.push_back(step.round);
        };
        std::string after = R"(depid="-1" deps="-1")";
        std::size_t left = step.after.size();
        for (const auto& [block, of] : step.after) {
            after = fmt::format("depid=\"{}\" deps=\"{}\"", block, gpu.blocks[block][of].number);
            if (--left > 0) line("nop", {}, 0, after, false);
        }
        line(step.sends ? "s" : "r", step.run, step.run.count, after, step.awaited);
    }

    const ToldSchedule& told_;
    const Collective& collective_;
    NodeId nodes_;
    std::vector<WrittenGpu> gpus_;
};

}  // namespace

void write_msccl(std::ostream& out, const ToldSchedule& told) {
    if (!told.schedule.silences().empty())
        throw RequestError("MSCCL's XML cannot say that rounds are silent on purpose; text and JSON can");
    const Carries carries = told.collective.operation->carries;
    if ((carries != Carries::copies && carries != Carries::packets) || told.collective.is_own())
        throw RequestError(
            fmt::format("MSCCL's XML is not written of {}; text and JSON are", name(told.collective.operation)));
    MscclWriter(told).write(out);
}

}  // namespace kport
