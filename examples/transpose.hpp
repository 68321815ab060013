/// @file transpose.hpp   The node program that transposes a matrix on a mesh, hop by hop. Needs <kport/kport.hpp> before it.
#pragma once

#include <array>
#include <cstdint>

namespace kport::example {

/// An element of the matrix on its way, and where it goes.
struct Travelling {
    int value;
    std::uint32_t row;
    std::uint32_t column;
};

/// Node (row, column) of p x p starts with one element. Each goes along its column to the diagonal, then along a row. So what
/// comes to a node comes by two ports, and the node knows how much.
inline Program transpose(Node& self, std::uint32_t p, int value, int& result) {
    constexpr Port up = 0;
    constexpr Port down = 1;
    constexpr Port left = 2;
    constexpr Port right = 3;
    const auto row = static_cast<std::uint32_t>(self.id() / p);
    const auto column = static_cast<std::uint32_t>(self.id() % p);
    const auto way = [=](const Travelling& element) {
        if (element.row != row) return element.row < row ? up : down;
        return element.column < column ? left : right;
    };
    result = value;
    if (row != column) {
        const Travelling own{value, column, row};
        co_await self.send(way(own), Data(own));
    }
    const Port vertical = row >= column ? down : up;
    const Port horizontal = row > column ? right : row < column ? left : up;
    const std::array<Port, 2> in{vertical, horizontal};
    const std::uint32_t all = row > column ? p - row + column : row < column ? p - column + row : p - 1;
    for (std::uint32_t taken = 0; taken < all; ++taken) {
        const Arrival arrival = co_await self.receive(in);
        const auto element = arrival.as<Travelling>();
        if (element.row == row && element.column == column)
            result = element.value;
        else
            co_await self.send(way(element), Data(element));
    }
}

}  // namespace kport::example
