#include "emulator/node/fold_order.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "emulator/base/random.hpp"

namespace kport {

namespace {

/// 64 bits that follow from words in their order.
template <class... Words>
std::uint64_t digest(std::uint64_t seed, Words... words) {
    ((seed = mixed(seed ^ words)), ...);
    return seed;
}

constexpr std::uint64_t seed_of_high = 0x243F6A8885A308D3;  // pi
constexpr std::uint64_t seed_of_low = 0xB7E151628AED2A6A;   // e

Bracket joined_brackets(const Bracket& left, const Bracket& right) {
    return {digest(seed_of_high, left.high, left.low, right.high, right.low),
            digest(seed_of_low, left.high, left.low, right.high, right.low), std::max(left.height, right.height) + 1};
}

void write_leaf(const ElementTypeRecord&, std::uint64_t, NodeId v, std::uint64_t, std::byte* into) {
    const Bracket leaf{digest(seed_of_high, v), digest(seed_of_low, v)};
    std::memcpy(into, &leaf, sizeof leaf);
}

void fold_brackets(const Folding&, std::byte* into, const std::byte* left, const std::byte* right,
                   std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += sizeof(Bracket)) {
        const Bracket both = joined_brackets(from_bytes<Bracket>(left + i), from_bytes<Bracket>(right + i));
        std::memcpy(into + i, &both, sizeof both);
    }
}

std::string text_of_bracket(const ElementTypeRecord&, const std::byte* element) {
    const auto bracket = from_bytes<Bracket>(element);
    return fmt::format("{:016x}{:016x}", bracket.high, bracket.low);
}

constexpr ElementTypeRecord row_of_brackets{.name = "bracket",
                                            .bytes = sizeof(Bracket),
                                            .contribution = write_leaf,
                                            .text = text_of_bracket,
                                            .one_a_packet = true};
/// Brackets of a result differ from those of the fold that it is compared with; whether they agree is counted, not judged.
constexpr std::array bracketings = {
    Folding{.type = &row_of_brackets,
            .fold = fold_brackets,
            .again = fold_brackets,
            .same = [](const Folding&, const std::byte*, const std::byte*) { return true; }}};
constexpr std::string_view name_of_brackets = "bracket";
/// By whether they commute, and whether they are idempotent.
constexpr OperatorRecord bracketing(bool commutative, bool idempotent) {
    return {.name = name_of_brackets, .commutative = commutative, .idempotent = idempotent, .on = bracketings};
}
constexpr OperatorRecord row_of_bracketing[2][2] = {{bracketing(false, false), bracketing(false, true)},
                                                    {bracketing(true, false), bracketing(true, true)}};

}  // namespace

Reduction brackets_of(const Reduction& reduction) {
    const OperatorRecord& op = row_of_bracketing[reduction.op->commutative][reduction.op->idempotent];
    return {Operator(op), ElementType(row_of_brackets), {}};
}

bool folds_brackets(const Reduction& reduction) { return &*reduction.type == &row_of_brackets; }

}  // namespace kport
