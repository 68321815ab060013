#include "emulator/engine/mover.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/sharing.hpp"

namespace kport {

namespace {

/// How large a slice of all places is, and a slice of one: never so small that moving it costs more than its bytes.
struct SliceSizes {
    std::uint64_t all_places;
    std::uint64_t smallest;
    std::uint64_t largest;
};
/// A core's second cache, and half of it for copies: from there memcpy is as fast as from the first.
constexpr std::uint64_t second_cache = std::uint64_t{2} << 20;
constexpr SliceSizes for_copies{second_cache / 2, 4096, std::uint64_t{64} << 10};
/// A core's first cache, which a fold in wide registers reads twice as fast as the second; more than that where all comes from
/// beyond the second one, for the hardware to fetch it ahead.
constexpr SliceSizes for_folds{std::uint64_t{32} << 10, 2048, std::uint64_t{64} << 10};
constexpr SliceSizes for_folds_from_afar{std::uint64_t{64} << 10, 2048, std::uint64_t{64} << 10};

/// A movement has at most so many bytes, so that several threads can share a round that is one long copy.
constexpr std::uint64_t movement_bytes = std::uint64_t{64} << 10;

/// A run that moves less is over sooner on one thread than on two that share its slices.
constexpr std::uint64_t shared_bytes_from = std::uint64_t{1} << 20;

/// A step that moves less is over before another thread has woken up.
constexpr std::uint64_t parallel_bytes_from = std::uint64_t{256} << 10;
constexpr std::size_t parallel_movements_from = 16384;

std::uint64_t suitable_slice(const MovementPlan& plan, const Collective& collective) {
    const std::uint64_t places = std::max<std::uint64_t>(plan.places + plan.passing_places, 1);
    const bool from_afar = plan.places * collective.packet_bytes > second_cache;
    const SliceSizes& sizes = !collective.folds() ? for_copies : from_afar ? for_folds_from_afar : for_folds;
    return std::clamp(sizes.all_places / places / 64 * 64, sizes.smallest, sizes.largest);
}

/// The next size that cuts no word and no element in two.
std::uint64_t in_whole_elements(std::uint64_t slice, const Collective& collective, const Reduction& reduction) {
    constexpr std::uint64_t word = 8;
    const std::uint64_t unit = collective.folds() ? std::lcm(word, reduction.type->bytes) : word;
    return (slice + unit - 1) / unit * unit;
}

MovementPlan plan_of(const Schedule& schedule, const Machine& machine, const Collective& collective,
                     const Reduction& reduction) {
    require_packets(collective);
    require_readable(schedule, machine, collective);
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t packet_bytes = std::max<std::uint64_t>(collective.packet_bytes, 1);
    const PlanOptions options{static_cast<std::uint32_t>(std::max<std::uint64_t>(movement_bytes / packet_bytes, 1)),
                              packet_bytes >= for_copies.smallest};
    if (!collective.folds()) return plan_of_packets(schedule, nodes, collective, options);
    require_valid(reduction, nodes, collective);
    if (reduction.type == ElementType::text)
        throw RequestError("op concat: texts change size; use an operator on numbers");
    return plan_of_values(schedule, nodes, folding(collective, reduction), options);
}

}  // namespace

Mover::Mover(const Schedule& schedule, const Machine& machine, const Collective& collective, const Reduction& reduction,
             std::uint64_t seed)
    : Mover(schedule, machine, collective, reduction, seed, 0) {}

Mover::Mover(const Schedule& schedule, const Machine& machine, const Collective& collective, const Reduction& reduction,
             std::uint64_t seed, std::uint64_t slice_bytes)
    : Mover(plan_of(schedule, machine, collective, reduction), machine, schedule, collective, reduction, seed,
            slice_bytes) {}

Mover::Mover(MovementPlan plan, const Machine& machine, const Schedule& schedule, const Collective& collective,
             const Reduction& reduction, std::uint64_t seed, std::uint64_t slice_bytes)
    : plan_(std::move(plan)), nodes_(machine.topology->nodes()), messages_(schedule.size()),
      packet_bytes_(collective.packet_bytes), collective_(collective), packets_(seed),
      memory_(plan_.places, packet_bytes_,
              in_whole_elements(slice_bytes == 0 ? suitable_slice(plan_, collective) : slice_bytes, collective,
                                reduction)) {
    if (collective.folds()) folder_.emplace(reduction, packet_bytes_, seed, true, collective.segments(nodes_));
    make_room_for(1);
    fill();
}

void Mover::fill() {
    for (const Standing& own : plan_.owned) {
        if (folder_) {
            const std::vector<std::byte> value = folder_->contribution(own.node);
            for (std::uint32_t j = 0; j < own.block.rows; ++j)
                for (std::size_t s = 0; s < slices(); ++s)
                    std::ranges::copy(
                        std::span(value).subspan(j * packet_bytes_ + memory_.first_byte(s), memory_.bytes_of(s)),
                        memory_.part(s, own.place + j).begin());
            continue;
        }
        std::uint64_t place = own.place;
        for (std::uint32_t j = 0; j < own.block.rows; ++j)
            for (std::uint32_t i = 0; i < own.block.count; ++i, ++place)
                for (std::size_t s = 0; s < slices(); ++s)
                    packets_.fill(memory_.part(s, place), own.block.number(j, i, nodes_), memory_.first_byte(s));
    }
}

void Mover::spoil() {
    const std::span<std::byte> all(memory_.at(0), memory_.bytes());
    std::ranges::fill(all, std::byte{0});  // no packet is all zeros (PacketBytes)
    if (folder_) std::ranges::fill(all, std::byte{0xA5});
    for (auto& passed_on : passing_) std::ranges::fill(std::span(passed_on.data(), passed_on.size()), std::byte{0});
    fill();
}

void Mover::make_room_for(unsigned threads) {
    while (passing_.size() < threads) passing_.push_back(ready_memory(plan_.passing_places * memory_.bytes_of(0)));
}

void Mover::move(unsigned threads) {
    if (packet_bytes_ == 0) return;  // memcpy wants pointers to something even for no bytes
    const std::size_t all = plan_.movements.size();
    const bool by_slices = slices() >= threads;
    if (threads <= 1 || (by_slices && bytes_moved() < shared_bytes_from)) {
        for (std::size_t s = 0; s < slices(); ++s) move_slice(s, 0, all, passing_.front().data());
        return;
    }
    make_room_for(threads);
    // Without the control a machine with fewer cores would quietly run on fewer threads than were asked for.
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    arena_for(threads).execute([&] {
        if (by_slices)
            tbb::parallel_for(std::size_t{0}, slices(), [&](std::size_t s) {
                const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
                move_slice(s, 0, all, passing_[thread].data());
            });
        else
            for (std::size_t s = 0; s < slices(); ++s) move_step_by_step(s);
    });
}

void Mover::move_step_by_step(std::size_t slice) {
    std::byte* passed_on = passing_.front().data();
    std::size_t first = 0;
    for (const MovementStep& step : plan_.steps) {
        const std::size_t movements = step.end - first;
        const std::uint64_t bytes = step.packets * memory_.bytes_of(slice);
        if (movements > 1 && (bytes >= parallel_bytes_from || movements >= parallel_movements_from)) {
            const std::size_t at_once =
                std::clamp<std::size_t>(movements * movement_bytes / (bytes + 1), 1, parallel_movements_from / 4);
            tbb::parallel_for(tbb::blocked_range<std::size_t>(first, step.end, at_once),
                              [&](const auto& range) { move_slice(slice, range.begin(), range.end(), passed_on); });
        } else {
            move_slice(slice, first, step.end, passed_on);
        }
        first = step.end;
    }
}

void Mover::move_slice(std::size_t slice, std::size_t first, std::size_t end, std::byte* passing_memory) {
    std::byte* lasting = memory_.at(slice);
    const std::uint64_t bytes = memory_.bytes_of(slice);
    const auto at = [&](std::uint32_t place) {
        return (place & passing) == 0 ? lasting + place * bytes : passing_memory + (place & ~passing) * bytes;
    };
    for (std::size_t i = first; i < end; ++i) {
        const Movement& movement = plan_.movements[i];
        const std::uint64_t length = movement.count * bytes;
        if (movement.folds())
            folder_->fold(at(movement.to), at(movement.from), at(movement.with), length);
        else if (length == 8)  // the most common small packet: one load and one store
            std::memcpy(at(movement.to), at(movement.from), 8);
        else
            std::memcpy(at(movement.to), at(movement.from), length);
    }
}

std::optional<Mover::Difference> Mover::verify() const { return folder_ ? verify_values() : verify_packets(); }

std::optional<Mover::Difference> Mover::verify_packets() const {
    for (const Standing& came : plan_.brought) {
        std::uint64_t place = came.place;
        for (std::uint32_t j = 0; j < came.block.rows; ++j)
            for (std::uint32_t i = 0; i < came.block.count; ++i, ++place)
                for (std::size_t s = 0; s < slices(); ++s) {
                    const PacketId packet = came.block.number(j, i, nodes_);
                    const std::uint64_t first = memory_.first_byte(s);
                    if (const auto byte = packets_.first_difference(memory_.part(s, place), packet, first))
                        return Difference{came.node, packet, first + *byte};
                }
    }
    return first_missing();
}

std::optional<Mover::Difference> Mover::first_missing() const {
    std::vector<std::uint64_t> came(nodes_);
    for (const Standing& standing : plan_.owned) came[standing.node] += promised_in(standing);
    for (const Standing& standing : plan_.brought) came[standing.node] += promised_in(standing);
    for (NodeId v = 0; v < nodes_; ++v) {
        const PacketSet all = collective_.wanted(v, nodes_);
        if (came[v] < all.size()) return Difference{v, lowest_of(all.blocks(), nodes_), 0, true};
    }
    return std::nullopt;
}

std::uint64_t Mover::promised_in(const Standing& standing) const {
    return common_size({&standing.block, 1}, collective_.wanted(standing.node, nodes_).blocks());
}

std::optional<Mover::Difference> Mover::verify_values() const {
    SequentialFold all(*folder_);
    NodeId folded = 0;
    std::vector<std::byte> result;
    const bool all_are_same = !folder_->reduction().values.empty();
    const std::vector<std::uint64_t> again =
        folder_->brackets_matter() && all_are_same ? folded_again() : std::vector<std::uint64_t>();
    const std::uint64_t element_bytes = folder_->reduction().type->bytes;
    for (const Standing& given : plan_.brought) {
        const NodeId wanted = collective_.scans() ? collective_.prefix_size(given.node) : nodes_;
        for (; folded < wanted; ++folded) all.add_next();
        result.clear();
        for (std::size_t s = 0; s < slices(); ++s) {
            const auto part = memory_.part(s, given.place);
            result.insert(result.end(), part.begin(), part.end());
        }
        const std::uint64_t first = given.block.row * packet_bytes_;
        if (const auto byte = all.first_difference(result, first))
            return Difference{given.node, given.node, first + *byte};
        if (again.empty()) continue;
        for (std::size_t i = 0; i < result.size(); ++i)  // of contributions that were given all numbers are the same
            if (result[i] != std::as_bytes(std::span(&again[given.place], 1))[i % element_bytes])
                return Difference{given.node, given.node, first + i};
    }
    return std::nullopt;
}

std::vector<std::uint64_t> Mover::folded_again() const {
    std::vector<std::uint64_t> lasting(plan_.places);
    std::vector<std::uint64_t> passed_on(plan_.passing_places);
    const auto at = [&](std::uint32_t place) -> std::uint64_t& {
        return (place & passing) == 0 ? lasting[place] : passed_on[place & ~passing];
    };
    for (const Standing& own : plan_.owned)
        for (std::uint32_t j = 0; j < own.block.rows; ++j) at(own.place + j) = folder_->element(own.node);
    for (const Movement& movement : plan_.movements)
        for (std::uint32_t i = 0; i < movement.count; ++i) {
            const std::uint64_t from = at(movement.from + i);
            at(movement.to + i) = movement.folds() ? folder_->sealer().fold(from, at(movement.with + i)) : from;
        }
    return lasting;
}

}  // namespace kport
