#include "emulator/engine/replay.hpp"

#include <chrono>
#include <memory>
#include <vector>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/stage.hpp"
#include "emulator/payload/packet_places.hpp"
#include "emulator/payload/packet_store.hpp"

namespace kport {

namespace {

/// The bytes that a replay moves. All transfers of a round happen at once: what a sender holds is what it held before.
class ReplayedBytes : public RoundListener {
  public:
    explicit ReplayedBytes(const ReplayOptions& options) : options_(options) {}
    /// After the last round: tells the auditor what differs.
    virtual void verify(Auditor& auditor) = 0;

  protected:
    void may_corrupt(Round round, const Transfer& transfer, std::byte* bytes, std::size_t count) const {
        if (options_.corrupts && count > 0 && options_.corrupts(round, transfer)) bytes[0] ^= std::byte{1};
    }
    void may_corrupt(Round round, const Transfer& transfer, Body& body) const {
        may_corrupt(round, transfer, body.bytes(), body.byte_count());
    }

    [[nodiscard]] bool loses(Round round, const Transfer& transfer) const {
        return options_.loses && options_.loses(round, transfer);
    }

  private:
    const ReplayOptions& options_;
};

/// For verify_payload(): every node is checked by itself, on one thread.
constexpr auto looks_at_each = [](NodeId) { return false; };
constexpr auto one_after_the_other = [](std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) body(i);
};

/// A broadcast's packet at every node, and since when.
class SinglePacket final : public ReplayedBytes {
  public:
    SinglePacket(NodeId nodes, const Collective& collective, const ReplayOptions& options)
        : ReplayedBytes(options), collective_(collective), source_(collective.root), received_(nodes),
          memory_(nodes, collective.packet_bytes, collective.root, options.seed), bytes_(collective.packet_bytes) {}

    void moved(Round round, std::span<const Transfer> transfers) override {
        for (const Transfer& transfer : transfers) {
            if (loses(round, transfer)) continue;
            Round& received = received_[transfer.to];
            if (received != 0 || transfer.to == source_) continue;
            received = round;
            const Round held_since = received_[transfer.from];
            const bool holds = transfer.from == source_ || (held_since != 0 && held_since < round);
            if (!holds || !memory_.holds_bytes()) continue;
            memory_.move(transfer.from, transfer.to);
            may_corrupt(round, transfer, memory_.at(transfer.to), bytes_);
        }
    }

    void verify(Auditor& auditor) override {
        if (!memory_.holds_bytes()) return;
        verify_payload(
            received_.size(), auditor, collective_.packet_bytes, looks_at_each,
            [&](NodeId v) {
                return checked_payload(memory_, v == source_ || received_[v] != 0, collective_, v, auditor);
            },
            one_after_the_other);
    }

  private:
    Collective collective_;
    NodeId source_;
    HugeArray<Round> received_;  ///< 0: never
    PacketMemory memory_;
    std::uint64_t bytes_;
};

/// Many packets, each node's as it came.
class Bundles final : public ReplayedBytes {
  public:
    Bundles(NodeId nodes, const Collective& collective, const ReplayOptions& options, const Auditor& auditor)
        : ReplayedBytes(options), auditor_(auditor), nodes_(nodes), collective_(collective),
          store_(collective, nodes, options.seed, nullptr, {}, /*all_in_bodies=*/true) {  // a schedule may break rules
        for (NodeId v = 0; v < nodes; ++v) store_.seed(v, pool_);
    }
    ~Bundles() override {
        for (NodeId v = 0; v < nodes_; ++v) store_.clear(v, pool_);
    }

    void moved(Round round, std::span<const Transfer> transfers) override {
        const bool held_once = auditor_.held_once(RoundSink::only_shard);
        std::vector<Body*> moving;
        moving.reserve(transfers.size());
        for (const Transfer& transfer : transfers) {
            moving.push_back(store_.copy_out(transfer.from, transfer.packets, pool_, held_once));
            may_corrupt(round, transfer, *moving.back());
        }
        for (std::size_t i = 0; i < transfers.size(); ++i)
            if (loses(round, transfers[i]))
                moving[i]->release(pool_);
            else
                store_.add(transfers[i].to, moving[i], pool_);
    }

    void verify(Auditor& auditor) override {
        verify_payload(
            nodes_, auditor, collective_.packet_bytes, looks_at_each,
            [&](NodeId v) { return checked_payload(store_, true, collective_, nodes_, v, auditor); },
            one_after_the_other);
    }

  private:
    const Auditor& auditor_;
    NodeId nodes_;
    Collective collective_;
    FramePool pool_;
    PacketStore store_;
};

std::unique_ptr<ReplayedBytes> replayed_bytes(const Collective& collective, NodeId nodes, const ReplayOptions& options,
                                              const Auditor& auditor) {
    require_packets(collective);
    if (collective.folds())
        throw RequestError("a replay moves packets; programs follow the schedule of a reduction (job_following())");
    if (!options.payload || collective.signals()) return nullptr;
    if (collective.one_packet()) return std::make_unique<SinglePacket>(nodes, collective, options);
    return std::make_unique<Bundles>(nodes, collective, options, auditor);
}

}  // namespace

RunResult replay(const Schedule& schedule, const Machine& machine, const Collective& collective,
                 const ReplayOptions& options) {
    require_outside_programs();
    const auto start = std::chrono::steady_clock::now();
    RunResult result;
    result.executions.add(Execution::replay);
    ScheduleAudit rounds(schedule, machine, collective, options.per_round);
    const std::unique_ptr<ReplayedBytes> bytes =
        replayed_bytes(collective, machine.topology->nodes(), options, rounds.auditor());
    if (bytes) rounds.add(*bytes);
    Progress progress(options.progress);
    rounds.add(progress);
    const auto is_beyond = [&](Round last) { return last != 0 && rounds.next_round() > last; };
    while (!result.stopped && rounds.next_round() != 0) {
        result.stopped = is_beyond(options.last_round);
        result.out_of_rounds = !result.stopped && is_beyond(options.max_rounds);
        result.stopped = result.stopped || result.out_of_rounds;
        if (result.stopped) break;
        (void)rounds.next();
        result.stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    }
    if (bytes && !result.stopped) bytes->verify(rounds.auditor());
    result.verdict = result.stopped ? rounds.finish_stopped() : rounds.finish();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace kport
