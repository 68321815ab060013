#include "emulator/node/operator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/processor.hpp"
#include "emulator/node/operators_again.hpp"

namespace kport {

namespace {

constexpr std::uint64_t bytes_of_word = 8;

#if defined(__x86_64__)
/// Fewer elements are done before wide registers are filled.
constexpr std::uint64_t by_eight_from = 64;
#endif

// ------------------------------------------------------------------------------------------------------- types of elements

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

/// x % 1000 by what wide registers can do, for 2^32 is 296 and 2^20 is 576 modulo 1000.
constexpr std::uint64_t modulo_1000(std::uint64_t x) {
    x = (x >> 32) * 296 + (x & 0xFFFFFFFF);                // below 2^41
    x = (x >> 20) * 576 + (x & 0xFFFFF);                   // below 2^31
    const std::uint64_t quotient = (x * 274877907) >> 38;  // 2^38 / 1000, rounded up: exact up to 2^32
    return x - quotient * 1000;
}

/// Small whole numbers: sums of doubles are exact, whatever the order in which they are folded. In line, as fold_words().
template <class Number>
[[gnu::always_inline]] inline void small_numbers_in_line(std::uint64_t stream, std::uint64_t i, std::uint64_t stride,
                                                         std::uint64_t count, std::byte* into) {
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto number = static_cast<Number>(modulo_1000(mixed(stream + i + k * stride)));
        std::memcpy(into + k * sizeof number, &number, sizeof number);
    }
}
#if defined(__x86_64__)
template <class Number>
[[gnu::target("avx512f,avx512dq")]] void small_numbers_by_eight(std::uint64_t stream, std::uint64_t i,
                                                                std::uint64_t stride, std::uint64_t count,
                                                                std::byte* into) {
    small_numbers_in_line<Number>(stream, i, stride, count, into);
}
#endif
template <class Number>
void small_numbers(const ElementTypeRecord&, std::uint64_t seed, NodeId v, std::uint64_t i, std::uint64_t stride,
                   std::uint64_t count, std::byte* into) {
    const std::uint64_t stream = random_stream(seed, v);
#if defined(__x86_64__)
    if (count >= by_eight_from && knows_eight_words())
        return small_numbers_by_eight<Number>(stream, i, stride, count, into);
#endif
    small_numbers_in_line<Number>(stream, i, stride, count, into);
}
template <class Number>
void small_number(const ElementTypeRecord& type, std::uint64_t seed, NodeId v, std::uint64_t i, std::byte* into) {
    small_numbers<Number>(type, seed, v, i, 1, 1, into);
}
template <class Number>
void any_small_number(const ElementTypeRecord& type, Dice& dice, NodeId nodes, std::byte* into) {
    small_number<Number>(type, dice.word(), dice.below(nodes), 0, into);
}

std::string text_of_int(const ElementTypeRecord&, const std::byte* element) {
    return fmt::format("{}", from_bytes<std::int64_t>(element));
}
std::string text_of_real(const ElementTypeRecord&, const std::byte* element) {
    const auto number = from_bytes<double>(element);
    return std::isnan(number) ? "nan" : fmt::format("{}", number);  // a NaN has no sign that means anything
}

std::optional<std::int64_t> place_of_real(const std::byte* element);

constexpr ElementTypeRecord row_of_int64{
    .name = "int64",
    .bytes = bytes_of_word,
    .contribution = small_number<std::int64_t>,
    .contributions = small_numbers<std::int64_t>,
    .sample = any_small_number<std::int64_t>,
    .text = text_of_int,
    .read = bits_of<std::int64_t>,
};
constexpr ElementTypeRecord row_of_real{
    .name = "double",
    .bytes = bytes_of_word,
    .contribution = small_number<double>,
    .contributions = small_numbers<double>,
    .sample = any_small_number<double>,
    .text = text_of_real,
    .read = bits_of<double>,
    .place = place_of_real,
};
constexpr ElementTypeRecord row_of_text{.name = "string"};

// -------------------------------------------------------------------------------------------------------------- operators

/// Sums wrap around instead of overflowing: associative, whatever the values.
std::uint64_t sum_of_ints(std::uint64_t left, std::uint64_t right) { return left + right; }
std::uint64_t sum_of_reals(std::uint64_t left, std::uint64_t right) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(left) + std::bit_cast<double>(right));
}

std::int64_t in_order(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
/// The bits of a double as an integer of the same order (IEEE 754's totalOrder).
std::int64_t reals_in_order(std::uint64_t bits) {
    const auto number = static_cast<std::int64_t>(bits);
    return number ^ ((number >> 63) & std::numeric_limits<std::int64_t>::max());
}
std::optional<std::int64_t> place_of_real(const std::byte* element) {
    const auto number = from_bytes<double>(element);
    if (std::isnan(number)) return std::nullopt;
    const std::int64_t place = reals_in_order(std::bit_cast<std::uint64_t>(number));
    return place < 0 ? place + 1 : place;  // -0 stands one below 0
}
template <std::int64_t (*order)(std::uint64_t)>
std::uint64_t lower(std::uint64_t left, std::uint64_t right) {
    return order(right) < order(left) ? right : left;
}
template <std::int64_t (*order)(std::uint64_t)>
std::uint64_t higher(std::uint64_t left, std::uint64_t right) {
    return order(left) < order(right) ? right : left;
}
std::uint64_t exclusive_or(std::uint64_t left, std::uint64_t right) { return left ^ right; }

using OfTwo = std::uint64_t (*)(std::uint64_t, std::uint64_t);

template <OfTwo op>
std::uint64_t of_words(const Folding&, std::uint64_t left, std::uint64_t right) {
    return op(left, right);
}
/// A loop that a compiler turns into wide registers; in line, so that each way has its own.
template <OfTwo op>
[[gnu::always_inline]] inline void fold_words(std::byte* into, const std::byte* left, const std::byte* right,
                                              std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += bytes_of_word) {
        std::uint64_t a = 0;
        std::uint64_t b = 0;
        std::memcpy(&a, left + i, bytes_of_word);
        std::memcpy(&b, right + i, bytes_of_word);
        a = op(a, b);
        std::memcpy(into + i, &a, bytes_of_word);
    }
}

#if defined(__x86_64__)
template <OfTwo op>
[[gnu::target("avx512f")]] void fold_by_eight(std::byte* into, const std::byte* left, const std::byte* right,
                                              std::uint64_t bytes) {
    fold_words<op>(into, left, right, bytes);
}
#endif

template <OfTwo op>
void of_many(const Folding&, std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) {
#if defined(__x86_64__)
    if (bytes >= by_eight_from * bytes_of_word && knows_eight_words())
        return fold_by_eight<op>(into, left, right, bytes);
#endif
    fold_words<op>(into, left, right, bytes);
}

template <OfTwo op, OfTwo again>
constexpr Folding folding_on(const ElementTypeRecord& type, bool rounds = false) {
    return {&type, of_many<op>, of_many<again>, of_words<op>, of_words<again>, rounds};
}

constexpr std::array sums = {folding_on<sum_of_ints, again::sum_of_ints>(row_of_int64),
                             folding_on<sum_of_reals, again::sum_of_reals>(row_of_real, true)};
constexpr std::array minima = {folding_on<lower<in_order>, again::min_of_ints>(row_of_int64),
                               folding_on<lower<reals_in_order>, again::min_of_reals>(row_of_real)};
constexpr std::array maxima = {folding_on<higher<in_order>, again::max_of_ints>(row_of_int64),
                               folding_on<higher<reals_in_order>, again::max_of_reals>(row_of_real)};
constexpr std::array exclusive_ors = {folding_on<exclusive_or, again::exclusive_or>(row_of_int64)};
constexpr std::array concatenations = {Folding{.type = &row_of_text}};

constexpr OperatorRecord row_of_sum{.name = "sum", .on = sums};
constexpr OperatorRecord row_of_min{.name = "min", .idempotent = true, .on = minima};
constexpr OperatorRecord row_of_max{.name = "max", .idempotent = true, .on = maxima};
constexpr OperatorRecord row_of_exclusive_or{.name = "xor", .on = exclusive_ors};
constexpr OperatorRecord row_of_concat{.name = "concat", .commutative = false, .on = concatenations};

}  // namespace

constinit const ElementType ElementType::int64{row_of_int64};
constinit const ElementType ElementType::real{row_of_real};
constinit const ElementType ElementType::text{row_of_text};

constinit const Operator Operator::sum{row_of_sum};
constinit const Operator Operator::min{row_of_min};
constinit const Operator Operator::max{row_of_max};
constinit const Operator Operator::exclusive_or{row_of_exclusive_or};
constinit const Operator Operator::concat{row_of_concat};

const std::vector<Operator>& operators() {
    static const std::vector<Operator> all = {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or,
                                              Operator::concat};
    return all;
}

const std::vector<ElementType>& element_types() {
    static const std::vector<ElementType> all = {ElementType::int64, ElementType::real, ElementType::text};
    return all;
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
