#include "emulator/engine/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "emulator/engine/job.hpp"

namespace kport {

Violation value_differs(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions, NodeId nodes,
                        std::uint64_t segments) {
    Violation differs;
    differs.breach = Breach::value_differs;
    differs.round = round;
    differs.node = v;
    differs.other = from;
    differs.name_packet(contributions, nodes, segments);
    return differs;
}

void tell_result(Auditor& auditor, unsigned shard, Round round, NodeId v, const Body& result) {
    const std::span<const PacketBlock> nothing;
    auditor.result(shard, round, v, result.blocks(), result.twice != nullptr ? result.twice->blocks() : nothing);
}

namespace {

/// 2^-64: sums of fewer than 2^32 doubles stay below the largest.
constexpr int overflow_scale = -64;

/// By how much so many roundings may change a result of this size: the bound (Higham, section 3.1) twice.
double rounding(const ElementTypeRecord& type, NodeId folds, double magnitude) {
    return 2 * static_cast<double>(folds) * std::ldexp(magnitude, -type.fraction_bits);
}

}  // namespace

void SequentialFold::add(NodeId v) {
    const std::vector<std::byte> contribution = folder_.contribution(v);
    if (count_++ == 0)
        bytes_ = contribution;
    else
        folder_.fold(bytes_, contribution);
    if (!folder_.brackets_matter()) return;
    const ElementTypeRecord& type = *folder_.reduction().type;
    sums_.resize(contribution.size() / type.bytes);
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const double value = type.real(contribution.data() + i * type.bytes);
        sums_[i].magnitude += std::abs(folder_.rounds() == Rounds::products ? std::log2(std::abs(value)) : value);
        sums_[i].scaled += std::ldexp(value, overflow_scale);
        sums_[i].scaled_magnitude += std::ldexp(std::abs(value), overflow_scale);
    }
}

std::optional<std::uint64_t> SequentialFold::first_difference(std::span<const std::byte> result,
                                                              std::uint64_t first) const {
    std::span<const std::byte> right(bytes_);
    if (folder_.segments() > 1 && !folder_.has_texts()) right = right.subspan(first, result.size());
    std::size_t from = 0;
    const ElementTypeRecord& type = *folder_.reduction().type;
    if (folder_.brackets_matter() && result.size() == right.size())
        for (; from < result.size(); from += type.bytes)
            if (!may_be(sums_[(first + from) / type.bytes], type.real(right.data() + from),
                        type.real(result.data() + from)))
                break;
    const auto at = folder_.first_difference(result.subspan(from), right.subspan(from));
    return at ? std::optional(*at + from) : std::nullopt;
}

std::optional<std::uint64_t> SequentialFold::first_difference_of_texts(std::span<const std::byte> result,
                                                                       std::uint64_t segments) const {
    for (std::uint64_t i = 0; i < segments; ++i) {
        const std::uint64_t begin = std::min<std::uint64_t>(i * bytes_.size(), result.size());
        const bool is_last = i + 1 == segments;
        const auto one = result.subspan(
            begin, is_last ? std::dynamic_extent : std::min<std::uint64_t>(bytes_.size(), result.size() - begin));
        if (const auto at = first_difference(one)) return begin + *at;
    }
    return std::nullopt;
}

bool SequentialFold::may_be(const Sums& sums, double right, double given) const {
    const ElementTypeRecord& type = *folder_.reduction().type;
    if (folder_.rounds() == Rounds::products) return may_be_product(sums, right, given);
    if (count_ == 1 || 2 * sums.magnitude < std::ldexp(1.0, type.exponent_max))
        return std::abs(right - given) <= rounding(type, count_ - 1, sums.magnitude);
    // Partial sums may go beyond all numbers: the brackets then decide between both infinities, NaN and the sum, which
    // is scaled to be looked at. Where a contribution is infinite no bracket gives a number.
    if (!std::isfinite(given)) return true;
    return std::isfinite(sums.scaled_magnitude) &&
           std::abs(std::ldexp(given, overflow_scale) - sums.scaled) <= rounding(type, count_, sums.scaled_magnitude);
}

/// Beyond the largest number, or below those of full precision, the brackets decide more than the last digits.
bool SequentialFold::may_be_product(const Sums& sums, double right, double given) const {
    const ElementTypeRecord& type = *folder_.reduction().type;
    if (count_ > 1 && !(sums.magnitude < type.exponent_max - 1)) return true;
    return std::abs(right - given) <= rounding(type, count_ - 1, std::abs(right));
}

namespace {

/// A result, wherever it stands.
struct Given {
    std::span<const PacketBlock> contributions;
    std::span<const std::byte> bytes;
    bool intact;
};

void compare(const SequentialFold& all, const Folder& folder, const Given& result, NodeId v, Auditor& auditor) {
    auditor.compared(1, result.bytes.size());
    const auto tell = [&](std::uint64_t byte) {
        Violation differs;
        differs.breach = Breach::result_differs;
        differs.node = v;
        differs.limit = byte;
        auditor.report(differs);
    };
    if (folder.segments() == 1) {
        if (const auto byte = all.first_difference(result.bytes)) tell(*byte);
        return;
    }
    if (folder.has_texts()) {
        if (const auto byte = all.first_difference_of_texts(result.bytes, rows_of(result.contributions).size()))
            tell(*byte);
        return;
    }
    bool differs = false;
    folder.for_each_run(result.contributions, [&](std::uint32_t first, std::uint32_t count, std::uint64_t begin) {
        if (differs) return;  // it is told once
        const std::uint64_t each = folder.bytes_of_segment();
        const auto byte = all.first_difference(result.bytes.subspan(begin, count * each), first * each);
        differs = byte.has_value();
        if (differs) tell(first * each + *byte);
    });
}

/// The folds that a user promises, each made once: of the contributions of some nodes, to all segments.
class TakenFolds {
  public:
    explicit TakenFolds(const Folder& folder) : folder_(folder) {}

    /// Of these contributions, in row 0.
    [[nodiscard]] const SequentialFold& of(const PacketSet& contributions) {
        const auto is_it = [&](const Known& known) {
            return known.contributions.size() == contributions.size() &&
                   known.contributions.covers(contributions.blocks());
        };
        if (const auto known = std::ranges::find_if(known_, is_it); known != known_.end()) return known->fold;
        Known& made = known_.emplace_back(Known{contributions, SequentialFold(folder_)});
        std::vector<NodeId> nodes;
        for (const PacketBlock& block : contributions.blocks())
            for (std::uint32_t i = 0; i < block.count; ++i) nodes.push_back(block.columns()[i]);
        std::ranges::sort(nodes);
        for (const NodeId v : nodes) made.fold.add(v);
        return made.fold;
    }

  private:
    struct Known {
        PacketSet contributions;
        SequentialFold fold;
    };

    const Folder& folder_;
    std::deque<Known> known_;
};

/// Compares what node v gives with what it takes, segment by segment; those that it does not take are told already.
void compare_taken(const OwnFolds& folds, TakenFolds& made, const Folder& folder, const Given& result, NodeId v,
                   Auditor& auditor) {
    auditor.compared(1, result.bytes.size());
    std::uint64_t begin = 0;
    std::vector<std::uint32_t> segments;
    const PacketSet rows = rows_of(result.contributions);
    for (const PacketBlock& block : rows.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) segments.push_back(block.columns()[i]);
    std::ranges::sort(segments);
    for (const std::uint32_t segment : segments) {
        const TakenFold* const taken = folds.taken(v, segment);
        if (taken == nullptr) return;  // where its bytes end is not known for texts
        const SequentialFold& right = made.of(taken->of);
        const std::uint64_t first = folder.has_texts() ? 0 : segment * folder.bytes_of_segment();
        const bool is_last = segment == segments.back();
        const std::uint64_t size = folder.has_texts() ? right.size() : folder.bytes_of_segment();
        const auto bytes = result.bytes.subspan(std::min<std::uint64_t>(begin, result.bytes.size()));
        const auto own =
            is_last && folder.has_texts() ? bytes : bytes.first(std::min<std::uint64_t>(size, bytes.size()));
        if (const auto byte = right.first_difference(own, folder.segments() > 1 ? first : 0)) {
            Violation differs;
            differs.breach = Breach::result_differs;
            differs.node = v;
            differs.limit = begin + *byte;
            auditor.report(differs);
            return;  // it is told once
        }
        begin += size;
    }
}

/// Of the nodes of a share. `with(v, look)` calls look(given) if node v gave a result.
template <class With>
std::vector<ShownResult> verified(const Folder& folder, const Collective& collective, NodeId nodes, Auditor& auditor,
                                  NodeId shown_max, const NodeShare& share, AgreementBook* book, const With& with) {
    std::vector<ShownResult> shown;
    if (!folder.payload()) return shown;
    const bool rooted = collective.inwards();
    SequentialFold all(folder);
    const bool owes_any = !rooted || share.contains(collective.root);
    NodeId folded = 0;
    const auto fold_first = [&](NodeId count) {
        for (; folded < count; ++folded) all.add_next();
    };
    for (NodeId v = 0; collective.scans() && v < nodes; ++v) {
        fold_first(collective.prefix_size(v));
        if (share.contains(v) && collective.gives_result(v))
            with(v, [&](const Given& result) { compare(all, folder, result, v, auditor); });
    }
    const OwnFolds* const folds = collective.own_folds();
    TakenFolds taken(folder);
    if (owes_any && collective.members != nullptr)
        for (const NodeId v : collective.members->nodes()) all.add(v);
    else if (owes_any && !collective.scans() && folds == nullptr)
        fold_first(nodes);
    share.for_each(nodes, [&](NodeId v) {
        const bool may_owe_none = collective.counts != nullptr || folds != nullptr;
        if (may_owe_none && v < shown_max && collective.wanted(v, nodes).empty())
            shown.push_back({v, ""});  // its block has no segments, or it takes no fold
        with(v, [&](const Given& result) {
            if (!result.intact)
                auditor.report(value_differs(v, no_node, 0, result.contributions, nodes, folder.segments()));
            if (!collective.gives_result(v)) return;  // it owes none
            if (folds != nullptr)
                compare_taken(*folds, taken, folder, result, v, auditor);
            else if (!collective.scans())
                compare(all, folder, result, v, auditor);
            if (book != nullptr) book->add(v, result.contributions, result.bytes);
            // Of several segments the first; texts are as long in each.
            const std::uint64_t shared = folder.has_texts() ? rows_of(result.contributions).size() : 1;
            if (!rooted && v >= shown_max) return;
            const std::uint64_t size =
                folds != nullptr && shared > 1
                    ? std::min<std::uint64_t>(taken.of(folds->of(v).front().of).size(), result.bytes.size())
                    : result.bytes.size() / shared;
            shown.push_back({v, folder.text(result.bytes.data(), size)});
        });
    });
    return shown;
}

}  // namespace

std::vector<std::string> texts_of(std::vector<ShownResult> shown) {
    std::ranges::sort(shown, {}, &ShownResult::node);
    std::vector<std::string> texts;
    for (ShownResult& result : shown) texts.push_back(std::move(result.text));
    return texts;
}

std::vector<ShownResult> verify_results(const Folder& folder, const Collective& collective, NodeId nodes,
                                        const NodeArray<Body*>& results, Auditor& auditor, NodeId shown_max,
                                        const NodeShare& share, AgreementBook* book) {
    return verified(folder, collective, nodes, auditor, shown_max, share, book, [&](NodeId v, const auto& look) {
        const Body* result = results[v];
        if (result != nullptr) look(Given{result->blocks(), result->content(), folder.intact(*result)});
    });
}

std::vector<ShownResult> verify_results(const Folder& folder, const Collective& collective, NodeId nodes,
                                        const HugeArray<Element>& results, Auditor& auditor, NodeId shown_max,
                                        const NodeShare& share, AgreementBook* book) {
    return verified(folder, collective, nodes, auditor, shown_max, share, book, [&](NodeId v, const auto& look) {
        if (results[v].contributions.count == 0) return;
        const PacketBlock contributions = results[v].block();
        look(Given{{&contributions, 1}, std::as_bytes(std::span(&results[v].bits, 1)), folder.intact(results[v])});
    });
}

}  // namespace kport
