#include "emulator/engine/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulator/engine/fold_order.hpp"
#include "emulator/engine/lockstep.hpp"

namespace kport {

Violation value_differs(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions) {
    Violation differs;
    differs.breach = Breach::value_differs;
    differs.round = round;
    differs.node = v;
    differs.other = from;
    differs.packet = lowest_of(contributions);
    return differs;
}

namespace {

/// 2^-64: sums of fewer than 2^32 doubles stay below the largest.
constexpr int overflow_scale = -64;

}  // namespace

void SequentialFold::add_next() {
    const NodeId v = next_++;
    const std::vector<std::byte> contribution = folder_.contribution(v);
    if (v == 0)
        bytes_ = contribution;
    else
        folder_.fold(bytes_, contribution);
    if (!folder_.brackets_matter()) return;
    double value = 0;
    if (contribution.size() >= sizeof value) std::memcpy(&value, contribution.data(), sizeof value);
    magnitude_ += std::abs(value);
    scaled_ += std::ldexp(value, overflow_scale);
    scaled_magnitude_ += std::ldexp(std::abs(value), overflow_scale);
    rounding_ = 2 * static_cast<double>(v) * std::numeric_limits<double>::epsilon() * magnitude_;
}

std::optional<std::uint64_t> SequentialFold::first_difference(std::span<const std::byte> result) const {
    const auto [at, wanted] = std::mismatch(result.begin(), result.end(), bytes_.begin(), bytes_.end());
    if ((at == result.end() && wanted == bytes_.end()) || is_rounded_to(result)) return std::nullopt;
    return static_cast<std::uint64_t>(at - result.begin());
}

bool SequentialFold::is_rounded_to(std::span<const std::byte> result) const {
    if (!folder_.brackets_matter() || result.size() != bytes_.size()) return false;
    // Partial sums may go beyond all numbers: the brackets then decide between both infinities, NaN and the sum, which
    // is scaled to be looked at. Where a contribution is infinite no bracket gives a number.
    if (next_ > 1 && !std::isfinite(2 * magnitude_)) {
        double given = 0;
        std::memcpy(&given, result.data(), sizeof given);
        const double rounding =
            2 * static_cast<double>(next_) * std::numeric_limits<double>::epsilon() * scaled_magnitude_;
        return !std::isfinite(given) ||
               (std::isfinite(scaled_magnitude_) && std::abs(std::ldexp(given, overflow_scale) - scaled_) <= rounding);
    }
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(double)) {
        double right = 0;
        double given = 0;
        std::memcpy(&right, bytes_.data() + i, sizeof right);
        std::memcpy(&given, result.data() + i, sizeof given);
        if (!(std::abs(right - given) <= rounding_)) return false;
    }
    return true;
}

namespace {

void compare(const SequentialFold& all, const Body& result, NodeId v, Auditor& auditor) {
    auditor.compared(1, result.byte_count());
    const auto byte = all.first_difference({result.bytes(), result.byte_count()});
    if (!byte) return;
    Violation differs;
    differs.breach = Breach::result_differs;
    differs.node = v;
    differs.limit = *byte;
    auditor.report(differs);
}

}  // namespace

std::vector<std::string> verify_results(const Folder& folder, const Promise& promise, NodeId nodes,
                                        const HugeArray<Body*>& results, Auditor& auditor) {
    std::vector<std::string> shown;
    if (!folder.payload()) return shown;
    const bool rooted = promise.operation == Operation::reduce;
    SequentialFold all(folder);
    for (NodeId v = 0; v < nodes; ++v) {
        all.add_next();
        if (promise.operation == Operation::scan && results[v] != nullptr) compare(all, *results[v], v, auditor);
    }
    for (NodeId v = 0; v < nodes; ++v) {
        const Body* result = results[v];
        if (result == nullptr) continue;
        if (promise.operation != Operation::scan) compare(all, *result, v, auditor);
        if (!folder.intact(*result)) auditor.report(value_differs(v, no_node, 0, result->blocks()));
        if (rooted || v < shown_results_max) shown.push_back(folder.text(result->bytes(), result->byte_count()));
    }
    return shown;
}

}  // namespace kport
