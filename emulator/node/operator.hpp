/// @file operator.hpp   What a reduction folds with: types of elements and operators on them, the table's and one's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/random.hpp"
#include "emulator/base/types.hpp"
#include "emulator/node/data.hpp"

namespace KPORT_PUBLIC kport {

/// What elements of a type are, as bytes. The functions are called by any thread.
struct ElementTypeRecord {
    std::string_view name = {};
    std::uint64_t bytes = 0;  ///< of an element; 0: texts of any length, of which a value is one
    /// Element i of node v's contribution, where no values are given.
    void (*contribution)(const ElementTypeRecord&, std::uint64_t seed, NodeId v, std::uint64_t i,
                         std::byte* into) = nullptr;
    /// `contribution` of elements i, i + stride, ..., count of them, one behind the other; null: one by one.
    void (*contributions)(const ElementTypeRecord&, std::uint64_t seed, NodeId v, std::uint64_t i, std::uint64_t stride,
                          std::uint64_t count, std::byte* into) = nullptr;
    /// An element at random, as nodes 0 to nodes - 1 may contribute it: on such ones operators are tried.
    void (*sample)(const ElementTypeRecord&, Dice& dice, NodeId nodes, std::byte* into) = nullptr;
    std::string (*text)(const ElementTypeRecord&, const std::byte* element) = nullptr;  ///< for people
    /// Node v's element from text; false where that is none. Null: contributions cannot be given as text.
    bool (*read)(const std::string& text, NodeId v, std::byte* into) = nullptr;
    std::string_view wanted = {};  ///< what is read: "a number such as 0.5"
    /// The element's number among all values of the type in ascending order, both zeros one; nothing for NaN. Null: results are not
    /// compared by their distance.
    std::optional<std::int64_t> (*place)(const std::byte* element) = nullptr;
    /// Of numbers that are rounded: the value, bits behind the point, and the highest power of two. Null: of others.
    double (*real)(const std::byte* element) = nullptr;
    int fraction_bits = 0;
    int exponent_max = 0;
    const ElementTypeRecord* with_index = nullptr;  ///< pairs of such an element and an index
    bool one_a_packet = false;                      ///< a packet holds one element, whatever its size
};

/// A type of elements; copies share its record.
class ElementType {
  public:
    static const ElementType int64;
    static const ElementType int32;
    static const ElementType uint64;
    static const ElementType real;     ///< doubles
    static const ElementType real32;   ///< floats
    static const ElementType real16;   ///< float16: 5 bits of the exponent, 10 of the fraction
    static const ElementType brain16;  ///< bfloat16: 8 and 7
    static const ElementType text;

    /// `record` must live as long as the program.
    constexpr explicit ElementType(const ElementTypeRecord& record) : record_(&record) {}
    explicit ElementType(std::shared_ptr<const ElementTypeRecord> own) : record_(own.get()), own_(std::move(own)) {}

    [[nodiscard]] const ElementTypeRecord* operator->() const { return record_; }
    [[nodiscard]] const ElementTypeRecord& operator*() const { return *record_; }
    [[nodiscard]] bool is_text() const { return record_->bytes == 0; }

    friend bool operator==(const ElementType& a, const ElementType& b) { return a.record_ == b.record_; }

  private:
    const ElementTypeRecord* record_;
    std::shared_ptr<const ElementTypeRecord> own_ = nullptr;
};

/// What is rounded, so that the result depends on the brackets.
enum class Rounds : std::uint8_t { no, sums, products };

/// An operator on the elements of one type. `fold` makes the values that move, `again` makes each fold once more, for the seal
/// of its result (node/seal.hpp): the table's operators are written twice for that. Of one's own there is one; made twice,
/// it shows when it does not give the same each time.
struct Folding {
    /// into := left op right, whole elements one after the other; `into` may be left or right.
    using OfMany = void (*)(const Folding&, std::byte* into, const std::byte* left, const std::byte* right,
                            std::uint64_t bytes);
    /// left op right, of elements of at most 8 bytes.
    using OfWords = std::uint64_t (*)(const Folding&, std::uint64_t left, std::uint64_t right);

    const ElementTypeRecord* type = nullptr;
    OfMany fold = nullptr;  ///< null: texts, which are put one behind the other
    OfMany again = nullptr;
    OfWords fold_word = nullptr;
    OfWords again_word = nullptr;
    Rounds rounds = Rounds::no;
    /// Whether two elements count as the same result; null: if they have the same bits.
    bool (*same)(const Folding&, const std::byte* a, const std::byte* b) = nullptr;
};

/// What an operator is, on each type for which it is defined. All are associative.
struct OperatorRecord {
    std::string_view name = {};
    bool commutative = true;
    bool idempotent = false;  ///< x op x = x: a contribution that is folded twice does no harm
    bool with_index = false;  ///< on pairs of an element and an index
    std::span<const Folding> on = {};
};

/// What a user says of an operator of his own, on elements of type T. It must be associative; that, and what he says of it, is
/// tried on random elements before each run.
///
///     job.reduction = Reduction::own<Best>({.name = "argmax", .fold = better, .commutative = true, .idempotent = true,
///                                           .contribution = [](NodeId v, std::uint64_t) { return Best{temperature(v), v}; }});
///
/// The functions are called by several threads at once, and must always give the same.
template <SentAsBytes T>
struct OwnOperator {
    std::string name = {};                                      ///< in reports: "argmax"
    std::function<T(const T& left, const T& right)> fold = {};  ///< left op right
    bool commutative = false;
    bool idempotent = false;
    std::function<T(NodeId v, std::uint64_t i)> contribution = {};  ///< element i of node v's; null: drawn
    std::function<T(Dice&)> draw = {};                              ///< null: small whole numbers, if T is a number
    std::string type = {};                                          ///< the name of T in reports; empty: its size
    std::function<std::string(const T&)> text = {};                 ///< for people; null: the number, or the bytes
    /// Whether results count as the same, where rounding makes them depend on the brackets; null: if they have the same bits.
    std::function<bool(const T&, const T&)> same = {};
};

namespace detail {
template <SentAsBytes T>
class OwnFolding;
}

/// An operator: a row of the table, or one's own. Whole numbers wrap around; real ones are rounded to nearest once in each fold.
/// min, max, minloc and maxloc order real numbers as IEEE 754's totalOrder does, -0 below 0: of every operator of the table but
/// the sum and the product of real numbers the result is the same, bit for bit, wherever the brackets stand. minloc and maxloc
/// give the least or greatest element with the lowest index that has it.
class Operator {
  public:
    static const Operator sum;
    static const Operator min;
    static const Operator max;
    static const Operator exclusive_or;
    static const Operator concat;
    static const Operator prod;
    static const Operator band;
    static const Operator bor;
    static const Operator land;
    static const Operator lor;
    static const Operator lxor;
    static const Operator minloc;
    static const Operator maxloc;

    /// `record` must live as long as the program.
    constexpr explicit Operator(const OperatorRecord& record) : record_(&record) {}
    explicit Operator(std::shared_ptr<const OperatorRecord> own) : record_(own.get()), own_(std::move(own)) {}

    [[nodiscard]] const OperatorRecord* operator->() const { return record_; }
    /// The operator on a type; null where it is not defined.
    [[nodiscard]] const Folding* on(const ElementType& type) const;
    /// Whether it is a user's, and no row of the table.
    [[nodiscard]] bool is_own() const { return own_ != nullptr; }
    /// Whether the result on a type has the same bits wherever the brackets stand.
    [[nodiscard]] bool is_exact(const ElementType& type) const {
        const Folding* folding = on(type);
        return folding != nullptr && folding->rounds == Rounds::no && folding->same == nullptr;
    }

    friend bool operator==(const Operator& a, const Operator& b) { return a.record_ == b.record_; }

  private:
    const OperatorRecord* record_;
    std::shared_ptr<const OperatorRecord> own_ = nullptr;
};

/// Those of the table, in the order of Operator's names.
[[nodiscard]] const std::vector<Operator>& operators();
[[nodiscard]] inline std::string_view name(const Operator& op) {
    return op->name;
}  ///< "sum", "min", "max", "xor", "concat", "prod", ...
[[nodiscard]] inline std::string_view name(const ElementType& type) {
    return type->name;
}  ///< "int64", "double", "string", ...

/// The types of the table.
[[nodiscard]] const std::vector<ElementType>& element_types();
/// The elements of a type that an operator folds: pairs with an index, where it is on such.
[[nodiscard]] ElementType elements_of(const Operator& op, const ElementType& type);

/// Tries an operator on random elements of its type. Throws RequestError with elements on which it is not associative, or
/// not what it is said to be.
void require_claims(const Operator& op, const ElementType& type, NodeId nodes);

// -------------------------------------------------------------------------------------------------------- of one's own

namespace detail {

/// Bytes between members have any value; seals and comparisons are of all bytes.
template <class T>
void clear_padding([[maybe_unused]] T& x) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&x);
#else
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>,
                  "this compiler cannot clear the bytes between the members of T; want a type without such bytes");
#endif
}

/// Throws RequestError where the user has not said enough.
void require_said(std::string_view name, bool fold, bool elements);
[[nodiscard]] std::string name_of_size(std::size_t bytes);
[[nodiscard]] std::string text_of_bytes(std::span<const std::byte> bytes);

/// The records of a user's operator and of his type, which own what he has said.
template <SentAsBytes T>
class OwnFolding : public OperatorRecord, public ElementTypeRecord, public Folding {
  public:
    explicit OwnFolding(OwnOperator<T> said) : said_(std::move(said)) {
        if constexpr (std::is_arithmetic_v<T>)
            if (!said_.draw) said_.draw = [](Dice& dice) { return static_cast<T>(dice.below(100)); };
        require_said(said_.name, said_.fold != nullptr, said_.draw || said_.contribution);
        if (said_.type.empty()) said_.type = name_of_size(sizeof(T));
        OperatorRecord::name = said_.name;
        commutative = said_.commutative;
        idempotent = said_.idempotent;
        on = {static_cast<const Folding*>(this), 1};

        ElementTypeRecord::name = said_.type;
        bytes = sizeof(T);
        ElementTypeRecord::contribution = contribution_of;
        sample = sample_of;
        text = text_of;

        type = this;
        again = Folding::fold = fold_of;
        if constexpr (sizeof(T) == sizeof(std::uint64_t)) again_word = fold_word = fold_words;
        if (said_.same) same = same_of;
    }
    OwnFolding(const OwnFolding&) = delete;
    OwnFolding& operator=(const OwnFolding&) = delete;
    ~OwnFolding() = default;

  private:
    template <class Record>
    [[nodiscard]] static const OwnOperator<T>& said(const Record& record) {
        return static_cast<const OwnFolding&>(record).said_;
    }
    static void put(T element, std::byte* into) {
        clear_padding(element);
        std::memcpy(into, &element, sizeof element);
    }
    static void contribution_of(const ElementTypeRecord& record, std::uint64_t seed, NodeId v, std::uint64_t i,
                                std::byte* into) {
        if (said(record).contribution) return put(said(record).contribution(v, i), into);
        Dice dice(random_word(seed, v, i));
        put(said(record).draw(dice), into);
    }
    static void sample_of(const ElementTypeRecord& record, Dice& dice, NodeId nodes, std::byte* into) {
        if (said(record).draw) return put(said(record).draw(dice), into);
        const NodeId v = dice.below(nodes);
        put(said(record).contribution(v, 0), into);
    }
    static std::string text_of(const ElementTypeRecord& record, const std::byte* element) {
        if (said(record).text) return said(record).text(from_bytes<T>(element));
        if constexpr (std::is_arithmetic_v<T>) return fmt::format("{}", from_bytes<T>(element));
        return text_of_bytes({element, sizeof(T)});
    }
    static void fold_of(const Folding& folding, std::byte* into, const std::byte* left, const std::byte* right,
                        std::uint64_t all) {
        for (std::uint64_t i = 0; i < all; i += sizeof(T))
            put(said(folding).fold(from_bytes<T>(left + i), from_bytes<T>(right + i)), into + i);
    }
    static std::uint64_t fold_words(const Folding& folding, std::uint64_t left, std::uint64_t right) {
        fold_of(folding, reinterpret_cast<std::byte*>(&left), reinterpret_cast<const std::byte*>(&left),
                reinterpret_cast<const std::byte*>(&right), sizeof left);
        return left;
    }
    static bool same_of(const Folding& folding, const std::byte* a, const std::byte* b) {
        return said(folding).same(from_bytes<T>(a), from_bytes<T>(b));
    }

    OwnOperator<T> said_;
};

}  // namespace detail

}  // namespace kport
