/// @file cannon.hpp   The node program of Cannon's matrix product on a torus. Needs <kport/kport.hpp> before it.
#pragma once

#include <array>
#include <cstdint>

namespace kport::example {

inline constexpr std::size_t n = 3;  // of a block
using Block = std::array<long, n * n>;

inline void add_product(Block& c, const Block& a, const Block& b) {
    for (std::size_t row = 0; row < n; ++row)
        for (std::size_t column = 0; column < n; ++column)
            for (std::size_t i = 0; i < n; ++i) c[row * n + column] += a[row * n + i] * b[i * n + column];
}

/// Node (i, j) starts with the blocks A(i, i+j) and B(i+j, j); A moves on to the left, B up.
inline Program cannon(Node& self, Block a, Block b, Block& product, std::uint64_t p) {
    constexpr Port up = 0;
    constexpr Port down = 1;
    constexpr Port left = 2;
    constexpr Port right = 3;
    Block c{};
    add_product(c, a, b);
    for (std::uint64_t step = 1; step < p; ++step) {
        const Data to_left(a);
        const Data upwards(b);
        const std::array sends{SendRequest(left, to_left), SendRequest(up, upwards)};
        co_await self.send_together(sends);
        const Arrival next_a = co_await self.receive(right);
        const Arrival next_b = co_await self.receive(down);
        a = next_a.as<Block>();
        b = next_b.as<Block>();
        add_product(c, a, b);
    }
    product = c;
}

}  // namespace kport::example
