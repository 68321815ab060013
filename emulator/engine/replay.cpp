#include "emulator/engine/replay.hpp"

#include <chrono>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/node/memory.hpp"

namespace kport {

namespace {

/// The packet's bytes at every node, and since when.
class Payload {
  public:
    Payload(NodeId nodes, const BroadcastPromise& promise, const ReplayOptions& options)
        : source_(promise.source), received_(nodes) {
        if (options.payload) memory_ = PacketMemory(nodes, promise.packet_bytes, promise.source, options.seed);
    }

    /// All transfers of a round happen at once: what a sender holds is what it held before the round.
    void move(Round round, const Transfer& transfer) {
        Round& received = received_[transfer.to];
        if (received != 0 || transfer.to == source_) return;
        received = round;
        const Round held_since = received_[transfer.from];
        const bool holds = transfer.from == source_ || (held_since != 0 && held_since < round);
        if (holds && memory_.holds_bytes()) memory_.move(transfer.from, transfer.to);
    }

    template <class Report>
    void verify(NodeId nodes, Report&& report) const {
        if (!memory_.holds_bytes()) return;
        for (NodeId v = 0; v < nodes; ++v) {
            if (received_[v] == 0) continue;
            if (const auto byte = memory_.first_difference(v)) {
                Violation differs;
                differs.breach = Breach::payload_differs;
                differs.node = v;
                differs.limit = *byte;
                report(differs);
            }
        }
    }

  private:
    NodeId source_;
    HugeArray<Round> received_;  ///< 0: never
    PacketMemory memory_;
};

}  // namespace

RunResult replay(const Schedule& schedule, const Machine& machine, const BroadcastPromise& promise,
                 const ReplayOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    RunResult result;
    ScheduleAudit rounds(schedule, machine, promise, options.per_round);
    const NodeId nodes = machine.topology->nodes();
    Payload payload(nodes, promise, options);
    while (!result.stopped && rounds.next()) {
        for (const Transfer& transfer : rounds.transfers()) payload.move(rounds.round(), transfer);
        result.stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    }
    payload.verify(nodes, [&](const Violation& differs) { rounds.report(differs); });
    result.verdict = rounds.finish();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace kport
