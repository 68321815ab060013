#include "app/search/symmetry.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "emulator/base/random.hpp"

namespace kport::search {
namespace {

constexpr std::uint64_t colour_steps_max = 100'000'000;  // about a second

std::vector<std::uint64_t> in_order(std::vector<std::uint64_t> colours) {
    std::ranges::sort(colours);
    return colours;
}

/// Returns the smallest class of several nodes of one colour; empty if all colours differ.
std::vector<Node32> smallest_class(const std::vector<std::uint64_t>& colours) {
    std::map<std::uint64_t, std::vector<Node32>> classes;
    for (Node32 v = 0; v < colours.size(); ++v) classes[colours[v]].push_back(v);
    const std::vector<Node32>* smallest = nullptr;
    for (const auto& [colour, members] : classes)
        if (members.size() > 1 && (smallest == nullptr || members.size() < smallest->size())) smallest = &members;
    return smallest == nullptr ? std::vector<Node32>() : *smallest;
}

/// The orbits of nodes under some automorphisms.
class Orbits {
  public:
    explicit Orbits(Node32 nodes) : of_(nodes) { std::iota(of_.begin(), of_.end(), Node32{0}); }
    [[nodiscard]] Node32 first(Node32 v) {
        while (of_[v] != v) v = of_[v] = of_[of_[v]];
        return v;
    }
    void join(const Automorphism& image) {
        for (Node32 v = 0; v < of_.size(); ++v)
            of_[std::max(first(v), first(image[v]))] = std::min(first(v), first(image[v]));
    }

  private:
    std::vector<Node32> of_;
};

std::size_t classes_of(const std::vector<std::uint64_t>& sorted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) count += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
    return count;
}

}  // namespace

std::vector<Node32> Symmetry::kinds(std::span<const Node32> fixed, std::span<const Node32> nodes) {
    std::vector<Node32> kinds;
    for (const Node32 v : nodes)
        if (std::ranges::none_of(kinds, [&](Node32 kind) { return takes(fixed, kind, v); })) kinds.push_back(v);
    return kinds;
}

bool Symmetry::takes(std::span<const Node32> fixed, Node32 from, Node32 to) {
    if (steps_ > colour_steps_max || graph_.degree(from) != graph_.degree(to)) return false;
    Colours colours(graph_.nodes());
    std::uint64_t colour = 0;
    for (const Node32 v : fixed) colours[v] = ++colour;
    Colours others = colours;
    colours[from] = others[to] = ++colour;
    return agree(std::move(colours), std::move(others), [](const Automorphism&) { return true; });
}

std::vector<Automorphism> Symmetry::automorphisms() {
    constexpr std::size_t most = 256;
    std::vector<Automorphism> found;
    (void)agree(Colours(graph_.nodes()), Colours(graph_.nodes()), [&](const Automorphism& image) {
        if (!std::ranges::is_sorted(image)) found.push_back(image);
        return found.size() == most;
    });
    return found;
}

std::vector<Automorphism> Symmetry::generators(std::span<const Node32> fixed) {
    std::vector<Automorphism> found;
    Colours colours(graph_.nodes());
    std::uint64_t colour = 0;
    for (const Node32 v : fixed) colours[v] = ++colour;
    while (steps_ <= colour_steps_max) {
        Colours same = colours;
        if (!refine(colours, same)) break;
        const std::vector<Node32> members = smallest_class(colours);
        if (members.empty()) break;
        Orbits orbits(graph_.nodes());
        const std::uint64_t of_its_own = mixed(colours[members.front()]);
        Colours from = colours;
        from[members.front()] = of_its_own;
        for (const Node32 w : members) {
            if (orbits.first(w) == orbits.first(members.front()) || steps_ > colour_steps_max) continue;
            Colours to = colours;
            to[w] = of_its_own;
            (void)agree(from, std::move(to), [&](const Automorphism& image) {
                orbits.join(image);
                found.push_back(image);
                return true;
            });
        }
        colours = std::move(from);
    }
    return found;
}

template <class Enough>
bool Symmetry::agree(Colours from, Colours to, const Enough& enough) {
    if (!refine(from, to)) return false;
    const std::vector<Node32> smallest = smallest_class(from);
    if (smallest.empty()) {
        const Automorphism image = automorphism(from, to);
        return !image.empty() && enough(image);
    }
    const Node32 v = smallest.front();
    const std::uint64_t colour = from[v];
    const std::uint64_t of_its_own = mixed(colour);
    from[v] = of_its_own;
    for (Node32 w = 0; w < graph_.nodes(); ++w) {
        if (to[w] != colour) continue;
        Colours chosen = to;
        chosen[w] = of_its_own;
        if (agree(from, std::move(chosen), enough)) return true;
        if (steps_ > colour_steps_max) return false;
    }
    return false;
}

bool Symmetry::refine(Colours& from, Colours& to) {
    for (std::size_t classes = 0; steps_ <= colour_steps_max;) {
        const Colours sorted = in_order(from);
        if (sorted != in_order(to)) return false;
        const std::size_t now = classes_of(sorted);
        if (now == classes) return true;
        classes = now;
        from = refined(from);
        to = refined(to);
    }
    return false;
}

Symmetry::Colours Symmetry::refined(const Colours& colours) {
    steps_ += graph_.channels() + 4 * std::uint64_t{graph_.nodes()};
    Colours finer(colours.size());
    for (Node32 v = 0; v < graph_.nodes(); ++v) {
        std::uint64_t near = 0;
        for (const Node32 w : graph_.neighbours(v)) near += mixed(colours[w]);
        finer[v] = mixed(colours[v] + mixed(near));
    }
    return finer;
}

Automorphism Symmetry::automorphism(const Colours& from, const Colours& to) const {
    std::unordered_map<std::uint64_t, Node32> by_colour;
    for (Node32 w = 0; w < graph_.nodes(); ++w) by_colour[to[w]] = w;
    if (by_colour.size() != graph_.nodes()) return {};
    Automorphism image(graph_.nodes());
    for (Node32 v = 0; v < graph_.nodes(); ++v) image[v] = by_colour.at(from[v]);
    std::vector<Node32> images;
    for (Node32 v = 0; v < graph_.nodes(); ++v) {
        images.clear();
        for (const Node32 w : graph_.neighbours(v)) images.push_back(image[w]);
        std::ranges::sort(images);
        if (!std::ranges::equal(images, graph_.neighbours(image[v]))) return {};
    }
    return image;
}

}  // namespace kport::search
