#include "emulator/engine/replay.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/fold_order.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/stage.hpp"
#include "emulator/node/memory.hpp"
#include "emulator/node/packet_store.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {

namespace {

/// The bytes that a replay moves.
class ReplayedBytes {
  public:
    explicit ReplayedBytes(const ReplayOptions& options) : options_(options) {}
    ReplayedBytes(const ReplayedBytes&) = delete;
    ReplayedBytes& operator=(const ReplayedBytes&) = delete;
    virtual ~ReplayedBytes() = default;
    /// All transfers of a round happen at once: what a sender holds is what it held before the round.
    virtual void move(Round round, const std::vector<Transfer>& transfers, Auditor& auditor) = 0;
    /// After the last round: tells the auditor what differs. Returns results to show (reductions).
    virtual std::vector<std::string> verify(Round last, Auditor& auditor) = 0;

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

/// For verify_payload(): on one thread.
constexpr auto one_after_the_other = [](std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) body(i);
};

/// A broadcast's packet at every node, and since when.
class SinglePacket final : public ReplayedBytes {
  public:
    SinglePacket(NodeId nodes, const Collective& collective, const ReplayOptions& options)
        : ReplayedBytes(options), collective_(collective), source_(collective.root), received_(nodes),
          memory_(nodes, collective.packet_bytes, collective.root, options.seed), bytes_(collective.packet_bytes) {}

    void move(Round round, const std::vector<Transfer>& transfers, Auditor&) override {
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

    std::vector<std::string> verify(Round, Auditor& auditor) override {
        if (!memory_.holds_bytes()) return {};
        verify_payload(
            received_.size(), auditor,
            [&](NodeId v) {
                return checked_payload(memory_, v == source_ || received_[v] != 0, collective_, v, auditor);
            },
            one_after_the_other);
        return {};
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
    Bundles(NodeId nodes, const Collective& collective, const ReplayOptions& options)
        : ReplayedBytes(options), nodes_(nodes), collective_(collective), store_(collective, nodes, options.seed) {
        for (NodeId v = 0; v < nodes; ++v) store_.seed(v, pool_);
    }
    ~Bundles() override {
        for (NodeId v = 0; v < nodes_; ++v) store_.clear(v, pool_);
    }

    void move(Round round, const std::vector<Transfer>& transfers, Auditor& auditor) override {
        const bool held_once = auditor.held_once(0);
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
                store_.add(transfers[i].to, moving[i]);
    }

    std::vector<std::string> verify(Round, Auditor& auditor) override {
        verify_payload(
            nodes_, auditor, [&](NodeId v) { return checked_payload(store_, true, collective_, nodes_, v, auditor); },
            one_after_the_other);
        return {};
    }

  private:
    NodeId nodes_;
    Collective collective_;
    FramePool pool_;
    PacketStore store_;
};

/// What every node of a reduction has folded so far.
class Values final : public ReplayedBytes {
  public:
    Values(NodeId nodes, const Collective& collective, const ReplayOptions& options)
        : ReplayedBytes(options), nodes_(nodes), collective_(collective),
          folder_(options.reduction, collective.packet_bytes, options.seed, options.payload), values_(nodes),
          prefixes_(scans() ? nodes : 0) {}
    ~Values() override {
        for (NodeId v = 0; v < nodes_; ++v) {
            replace(values_, v, nullptr);
            if (scans()) replace(prefixes_, v, nullptr);
        }
    }

    void move(Round round, const std::vector<Transfer>& transfers, Auditor& auditor) override {
        std::vector<Body*> moving;
        moving.reserve(transfers.size());
        for (const Transfer& transfer : transfers) {
            moving.push_back(Body::copy(at(values_, transfer.from), pool_));
            Body& value = *moving.back();
            may_corrupt(round, transfer, value);
            if (folder_.intact(value)) continue;
            auditor.report(value_differs(transfer.to, transfer.from, round, value.blocks()));
            value.seal = folder_.seal_of(value);  // it is told once
        }
        std::vector<std::size_t> order(transfers.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(
            order, {}, [&](std::size_t i) { return place_in_order(transfers[i].to, lowest_of(transfers[i].packets)); });
        for (const std::size_t i : order)
            if (loses(round, transfers[i]))
                moving[i]->release(pool_);
            else
                take_in(transfers[i], moving[i]);
    }

    std::vector<std::string> verify(Round last, Auditor& auditor) override {
        HugeArray<Body*>& results = scans() ? prefixes_ : values_;
        for (NodeId v = 0; v < nodes_; ++v) {
            const std::uint64_t whole = scans() ? v + 1 : nodes_;
            const bool gives =
                collective_.inwards() ? v == collective_.root : size_of(at(results, v).blocks()) == whole;
            if (gives)
                auditor.result(0, last, v, at(results, v).blocks());
            else
                replace(results, v, nullptr);
        }
        return verify_results(folder_, collective_, nodes_, results, auditor);
    }

  private:
    [[nodiscard]] bool scans() const { return collective_.scans(); }

    Body& at(HugeArray<Body*>& folded, NodeId v) {
        if (folded[v] == nullptr) folded[v] = folder_.contribution(v, pool_);
        return *folded[v];
    }
    void replace(HugeArray<Body*>& folded, NodeId v, Body* body) {
        if (folded[v] != nullptr) folded[v]->release(pool_);
        folded[v] = body;
    }

    void take_in(const Transfer& transfer, Body* came) {
        const NodeId v = transfer.to;
        const bool is_last = v + 1 == nodes_;  // of a scan, the one whose prefix is the whole
        if (transfer.packets.front() == result_packet(nodes_)) {
            if (scans() && is_last) replace(prefixes_, v, Body::copy(*came, pool_));
            replace(values_, v, came);
            return;
        }
        const auto stands_before = [&](const PacketBlock& block) { return block.columns().last() < v; };
        if (scans() && std::ranges::all_of(came->blocks(), stands_before)) fold_into(prefixes_, v, *came);
        fold_into(values_, v, *came);
        came->release(pool_);
    }

    void fold_into(HugeArray<Body*>& folded, NodeId v, const Body& came) {
        const Body& here = at(folded, v);
        const bool stands_left = lowest_of(came.blocks()) < lowest_of(here.blocks());
        replace(folded, v, stands_left ? folder_.fold(came, here, pool_) : folder_.fold(here, came, pool_));
    }

    NodeId nodes_;
    Collective collective_;
    Folder folder_;
    FramePool pool_;
    HugeArray<Body*> values_;    ///< null: the node's own contribution
    HugeArray<Body*> prefixes_;  ///< of a scan alone: the contributions up to the node's own, its results
};

std::unique_ptr<ReplayedBytes> replayed_bytes(const Collective& collective, NodeId nodes,
                                              const ReplayOptions& options) {
    if (collective.folds()) {
        require_valid(options.reduction, nodes, collective.packet_bytes);
        return std::make_unique<Values>(nodes, collective, options);
    }
    if (!options.payload) return nullptr;
    require_packets(collective);
    if (collective.one_packet()) return std::make_unique<SinglePacket>(nodes, collective, options);
    return std::make_unique<Bundles>(nodes, collective, options);
}

}  // namespace

RunResult replay(const Schedule& schedule, const Machine& machine, const Collective& collective,
                 const ReplayOptions& options) {
    require_outside_programs();
    const auto start = std::chrono::steady_clock::now();
    RunResult result;
    ScheduleAudit rounds(schedule, machine, collective, options.per_round);
    const std::unique_ptr<ReplayedBytes> bytes = replayed_bytes(collective, machine.topology->nodes(), options);
    Progress progress(options.progress);
    const auto is_beyond = [&](Round last) { return last != 0 && rounds.next_round() > last; };
    while (!result.stopped && rounds.next_round() != 0) {
        result.stopped = is_beyond(options.last_round);
        result.out_of_rounds = !result.stopped && is_beyond(options.max_rounds);
        result.stopped = result.stopped || result.out_of_rounds;
        if (result.stopped) break;
        (void)rounds.next();
        progress.round_done(rounds.metrics());
        if (bytes) bytes->move(rounds.round(), rounds.transfers(), rounds.auditor());
        result.stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    }
    if (bytes && !result.stopped) result.results = bytes->verify(rounds.round(), rounds.auditor());
    result.verdict = result.stopped ? rounds.finish_stopped() : rounds.finish();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace kport
