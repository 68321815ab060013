#include "emulator/topology/members.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

constexpr std::string_view members_by_paths = "paths;";

/// Reads "0,3,5-9", as list_of_nodes() writes it: numbers of F, whatever its nodes are called.
std::vector<NodeId> members_listed(const Parameters& given, std::string_view list, NodeId nodes) {
    constexpr std::size_t members_most = std::size_t{1} << 20;
    std::vector<NodeId> members;
    std::set<NodeId> seen;
    for (const std::string_view part : split(list, ',')) {
        const std::size_t dash = part.find('-');
        const std::optional<std::uint64_t> first = to_count(part.substr(0, dash));
        const std::optional<std::uint64_t> last =
            dash == std::string_view::npos ? first : to_count(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= nodes)
            given.refuse(fmt::format("{} is no node, and no range of nodes; want numbers from 0 to {}, such as 0,3,5-9",
                                     quoted(part), nodes - 1));
        if (*last - *first >= members_most - members.size())
            given.does_not_fit(fmt::format("more than {} members", members_most));
        for (NodeId v = *first; v <= *last; ++v) {
            if (!seen.insert(v).second) given.refuse(fmt::format("node {} is named twice; want each node once", v));
            members.push_back(v);
        }
    }
    return members;
}

std::shared_ptr<const Topology> build_members(const Parameters& given) {
    const std::size_t end = given.text().find(';');
    if (end == std::string_view::npos)
        given.refuse("no semicolon after the members; want members(NODES;F), such as members(0,3,5-9;mesh:4x4)");
    std::string_view spec = given.text().substr(end + 1);
    const bool by_paths = spec.starts_with(members_by_paths);
    if (by_paths) spec.remove_prefix(members_by_paths.size());
    const std::shared_ptr<const Topology> whole = given.inner(spec);
    if (whole->membership() != nullptr)
        given.refuse(fmt::format("members of members; want nodes of {}", named_machine(*whole).spec()));
    return machine_of_members(whole, members_listed(given, given.text().substr(0, end), whole->nodes()),
                              by_paths ? MembersJoinedBy::paths : MembersJoinedBy::links);
}

}  // namespace

std::vector<TopologyFamily> families_in_members() {
    return {{.name = "members",
             .form = "members(NODES;F)",
             .about = "some nodes of F in this order and the links among them; members(NODES;paths;F): wormhole",
             .build = build_members,
             .members = [](NodeId) { return std::vector<std::string>(); },
             .weight = 0}};
}

}  // namespace kport
