#include "emulator/node/reduction.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

void require_valid(const Reduction& reduction, NodeId nodes, std::uint64_t packet_bytes) {
    const bool text = reduction.type.is_text();
    if (reduction.op.on(reduction.type) == nullptr) {
        std::vector<std::string_view> types;
        for (const Folding& folding : reduction.op->on) types.push_back(folding.type->name);
        throw RequestError(
            fmt::format("op {} is not defined for type {}; {}", name(reduction.op), name(reduction.type),
                        text ? "strings know concat alone"
                             : fmt::format("{} wants type {}", name(reduction.op), fmt::join(types, " or "))));
    }
    if (!text && !reduction.type->one_a_packet && packet_bytes % reduction.type->bytes != 0)
        throw RequestError(fmt::format("packet_bytes {}: elements of type {} have {} bytes each; want a multiple of {}",
                                       packet_bytes, name(reduction.type), reduction.type->bytes,
                                       reduction.type->bytes));
    if (reduction.op.is_own()) require_claims(reduction.op, reduction.type, nodes);
    if (reduction.values.empty()) return;
    if (reduction.values.size() != nodes)
        throw RequestError(fmt::format("values gives {} value{}; want one for each of the {} nodes",
                                       reduction.values.size(), reduction.values.size() == 1 ? "" : "s", nodes));
    if (text) return;
    if (reduction.type->read == nullptr)
        throw RequestError(
            fmt::format("values: elements of type {} are not given as text; want .contribution in the operator",
                        name(reduction.type)));
    std::vector<std::byte> element(reduction.type->bytes);
    for (const std::string& value : reduction.values)
        if (!reduction.type->read(value, 0, element.data()))
            throw RequestError(fmt::format("values: {} is not of type {}; want {}{}", quoted(value),
                                           name(reduction.type), reduction.type->wanted,
                                           reduction.op->with_index ? ", or with an index, 12@3" : ""));
}

void require_valid(const Reduction& reduction, NodeId nodes, const Collective& collective) {
    require_valid(reduction, nodes, collective.packet_bytes);
    if (!collective.rules.all_law() && !reduction.op->idempotent)
        throw RequestError(
            fmt::format("rules '{}': {} folds contributions by {}, which is not idempotent, and NODUP and NOHO are law "
                        "there; leave them so",
                        text(collective.rules), name(collective.operation), name(reduction.op)));
    if (collective.own_folds() == nullptr || reduction.commutative()) return;
    for (const TakenFold& fold : collective.own_folds()->all())
        if (!fold.in_order && fold.of.size() > 1)
            throw RequestError(fmt::format(
                "op {}: it does not commute, and node {} takes segment {} in any order; want 'in order' behind "
                "what it takes, or another operator",
                name(reduction.op), fold.node, fold.segment));
}

Collective folding(Collective collective, const Reduction& reduction) {
    const bool is_of_operation =
        collective.folds() && !collective.is_own();  // a promise of folds says itself what is in order
    collective.in_runs = is_of_operation && (collective.in_runs || !reduction.commutative());
    return collective;
}

Folder::Folder(const Reduction& reduction, std::uint64_t packet_bytes, std::uint64_t seed, bool payload,
               std::uint64_t segments, bool unfolded)
    : reduction_(reduction), folding_(reduction_.op.on(reduction_.type)), sealer_(folding_),
      packet_bytes_(reduction_.type->one_a_packet ? reduction_.type->bytes : packet_bytes), seed_(seed),
      payload_(payload), segments_(segments), unfolded_(unfolded) {
    if (folding_ == nullptr)
        throw RequestError(fmt::format("{} is not defined for {}", name(reduction_.op), name(reduction_.type)));
    if (is_text()) {
        for (const std::string& value : reduction_.values)
            ends_.push_back((ends_.empty() ? 0 : ends_.back()) + value.size());
        return;
    }
    numbers_.resize(reduction_.values.size() * reduction_.type->bytes);
    for (NodeId v = 0; v < reduction_.values.size(); ++v)
        (void)reduction_.type->read(reduction_.values[v], v, numbers_.data() + v * reduction_.type->bytes);
}

std::uint64_t Folder::element(NodeId v) const {
    if (!payload_) return 0;
    std::uint64_t bits = 0;
    const ElementTypeRecord& type = *reduction_.type;
    if (numbers_.empty())
        type.contribution(type, seed_, v, 0, reinterpret_cast<std::byte*>(&bits));
    else
        std::memcpy(&bits, numbers_.data() + v * type.bytes, type.bytes);
    return bits;
}

Element Folder::sealed_element(NodeId v) const {
    const Progression own{static_cast<std::uint32_t>(v)};
    const std::uint64_t bits = element(v);
    return {own, bits, sealer_.of(own, bits)};
}

Element Folder::element(NodeId v, std::uint32_t segment) const {
    Element own({static_cast<std::uint32_t>(v)}, 0);
    own.segment = segment;
    if (payload_) write_contribution(v, {segment}, reinterpret_cast<std::byte*>(&own.bits));
    return own;
}

Element Folder::sealed_element(NodeId v, std::uint32_t segment) const {
    Element own = element(v, segment);
    own.seal = seal_of(own);
    return own;
}

Body* Folder::body_of(const Element& element, FramePool& pool) const {
    Body* body = Body::make(element.blocks().blocks(), payload_ ? sizeof element.bits : 0, pool);
    if (payload_) std::memcpy(body->bytes(), &element.bits, sizeof element.bits);
    body->seal = element.seal;
    return body;
}

std::vector<std::byte> Folder::contribution(NodeId v) const {
    if (!payload_) return {};
    if (is_text()) {
        const std::string text = reduction_.values.empty() ? fmt::format("{}.", v) : reduction_.values[v];
        const auto* first = reinterpret_cast<const std::byte*>(text.data());
        return {first, first + text.size()};
    }
    std::vector<std::byte> bytes(segments_ * packet_bytes_);
    write_contribution(v, {0, 1, static_cast<std::uint32_t>(segments_)}, bytes.data());
    return bytes;
}

void Folder::write_contribution(NodeId v, const Progression& segments, std::byte* into) const {
    const ElementTypeRecord& type = *reduction_.type;
    const std::uint64_t each = packet_bytes_ / type.bytes;
    if (numbers_.empty() && type.contributions != nullptr && (segments.stride == 1 || each == 1)) {
        type.contributions(type, seed_, v, segments.first * each, segments.stride, segments.count * each, into);
        return;
    }
    for (std::uint32_t segment = 0; segment < segments.count; ++segment)
        for (std::uint64_t i = segments[segment] * each, end = i + each; i < end; ++i, into += type.bytes) {
            if (numbers_.empty())
                type.contribution(type, seed_, v, i, into);
            else
                std::memcpy(into, numbers_.data() + v * type.bytes, type.bytes);
        }
}

Body* Folder::contribution(NodeId v, FramePool& pool) const {
    if (has_elements()) return body_of(sealed_element(v), pool);
    return contribution(v, PacketSet::range(0, static_cast<std::uint32_t>(segments_)), pool);
}

Body* Folder::contribution(NodeId v, const PacketSet& segments, FramePool& pool) const {
    PacketBlocks blocks;
    for (const PacketBlock& some : segments.blocks())
        blocks.push_back(block_of(some.columns(), {static_cast<std::uint32_t>(v)}));
    const std::vector<std::byte> text = is_text() ? contribution(v) : std::vector<std::byte>();
    const std::uint64_t each = is_text() ? text.size() : bytes_of_segment();
    Body* body = Body::make(span_of(blocks), segments.size() * each, pool);
    std::byte* into = body->bytes();
    if (is_text())
        for (std::uint64_t i = 0; i < segments.size(); ++i) into = std::ranges::copy(text, into).out;
    else if (payload_ && segments.is_block())
        write_contribution(v, segments.block().columns(), into);
    else if (payload_)
        for (const Progression& range : ranges_of(segments)) {
            write_contribution(v, range, into);
            into += range.count * packet_bytes_;
        }
    body->seal = seal_of(*body);
    return body;
}

namespace {

constexpr std::size_t few_blocks = 4;

/// What PacketSet::add() makes of disjoint blocks, which needs no memory for so few.
PacketBlocks sum_of_few(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    PacketBlocks sum;
    for (const std::span<const PacketBlock> some : {left, right})
        for (PacketBlock block : some) {
            for (std::size_t i = sum.size(); i-- > 0;)
                if (const auto both = kport::joined(sum[i], block)) {
                    block = *both;
                    sum.erase(sum.begin() + static_cast<std::ptrdiff_t>(i));
                    i = sum.size();
                }
            sum.push_back(block);
        }
    return sum;
}

bool have_twice(const Body& left, const Body& right) { return left.twice != nullptr || right.twice != nullptr; }

}  // namespace

PacketSet Folder::twice_in(std::span<const Body* const> values) {
    PacketSet twice;
    for (const Body* value : values)
        if (value->twice != nullptr) twice.include(*value->twice);
    return twice;
}

Body* Folder::unwritten(const Body& left, const Body& right, std::uint64_t bytes, FramePool& pool) const {
    const std::uint64_t size = size_of(left.blocks()) + size_of(right.blocks());
    const std::uint64_t shared = common_size(left.blocks(), right.blocks());
    PacketSet twice;  // no matter where x op x = x
    if (!reduction_.op->idempotent) {
        twice = twice_in(std::array{&left, &right});
        if (shared != 0) twice.include(span_of(in_both(left.blocks(), right.blocks())));
    }
    const auto make = [&] {
        if (left.blocks().size() == 1 && right.blocks().size() == 1)
            if (const auto both = kport::joined(left.blocks().front(), right.blocks().front());
                both && both->size() == size)
                return Body::make({&*both, 1}, bytes, pool);
        if (left.blocks().size() + right.blocks().size() <= few_blocks && shared == 0)
            return Body::make(span_of(sum_of_few(left.blocks(), right.blocks())), bytes, pool);
        PacketSet both;
        both.add(left.blocks());
        if (shared != 0)
            both.include(right.blocks());
        else
            both.add(right.blocks());
        return Body::make(both.blocks(), bytes, pool);
    };
    Body* body = make();
    body->set_twice(std::move(twice), pool);
    return body;
}

Body* Folder::fold(const Body& left, const Body& right, FramePool& pool, Intact* intact) const {
    if (is_text() && intact != nullptr) *intact = {this->intact(left), this->intact(right)};
    if (is_text() && have_twice(left, right) && common_size(left.blocks(), right.blocks()) != 0) {
        const Body& longer = left.byte_count() < right.byte_count() ? right : left;
        Body* body = unwritten(left, right, longer.byte_count(), pool);
        body->seal = sealer_.of_copied(body->blocks(), longer.content(), body->bytes());
        return body;
    }
    const std::uint64_t bytes = is_text() ? left.byte_count() + right.byte_count() : left.byte_count();
    Body* body = unwritten(left, right, bytes, pool);
    if (intact != nullptr && !is_text()) {
        const Sealer::Seals seals = sealer_.of_folded(body->blocks(), {left.blocks(), left.content()},
                                                      {right.blocks(), right.content()}, body->bytes());
        *intact = {left.seal == seals.left, right.seal == seals.right};
        body->seal = seals.both;
        return body;
    }
    if (is_text()) {
        std::memcpy(body->bytes(), left.bytes(), left.byte_count());
        std::memcpy(body->bytes() + left.byte_count(), right.bytes(), right.byte_count());
    } else {
        fold(body->bytes(), left.bytes(), right.bytes(), bytes);
    }
    body->seal = sealer_.of_fold(body->blocks(), left.content(), right.content());
    return body;
}

void Folder::fold(std::vector<std::byte>& left, const std::vector<std::byte>& right) const {
    if (is_text())
        left.insert(left.end(), right.begin(), right.end());
    else
        fold(left.data(), left.data(), right.data(), left.size());
}

std::string Folder::text(const std::byte* bytes, std::uint64_t count) const {
    if (is_text()) return {reinterpret_cast<const char*>(bytes), count};
    return count < reduction_.type->bytes ? "" : reduction_.type->text(*reduction_.type, bytes);
}

std::optional<std::uint64_t> Folder::first_difference(std::span<const std::byte> result,
                                                      std::span<const std::byte> right) const {
    if (result.size() == right.size() && folding_->same != nullptr) {
        for (std::uint64_t i = 0; i < result.size(); i += reduction_.type->bytes)
            if (!folding_->same(*folding_, result.data() + i, right.data() + i)) return i;
        return std::nullopt;
    }
    if (result.size() == right.size() &&
        (result.empty() || std::memcmp(result.data(), right.data(), result.size()) == 0))
        return std::nullopt;
    const auto [at, wanted] = std::ranges::mismatch(result, right);
    if (at == result.end() && wanted == right.end()) return std::nullopt;
    return static_cast<std::uint64_t>(at - result.begin());
}

}  // namespace kport
