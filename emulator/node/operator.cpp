#include "emulator/node/operator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/processor.hpp"
#include "emulator/node/element_types.hpp"
#include "emulator/node/formats.hpp"

namespace kport {

namespace {

#if defined(__x86_64__)
/// Fewer elements are done before wide registers are filled.
constexpr std::uint64_t by_eight_from = 64;
#endif

using OfTwo = std::uint64_t (*)(std::uint64_t, std::uint64_t);

/// Whole numbers wrap around instead of overflowing: associative, whatever the values.
template <class Format>
struct Sum {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) {
        if constexpr (Format::is_real) return Format::bits(Format::value(left) + Format::value(right));
        return left + right;
    }
    static constexpr OfTwo op_again = again::sum<Format>;
};
template <class Format>
struct Product {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) {
        if constexpr (Format::is_real) return Format::bits(Format::value(left) * Format::value(right));
        return left * right;
    }
    static constexpr OfTwo op_again = again::prod<Format>;
};
template <class Format>
struct Lower {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) {
        return in_order<Format>(right) < in_order<Format>(left) ? right : left;
    }
    static constexpr OfTwo op_again = again::min<Format>;
};
template <class Format>
struct Higher {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) {
        return in_order<Format>(left) < in_order<Format>(right) ? right : left;
    }
    static constexpr OfTwo op_again = again::max<Format>;
};
struct ExclusiveOr {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return left ^ right; }
    static constexpr OfTwo op_again = again::exclusive_or;
};
struct And {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return left & right; }
    static constexpr OfTwo op_again = again::band;
};
struct Or {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return left | right; }
    static constexpr OfTwo op_again = again::bor;
};
struct LogicalAnd {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return left != 0 && right != 0 ? 1 : 0; }
    static constexpr OfTwo op_again = again::land;
};
struct LogicalOr {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return (left | right) != 0 ? 1 : 0; }
    static constexpr OfTwo op_again = again::lor;
};
struct LogicalExclusiveOr {
    static std::uint64_t op(std::uint64_t left, std::uint64_t right) { return (left != 0) != (right != 0) ? 1 : 0; }
    static constexpr OfTwo op_again = again::lxor;
};

// ------------------------------------------------------------------------------------------------------- many elements

template <OfTwo op, class Word>
std::uint64_t of_words(const Folding&, std::uint64_t left, std::uint64_t right) {
    return static_cast<Word>(op(left, right));
}
/// A loop that a compiler turns into wide registers; in line, so that each way has its own.
template <OfTwo op, class Word>
[[gnu::always_inline]] inline void fold_words(std::byte* into, const std::byte* left, const std::byte* right,
                                              std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += sizeof(Word)) {
        Word a = 0;
        Word b = 0;
        std::memcpy(&a, left + i, sizeof a);
        std::memcpy(&b, right + i, sizeof b);
        a = static_cast<Word>(op(a, b));
        std::memcpy(into + i, &a, sizeof a);
    }
}

#if defined(__x86_64__)
template <OfTwo op, class Word>
[[gnu::target("avx512f")]] void fold_by_eight(std::byte* into, const std::byte* left, const std::byte* right,
                                              std::uint64_t bytes) {
    fold_words<op, Word>(into, left, right, bytes);
}
#endif

template <OfTwo op, class Word>
void of_many(const Folding&, std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) {
#if defined(__x86_64__)
    if (bytes >= by_eight_from * sizeof(std::uint64_t) && knows_eight_words())
        return fold_by_eight<op, Word>(into, left, right, bytes);
#endif
    fold_words<op, Word>(into, left, right, bytes);
}

template <class Op, class Format>
constexpr Folding folding_on(const ElementTypeRecord& type, Rounds rounds = Rounds::no) {
    using Word = typename Format::Word;
    return {.type = &type,
            .fold = of_many<Op::op, Word>,
            .again = of_many<Op::op_again, Word>,
            .fold_word = of_words<Op::op, Word>,
            .again_word = of_words<Op::op_again, Word>,
            .rounds = Format::is_real ? rounds : Rounds::no};
}

template <class Op>
constexpr std::array<Folding, 3> on_whole_numbers() {
    return {folding_on<Op, FormatOfInt64>(rows::int64), folding_on<Op, FormatOfInt32>(rows::int32),
            folding_on<Op, FormatOfUint64>(rows::uint64)};
}

template <template <class> class Op>
constexpr std::array<Folding, 7> on_numbers(Rounds rounds = Rounds::no) {
    return {folding_on<Op<FormatOfInt64>, FormatOfInt64>(rows::int64, rounds),
            folding_on<Op<FormatOfInt32>, FormatOfInt32>(rows::int32, rounds),
            folding_on<Op<FormatOfUint64>, FormatOfUint64>(rows::uint64, rounds),
            folding_on<Op<FormatOfDouble>, FormatOfDouble>(rows::real, rounds),
            folding_on<Op<FormatOfFloat>, FormatOfFloat>(rows::real32, rounds),
            folding_on<Op<FormatOfFloat16>, FormatOfFloat16>(rows::real16, rounds),
            folding_on<Op<FormatOfBfloat16>, FormatOfBfloat16>(rows::brain16, rounds)};
}

// -------------------------------------------------------------------------------------------------------------- pairs

/// Whether the right one of two pairs is the result.
using TakesRight = bool (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);

template <class Format>
struct LowestPlace {
    static bool takes_right(std::uint64_t left, std::uint64_t left_index, std::uint64_t right,
                            std::uint64_t right_index) {
        const std::int64_t a = in_order<Format>(left);
        const std::int64_t b = in_order<Format>(right);
        return b < a || (b == a && right_index < left_index);
    }
    static constexpr TakesRight takes_right_again = again::right_is_least<Format>;
};
template <class Format>
struct HighestPlace {
    static bool takes_right(std::uint64_t left, std::uint64_t left_index, std::uint64_t right,
                            std::uint64_t right_index) {
        const std::int64_t a = in_order<Format>(left);
        const std::int64_t b = in_order<Format>(right);
        return a < b || (b == a && right_index < left_index);
    }
    static constexpr TakesRight takes_right_again = again::right_is_greatest<Format>;
};

template <TakesRight takes_right>
void of_pairs(const Folding&, std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += sizeof(ElementAndIndex)) {
        const auto a = from_bytes<ElementAndIndex>(left + i);
        const auto b = from_bytes<ElementAndIndex>(right + i);
        const ElementAndIndex taken = takes_right(a.bits, a.index, b.bits, b.index) ? b : a;
        std::memcpy(into + i, &taken, sizeof taken);
    }
}

template <class Op>
constexpr Folding folding_of_pairs(const ElementTypeRecord& type) {
    return {.type = &type, .fold = of_pairs<Op::takes_right>, .again = of_pairs<Op::takes_right_again>};
}

template <template <class> class Op>
constexpr std::array<Folding, 7> on_pairs() {
    return {folding_of_pairs<Op<FormatOfInt64>>(rows::int64_and_index),
            folding_of_pairs<Op<FormatOfInt32>>(rows::int32_and_index),
            folding_of_pairs<Op<FormatOfUint64>>(rows::uint64_and_index),
            folding_of_pairs<Op<FormatOfDouble>>(rows::real_and_index),
            folding_of_pairs<Op<FormatOfFloat>>(rows::real32_and_index),
            folding_of_pairs<Op<FormatOfFloat16>>(rows::real16_and_index),
            folding_of_pairs<Op<FormatOfBfloat16>>(rows::brain16_and_index)};
}

// ---------------------------------------------------------------------------------------------------------- the table

constexpr auto sums = on_numbers<Sum>(Rounds::sums);
constexpr auto products = on_numbers<Product>(Rounds::products);
constexpr auto minima = on_numbers<Lower>();
constexpr auto maxima = on_numbers<Higher>();
constexpr auto exclusive_ors = on_whole_numbers<ExclusiveOr>();
constexpr auto ands = on_whole_numbers<And>();
constexpr auto ors = on_whole_numbers<Or>();
constexpr auto logical_ands = on_whole_numbers<LogicalAnd>();
constexpr auto logical_ors = on_whole_numbers<LogicalOr>();
constexpr auto logical_exclusive_ors = on_whole_numbers<LogicalExclusiveOr>();
constexpr auto lowest_places = on_pairs<LowestPlace>();
constexpr auto highest_places = on_pairs<HighestPlace>();
constexpr std::array concatenations = {Folding{.type = &rows::text}};

constexpr OperatorRecord row_of_sum{.name = "sum", .on = sums};
constexpr OperatorRecord row_of_min{.name = "min", .idempotent = true, .on = minima};
constexpr OperatorRecord row_of_max{.name = "max", .idempotent = true, .on = maxima};
constexpr OperatorRecord row_of_exclusive_or{.name = "xor", .on = exclusive_ors};
constexpr OperatorRecord row_of_concat{.name = "concat", .commutative = false, .on = concatenations};
constexpr OperatorRecord row_of_prod{.name = "prod", .on = products};
constexpr OperatorRecord row_of_band{.name = "band", .idempotent = true, .on = ands};
constexpr OperatorRecord row_of_bor{.name = "bor", .idempotent = true, .on = ors};
// Not idempotent, though they look it: 5 op 5 is 1.
constexpr OperatorRecord row_of_land{.name = "land", .on = logical_ands};
constexpr OperatorRecord row_of_lor{.name = "lor", .on = logical_ors};
constexpr OperatorRecord row_of_lxor{.name = "lxor", .on = logical_exclusive_ors};
constexpr OperatorRecord row_of_minloc{.name = "minloc", .idempotent = true, .with_index = true, .on = lowest_places};
constexpr OperatorRecord row_of_maxloc{.name = "maxloc", .idempotent = true, .with_index = true, .on = highest_places};

}  // namespace

constinit const Operator Operator::sum{row_of_sum};
constinit const Operator Operator::min{row_of_min};
constinit const Operator Operator::max{row_of_max};
constinit const Operator Operator::exclusive_or{row_of_exclusive_or};
constinit const Operator Operator::concat{row_of_concat};
constinit const Operator Operator::prod{row_of_prod};
constinit const Operator Operator::band{row_of_band};
constinit const Operator Operator::bor{row_of_bor};
constinit const Operator Operator::land{row_of_land};
constinit const Operator Operator::lor{row_of_lor};
constinit const Operator Operator::lxor{row_of_lxor};
constinit const Operator Operator::minloc{row_of_minloc};
constinit const Operator Operator::maxloc{row_of_maxloc};

const std::vector<Operator>& operators() {
    static const std::vector<Operator> all = {Operator::sum,    Operator::min,  Operator::max,  Operator::exclusive_or,
                                              Operator::concat, Operator::prod, Operator::band, Operator::bor,
                                              Operator::land,   Operator::lor,  Operator::lxor, Operator::minloc,
                                              Operator::maxloc};
    return all;
}

ElementType elements_of(const Operator& op, const ElementType& type) {
    return op->with_index && type->with_index != nullptr ? ElementType(*type->with_index) : type;
}

const Folding* Operator::on(const ElementType& type) const {
    const auto found = std::ranges::find(record_->on, &*type, &Folding::type);
    return found == record_->on.end() ? nullptr : &*found;
}

namespace detail {

void require_said(std::string_view name, bool fold, bool elements) {
    if (name.empty()) throw RequestError("an operator of one's own has no name; want one for reports, \"argmax\"");
    if (!fold)
        throw RequestError(fmt::format("op {}: it does not say what it makes of two elements; want .fold", name));
    if (!elements)
        throw RequestError(
            fmt::format("op {}: it does not say what nodes contribute; want .contribution, or .draw", name));
}

std::string name_of_size(std::size_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

std::string text_of_bytes(std::span<const std::byte> bytes) {
    std::string text = "0x";
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return text;
}

}  // namespace detail

// ----------------------------------------------------------------------------------------------------------------- claims

namespace {

/// Tries one operator on one type.
class Claims {
  public:
    using Element = std::vector<std::byte>;

    Claims(const Operator& op, const Folding& folding) : op_(op), folding_(folding), type_(*folding.type) {}

    void try_on(const Element& a, const Element& b, const Element& c) const {
        if (const Element early = fold(fold(a, b), c), late = fold(a, fold(b, c)); !same(early, late))
            refuse("associative, as every operator must be", {a, b, c}, early, "if it begins on the left", late,
                   "if on the right");
        if (const Element one = fold(a, b), other = fold(b, a); op_->commutative && !same(one, other))
            refuse("commutative; say .commutative = false", {a, b}, one, "in this order", other, "in the other");
        if (const Element twice = fold(a, a); op_->idempotent && !same(twice, a))
            refuse("idempotent; say .idempotent = false", {a, a}, twice, "", a, "is what it would have to be");
    }

  private:
    [[nodiscard]] Element fold(const Element& left, const Element& right) const {
        Element both(left.size());
        folding_.fold(folding_, both.data(), left.data(), right.data(), both.size());
        return both;
    }
    [[nodiscard]] bool same(const Element& a, const Element& b) const {
        return folding_.same != nullptr ? folding_.same(folding_, a.data(), b.data()) : a == b;
    }
    [[nodiscard]] std::string text(const Element& element) const { return type_.text(type_, element.data()); }
    [[noreturn]] void refuse(std::string_view what, const std::vector<Element>& operands, const Element& one,
                             std::string_view how, const Element& other, std::string_view otherwise) const {
        std::vector<std::string> texts;
        for (const Element& operand : operands) texts.push_back(text(operand));
        throw RequestError(fmt::format("op {} is not {}: of {} it makes {}{}{}, and {} {}", op_->name, what,
                                       fmt::join(texts, " and "), text(one), how.empty() ? "" : " ", how, text(other),
                                       otherwise));
    }

    const Operator& op_;
    const Folding& folding_;
    const ElementTypeRecord& type_;
};

}  // namespace

void require_claims(const Operator& op, const ElementType& type, NodeId nodes) {
    constexpr int tries = 100;
    const Folding& folding = *op.on(type);
    const Claims claims(op, folding);
    Dice dice(1);
    std::array<Claims::Element, 3> drawn;
    for (int n = 0; n < tries; ++n) {
        for (Claims::Element& element : drawn) {
            element.resize(type->bytes);
            type->sample(*type, dice, nodes, element.data());
        }
        claims.try_on(drawn[0], drawn[1], drawn[2]);
    }
}

}  // namespace kport
