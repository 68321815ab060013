#include "algorithms/support/cube_crossings.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// The order of words of rotations_plan().
class RotationOrder {
  public:
    explicit RotationOrder(int dimensions)
        : dimensions_(static_cast<unsigned>(dimensions)), words_((std::uint32_t{1} << dimensions_) - 1),
          place_(words_ + 1, none), classes_(dimensions_ + 1) {
        for (std::uint32_t word = 1; word <= words_; ++word) {
            std::uint32_t size = 1;
            std::uint32_t other = rotated(word);
            for (; other > word; other = rotated(other)) ++size;
            if (other == word) classes_[static_cast<std::size_t>(std::popcount(word))].push_back({word, size});
        }
        order_.reserve(words_);
        invariant(dimensions == 0 || fills(1), "the words of a hypercube have an order by rotations");
    }
    [[nodiscard]] const std::vector<std::uint32_t>& words() const { return order_; }

  private:
    struct Class {
        std::uint32_t word;  ///< its least word
        std::uint32_t size;
        bool placed = false;
    };

    [[nodiscard]] std::uint32_t rotated(std::uint32_t word) const {
        return ((word << 1U) | (word >> (dimensions_ - 1))) & words_;
    }
    [[nodiscard]] std::size_t next_bit() const { return order_.size() % dimensions_; }
    [[nodiscard]] std::size_t group() const { return order_.size() / dimensions_; }

    /// Appends a word if it has the next bit and depends on no word of its own group.
    bool place(std::uint32_t word) {
        const std::uint32_t before = word ^ (std::uint32_t{1} << next_bit());
        if (before > word || (before != 0 && place_[before] / dimensions_ >= group())) return false;
        place_[word] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(word);
        return true;
    }
    void back_to(std::size_t size) {
        for (; order_.size() > size; order_.pop_back()) place_[order_.back()] = none;
    }
    bool place_class(std::uint32_t first, std::uint32_t size) {
        for (; size > 0; --size, first = rotated(first))
            if (!place(first)) return false;
        return true;
    }

    /// Orders the remaining words of this weight and above.
    bool fills(std::size_t weight) {
        if (order_.size() == words_) return true;
        std::vector<Class>& classes = classes_[weight];
        bool all_placed = true;
        const std::size_t size = order_.size();
        for (Class& entering : classes) {
            if (entering.placed) continue;
            all_placed = false;
            entering.placed = true;
            std::uint32_t member = entering.word;
            for (std::uint32_t i = 0; i < entering.size; ++i, member = rotated(member)) {
                if (place_class(member, entering.size) && fills(weight)) return true;
                back_to(size);
            }
            entering.placed = false;
        }
        return all_placed && fills(weight + 1);
    }

    unsigned dimensions_;
    std::uint32_t words_;
    std::vector<std::uint32_t> place_;  ///< index of a word in the order
    std::vector<std::uint32_t> order_;
    std::vector<std::vector<Class>> classes_;  ///< by weight
};

/// The edges between addresses and dimensions, coloured one by one.
class EdgeColours {
  public:
    explicit EdgeColours(unsigned dimensions)
        : dimensions_(dimensions), colours_(std::size_t{1} << dimensions >> 1U),
          of_edge_((std::size_t{1} << dimensions) * dimensions, none), address_at_(dimensions * colours_, none),
          maybe_free_(dimensions, 0) {}

    [[nodiscard]] std::uint32_t colour(std::uint32_t address, unsigned d) const {
        return of_edge_[address * dimensions_ + d];
    }

    /// Colours the edge with a colour free at the address. If the dimension uses it, the path of the two colours that
    /// begins there is flipped first; it never reaches the address.
    void add(std::uint32_t address, unsigned d) {
        const std::uint32_t at_address = free_at_address(address);
        if (at(d, at_address) != none) flip(d, at_address, free_at_dimension(d));
        put(address, d, at_address);
    }

  private:
    std::uint32_t& at(unsigned d, std::uint32_t colour) { return address_at_[d * colours_ + colour]; }
    [[nodiscard]] unsigned dimension_at(std::uint32_t address, std::uint32_t colour) const {
        unsigned d = 0;
        while (d < dimensions_ && this->colour(address, d) != colour) ++d;
        return d;
    }
    [[nodiscard]] std::uint32_t free_at_address(std::uint32_t address) const {
        std::uint32_t colour = 0;
        while (dimension_at(address, colour) < dimensions_) ++colour;
        return colour;
    }
    [[nodiscard]] std::uint32_t free_at_dimension(unsigned d) {
        std::uint32_t& colour = maybe_free_[d];  // no lower one is free
        while (at(d, colour) != none) ++colour;
        return colour;
    }
    void put(std::uint32_t address, unsigned d, std::uint32_t colour) {
        of_edge_[address * dimensions_ + d] = colour;
        at(d, colour) = address;
    }

    /// Dimension d has colour a and lacks b; afterwards the reverse.
    void flip(unsigned d, std::uint32_t a, std::uint32_t b) {
        std::vector<std::pair<std::uint32_t, unsigned>> path;  // edges of colours a, b, a, ...
        for (unsigned end = d; end < dimensions_;) {
            const std::uint32_t address = at(end, path.size() % 2 == 0 ? a : b);
            if (address == none) break;
            path.emplace_back(address, end);
            end = dimension_at(address, path.size() % 2 == 0 ? a : b);
            if (end < dimensions_) path.emplace_back(address, end);
        }
        for (const auto& [address, end] : path) at(end, colour(address, end)) = none;
        for (std::size_t i = 0; i < path.size(); ++i) put(path[i].first, path[i].second, i % 2 == 0 ? b : a);
        for (const auto& [address, end] : path) maybe_free_[end] = std::min({maybe_free_[end], a, b});
    }

    unsigned dimensions_;
    std::size_t colours_;
    std::vector<std::uint32_t> of_edge_;     ///< by address and dimension
    std::vector<std::uint32_t> address_at_;  ///< by dimension and colour
    std::vector<std::uint32_t> maybe_free_;
};

}  // namespace

CubePlan rotations_plan(int dimensions) {
    CubePlan plan;
    const auto n = static_cast<std::size_t>(dimensions);
    const RotationOrder order(dimensions);
    for (std::size_t t = 0; t < order.words().size(); ++t) {
        if (t % n == 0) plan.emplace_back();
        const NodeId word = order.words()[t];
        plan.back().push_back({static_cast<int>(t % n), word ^ (NodeId{1} << (t % n)), word});
    }
    return plan;
}

CubePlan koenig_plan(int dimensions) {
    const auto n = static_cast<unsigned>(dimensions);
    EdgeColours colours(n);
    const auto has = [](std::uint32_t address, unsigned d) { return (address >> d & 1U) != 0; };
    for (std::uint32_t address = 1; address < std::uint32_t{1} << n; ++address)
        for (unsigned d = 0; d < n; ++d)
            if (has(address, d)) colours.add(address, d);
    CubePlan plan(std::size_t{1} << n >> 1U);
    for (std::uint32_t address = 1; address < std::uint32_t{1} << n; ++address)
        for (unsigned d = 0; d < n; ++d) {
            if (!has(address, d)) continue;
            NodeId crossed = 0;
            for (unsigned other = 0; other < n; ++other)
                if (has(address, other) && colours.colour(address, other) < colours.colour(address, d))
                    crossed |= NodeId{1} << other;
            plan[colours.colour(address, d)].push_back({static_cast<int>(d), crossed, address});
        }
    return plan;
}

}  // namespace kport
