#include "emulator/engine/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "emulator/engine/lockstep.hpp"

namespace kport {

namespace {

/// A sequential fold, and by how much another bracketing of the same sum of doubles may differ from it: additions round.
struct RightResult {
    std::vector<std::byte> bytes;
    bool real = false;  ///< doubles: 0 and -0 are equal
    double rounding = 0;

    [[nodiscard]] bool is_rounded_to(const Body& result) const {
        if (!real || result.byte_count() != bytes.size()) return false;
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(double)) {
            double right = 0;
            double given = 0;
            std::memcpy(&right, bytes.data() + i, sizeof right);
            std::memcpy(&given, result.bytes() + i, sizeof given);
            const bool both_none = std::isnan(right) && std::isnan(given);  // an infinity less another
            if (!both_none && right != given && !(std::abs(right - given) <= rounding)) return false;
        }
        return true;
    }
};

/// Adds the next contribution.
void fold_next(RightResult& all, const Folder& folder, NodeId v, double& magnitude) {
    const std::vector<std::byte> next = folder.contribution(v);
    if (v == 0)
        all.bytes = next;
    else
        folder.fold(all.bytes, next);
    const Reduction& reduction = folder.reduction();
    all.real = reduction.type == ElementType::real;
    // Contributions that follow from the seed are small whole numbers, of which sums are exact.
    if (reduction.op != Operator::sum || !all.real || reduction.values.empty()) return;
    double value = 0;
    if (next.size() >= sizeof value) std::memcpy(&value, next.data(), sizeof value);
    magnitude += std::abs(value);
    all.rounding = 2 * static_cast<double>(v) * std::numeric_limits<double>::epsilon() * magnitude;
}

void compare(const RightResult& all, const Body& result, NodeId v, Auditor& auditor) {
    const std::vector<std::byte>& right = all.bytes;
    const std::byte* end = result.bytes() + result.byte_count();
    const auto [at, wanted] = std::mismatch(result.bytes(), end, right.begin(), right.end());
    if (at == end && wanted == right.end()) return;
    if (all.is_rounded_to(result)) return;
    Violation differs;
    differs.breach = Breach::result_differs;
    differs.node = v;
    differs.limit = static_cast<std::uint64_t>(at - result.bytes());
    auditor.report(differs);
}

}  // namespace

std::vector<std::string> verify_results(const Folder& folder, const Promise& promise, NodeId nodes,
                                        const HugeArray<Body*>& results, Auditor& auditor) {
    std::vector<std::string> shown;
    if (!folder.payload()) return shown;
    const bool rooted = promise.operation == Operation::reduce;
    RightResult all;
    double magnitude = 0;
    for (NodeId v = 0; v < nodes; ++v) {
        fold_next(all, folder, v, magnitude);
        if (promise.operation == Operation::scan && results[v] != nullptr) compare(all, *results[v], v, auditor);
    }
    for (NodeId v = 0; v < nodes; ++v) {
        const Body* result = results[v];
        if (result == nullptr) continue;
        if (promise.operation != Operation::scan) compare(all, *result, v, auditor);
        if (rooted || v < shown_results_max) shown.push_back(folder.text(result->bytes(), result->byte_count()));
    }
    return shown;
}

}  // namespace kport
