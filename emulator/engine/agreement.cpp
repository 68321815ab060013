#include "emulator/engine/agreement.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emulator/engine/planned_parts.hpp"
#include "emulator/node/fold_order.hpp"

namespace kport {

namespace {

bool have_same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

bool stands_before(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::ranges::lexicographical_compare(a, b);
}

/// Most significant byte first, as numbers are written.
std::string hexadecimal(std::span<const std::byte> element) {
    std::string digits;
    for (std::size_t i = element.size(); i-- > 0;) digits += fmt::format("{:02x}", static_cast<unsigned>(element[i]));
    return digits;
}

}  // namespace

bool has_several_holders(const Operation& operation) { return operation == Operation::allreduce; }

bool has_several_holders(const Collective& collective) {
    const OwnFolds* const folds = collective.own_folds();
    return folds != nullptr ? folds->has_several_holders() : has_several_holders(collective.operation);
}

AgreementBook::AgreementBook(const Folder& folder, const Collective& collective, NodeId nodes)
    : folder_(folder), shared_(has_several_holders(collective)), are_brackets_(folds_brackets(folder.reduction())),
      is_own_(collective.is_own()) {
    const bool shows_bits = !folder.has_texts() && !are_brackets_ && folder.bytes_of_segment() != 0;
    if (shows_bits && nodes <= Agreement::bits_max) found_.bits.resize(nodes);
}

void AgreementBook::add(NodeId v, std::span<const PacketBlock> contributions, std::span<const std::byte> bytes) {
    const std::uint64_t count = folder_.segments() == 1 ? 1 : rows_of(contributions).size();
    const std::uint64_t each = count == 0 ? 0 : bytes.size() / count;
    if (each == 0) return;
    if (is_own_ && folder_.has_texts() && count > 1) return;  // which differ in length, and are exact
    for (std::uint64_t i = 0; i < count && !found_.bits.empty(); ++i)
        note_bits(v, bytes.subspan(i * each, std::min(each, folder_.reduction().type->bytes)));
    const bool is_whole = shared_ && !is_own_ && count == folder_.segments();
    if (is_whole && have_same_bytes(whole_.bytes, bytes)) {
        ++whole_holders_;
        return;
    }
    if (are_brackets_) note_brackets(bytes);
    if (!shared_) {
        found_.holders = 1;
    } else if (is_whole && whole_.node == no_node && segments_.empty()) {
        whole_ = {v, bytes};
        ++whole_holders_;
    } else {
        std::uint64_t i = 0;
        folder_.for_each_run(contributions, [&](std::uint32_t first, std::uint32_t successive, std::uint64_t) {
            for (std::uint32_t k = 0; k < successive; ++k)
                compare(v, first + k, list_of(contributions, first + k), bytes.subspan(i++ * each, each));
        });
    }
}

std::size_t AgreementBook::list_of(std::span<const PacketBlock> contributions, std::uint32_t segment) {
    if (!is_own_) return 0;
    PacketSet own = in_segment(contributions, segment);
    const auto is_it = [&](const PacketSet& list) { return list.size() == own.size() && list.covers(own.blocks()); };
    const auto known = std::ranges::find_if(lists_, is_it);
    const auto number = static_cast<std::size_t>(known - lists_.begin());
    if (known == lists_.end()) lists_.push_back(std::move(own));
    return number;
}

void AgreementBook::compare(NodeId v, std::uint32_t segment, std::size_t list, std::span<const std::byte> bytes) {
    Segment& held = segments_[{segment, list}];
    ++held.holders;
    if (whole_.node != no_node && held.first.node == no_node)
        held.first = {whole_.node, whole_.bytes.subspan(segment * bytes.size(), bytes.size())};
    if (held.first.node == no_node)
        held.first = {v, bytes};
    else if (!have_same_bytes(held.first.bytes, bytes))
        held.others.push_back({v, bytes});
}

void AgreementBook::note_bits(NodeId v, std::span<const std::byte> first_element) {
    if (++bits_ > Agreement::bits_max)
        found_.bits.clear();
    else
        found_.bits[v].push_back(hexadecimal(first_element));
}

void AgreementBook::note_brackets(std::span<const std::byte> brackets) {
    std::vector<std::span<const std::byte>> all;
    for (std::size_t i = 0; i < brackets.size(); i += sizeof(Bracket)) {
        all.push_back(brackets.subspan(i, sizeof(Bracket)));
        found_.height = std::max(found_.height, from_bytes<Bracket>(all.back().data()).height);
    }
    std::ranges::sort(all, stands_before);
    const auto repeated = std::ranges::unique(all, have_same_bytes);
    found_.different_at_a_node = std::max<std::uint64_t>(found_.different_at_a_node, all.size() - repeated.size());
}

std::optional<std::uint64_t> AgreementBook::ulps_between(std::span<const Held> results) const {
    const ElementTypeRecord& type = *folder_.reduction().type;
    if (type.place == nullptr) return 0;
    std::uint64_t largest = 0;
    for (std::size_t byte = 0; byte < results.front().bytes.size(); byte += type.bytes) {
        std::vector<std::int64_t> places;
        for (const Held& result : results) {
            const auto place = type.place(result.bytes.data() + byte);
            if (!place) return std::nullopt;
            places.push_back(*place);
        }
        const auto [least, greatest] = std::ranges::minmax(places);
        largest = std::max(largest, static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least));
    }
    return largest;
}

void AgreementBook::note_difference(const Segment& segment, Agreement& all) const {
    std::vector<Held> results{segment.first};
    results.insert(results.end(), segment.others.begin(), segment.others.end());
    std::ranges::stable_sort(results, stands_before, &Held::bytes);
    const auto repeated = std::ranges::unique(results, have_same_bytes, &Held::bytes);
    results.erase(repeated.begin(), repeated.end());
    ++all.segments_that_differ;
    if (all.largest_ulps) {
        const auto ulps = ulps_between(results);
        all.largest_ulps = ulps ? std::optional(std::max(*ulps, *all.largest_ulps)) : std::nullopt;
    }
    if (results.size() <= all.different) return;
    all.different = results.size();
    all.holders = segment.holders;
    all.samples.clear();
    for (const Held& held : {segment.first, segment.others.front()})
        all.samples.push_back({held.node, folder_.text(held.bytes.data(), held.bytes.size())});
}

Agreement AgreementBook::agreement() const {
    Agreement all = found_;
    all.holders = std::max(all.holders, whole_holders_);
    if (all.holders != 0) all.different = 1;
    for (const auto& [number, segment] : segments_) {
        Segment with_whole = segment;
        with_whole.holders += whole_holders_;
        all.different = std::max<std::uint64_t>(all.different, 1);
        if (all.segments_that_differ == 0) all.holders = std::max(all.holders, with_whole.holders);
        if (!segment.others.empty()) note_difference(with_whole, all);
    }
    return all;
}

}  // namespace kport
