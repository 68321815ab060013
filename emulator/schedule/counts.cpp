#include "emulator/schedule/counts.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"

namespace kport {

Counts::Counts(std::vector<std::uint32_t> numbers, NodeId nodes, CountedFor counted_for)
    : numbers_(std::move(numbers)), nodes_(nodes), counted_for_(counted_for) {
    const std::uint64_t wanted = of_pairs() ? nodes * nodes : nodes;
    invariant(numbers_.size() == wanted, "there is a number for each node, or pair");
    for (NodeId v = 0; of_pairs() && v < nodes; ++v) numbers_[v * nodes + v] = 0;
    if (of_pairs()) {
        row_sums_.resize(nodes);
        column_sums_.resize(nodes);
    }
    std::optional<std::uint32_t> least;
    for (std::uint64_t i = 0; i < numbers_.size(); ++i) {
        const std::uint32_t number = numbers_[i];
        largest_ = std::max(largest_, number);
        total_ += number;
        if (of_pairs()) {
            row_sums_[i / nodes] += number;
            column_sums_[i % nodes] += number;
            if (i / nodes == i % nodes) continue;
        }
        least = std::min(least.value_or(number), number);
    }
    least_ = least.value_or(0);
}

Counts Counts::of_sizes(const Counts& bytes) {
    std::vector<std::uint32_t> numbers = bytes.numbers_;
    for (std::uint32_t& number : numbers) number = std::min<std::uint32_t>(number, 1);
    Counts counts(std::move(numbers), bytes.nodes_, bytes.counted_for_);
    Counts sizes = bytes;
    sizes.sums_before_ = {0};
    for (const std::uint32_t size : bytes.numbers_) sizes.sums_before_.push_back(sizes.sums_before_.back() + size);
    counts.bytes_ = std::make_shared<const Counts>(std::move(sizes));
    return counts;
}

std::uint64_t Counts::sum_of(std::span<const PacketBlock> packets) const {
    const auto along = [&](const Progression& some, std::uint64_t offset) {
        if (some.stride == 1 || some.count == 1)
            return sums_before_[offset + some.first + some.count] - sums_before_[offset + some.first];
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < some.count; ++i) sum += numbers_[offset + some[i]];
        return sum;
    };
    std::uint64_t sum = 0;
    for (const PacketBlock& block : packets) switch (counted_for_) {
            case CountedFor::blocks: sum += along(block.all_rows(), 0); break;
            case CountedFor::pairs:
                for (std::uint32_t r = 0; r < block.rows; ++r)
                    sum += along(block.columns(), block.all_rows()[r] * nodes_);
                break;
            default: sum += along(block.columns(), 0);
        }
    return sum;
}

Counts Counts::counted_for(CountedFor other) const {
    if (bytes_ != nullptr) return of_sizes(bytes_->counted_for(other));
    return {numbers_, nodes_, other};
}

Counts Counts::placed(std::span<const NodeId> node, NodeId count) const {
    if (bytes_ != nullptr) return of_sizes(bytes_->placed(node, count));
    std::vector<std::uint32_t> numbers(of_pairs() ? count * count : count);
    for (NodeId u = 0; u < node.size(); ++u) {
        if (!of_pairs()) numbers[node[u]] = of(u);
        for (NodeId v = 0; of_pairs() && v < node.size(); ++v) numbers[node[u] * count + node[v]] = of(u, v);
    }
    return {std::move(numbers), count, counted_for_};
}

Counts Counts::of_nodes(std::span<const NodeId> nodes) const {
    if (bytes_ != nullptr) return of_sizes(bytes_->of_nodes(nodes));
    std::vector<std::uint32_t> numbers;
    for (const NodeId u : nodes) {
        if (!of_pairs()) numbers.push_back(of(u));
        for (std::size_t i = 0; of_pairs() && i < nodes.size(); ++i) numbers.push_back(of(u, nodes[i]));
    }
    return {std::move(numbers), nodes.size(), counted_for_};
}

namespace {

/// Returns how many members of a progression are below the end.
std::uint32_t members_below(const Progression& members, std::uint64_t end) {
    if (members.first >= end) return 0;
    const std::uint64_t steps = members.stride == 0 ? members.count : (end - members.first - 1) / members.stride + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(members.count, steps));
}

/// Calls visit(first, count, value) for each run of equal values among the indices 0 .. count - 1.
template <class Value, class Visit>
void for_each_run_of_equal(std::uint32_t count, const Value& value, const Visit& visit) {
    for (std::uint32_t i = 0; i < count;) {
        const auto now = value(i);
        std::uint32_t end = i + 1;
        while (end < count && value(end) == now) ++end;
        visit(i, end - i, now);
        i = end;
    }
}

Progression some_of(const Progression& members, std::uint32_t first, std::uint32_t count) {
    return {members[first], count == 1 ? 1 : members.stride, count};
}

}  // namespace

void Counts::add_existing_of_nodes(const PacketBlock& block, PacketSet& to) const {
    const Progression columns = block.columns();
    const auto rows_of_column = [&](std::uint32_t i) { return members_below(block.all_rows(), numbers_[columns[i]]); };
    for_each_run_of_equal(block.count, rows_of_column,
                          [&](std::uint32_t first, std::uint32_t count, std::uint32_t rows) {
                              if (rows > 0)
                                  to.add(block_of(some_of(block.all_rows(), 0, rows), some_of(columns, first, count)));
                          });
}

/// Rows of one node, or block, follow each other; of each the first few exist.
void Counts::add_existing_of_rows(const PacketBlock& block, PacketSet& to) const {
    const auto m = static_cast<std::uint32_t>(packets_each());
    const Progression rows = block.all_rows();
    const Progression columns = block.columns();
    for (std::uint32_t i = 0; i < rows.count;) {
        const std::uint32_t group = rows[i] / m;
        const std::uint32_t in_group = members_below(some_of(rows, i, rows.count - i), std::uint64_t{group} * m + m);
        const Progression here = some_of(rows, i, in_group);
        const auto rows_of_column = [&](std::uint32_t c) {
            return members_below(here, std::uint64_t{group} * m + of_row(group, columns[c]));
        };
        for_each_run_of_equal(columns.count, rows_of_column,
                              [&](std::uint32_t first, std::uint32_t count, std::uint32_t some) {
                                  if (some > 0)
                                      to.add(block_of(some_of(here, 0, some), some_of(columns, first, count)));
                              });
        i += in_group;
    }
}

PacketSet Counts::existing(std::span<const PacketBlock> packets) const {
    PacketSet all;
    for (const PacketBlock& block : packets)
        if (counted_for_ == CountedFor::nodes)
            add_existing_of_nodes(block, all);
        else
            add_existing_of_rows(block, all);
    return all;
}

namespace {

constexpr std::string_view draw_prefix = "random:";

/// A number of packets; `place` names it: "entry 2", "row 1, entry 2".
std::uint32_t number_of_packets(std::string_view text, std::string_view place) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    const std::optional<std::uint64_t> number = to_count(text);
    if (!number || *number > most - 1)
        throw RequestError(fmt::format("counts: {} {}; want a whole number from 0 to {}", place,
                                       text.empty() ? std::string("is empty") : fmt::format("is {}", quoted(text)),
                                       most - 1));
    return static_cast<std::uint32_t>(*number);
}

std::vector<std::uint32_t> drawn(std::string_view range, std::size_t how_many, std::uint64_t seed) {
    const std::size_t dots = range.find("..");
    const auto refuse = [&] {
        throw RequestError(
            fmt::format("counts {}: want random:S..T with whole numbers, S at most T, such as random:0..4",
                        quoted(fmt::format("{}{}", draw_prefix, range))));
    };
    if (dots == std::string_view::npos) refuse();
    const auto least = to_count(range.substr(0, dots));
    const auto most = to_count(range.substr(dots + 2));
    if (!least || !most || *least > *most || *most >= std::numeric_limits<std::uint32_t>::max()) refuse();
    Dice dice(seed);
    std::vector<std::uint32_t> numbers(how_many);
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(*least + dice.below(*most - *least + 1));
    return numbers;
}

std::vector<std::uint32_t> of_each_node(std::string_view text, std::string_view what, NodeId nodes) {
    if (text.find('/') != std::string_view::npos)
        throw RequestError(
            fmt::format("counts {}: {} takes a number for each node, not a matrix: 3,0,5", quoted(text), what));
    std::vector<std::uint32_t> numbers;
    for (const std::string_view entry : split(text, ','))
        numbers.push_back(number_of_packets(entry, fmt::format("entry {}", numbers.size() + 1)));
    if (numbers.size() != nodes)
        throw RequestError(fmt::format("counts has {}; {} on {} takes {}", counted(numbers.size(), "number"), what,
                                       counted(nodes, "node"), nodes));
    return numbers;
}

std::vector<std::uint32_t> of_each_pair(std::string_view text, std::string_view what, NodeId nodes) {
    const std::vector<std::string_view> rows = split(text, '/');
    if (rows.size() == 1 && nodes > 1)
        throw RequestError(fmt::format("counts has {}; {} takes a matrix: rows apart by /, such as 0,2/1,0",
                                       counted(split(text, ',').size(), "number"), what));
    if (rows.size() != nodes)
        throw RequestError(fmt::format("counts has {}; {} on {} takes a matrix of {}: rows apart by /",
                                       counted(rows.size(), "row"), what, counted(nodes, "node"), nodes));
    std::vector<std::uint32_t> numbers;
    for (std::size_t u = 0; u < rows.size(); ++u) {
        const std::vector<std::string_view> entries = split(rows[u], ',');
        for (std::size_t v = 0; v < entries.size(); ++v)
            numbers.push_back(number_of_packets(entries[v], fmt::format("row {}, entry {}", u + 1, v + 1)));
        if (entries.size() != nodes)
            throw RequestError(fmt::format("counts: row {} has {}; {} on {} takes a matrix with {} a row", u + 1,
                                           counted(entries.size(), "number"), what, counted(nodes, "node"), nodes));
    }
    return numbers;
}

}  // namespace

Counts counts_named(std::string_view text, std::string_view what, NodeId nodes, CountedFor counted_for,
                    std::uint64_t seed) {
    const bool of_pairs = counted_for == CountedFor::pairs;
    constexpr std::uint64_t pairs_max = std::uint64_t{1} << 28;
    const bool too_many = nodes >= pairs_max || (of_pairs && nodes * nodes > pairs_max);
    if (too_many)
        throw RequestError(fmt::format("counts: {} on {} has more numbers than the {} that are read", what,
                                       counted(nodes, "node"), pairs_max));
    std::vector<std::uint32_t> numbers;
    if (text.starts_with(draw_prefix))
        numbers = drawn(text.substr(draw_prefix.size()), of_pairs ? nodes * nodes : nodes, seed);
    else
        numbers = of_pairs ? of_each_pair(text, what, nodes) : of_each_node(text, what, nodes);
    return {std::move(numbers), nodes, counted_for};
}

std::string text(const Counts& counts) {
    if (!counts.of_pairs()) return fmt::format("{}", fmt::join(counts.numbers(), ","));
    std::vector<std::string> rows;
    for (NodeId u = 0; u < counts.nodes(); ++u) {
        const auto row = std::span(counts.numbers()).subspan(u * counts.nodes(), counts.nodes());
        rows.push_back(fmt::format("{}", fmt::join(row, ",")));
    }
    return fmt::format("{}", fmt::join(rows, "/"));
}

}  // namespace kport
