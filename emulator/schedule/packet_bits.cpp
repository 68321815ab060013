#include "emulator/schedule/packet_bits.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "emulator/schedule/packet_table.hpp"
#include "emulator/schedule/packet_words.hpp"

namespace kport {

namespace {

// A list of few blocks is searched as fast. A block takes as much memory as three words. A set that has become bits
// keeps that form a little longer, so that it does not switch to and fro.
constexpr std::uint64_t pieces_a_block = 3;  // packets added one by one become pairs, sometimes triples
constexpr std::uint64_t words_a_block = 4;
constexpr std::uint64_t words_a_run_grown = 8;
// A long list takes so long to search that scattered packets may take more memory as bits than in a list.
constexpr std::uint64_t blocks_of_a_long_list = 64;
constexpr std::uint64_t words_a_block_of_many = 32;
constexpr std::uint64_t words_a_run_of_many = 64;
constexpr std::uint64_t pieces_a_block_of_many = 32;
constexpr std::uint64_t words_at_most = std::uint64_t{1} << 22;

/// Returns how many words may replace `blocks` blocks or runs.
std::uint64_t words_for(std::uint64_t blocks, std::uint64_t each, std::uint64_t each_of_many) {
    return std::min(words_at_most, blocks * (blocks < blocks_of_a_long_list ? each : each_of_many));
}

std::uint64_t ones(std::uint64_t bits) { return bits == 0 ? 0 : static_cast<std::uint64_t>(std::popcount(bits)); }

}  // namespace

void PacketBits::Window::take(const Window& other) {
    if (rows == 0) {
        *this = other;
        return;
    }
    const std::uint32_t row_end = std::max(row + rows, other.row + other.rows);
    const std::uint32_t word_end = std::max(word + width, other.word + other.width);
    row = std::min(row, other.row);
    word = std::min(word, other.word);
    rows = row_end - row;
    width = word_end - word;
}

/// Adds half of the size to a window that has grown, so that a set that grows row by row is copied seldom.
PacketBits::Window PacketBits::Window::with_room(const Window& before) const {
    constexpr std::uint32_t ends = std::numeric_limits<std::uint32_t>::max();
    constexpr std::uint32_t words_end = ends / columns_a_word;
    Window roomy = *this;
    const std::uint32_t below = row < before.row ? std::min(row, rows / 2) : 0;
    const std::uint32_t above = row + rows > before.row + before.rows ? std::min(ends - row - rows, rows / 2) : 0;
    roomy.row -= below;
    roomy.rows += below + above;
    const std::uint32_t left = word < before.word ? std::min(word, width / 2) : 0;
    const std::uint32_t right =
        word + width > before.word + before.width ? std::min(words_end - word - width, width / 2) : 0;
    roomy.word -= left;
    roomy.width += left + right;
    return roomy;
}

PacketBlock PacketBits::Window::places() const {
    return {word * columns_a_word, 1, width * columns_a_word, row, 1, rows};
}

PacketBits::Window PacketBits::window_of(const PacketBlock& block) {
    const std::uint32_t word = block.first / columns_a_word;
    const std::uint32_t last = block.columns().last() / columns_a_word;
    return {block.row, block.all_rows().last() - block.row + 1, word, last - word + 1};
}

/// Whether it is at least one packet, each once. Others stay a list, and are reported where they leave a program.
bool PacketBits::is_set(const PacketBlock& block) {
    const auto counts = [](const Progression& p) {
        return p.count != 0 && p.stride != 0 &&
               p.first + std::uint64_t{p.count - 1} * p.stride < std::numeric_limits<std::uint32_t>::max();
    };
    return counts(block.columns()) && counts(block.all_rows());
}

std::optional<PacketBits> PacketBits::of(std::span<const PacketBlock> blocks, std::span<const PacketBlock> others) {
    const std::size_t all = blocks.size() + others.size();
    if (all < blocks_of_bits) return std::nullopt;
    const auto runs_of = [](const PacketBlock& block) {
        return block.rows * std::uint64_t{block.stride == 1 ? 1 : block.count};
    };
    const std::uint64_t pieces_most = all * (all < blocks_of_a_long_list ? pieces_a_block : pieces_a_block_of_many);
    std::uint64_t pieces = 0;
    Window window;
    for (const PacketBlock& block : others) pieces += runs_of(block);
    for (const PacketBlock& block : blocks) {
        pieces += runs_of(block);
        if (pieces > pieces_most || !is_set(block)) return std::nullopt;
        window.take(window_of(block));
    }
    if (window.size() > words_for(all, words_a_block, words_a_block_of_many)) return std::nullopt;
    PacketBits bits(window);
    std::uint64_t twice = 0;
    for (const PacketBlock& block : blocks) {
        bits.for_each_word(block, [&](std::size_t place, std::uint64_t mask) {
            twice |= bits.words_[place] & mask;
            bits.words_[place] |= mask;
        });
        bits.size_ += block.size();
    }
    if (twice != 0) return std::nullopt;
    return bits;
}

template <class Visit>
void PacketBits::for_each_word(const PacketBlock& block, Visit&& visit) const {
    const auto visit_row = [&](std::uint32_t row, const Progression& columns) {
        const std::size_t begin = std::size_t{row - window_.row} * window_.width;
        kport::for_each_word(columns, [&](std::uint32_t word, std::uint64_t bits, std::int64_t) {
            visit(begin + (word - window_.word), bits);
        });
    };
    if (block.is_range()) {  // the common case; most of these lie in one word
        if (block.row - window_.row >= window_.rows) return;
        const std::uint32_t column = block.first - window_.word * columns_a_word;
        const std::uint32_t bit = column % columns_a_word;
        if (column / columns_a_word < window_.width && block.count - 1 < columns_a_word - bit) {
            visit(std::size_t{block.row - window_.row} * window_.width + column / columns_a_word,
                  ~std::uint64_t{0} >> (columns_a_word - block.count) << bit);
            return;
        }
        const std::uint32_t first = std::max(block.first, window_.word * columns_a_word);
        const std::uint32_t last =
            std::min(block.columns().last(), (window_.word + window_.width) * columns_a_word - 1);
        if (block.count != 0 && first <= last) visit_row(block.row, {first, 1, last - first + 1});
        return;
    }
    const auto here = common(block, window_.places());
    if (!here) return;
    for (std::uint32_t j = 0; j < here->rows; ++j) visit_row(here->all_rows()[j], here->columns());
}

template <class Visit>
void PacketBits::for_each_common_word(const PacketBits& others, Visit&& visit) {
    const Window& of = others.window_;
    const std::uint32_t row_end = std::min(window_.row + window_.rows, of.row + of.rows);
    const std::uint32_t first = std::max(window_.word, of.word);
    const std::uint32_t end = std::min(window_.word + window_.width, of.word + of.width);
    for (std::uint32_t row = std::max(window_.row, of.row); row < row_end; ++row) {
        std::uint64_t* own = words_.data() + std::size_t{row - window_.row} * window_.width;
        const std::uint64_t* other = others.words_.data() + std::size_t{row - of.row} * of.width;
        for (std::uint32_t word = first; word < end; ++word) visit(own[word - window_.word], other[word - of.word]);
    }
}

void PacketBits::append(std::size_t place, std::uint64_t bits, PacketBlocks& to) const {
    if (bits == 0) return;
    const auto at = static_cast<std::uint32_t>(place);  // there are at most 2^32 words
    append_runs(window_.row + at / window_.width, window_.word + at % window_.width, bits, to);
}

PacketBlocks PacketBits::written() const {
    PacketBlocks all;
    for (std::size_t place = 0; place < words_.size(); ++place) append(place, words_[place], all);
    return all;
}

std::span<const PacketBlock> PacketBits::blocks() const {
    const PacketBlocks* written = written_.load(std::memory_order_acquire);
    if (written == nullptr) {
        auto fresh = std::make_unique<const PacketBlocks>(this->written());
        // Another task may have finished first.
        if (written_.compare_exchange_strong(written, fresh.get(), std::memory_order_acq_rel))
            written = fresh.release();
    }
    return span_of(*written);
}

std::uint64_t PacketBits::runs() const {
    std::uint64_t runs = 0;
    for (const std::uint64_t word : words_) runs += ones(word & ~(word << 1));
    return runs;
}

bool PacketBits::grow(const Window& to_hold) {
    Window window = window_;
    window.take(to_hold);
    if (window == window_) return true;
    const std::uint64_t words = words_for(runs() + 1, words_a_run_grown, words_a_run_of_many);
    if (window.size() > words) return false;
    if (const Window roomy = window.with_room(window_); roomy.size() <= words) window = roomy;
    PacketBits grown(window);
    for (std::uint32_t row = 0; row < window_.rows; ++row) {
        const auto from = words_.begin() + std::ptrdiff_t{row} * window_.width;
        const auto to = (std::ptrdiff_t{row} + window_.row - window.row) * window.width + window_.word - window.word;
        std::copy(from, from + window_.width, grown.words_.begin() + to);
    }
    window_ = window;
    words_.swap(grown.words_);
    return true;
}

bool PacketBits::include(const PacketBlock& packets) {
    // Nearly all are one packet or a few, within the window.
    const bool fits = packets.is_range() && packets.count - 1 < columns_a_word &&
                      packets.row - window_.row < window_.rows &&
                      packets.first / columns_a_word - window_.word < window_.width &&
                      (packets.first + packets.count - 1) / columns_a_word - window_.word < window_.width;
    if (!fits && (!is_set(packets) || !grow(window_of(packets)))) return false;
    change();
    for_each_word(packets, [&](std::size_t place, std::uint64_t mask) {
        size_ += ones(mask & ~words_[place]);
        words_[place] |= mask;
    });
    return true;
}

bool PacketBits::include(const PacketBits& others) {
    if (!grow(others.window_)) return false;
    change();
    for_each_common_word(others, [&](std::uint64_t& own, std::uint64_t bits) {
        size_ += ones(bits & ~own);
        own |= bits;
    });
    return true;
}

std::uint64_t PacketBits::remove(const PacketBlock& packets) {
    change();
    std::uint64_t removed = 0;
    for_each_word(packets, [&](std::size_t place, std::uint64_t mask) {
        removed += ones(words_[place] & mask);
        words_[place] &= ~mask;
    });
    size_ -= removed;
    return removed;
}

std::uint64_t PacketBits::remove(const PacketBits& others) {
    change();
    std::uint64_t removed = 0;
    for_each_common_word(others, [&](std::uint64_t& own, std::uint64_t bits) {
        removed += ones(own & bits);
        own &= ~bits;
    });
    size_ -= removed;
    return removed;
}

void PacketBits::keep(const PacketBits& others) {
    change();
    PacketBits kept(window_);
    kept.for_each_common_word(others, [&](std::uint64_t& own, std::uint64_t bits) { own = bits; });
    size_ = 0;
    for (std::size_t place = 0; place < words_.size(); ++place) size_ += ones(words_[place] &= kept.words_[place]);
}

PacketBlock PacketBits::lowest() const {
    const auto word = std::ranges::find_if(words_, [](std::uint64_t bits) { return bits != 0; });
    const auto at = static_cast<std::uint32_t>(word - words_.begin());
    return {(window_.word + at % window_.width) * columns_a_word + static_cast<std::uint32_t>(std::countr_zero(*word)),
            1, 1, window_.row + at / window_.width};
}

std::uint64_t PacketBits::common_size(const PacketBlock& packets) const {
    std::uint64_t size = 0;
    for_each_word(packets, [&](std::size_t place, std::uint64_t mask) { size += ones(words_[place] & mask); });
    return size;
}

void PacketBits::append_common(const PacketBlock& packets, PacketBlocks& to) const {
    for_each_word(packets, [&](std::size_t place, std::uint64_t mask) { append(place, words_[place] & mask, to); });
}

void PacketBits::append_lacking(const PacketBlock& packets, PacketBlocks& to) const {
    const std::uint64_t known = common_size(packets);
    if (known == packets.size()) return;
    if (known == 0) {  // the fast path: nothing to convert
        to.push_back(packets);
        return;
    }
    const auto here = common(packets, window_.places());
    const PacketBlocks beyond = without(packets, *here);
    to.insert(to.end(), beyond.begin(), beyond.end());
    for_each_word(*here, [&](std::size_t place, std::uint64_t mask) { append(place, mask & ~words_[place], to); });
}

static_assert(PacketTable::columns == columns_a_word);

PacketSet PacketTable::set(NodeId v) const {
    PacketBlocks runs;
    for (std::uint64_t i = 0; i < words_; ++i) append_runs(0, static_cast<std::uint32_t>(i), word(v, i), runs);
    PacketSet all;
    all.add(runs);
    return all;
}

void PacketTable::put(NodeId v, const PacketSet& packets) {
    for (std::uint64_t i = 0; i < words_; ++i) word(v, i) = 0;
    for (const PacketBlock& block : packets.blocks())
        for_each_word(block.columns(), [&](std::uint32_t i, std::uint64_t bits, std::int64_t) { word(v, i) |= bits; });
}

std::uint64_t PacketTable::count(NodeId v) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < words_; ++i) count += static_cast<std::uint64_t>(std::popcount(word(v, i)));
    return count;
}

}  // namespace kport
