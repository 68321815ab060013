#include "emulator/node/reduction.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/random_words.hpp"

namespace kport {

namespace {

constexpr std::uint64_t element_bytes = 8;

/// The bits of a number in text; nothing if all of it is none.
template <class Number>
std::optional<std::uint64_t> bits_of(const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if constexpr (std::is_floating_point_v<Number>)
        if (std::isnan(value)) return std::nullopt;  // not a number, as its name says
    return std::bit_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> bits_of(const std::string& text, ElementType type) {
    return type == ElementType::real ? bits_of<double>(text) : bits_of<std::int64_t>(text);
}

template <class Number, class Operation>
void fold_elements(std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes,
                   Operation operation) {
    for (std::uint64_t i = 0; i < bytes; i += element_bytes) {
        Number a;
        Number b;
        std::memcpy(&a, left + i, element_bytes);
        std::memcpy(&b, right + i, element_bytes);
        a = operation(a, b);
        std::memcpy(into + i, &a, element_bytes);
    }
}

/// Sums wrap around instead of overflowing: associative, whatever the values.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// The bits of a double as an integer of the same order, and back (IEEE 754's totalOrder).
std::int64_t in_order(std::int64_t bits) { return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max()); }

void fold_numbers(const Reduction& reduction, std::byte* into, const std::byte* left, const std::byte* right,
                  std::uint64_t bytes) {
    const auto apply = [&]<class Number>(Number, auto sum, auto order) {
        using Bits = std::int64_t;
        switch (reduction.op) {
            case Operator::sum: return fold_elements<Number>(into, left, right, bytes, sum);
            case Operator::min:
                return fold_elements<Bits>(into, left, right, bytes,
                                           [=](Bits a, Bits b) { return order(b) < order(a) ? b : a; });
            case Operator::max:
                return fold_elements<Bits>(into, left, right, bytes,
                                           [=](Bits a, Bits b) { return order(a) < order(b) ? b : a; });
            case Operator::exclusive_or:
                return fold_elements<std::uint64_t>(into, left, right, bytes,
                                                    [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
            case Operator::concat: break;
        }
        invariant(false, "texts are not folded as numbers");
    };
    if (reduction.type == ElementType::real)
        apply(
            0.0, [](double a, double b) { return a + b; }, in_order);
    else
        apply(std::int64_t{0}, wrapping_sum, [](std::int64_t number) { return number; });
}

}  // namespace

std::string_view name(Operator op) {
    switch (op) {
        case Operator::sum: return "sum";
        case Operator::min: return "min";
        case Operator::max: return "max";
        case Operator::exclusive_or: return "xor";
        case Operator::concat: return "concat";
    }
    invariant(false, "an operator without a name");
    return {};
}

std::string_view name(ElementType type) {
    switch (type) {
        case ElementType::int64: return "int64";
        case ElementType::real: return "double";
        case ElementType::text: return "string";
    }
    invariant(false, "a type without a name");
    return {};
}

void require_valid(const Reduction& reduction, NodeId nodes, std::uint64_t packet_bytes) {
    const bool text = reduction.type == ElementType::text;
    if ((reduction.op == Operator::concat) != text)
        throw RequestError(fmt::format("op {} is not defined for type {}; {}", name(reduction.op), name(reduction.type),
                                       text ? "strings know concat alone" : "concat wants type string"));
    if (reduction.op == Operator::exclusive_or && reduction.type == ElementType::real)
        throw RequestError("op xor is not defined for type double; xor wants type int64");
    if (!text && packet_bytes % element_bytes != 0)
        throw RequestError(fmt::format("packet_bytes {}: elements of type {} have 8 bytes each; want a multiple of 8",
                                       packet_bytes, name(reduction.type)));
    if (reduction.values.empty()) return;
    if (reduction.values.size() != nodes)
        throw RequestError(fmt::format("values gives {} value{}; want one for each of the {} nodes",
                                       reduction.values.size(), reduction.values.size() == 1 ? "" : "s", nodes));
    if (text) return;
    for (const std::string& value : reduction.values)
        if (!bits_of(value, reduction.type))
            throw RequestError(fmt::format("values: {} is not of type {}", quoted(value), name(reduction.type)));
}

Folder::Folder(const Reduction& reduction, std::uint64_t packet_bytes, std::uint64_t seed, bool payload)
    : reduction_(reduction), sealer_(reduction.op, reduction.type), packet_bytes_(packet_bytes), seed_(seed),
      payload_(payload) {
    if (reduction.type == ElementType::text) return;
    for (const std::string& value : reduction.values) numbers_.push_back(bits_of(value, reduction.type).value());
}

std::uint64_t Folder::element(NodeId v) const {
    if (!payload_) return 0;
    if (!numbers_.empty()) return numbers_[v];
    return drawn(v, 0);
}

std::uint64_t Folder::drawn(NodeId v, std::uint64_t i) const {
    // Small whole numbers: sums of doubles are exact, whatever the order in which they are folded.
    const std::uint64_t small = random_word(seed_, v, i) % 1000;
    return reduction_.type == ElementType::real ? std::bit_cast<std::uint64_t>(static_cast<double>(small)) : small;
}

std::uint64_t Folder::fold(std::uint64_t left, std::uint64_t right) const {
    if (!payload_) return 0;
    if (reduction_.op == Operator::sum && reduction_.type == ElementType::int64) return left + right;
    std::uint64_t result = 0;
    const auto* a = reinterpret_cast<const std::byte*>(&left);
    const auto* b = reinterpret_cast<const std::byte*>(&right);
    fold_numbers(reduction_, reinterpret_cast<std::byte*>(&result), a, b, element_bytes);
    return result;
}

Element Folder::sealed_element(NodeId v) const {
    const Progression own{static_cast<std::uint32_t>(v)};
    const std::uint64_t bits = element(v);
    return {own, bits, sealer_.of(own, bits)};
}

Body* Folder::body_of(const Element& element, FramePool& pool) const {
    const PacketBlock block = element.block();
    Body* body = Body::make({&block, 1}, payload_ ? element_bytes : 0, pool);
    if (payload_) std::memcpy(body->bytes(), &element.bits, element_bytes);
    body->seal = element.seal;
    return body;
}

std::vector<std::byte> Folder::contribution(NodeId v) const {
    if (!payload_) return {};
    if (reduction_.type == ElementType::text) {
        const std::string text = reduction_.values.empty() ? fmt::format("{}.", v) : reduction_.values[v];
        const auto* first = reinterpret_cast<const std::byte*>(text.data());
        return {first, first + text.size()};
    }
    std::vector<std::byte> bytes(packet_bytes_);
    for (std::uint64_t i = 0; i < packet_bytes_ / element_bytes; ++i) {
        const std::uint64_t bits = numbers_.empty() ? drawn(v, i) : numbers_[v];
        std::memcpy(bytes.data() + i * element_bytes, &bits, element_bytes);
    }
    return bytes;
}

Body* Folder::contribution(NodeId v, FramePool& pool) const {
    const PacketBlock own{static_cast<std::uint32_t>(v)};
    if (has_elements()) return body_of(sealed_element(v), pool);
    const std::vector<std::byte> bytes = contribution(v);
    Body* body = Body::make({&own, 1}, bytes.size(), pool);
    std::copy(bytes.begin(), bytes.end(), body->bytes());
    body->seal = seal_of(*body);
    return body;
}

Body* Folder::fold(const Body& left, const Body& right, FramePool& pool) const {
    const bool text = reduction_.type == ElementType::text;
    const std::uint64_t bytes = text ? left.byte_count() + right.byte_count() : left.byte_count();
    const auto make = [&] {
        if (left.blocks().size() == 1 && right.blocks().size() == 1)
            if (const auto both = joined(left.blocks().front(), right.blocks().front()))
                return Body::make({&*both, 1}, bytes, pool);
        PacketSet both;
        both.add(left.blocks());
        both.add(right.blocks());
        return Body::make(both.blocks(), bytes, pool);
    };
    Body* body = make();
    if (text) {
        std::memcpy(body->bytes(), left.bytes(), left.byte_count());
        std::memcpy(body->bytes() + left.byte_count(), right.bytes(), right.byte_count());
    } else {
        fold_numbers(reduction_, body->bytes(), left.bytes(), right.bytes(), bytes);
    }
    body->seal = sealer_.of_fold(body->blocks(), left.content(), right.content());
    return body;
}

void Folder::fold(std::vector<std::byte>& left, const std::vector<std::byte>& right) const {
    if (reduction_.type == ElementType::text)
        left.insert(left.end(), right.begin(), right.end());
    else
        fold_numbers(reduction_, left.data(), left.data(), right.data(), left.size());
}

void Folder::fold(std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) const {
    fold_numbers(reduction_, into, left, right, bytes);
}

std::string Folder::text(const std::byte* bytes, std::uint64_t count) const {
    if (reduction_.type == ElementType::text) return {reinterpret_cast<const char*>(bytes), count};
    if (count < element_bytes) return "";
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes, element_bytes);
    if (reduction_.type == ElementType::int64) return fmt::format("{}", std::bit_cast<std::int64_t>(bits));
    const auto number = std::bit_cast<double>(bits);
    return std::isnan(number) ? "nan" : fmt::format("{}", number);  // a NaN has no sign that means anything
}

}  // namespace kport
