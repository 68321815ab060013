#include "app/umpire/results.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace kport::umpire {

namespace {

template <class Value>
Value number_in(const std::string& text) {
    Value value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) throw std::invalid_argument(text + " is no number");
    return value;
}

/// Returns how many contributions, counted from node 0, the result of node v sums up.
Number promised_to(const Reduction& reduction, Number v) {
    const Number nodes = reduction.contributions.size();
    switch (reduction.operation) {
        case Operation::reduce: return v == reduction.source ? nodes : 0;
        case Operation::allreduce: return nodes;
        case Operation::scan: return v + 1;
        case Operation::exscan: return v;
        default: return 0;
    }
}

std::string fold_of_integers(const Reduction& reduction, Number count) {
    auto all = number_in<std::int64_t>(reduction.contributions.front());
    for (Number v = 1; v < count; ++v) {
        const auto next = number_in<std::int64_t>(reduction.contributions[v]);
        switch (reduction.op) {
            case Operator::sum: all = static_cast<std::int64_t>(Number(all) + Number(next)); break;
            case Operator::minimum: all = next < all ? next : all; break;
            case Operator::maximum: all = next > all ? next : all; break;
            case Operator::product: all = static_cast<std::int64_t>(Number(all) * Number(next)); break;
            case Operator::bits_and: all &= next; break;
            case Operator::bits_or: all |= next; break;
            case Operator::logical_and: all = all != 0 && next != 0 ? 1 : 0; break;
            case Operator::logical_or: all = all != 0 || next != 0 ? 1 : 0; break;
            case Operator::logical_exclusive_or: all = (all != 0) != (next != 0) ? 1 : 0; break;
            default: all ^= next;
        }
    }
    return std::to_string(all);
}

std::string text_of(double number) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::string fold_of_doubles(const Reduction& reduction, Number count) {
    constexpr double exact_up_to = 9007199254740992.0;  // 2^53: sums of integers below it are not rounded
    auto all = number_in<double>(reduction.contributions.front());
    double magnitude = std::abs(all);
    bool whole = all == std::trunc(all);
    for (Number v = 1; v < count; ++v) {
        const auto next = number_in<double>(reduction.contributions[v]);
        const bool below = next < all || (next == all && std::signbit(next));  // -0 is less than 0
        if (reduction.op == Operator::sum) all += next;
        if (reduction.op == Operator::minimum && below) all = next;
        if (reduction.op == Operator::maximum && !below) all = next;
        magnitude += std::abs(next);
        whole = whole && next == std::trunc(next);
    }
    const bool rounds =
        reduction.op == Operator::product || (reduction.op == Operator::sum && !(whole && magnitude < exact_up_to));
    const bool exact = count == 1 || !rounds;
    return exact ? text_of(all) : "";
}

/// Whether a result is equal: numbers by value, not by digits.
bool says(const Reduction& reduction, const std::string& result, const std::string& right) {
    if (reduction.op == Operator::concatenation || !reduction.real) return result == right;
    const auto given = number_in<double>(result);
    const auto wanted = number_in<double>(right);
    return given == wanted && std::signbit(given) == std::signbit(wanted);
}

}  // namespace

std::string right_result(const Reduction& reduction, Number v) {
    const Number count = promised_to(reduction, v);
    if (count == 0) return "";
    if (reduction.op == Operator::concatenation) {
        std::string all;
        for (Number w = 0; w < count; ++w) all += reduction.contributions[w];
        return all;
    }
    return reduction.real ? fold_of_doubles(reduction, count) : fold_of_integers(reduction, count);
}

std::set<Number> wrong_results(const Reduction& reduction) {
    std::set<Number> wrong;
    for (Number v = 0; v < reduction.contributions.size(); ++v) {
        const auto given = reduction.results.find(v);
        if (given == reduction.results.end()) {
            if (promised_to(reduction, v) != 0) wrong.insert(v);
            continue;
        }
        if (promised_to(reduction, v) == 0) {
            wrong.insert(v);
            continue;
        }
        const std::string right = right_result(reduction, v);
        const bool open = right.empty() && reduction.op != Operator::concatenation;
        if (!open && !says(reduction, given->second, right)) wrong.insert(v);
    }
    return wrong;
}

}  // namespace kport::umpire
