/// @file family.hpp   A family of topologies as one record: its name, its specifications, its members.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/dice.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// What stands behind a family's name in a specification, read strictly. Errors begin with the specification.
class Parameters {
  public:
    /// A number that is wanted: its name and its range.
    struct Wanted {
        std::string_view what;
        std::uint64_t least;
        std::uint64_t most;
    };

    /// `where` begins the messages: "topology 'mesh:4x'"; `form` is that of the family.
    Parameters(std::string_view text, std::string where, std::string_view form)
        : text_(text), where_(std::move(where)), form_(form) {}

    [[nodiscard]] std::string_view text() const { return text_; }
    /// The one number that stands there. Throws RequestError.
    [[nodiscard]] std::uint64_t number(const Wanted& wanted) const { return read(text_, wanted); }
    /// As many numbers as there are, between separators. Throws RequestError.
    [[nodiscard]] std::vector<std::uint64_t> numbers(char separator, const Wanted& each) const;
    /// As many numbers as are wanted, between commas. Throws RequestError.
    template <std::size_t n>
    [[nodiscard]] std::array<std::uint64_t, n> numbers(const Wanted (&wanted)[n]) const {
        const std::vector<std::uint64_t> all = numbers(std::span(wanted));
        std::array<std::uint64_t, n> found{};
        for (std::size_t i = 0; i < n; ++i) found[i] = all[i];
        return found;
    }
    /// Throws RequestError.
    [[noreturn]] void refuse(std::string_view why) const;
    /// Throws DoesNotFit.
    [[noreturn]] void does_not_fit(std::string_view why) const;
    /// Refuses more nodes than a specification may name. Takes an estimate, since more may not fit a number.
    void require_nodes(double nodes) const;
    /// k^d, where that is no more nodes than a specification may name; else it is refused. k >= 1.
    [[nodiscard]] NodeId power(std::uint64_t k, std::uint64_t d) const;
    /// Throws DoesNotFit where ports are more than 32 bits count.
    void require_ports(std::uint64_t ports) const;

  private:
    [[nodiscard]] std::uint64_t read(std::string_view text, const Wanted& wanted) const;
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::span<const Wanted> wanted) const;

    std::string_view text_;
    std::string where_;
    std::string_view form_;
};

/// How books draw the members of a family (pictures/layout.hpp); the numbers are those of the specification.
enum class DrawnAs : std::uint8_t {
    computed,        ///< no usual drawing: found from the links
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

/// All that anybody knows of a family by its name. What is known of its members (degrees, distances, symmetry) the class says
/// that `build` makes.
///
/// A new family is one file and its line in CMakeLists.txt: families/NAME.cpp defines families_in_NAME(), which gives its
/// records. The command line, its help, lists and completions, stress and the tests find it here.
struct TopologyFamily {
    std::string_view name;   ///< "mesh"
    std::string_view form;   ///< "mesh:AxBxC..."
    std::string_view about;  ///< one line
    std::shared_ptr<const Topology> (*build)(const Parameters&);
    /// The parameters of members with exactly so many nodes, for tests and stress: all, or as many as show what there is.
    std::vector<std::string> (*members)(NodeId nodes);
    std::vector<std::string_view> also = {};  ///< what books call it besides
    unsigned weight = 1;                      ///< how often stress draws it, beside the others
    /// The parameters of a member of at most so many nodes, at random; null: one of the members of a random size.
    std::string (*draw)(Dice& dice, NodeId most) = nullptr;
    DrawnAs drawn = DrawnAs::computed;
    /// Whether a specification that begins with no family's name is this family's parameters, such as a path; null: never.
    bool (*means)(std::string_view spec) = nullptr;
};

/// k^d, or more than nodes_max where it is more.
[[nodiscard]] constexpr std::uint64_t power_of(std::uint64_t k, std::uint64_t d) {
    std::uint64_t power = 1;
    for (; d > 0 && k > 1; --d) {
        if (power > nodes_max / k) return nodes_max + 1;
        power *= k;
    }
    return power;
}

/// All families, in the order in which they are listed.
[[nodiscard]] const std::vector<TopologyFamily>& topology_families();
/// Adds a family that this room does not know, such as graphs from files; nothing where its name is known already. Not while
/// another thread may ask for a topology.
void add_topology_family(const TopologyFamily& family);

/// Whether a word begins as the specification of a topology does, right or mistyped; a path does not.
[[nodiscard]] bool begins_as_topology(std::string_view word);

/// "mesh:4x5"; a family without parameters is its name alone.
[[nodiscard]] std::string spec_of(const TopologyFamily& family, std::string_view parameters);

/// All topologies of exactly so many nodes that the families name as members.
[[nodiscard]] std::vector<std::string> topologies_of(NodeId nodes);
/// A topology of at most so many nodes, at random: small ones more often than large ones.
[[nodiscard]] std::string draw_topology(Dice& dice, NodeId most);
/// Topologies with one number of the specification smaller, or with one of several sides left out; those with fewer nodes.
[[nodiscard]] std::vector<std::string> smaller_topologies(const Topology& topology);

/// The sides, such as "2x3", of all grids of so many nodes that have two or three sides, each at least 2.
[[nodiscard]] std::vector<std::string> members_with_sides(NodeId nodes);

/// Those n from least on, as text, for which nodes_of(n), which grows with n, is `nodes`: the members of a family of one number.
template <class NodesOf>
[[nodiscard]] std::vector<std::string> one_number(NodeId nodes, std::uint64_t least, const NodesOf& nodes_of) {
    std::vector<std::string> found;
    for (std::uint64_t n = least; nodes_of(n) <= nodes; ++n)
        if (nodes_of(n) == nodes) found.push_back(std::to_string(n));
    return found;
}

}  // namespace kport
