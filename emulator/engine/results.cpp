#include "emulator/engine/results.hpp"

#include <algorithm>

#include "emulator/engine/lockstep.hpp"

namespace kport {

namespace {

void compare(const std::vector<std::byte>& right, const Body& result, NodeId v, Auditor& auditor) {
    const std::byte* end = result.bytes() + result.byte_count();
    const auto [at, wanted] = std::mismatch(result.bytes(), end, right.begin(), right.end());
    if (at == end && wanted == right.end()) return;
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
    std::vector<std::byte> all;
    for (NodeId v = 0; v < nodes; ++v) {
        if (v == 0)
            all = folder.contribution(v);
        else
            folder.fold(all, folder.contribution(v));
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
