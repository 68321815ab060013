/// @file runs.cpp   The part of a folder that keeps partial results of consecutive nodes apart until they meet.
#include <algorithm>

#include "emulator/node/reduction.hpp"

namespace kport {

std::uint64_t Folder::text_bytes_before(std::uint64_t v) const {
    if (!reduction_.values.empty()) return v == 0 ? 0 : ends_[v - 1];
    std::uint64_t bytes = 2 * v;  // a digit and a dot each, and a digit more from 10, 100, ... on
    for (std::uint64_t longer = 10; longer < v; longer *= 10) bytes += v - longer;
    return bytes;
}

std::vector<Folder::Run> Folder::runs_in(const Body& value) const {
    std::vector<Run> runs;
    std::span<const std::byte> left = value.content();
    for (const Progression& nodes : runs_of(value.blocks())) {
        const std::uint64_t size =
            is_text() ? text_bytes_before(std::uint64_t{nodes.last()} + 1) - text_bytes_before(nodes.first)
                      : packet_bytes_;
        // Of values that were folded twice, which was told, the bytes are not those of their runs.
        const auto own = left.first(std::min<std::uint64_t>(payload_ ? size : 0, left.size()));
        runs.push_back({nodes, own});
        left = left.subspan(own.size());
    }
    return runs;
}

std::vector<std::byte> Folder::bytes_of(std::span<const Run> runs, Folding::OfMany op) const {
    std::vector<std::byte> bytes;
    std::uint32_t next = 0;    // behind the last node of the last run
    std::size_t last_run = 0;  // where it begins
    for (const Run& run : runs) {
        const bool meets = !bytes.empty() && run.nodes.first == next;
        next = run.nodes.last() + 1;
        if (meets && op != nullptr && bytes.size() - last_run == run.bytes.size()) {
            op(*folding_, bytes.data() + last_run, bytes.data() + last_run, run.bytes.data(), run.bytes.size());
            continue;
        }
        if (!meets) last_run = bytes.size();
        bytes.insert(bytes.end(), run.bytes.begin(), run.bytes.end());
    }
    return bytes;
}

Body* Folder::merged(const Body& one, const Body& other, FramePool& pool) const {
    std::vector<Run> runs = runs_in(one);
    const std::vector<Run> more = runs_in(other);
    runs.insert(runs.end(), more.begin(), more.end());
    std::ranges::stable_sort(runs, {}, [](const Run& run) { return run.nodes.first; });
    PacketSet both;
    both.add(one.blocks());
    both.add(other.blocks());
    const std::vector<std::byte> bytes = bytes_of(runs, folding_->fold);
    Body* body = Body::make(both.blocks(), bytes.size(), pool);
    std::ranges::copy(bytes, body->bytes());
    body->seal = sealer_.of(body->blocks(), bytes_of(runs, folding_->again));
    return body;
}

std::vector<Value> Folder::runs(const Body& value, FramePool& pool) const {
    std::vector<Value> values;
    for (const Run& run : runs_in(value)) {
        const PacketBlock nodes = block_of({}, run.nodes);
        Body* body = Body::make({&nodes, 1}, run.bytes.size(), pool);
        std::ranges::copy(run.bytes, body->bytes());
        body->seal = seal_of(*body);
        values.emplace_back(body, pool);
    }
    return values;
}

}  // namespace kport
