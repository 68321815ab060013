#include "emulator/engine/replay.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/node/memory.hpp"
#include "emulator/node/packet_store.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {

namespace {

/// The bytes that a replay moves.
class Movement {
  public:
    virtual ~Movement() = default;
    /// All transfers of a round happen at once: what a sender holds is what it held before the round.
    virtual void move(Round round, const std::vector<Transfer>& transfers, const Auditor& auditor) = 0;
    /// After the last round: tells the auditor what differs. Returns results to show (reductions).
    virtual std::vector<std::string> verify(Round last, Auditor& auditor) = 0;
};

/// A broadcast's packet at every node, and since when.
class SinglePacket final : public Movement {
  public:
    SinglePacket(NodeId nodes, const Promise& promise, std::uint64_t seed)
        : source_(promise.source), received_(nodes), memory_(nodes, promise.packet_bytes, promise.source, seed) {}

    void move(Round round, const std::vector<Transfer>& transfers, const Auditor&) override {
        for (const Transfer& transfer : transfers) {
            Round& received = received_[transfer.to];
            if (received != 0 || transfer.to == source_) continue;
            received = round;
            const Round held_since = received_[transfer.from];
            const bool holds = transfer.from == source_ || (held_since != 0 && held_since < round);
            if (holds && memory_.holds_bytes()) memory_.move(transfer.from, transfer.to);
        }
    }

    std::vector<std::string> verify(Round, Auditor& auditor) override {
        if (!memory_.holds_bytes()) return {};
        for (NodeId v = 0; v < received_.size(); ++v) {
            if (received_[v] == 0) continue;
            if (const auto byte = memory_.first_difference(v)) auditor.report(payload_differs(v, 0, *byte));
        }
        return {};
    }

    static Violation payload_differs(NodeId v, PacketId packet, std::uint64_t byte) {
        Violation differs;
        differs.breach = Breach::payload_differs;
        differs.node = v;
        differs.packet = packet;
        differs.limit = byte;
        return differs;
    }

  private:
    NodeId source_;
    HugeArray<Round> received_;  ///< 0: never
    PacketMemory memory_;
};

/// Many packets, each node's as it came.
class Bundles final : public Movement {
  public:
    Bundles(NodeId nodes, const Promise& promise, std::uint64_t seed) : nodes_(nodes), store_(promise, nodes, seed) {
        for (NodeId v = 0; v < nodes; ++v) store_.seed(v, pool_);
    }
    ~Bundles() override {
        for (NodeId v = 0; v < nodes_; ++v) store_.clear(v, pool_);
    }
    Bundles(const Bundles&) = delete;
    Bundles& operator=(const Bundles&) = delete;

    void move(Round, const std::vector<Transfer>& transfers, const Auditor& auditor) override {
        const bool held_once = auditor.held_once(0);
        std::vector<Body*> moving;
        moving.reserve(transfers.size());
        for (const Transfer& transfer : transfers)
            moving.push_back(store_.copy_out(transfer.from, transfer.packets, pool_, held_once));
        for (std::size_t i = 0; i < transfers.size(); ++i) store_.add(transfers[i].to, moving[i]);
    }

    std::vector<std::string> verify(Round, Auditor& auditor) override {
        for (NodeId v = 0; v < nodes_; ++v)
            if (const auto differs = store_.verify(v))
                auditor.report(SinglePacket::payload_differs(v, differs->packet, differs->byte));
        return {};
    }

  private:
    NodeId nodes_;
    FramePool pool_;
    PacketStore store_;
};

/// What every node of a reduction has folded so far.
class Values final : public Movement {
  public:
    Values(NodeId nodes, const Promise& promise, const Reduction& reduction, std::uint64_t seed, bool payload)
        : nodes_(nodes), promise_(promise), folder_(reduction, promise.packet_bytes, seed, payload), values_(nodes) {}
    ~Values() override {
        for (NodeId v = 0; v < nodes_; ++v) replace(v, nullptr);
    }
    Values(const Values&) = delete;
    Values& operator=(const Values&) = delete;

    void move(Round, const std::vector<Transfer>& transfers, const Auditor&) override {
        std::vector<Body*> moving;
        moving.reserve(transfers.size());
        for (const Transfer& transfer : transfers) moving.push_back(Body::copy(value(transfer.from), pool_));
        for (std::size_t i = 0; i < transfers.size(); ++i) take_in(transfers[i], moving[i]);
    }

    std::vector<std::string> verify(Round last, Auditor& auditor) override {
        for (NodeId v = 0; v < nodes_; ++v) {
            const bool gives =
                promise_.operation == Operation::reduce ? v == promise_.source : size_of(value(v).blocks()) == nodes_;
            if (gives)
                auditor.result(0, last, v, value(v).blocks());
            else
                replace(v, nullptr);
        }
        return verify_results(folder_, promise_, nodes_, values_, auditor);
    }

  private:
    Body& value(NodeId v) {
        if (values_[v] == nullptr) values_[v] = folder_.contribution(v, pool_);
        return *values_[v];
    }
    void replace(NodeId v, Body* body) {
        if (values_[v] != nullptr) values_[v]->release(pool_);
        values_[v] = body;
    }

    void take_in(const Transfer& transfer, Body* came) {
        if (transfer.packets.front() == result_packet(nodes_)) {
            replace(transfer.to, came);
            return;
        }
        const auto lowest = [](const Body& body) {
            std::uint32_t first = body.blocks().front().first;
            for (const PacketBlock& block : body.blocks()) first = std::min(first, block.first);
            return first;
        };
        const Body& here = value(transfer.to);
        const bool stands_left = lowest(*came) < lowest(here);
        replace(transfer.to, stands_left ? folder_.fold(*came, here, pool_) : folder_.fold(here, *came, pool_));
        came->release(pool_);
    }

    NodeId nodes_;
    Promise promise_;
    Folder folder_;
    FramePool pool_;
    HugeArray<Body*> values_;  ///< null: the node's own contribution
};

std::unique_ptr<Movement> movement_of(const Promise& promise, NodeId nodes, const ReplayOptions& options) {
    if (is_reduction(promise.operation)) {
        require_valid(options.reduction, nodes, promise.packet_bytes);
        return std::make_unique<Values>(nodes, promise, options.reduction, options.seed, options.payload);
    }
    if (!options.payload) return nullptr;
    if (promise.operation == Operation::broadcast) return std::make_unique<SinglePacket>(nodes, promise, options.seed);
    return std::make_unique<Bundles>(nodes, promise, options.seed);
}

}  // namespace

RunResult replay(const Schedule& schedule, const Machine& machine, const Promise& promise,
                 const ReplayOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    RunResult result;
    ScheduleAudit rounds(schedule, machine, promise, options.per_round);
    const std::unique_ptr<Movement> movement = movement_of(promise, machine.topology->nodes(), options);
    Progress progress(options.progress);
    while (!result.stopped && rounds.next()) {
        progress.round_done(rounds.metrics());
        if (movement) movement->move(rounds.round(), rounds.transfers(), rounds.auditor());
        result.stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    }
    if (movement && !result.stopped) result.results = movement->verify(rounds.round(), rounds.auditor());
    result.verdict = rounds.finish();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace kport
