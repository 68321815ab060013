/// @file servers.cpp   Machines whose hosts have several ports: BCube, DCell, boxes of GPUs, rails, HammingMesh.
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

using FabricLinks = std::vector<StoredFabric::Link>;

constexpr std::uint64_t fabric_links_max = std::uint64_t{1} << 26;

void require_links(const Parameters& given, double links) {
    if (links > static_cast<double>(fabric_links_max))
        given.does_not_fit(fmt::format("its {:.0f} links are stored, and at most {} fit", links, fabric_links_max));
}

std::shared_ptr<const Topology> machine_of(StoredFabric::Shape shape, const FabricLinks& links) {
    return hosts_of(std::make_shared<const StoredFabric>(std::move(shape), links));
}

/// Host = digits a_K..a_0, a_0 the fastest; its port l leads to switch H + l N^K + (its number without digit l), whose
/// port a_l leads back.
/// Source    Guo et al., BCube, SIGCOMM (2009)
std::shared_ptr<const Topology> build_bcube(const Parameters& given) {
    const auto [n, k] = given.numbers({{"number of ports of a switch", 1, nodes_max}, {"highest level", 0, 40}});
    const NodeId hosts = given.power(n, k + 1);
    const NodeId of_level = hosts / n;
    require_links(given, static_cast<double>(hosts) * static_cast<double>(k + 1));
    FabricLinks links;
    for (NodeId v = 0; v < hosts; ++v) {
        NodeId stride = 1;
        for (std::uint64_t l = 0; l <= k; ++l, stride *= n) {
            const NodeId without = v / (stride * n) * stride + v % stride;
            links.push_back(
                {v, static_cast<Port>(l), hosts + l * of_level + without, static_cast<Port>(v / stride % n)});
        }
    }
    return machine_of({fmt::format("bcube:{},{}", n, k), hosts, (k + 1) * of_level}, links);
}

/// A DCell_0 is N hosts on a switch; a DCell_k is t_{k-1} + 1 parts, each two joined by a link between hosts.
/// Source    Guo et al., DCell, SIGCOMM (2008)
std::shared_ptr<const Topology> build_dcell(const Parameters& given) {
    const auto [n, k] = given.numbers({{"number of ports of a switch", 1, nodes_max}, {"highest level", 0, 5}});
    std::vector<NodeId> size{n};
    for (std::uint64_t l = 1; l <= k; ++l) {
        const auto parts = static_cast<double>(size.back());
        require_links(given, parts * (parts + 1));
        size.push_back(size.back() * (size.back() + 1));
    }
    const NodeId hosts = size.back();
    require_links(given, static_cast<double>(hosts) * static_cast<double>(k + 2) / 2);
    FabricLinks links;
    for (NodeId v = 0; v < hosts; ++v) links.push_back({v, 0, hosts + v / n, static_cast<Port>(v % n)});
    for (std::uint64_t l = 1; l <= k; ++l) {
        const NodeId part = size[l - 1];
        for (NodeId first = 0; first < hosts; first += size[l])
            for (NodeId i = 0; i <= part; ++i)
                for (NodeId j = i + 1; j <= part; ++j)
                    links.push_back(
                        {first + i * part + j - 1, static_cast<Port>(l), first + j * part + i, static_cast<Port>(l)});
    }
    return machine_of({fmt::format("dcell:{},{}", n, k), hosts, hosts / n}, links);
}

std::shared_ptr<const Topology> build_nvswitch(const Parameters& given) {
    constexpr std::uint64_t most = std::uint64_t{1} << 26;
    const std::vector<std::uint64_t> n = given.numbers(',', {"number", 1, most});
    if (n.size() != 2 && n.size() != 3)
        given.refuse("want hosts, switches, and perhaps the capacity of trunks, such as nvswitch:8,6,2");
    const std::uint64_t capacity = n.size() == 3 ? n[2] : 1;
    require_links(given, static_cast<double>(n[0]) * static_cast<double>(n[1]));
    FabricLinks links;
    for (NodeId v = 0; v < n[0]; ++v)
        for (NodeId s = 0; s < n[1]; ++s)
            links.push_back({v, static_cast<Port>(s), n[0] + s, static_cast<Port>(v), capacity});
    return machine_of(
        {fmt::format("nvswitch:{},{}{}", n[0], n[1], capacity == 1 ? std::string() : fmt::format(",{}", capacity)),
         n[0], n[1]},
        links);
}

/// Host b G + g is in box b, whose switch is H + b, and on rail g, whose switch is H + N + g; spines join the rails.
std::shared_ptr<const Topology> build_rail(const Parameters& given) {
    constexpr std::uint64_t most = std::uint64_t{1} << 26;
    const std::vector<std::uint64_t> n = given.numbers(',', {"number", 0, most});
    if ((n.size() != 2 && n.size() != 3) || n[0] == 0 || n[1] == 0)
        given.refuse("want boxes, hosts a box, and perhaps spine switches, such as rail:4,8 or rail:4,8,2");
    const NodeId boxes = n[0];
    const NodeId rails = n[1];
    const NodeId spines = n.size() == 3 ? n[2] : 0;
    require_links(given, static_cast<double>(boxes) * static_cast<double>(rails) * 2 +
                             static_cast<double>(rails) * static_cast<double>(spines));
    const NodeId hosts = boxes * rails;
    FabricLinks links;
    for (NodeId v = 0; v < hosts; ++v) {
        links.push_back({v, 0, hosts + v / rails, static_cast<Port>(v % rails)});
        links.push_back({v, 1, hosts + boxes + v % rails, static_cast<Port>(v / rails)});
    }
    for (NodeId g = 0; g < rails; ++g)
        for (NodeId s = 0; s < spines; ++s)
            links.push_back(
                {hosts + boxes + g, static_cast<Port>(boxes + s), hosts + boxes + rails + s, static_cast<Port>(g)});
    return machine_of({fmt::format("rail:{},{}{}", boxes, rails, spines == 0 ? "" : fmt::format(",{}", spines)), hosts,
                       boxes + rails + spines},
                      links);
}

/// X x Y boards of A x B hosts. Ports north, south, west, east lead to the neighbour on the board, at its edge to the
/// switch of the column or row, one for the whole network of that row.
/// Source    Hoefler et al., HammingMesh, SC (2022)
std::shared_ptr<const Topology> build_hammingmesh(const Parameters& given) {
    const std::vector<std::string_view> parts = split(given.text(), ',');
    std::vector<NodeId> n;
    for (const std::string_view part : parts)
        for (const std::string_view side : split(part, 'x'))
            if (const auto number = to_count(side); number && *number >= 1 && *number <= (1 << 20))
                n.push_back(*number);
    if (parts.size() != 2 || n.size() != 4 || split(parts[0], 'x').size() != 2)
        given.refuse("want the sides of a board and the boards, such as hammingmesh:2x2,4x4");
    const NodeId rows = n[0] * n[2];
    const NodeId columns = n[1] * n[3];
    require_links(given, 2.5 * static_cast<double>(rows) * static_cast<double>(columns));
    const NodeId hosts = rows * columns;
    enum : Port { north, south, west, east };
    FabricLinks links;
    for (NodeId i = 0; i < rows; ++i)
        for (NodeId j = 0; j < columns; ++j) {
            const NodeId v = i * columns + j;
            const NodeId column = hosts + rows + j;
            const NodeId row = hosts + i;
            const auto board_above = static_cast<Port>(2 * (i / n[0]));
            const auto board_left = static_cast<Port>(2 * (j / n[1]));
            if (i % n[0] == 0) links.push_back({v, north, column, board_above});
            if (i % n[0] + 1 == n[0])
                links.push_back({v, south, column, board_above + 1});
            else
                links.push_back({v, south, v + columns, north});
            if (j % n[1] == 0) links.push_back({v, west, row, board_left});
            if (j % n[1] + 1 == n[1])
                links.push_back({v, east, row, board_left + 1});
            else
                links.push_back({v, east, v + 1, west});
        }
    return machine_of({fmt::format("hammingmesh:{}x{},{}x{}", n[0], n[1], n[2], n[3]), hosts, rows + columns},
                      merged(links));
}

std::vector<std::string> no_server_members(NodeId) { return {}; }

constexpr std::uint64_t drawn_side_max = 4;

/// Returns a number from 1 to 4 by which `most` can be divided, and divides it.
std::uint64_t draw_side(Dice& dice, NodeId& most) {
    const std::uint64_t side = dice.between(1, std::min<NodeId>(drawn_side_max, most));
    most /= side;
    return side;
}

std::string draw_bcube(Dice& dice, NodeId most) {
    NodeId left = most;
    const std::uint64_t n = draw_side(dice, left);
    std::uint64_t level = dice.below(3);
    while (power_of(n, level + 1) > most) --level;
    return fmt::format("{},{}", n, level);
}

std::string draw_dcell(Dice& dice, NodeId most) {
    const std::uint64_t n = draw_side(dice, most);
    return fmt::format("{},{}", n, n + 1 <= most ? dice.below(2) : 0);
}

std::string draw_nvswitch(Dice& dice, NodeId most) {
    const std::uint64_t hosts = dice.between(1, std::min<NodeId>(2 * drawn_side_max, most));
    return fmt::format("{},{},{}", hosts, dice.between(1, 3), dice.between(1, 2));
}

std::string draw_rail(Dice& dice, NodeId most) {
    const std::uint64_t boxes = draw_side(dice, most);
    return fmt::format("{},{},{}", boxes, draw_side(dice, most), dice.below(3));
}

std::string draw_hammingmesh(Dice& dice, NodeId most) {
    const std::uint64_t board = draw_side(dice, most);
    const std::uint64_t row = draw_side(dice, most);
    const std::uint64_t boards = draw_side(dice, most);
    return fmt::format("{}x{},{}x{}", board, row, boards, draw_side(dice, most));
}

}  // namespace

std::vector<TopologyFamily> families_in_servers() {
    return {{.name = "bcube",
             .form = "bcube:N,K",
             .about = "N^(K+1) hosts of K+1 ports, one on a switch of each level",
             .build = build_bcube,
             .members = no_server_members,
             .draw = draw_bcube},
            {.name = "dcell",
             .form = "dcell:N,K",
             .about = "cells of N hosts on a switch, joined level by level by links between hosts, K levels",
             .build = build_dcell,
             .members = no_server_members,
             .draw = draw_dcell},
            {.name = "nvswitch",
             .form = "nvswitch:G,S[,C]",
             .about = "G hosts, each on all S switches by trunks of capacity C (1)",
             .build = build_nvswitch,
             .members = no_server_members,
             .draw = draw_nvswitch},
            {.name = "rail",
             .form = "rail:N,G[,S]",
             .about = "N boxes of G hosts on a switch, host g of each box on rail g too, rails joined by S spines (0)",
             .build = build_rail,
             .members = no_server_members,
             .draw = draw_rail},
            {.name = "hammingmesh",
             .form = "hammingmesh:AxB,XxY",
             .about = "X by Y boards, each a mesh of A by B hosts, rows and columns joined by switches",
             .build = build_hammingmesh,
             .members = no_server_members,
             .draw = draw_hammingmesh}};
}

}  // namespace kport
