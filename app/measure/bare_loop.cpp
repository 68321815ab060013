#include "app/measure/bare_loop.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport::measure {

namespace {

/// Returns a byte of a packet; packets differ.
std::byte content(std::uint64_t packet, std::uint64_t i) { return static_cast<std::byte>(packet * 131 + i * 7 + 1); }

/// Packets stored one after the other.
class Packets {
  public:
    Packets(std::uint64_t count, std::uint64_t bytes) : bytes_(bytes), memory_(count * bytes) {}

    [[nodiscard]] std::byte* at(std::uint64_t i) { return memory_.data() + i * bytes_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    void fill(std::uint64_t i, std::uint64_t packet) {
        for (std::uint64_t k = 0; k < bytes_; ++k) at(i)[k] = content(packet, k);
    }
    [[nodiscard]] bool is(std::uint64_t i, std::uint64_t packet) const {
        const std::byte* bytes = memory_.data() + i * bytes_;
        for (std::uint64_t k = 0; k < bytes_; ++k)
            if (bytes[k] != content(packet, k)) return false;
        return true;
    }

  private:
    std::uint64_t bytes_;
    HugeArray<std::byte> memory_;
};

/// Calls work(copy) with a copy(to, from) of that many bytes; 8 bytes are a compile-time constant.
template <class Work>
void with_copy(std::uint64_t bytes, Work&& work) {
    if (bytes == 8)
        work([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 8); });
    else
        work([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
}

enum class Tree { sbt, line };

class Broadcast final : public BareLoop {
  public:
    Broadcast(Tree tree, NodeId nodes, unsigned n, std::uint64_t bytes)
        : tree_(tree), nodes_(nodes), n_(n), slots_(nodes, bytes) {
        slots_.fill(0, 0);
    }
    void run() override {
        with_copy(slots_.bytes(), [this](auto copy) {
            const auto move = [&](NodeId from, NodeId to, unsigned = 0) { copy(slots_.at(to), slots_.at(from)); };
            if (tree_ == Tree::sbt)
                sbt_messages(n_, move);
            else
                line_messages(nodes_, move);
        });
    }
    [[nodiscard]] bool right() const override {
        for (NodeId v = 0; v < nodes_; ++v)
            if (!slots_.is(v, 0)) return false;
        return true;
    }

  private:
    Tree tree_;
    NodeId nodes_;
    unsigned n_;
    Packets slots_;
};

/// A node with a bundle of packets sends its upper half. Each bundle has its own memory.
class Scatter final : public BareLoop {
  public:
    Scatter(unsigned n, std::uint64_t bytes)
        : nodes_(NodeId{1} << n), root_(nodes_, bytes), came_(nodes_ / 2 * n, bytes), bundle_(nodes_) {
        for (NodeId v = 0; v < nodes_; ++v) root_.fill(v, v);
    }
    void run() override {
        std::byte* free = came_.at(0);
        bundle_[0] = root_.at(0);
        for (NodeId half = nodes_ / 2; half > 0; half /= 2)
            for (NodeId holder = 0; holder < nodes_; holder += 2 * half) {
                const std::uint64_t size = half * root_.bytes();
                std::memcpy(free, bundle_[holder] + size, size);
                bundle_[holder + half] = free;
                free += size;
            }
    }
    [[nodiscard]] bool right() const override {
        for (NodeId v = 0; v < nodes_; ++v)
            for (std::uint64_t k = 0; k < root_.bytes(); ++k)
                if (bundle_[v] == nullptr || bundle_[v][k] != content(v, k)) return false;
        return true;
    }

  private:
    NodeId nodes_;
    Packets root_;
    Packets came_;
    std::vector<const std::byte*> bundle_;  ///< of each node; null before the first run
};

/// Node v's packets are slots v * N .. v * N + N - 1, in the order of their owners.
class Allgather final : public BareLoop {
  public:
    Allgather(bool exchange, NodeId nodes, unsigned n, std::uint64_t bytes)
        : exchange_(exchange), nodes_(nodes), n_(n), slots_(nodes * nodes, bytes) {
        for (NodeId v = 0; v < nodes_; ++v) slots_.fill(v * nodes_ + v, v);
    }
    void run() override {
        if (exchange_)
            exchange_messages(
                n_,
                [this](NodeId from, NodeId to, unsigned d) {
                    const NodeId size = NodeId{1} << d;
                    const NodeId first = from & ~(size - 1);
                    std::memcpy(slots_.at(to * nodes_ + first), slots_.at(from * nodes_ + first),
                                size * slots_.bytes());
                },
                [] {});
        else
            with_copy(slots_.bytes(), [this](auto copy) { run_ring(copy); });
    }
    [[nodiscard]] bool right() const override {
        for (NodeId v = 0; v < nodes_; ++v)
            for (NodeId owner = 0; owner < nodes_; ++owner)
                if (!slots_.is(v * nodes_ + owner, owner)) return false;
        return true;
    }

  private:
    /// In each round every node forwards the packet that came last.
    template <class Copy>
    void run_ring(Copy copy) {
        for (NodeId round = 1; round < nodes_; ++round)
            for (NodeId v = 0; v < nodes_; ++v) {
                const NodeId from = v == 0 ? nodes_ - 1 : v - 1;
                const NodeId packet = v >= round ? v - round : v + nodes_ - round;
                copy(slots_.at(v * nodes_ + packet), slots_.at(from * nodes_ + packet));
            }
    }

    bool exchange_;
    NodeId nodes_;
    unsigned n_;
    Packets slots_;
};

class Alltoall final : public BareLoop {
  public:
    Alltoall(NodeId nodes, std::uint64_t bytes)
        : nodes_(nodes), there_(nodes * nodes, bytes), here_(nodes * nodes, bytes) {
        for (NodeId i = 0; i < nodes * nodes; ++i) there_.fill(i, i);
        for (NodeId v = 0; v < nodes; ++v) here_.fill(v * nodes + v, v * nodes + v);
    }
    void run() override {
        with_copy(here_.bytes(), [this](auto copy) {
            for (NodeId step = 1; step < nodes_; ++step)
                for (NodeId v = 0; v < nodes_; ++v)
                    copy(here_.at((v ^ step) * nodes_ + v), there_.at(v * nodes_ + (v ^ step)));
        });
    }
    [[nodiscard]] bool right() const override {
        for (NodeId v = 0; v < nodes_; ++v)
            for (NodeId from = 0; from < nodes_; ++from)
                if (!here_.is(v * nodes_ + from, from * nodes_ + v)) return false;
        return true;
    }

  private:
    NodeId nodes_;
    Packets there_;
    Packets here_;
};

/// Every node adds up its neighbours' values.
class Allreduce final : public BareLoop {
  public:
    Allreduce(unsigned n, std::uint64_t bytes)
        : nodes_(NodeId{1} << n), n_(n), each_(bytes / 8), given_(nodes_ * each_), now_(given_.size()),
          next_(given_.size()) {
        for (std::uint64_t i = 0; i < given_.size(); ++i) given_[i] = 2 * i + 1;
    }
    void run() override {
        std::memcpy(now_.data(), given_.data(), given_.size() * sizeof(std::uint64_t));
        const auto end_of_round = [this] { std::swap(now_, next_); };
        if (each_ == 1)
            exchange_messages(
                n_, [this](NodeId from, NodeId to, unsigned) { next_[to] = now_[to] + now_[from]; }, end_of_round);
        else
            exchange_messages(
                n_,
                [this](NodeId from, NodeId to, unsigned) {
                    for (std::uint64_t i = 0; i < each_; ++i)
                        next_[to * each_ + i] = now_[to * each_ + i] + now_[from * each_ + i];
                },
                end_of_round);
    }
    [[nodiscard]] bool right() const override {
        for (std::uint64_t i = 0; i < each_; ++i) {
            std::uint64_t sum = 0;
            for (NodeId v = 0; v < nodes_; ++v) sum += given_[v * each_ + i];
            for (NodeId v = 0; v < nodes_; ++v)
                if (now_[v * each_ + i] != sum) return false;
        }
        return true;
    }

  private:
    NodeId nodes_;
    unsigned n_;
    std::uint64_t each_;
    HugeArray<std::uint64_t> given_;
    HugeArray<std::uint64_t> now_;
    HugeArray<std::uint64_t> next_;
};

bool is_line(const Topology& topology) {
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    return grid != nullptr && grid->dimensions() == 1 && !grid->wraps();
}

/// Returns a plan with memory for `packets` packets.
template <class Make>
BareLoopPlan plan(double packets, std::uint64_t bytes, Make make) {
    return {packets * static_cast<double>(bytes), [make]() -> std::unique_ptr<BareLoop> { return make(); }};
}

BareLoopPlan on_hypercube(const Task& task, unsigned n) {
    const std::string_view algorithm = task.algorithm->name;
    const NodeId nodes = task.topology().nodes();
    const auto packets = static_cast<double>(nodes);
    const std::uint64_t bytes = task.experiment.collective.packet_bytes;
    const Reduction& reduction = task.experiment.options.reduction;
    const Operation& operation = task.experiment.collective.operation;
    if (operation == Operation::broadcast && algorithm == "sbt")
        return plan(packets, bytes, [=] { return std::make_unique<Broadcast>(Tree::sbt, nodes, n, bytes); });
    if (operation == Operation::scatter && algorithm == "sbt")
        return plan(packets * (1 + n / 2.0), bytes, [=] { return std::make_unique<Scatter>(n, bytes); });
    if (operation == Operation::allgather && algorithm == "exchange")
        return plan(packets * packets, bytes, [=] { return std::make_unique<Allgather>(true, nodes, n, bytes); });
    if (operation == Operation::alltoall && algorithm == "pairwise")
        return plan(2 * packets * packets, bytes, [=] { return std::make_unique<Alltoall>(nodes, bytes); });
    if (operation == Operation::allreduce && algorithm == "exchange" && reduction.op == Operator::sum &&
        reduction.type == ElementType::int64)
        return plan(3 * packets, bytes, [=] { return std::make_unique<Allreduce>(n, bytes); });
    return {};
}

}  // namespace

BareLoopPlan bare_loop(const Task& task) {
    const Topology& topology = task.topology();
    const NodeId nodes = topology.nodes();
    const std::uint64_t bytes = task.experiment.collective.packet_bytes;
    if (bytes == 0 || task.experiment.collective.packets_each != 1) return {};
    if (const auto* cube = dynamic_cast<const Hypercube*>(&topology))
        return on_hypercube(task, static_cast<unsigned>(cube->dimensions()));
    const bool from_end = is_line(topology) && task.experiment.collective.root == 0;
    if (task.experiment.collective.operation == Operation::broadcast && from_end &&
        task.experiment.machine.switching == Switching::store_and_forward)
        return plan(static_cast<double>(nodes), bytes,
                    [=] { return std::make_unique<Broadcast>(Tree::line, nodes, 0, bytes); });
    if (task.experiment.collective.operation == Operation::allgather && task.algorithm->name == "ring")
        return plan(static_cast<double>(nodes) * static_cast<double>(nodes), bytes,
                    [=] { return std::make_unique<Allgather>(false, nodes, 0, bytes); });
    return {};
}

}  // namespace kport::measure
