/// @file family.hpp   A family of topologies as one record: its name, its specifications, its members.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// The text after a family's name in a specification, parsed strictly. Errors begin with the specification.
class Parameters {
  public:
    /// An expected number: its name and its range.
    struct Wanted {
        std::string_view what;
        std::uint64_t least;
        std::uint64_t most;
    };

    /// `where` begins the messages: "topology 'mesh:4x'"; `form` is the family's.
    Parameters(std::string_view text, std::string where, std::string_view form)
        : text_(text), where_(std::move(where)), form_(form) {}

    [[nodiscard]] std::string_view text() const { return text_; }
    /// Returns the only number. Throws RequestError.
    [[nodiscard]] std::uint64_t number(const Wanted& wanted) const { return read(text_, wanted); }
    /// Returns all numbers between separators. Throws RequestError.
    [[nodiscard]] std::vector<std::uint64_t> numbers(char separator, const Wanted& each) const;
    /// Returns as many numbers as expected, separated by commas. Throws RequestError.
    template <std::size_t n>
    [[nodiscard]] std::array<std::uint64_t, n> numbers(const Wanted (&wanted)[n]) const {
        const std::vector<std::uint64_t> all = numbers(std::span(wanted));
        std::array<std::uint64_t, n> found{};
        for (std::size_t i = 0; i < n; ++i) found[i] = all[i];
        return found;
    }
    /// Returns the parts between commas, each to be read as a whole. Throws RequestError unless there are `count`.
    [[nodiscard]] std::vector<Parameters> parts(std::size_t count) const;
    /// Builds a topology that stands within these parameters. Throws as make_topology(), and RequestError for more than 8 within each
    /// other.
    [[nodiscard]] std::shared_ptr<const Topology> inner(std::string_view spec) const;
    /// Throws RequestError.
    [[noreturn]] void refuse(std::string_view why) const;
    /// Throws DoesNotFit.
    [[noreturn]] void does_not_fit(std::string_view why) const;
    /// Throws RequestError for more nodes than a specification may name. Takes an estimate, since more may exceed 64
    /// bits.
    void require_nodes(double nodes) const;
    /// Returns k^d, k >= 1. Throws RequestError if it is more nodes than a specification may name.
    [[nodiscard]] NodeId power(std::uint64_t k, std::uint64_t d) const;
    /// Throws DoesNotFit where ports do not fit into 32 bits.
    void require_ports(std::uint64_t ports) const;

  private:
    [[nodiscard]] std::uint64_t read(std::string_view text, const Wanted& wanted) const;
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::span<const Wanted> wanted) const;

    std::string_view text_;
    std::string where_;
    std::string_view form_;
};

/// How books draw the members of a family (pictures/layout.hpp). Numbers are those of the specification.
enum class DrawnAs : std::uint8_t {
    computed,        ///< no usual drawing: computed from the links
    circle,          ///< in the order of numbers
    hub,             ///< node 0 in the middle of a circle
    grid,            ///< by coordinates, the last one from left to right
    cube,            ///< by the bits of the number, as a cube, two cubes side by side, ...
    levels,          ///< a tree, node 0 on top
    ranks,           ///< rows of 2^D nodes, D the first number
    two_rows,        ///< the first A nodes above the others, A the first number
    two_rings,       ///< the first half of the nodes around the others
    cube_of_cycles,  ///< each corner of a cube a cycle of D nodes, D the first number
    groups           ///< circles of A nodes on a circle, A the first number
};

/// What is known of a family by its name. Properties of its members (degrees, distances, symmetry) belong to the class
/// that `build` makes.
///
/// A new family is one file and its line in CMakeLists.txt: families/NAME.cpp defines families_in_NAME(), which returns
/// its records. The command line, its help, lists and completions, stress and the tests find it here.
struct TopologyFamily {
    std::string_view name;   ///< "mesh"
    std::string_view form;   ///< "mesh:AxBxC..."
    std::string_view about;  ///< one line
    std::shared_ptr<const Topology> (*build)(const Parameters&);
    /// Parameters of members with exactly so many nodes, for tests and stress: all of them, or a representative
    /// selection.
    std::vector<std::string> (*members)(NodeId nodes);
    std::vector<std::string_view> also = {};  ///< other names in books
    unsigned weight = 1;                      ///< how often stress draws it, relative to the others
    /// Parameters of a random member of at most so many nodes; null: stress picks one of `members` of a random size.
    std::string (*draw)(Dice& dice, NodeId most) = nullptr;
    DrawnAs drawn = DrawnAs::computed;
    /// Whether a specification without a family's name, such as a path, is this family's parameters; null: never.
    bool (*means)(std::string_view spec) = nullptr;
};

/// Returns k^d; some number above nodes_max if it exceeds that.
[[nodiscard]] constexpr std::uint64_t power_of(std::uint64_t k, std::uint64_t d) {
    std::uint64_t power = 1;
    for (; d > 0 && k > 1; --d) {
        if (power > nodes_max / k) return nodes_max + 1;
        power *= k;
    }
    return power;
}

/// Returns all families in the order in which they are listed.
[[nodiscard]] const std::vector<TopologyFamily>& topology_families();
/// Adds a family that this room does not know, such as graphs from files. Does nothing if its name is known already.
/// Not thread-safe with any request for a topology.
void add_topology_family(const TopologyFamily& family);

/// Whether a word begins like the specification of a topology, possibly mistyped; a path does not.
[[nodiscard]] bool begins_as_topology(std::string_view word);

/// Returns "mesh:4x5"; the name only if the family has no parameters.
[[nodiscard]] std::string spec_of(const TopologyFamily& family, std::string_view parameters);

/// Returns all topologies of exactly so many nodes that the families name as members.
[[nodiscard]] std::vector<std::string> topologies_of(NodeId nodes);
/// Returns a random topology of at most so many nodes; small ones are more likely than large ones.
[[nodiscard]] std::string draw_topology(Dice& dice, NodeId most);
/// Returns topologies with fewer nodes: one number of the specification smaller, or one of several sides removed.
[[nodiscard]] std::vector<std::string> smaller_topologies(const Topology& topology);

/// Returns the sides, such as "2x3", of all grids of so many nodes with two or three sides, each at least 2.
[[nodiscard]] std::vector<std::string> members_with_sides(NodeId nodes);

/// Returns, as text, those n >= `least` for which the increasing nodes_of(n) is `nodes`: the members of a family of one
/// number.
template <class NodesOf>
[[nodiscard]] std::vector<std::string> one_number(NodeId nodes, std::uint64_t least, const NodesOf& nodes_of) {
    std::vector<std::string> found;
    for (std::uint64_t n = least; nodes_of(n) <= nodes; ++n)
        if (nodes_of(n) == nodes) found.push_back(std::to_string(n));
    return found;
}

}  // namespace kport
