/// @file runs.cpp   The part of a folder that keeps partial results of consecutive nodes apart until they meet.
#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/node/reduction.hpp"
#include "emulator/schedule/packet_parts.hpp"

namespace kport {

namespace {

/// As the bytes of a value stand.
constexpr auto place_in_value = [](const auto& run) { return std::tuple(run.segment, run.nodes.first); };

std::vector<Progression> one_by_one(std::span<const Progression> runs) {
    std::vector<Progression> nodes;
    for (const Progression& run : runs)
        for (std::uint32_t i = 0; i < run.count; ++i) nodes.push_back(Progression{run[i]});
    return nodes;
}

}  // namespace

std::uint64_t Folder::text_bytes_before(std::uint64_t v) const {
    if (!reduction_.values.empty()) return v == 0 ? 0 : ends_[v - 1];
    std::uint64_t bytes = 2 * v;  // a digit and a dot each, and a digit more from 10, 100, ... on
    for (std::uint64_t longer = 10; longer < v; longer *= 10) bytes += v - longer;
    return bytes;
}

bool Folder::has_runs_apart(const Body& value) const {
    if (segments_ == 1) return false;  // which is never cut
    return is_text() || value.byte_count() != rows_of(value.blocks()).size() * bytes_of_segment();
}

std::vector<Folder::Run> Folder::runs_in(const Body& value) const {
    std::vector<Run> runs;
    for_each_part(value.blocks(), [&](const Progression& segments, std::span<const PacketBlock> contributions) {
        std::vector<Progression> nodes = runs_of(contributions);
        if (unfolded_) nodes = one_by_one(nodes);
        for (std::uint32_t i = 0; i < segments.count; ++i)
            for (const Progression& some : nodes) runs.push_back({segments[i], some, {}});
    });
    std::ranges::sort(runs, {}, place_in_value);
    std::span<const std::byte> left = value.content();
    // Texts of the same nodes are as long in each segment, also results, which are as long as all that nodes contribute.
    const bool are_alike =
        is_text() && std::ranges::all_of(runs, [&](const Run& run) { return run.nodes == runs.front().nodes; });
    const auto size_of = [&](const Progression& nodes) -> std::uint64_t {
        if (!is_text()) return packet_bytes_;
        return text_bytes_before(std::uint64_t{nodes.last()} + 1) - text_bytes_before(nodes.first);
    };
    for (Run& run : runs) {
        const std::uint64_t size = are_alike ? value.byte_count() / runs.size() : size_of(run.nodes);
        // Of values that were folded twice, which was told, the bytes are not those of their runs.
        run.bytes = left.first(std::min<std::uint64_t>(payload_ ? size : 0, left.size()));
        left = left.subspan(run.bytes.size());
    }
    return runs;
}

std::vector<std::byte> Folder::bytes_of(std::span<const Run> runs, Folding::OfMany op, bool unfolded) const {
    std::vector<std::byte> bytes;
    const Run* before = nullptr;
    std::size_t last_run = 0;  // where it begins
    for (const Run& run : runs) {
        const bool meets = !unfolded && before != nullptr && run.segment == before->segment &&
                           run.nodes.first == before->nodes.last() + 1;
        before = &run;
        if (meets && op != nullptr && bytes.size() - last_run == run.bytes.size()) {
            op(*folding_, bytes.data() + last_run, bytes.data() + last_run, run.bytes.data(), run.bytes.size());
            continue;
        }
        if (!meets) last_run = bytes.size();
        bytes.insert(bytes.end(), run.bytes.begin(), run.bytes.end());
    }
    return bytes;
}

Body* Folder::body_of(std::span<const PacketBlock> contributions, std::span<const Run> runs, FramePool& pool,
                      bool unfolded) const {
    const std::vector<std::byte> bytes = bytes_of(runs, folding_->fold, unfolded);
    Body* body = Body::make(contributions, bytes.size(), pool);
    std::ranges::copy(bytes, body->bytes());
    body->seal = sealer_.of(body->blocks(), bytes_of(runs, folding_->again, unfolded));
    return body;
}

Body* Folder::merged(std::span<const Body* const> values, FramePool& pool) const {
    std::vector<Run> runs;
    PacketBlocks named;
    for (const Body* value : values) {
        const std::vector<Run> more = runs_in(*value);
        runs.insert(runs.end(), more.begin(), more.end());
        named.insert(named.end(), value->blocks().begin(), value->blocks().end());
    }
    std::ranges::stable_sort(runs, {}, place_in_value);
    PacketSet all;
    PacketSet twice = twice_in(values);
    if (!common_to_two(span_of(named)))
        all.add(named);
    else
        for (const PacketBlock& block : named) {
            if (!reduction_.op->idempotent) twice.include(span_of(in_both({&block, 1}, all)));
            all.include({&block, 1});
        }
    Body* body = body_of(all.blocks(), runs, pool);
    body->set_twice(std::move(twice), pool);
    return body;
}

Body* Folder::cut_of_runs(const Body& value, const PacketSet& kept, const PacketSet& segments, FramePool& pool) const {
    std::vector<Run> runs = runs_in(value);
    std::erase_if(runs, [&](const Run& run) {
        const PacketBlock segment{run.segment};
        return !segments.covers({&segment, 1});
    });
    return body_of(kept.blocks(), runs, pool);
}

Body* Folder::in_one(const Body& value, FramePool& pool) const {
    Body* body = body_of(value.blocks(), runs_in(value), pool, false);
    if (value.twice != nullptr) body->set_twice(*value.twice, pool);
    return body;
}

std::vector<Value> Folder::runs(const Body& value, FramePool& pool) const {
    std::vector<Run> all = runs_in(value);
    const auto nodes_of = [](const Run& run) { return std::tuple(run.nodes.first, run.nodes.count); };
    std::ranges::stable_sort(all, {}, nodes_of);
    std::vector<Value> values;
    for (auto first = all.begin(), end = first; first != all.end(); first = end) {
        PacketBlocks contributions;
        for (; end != all.end() && nodes_of(*end) == nodes_of(*first); ++end) {
            const bool goes_on = !contributions.empty() && contributions.back().all_rows().last() + 1 == end->segment;
            if (goes_on)
                ++contributions.back().rows;
            else
                contributions.push_back(block_of({end->segment}, end->nodes));
        }
        Body* run = body_of(span_of(contributions), std::span(first, end), pool);
        values.emplace_back(run, pool);
        PacketSet twice;
        if (value.twice != nullptr) twice.add(in_both(span_of(contributions), *value.twice));
        run->set_twice(std::move(twice), pool);
    }
    return values;
}

}  // namespace kport
