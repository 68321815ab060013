/// @file matrix_product.hpp   A product of matrices, in the order of the nodes of a mesh. Needs <kport/kport.hpp> before it.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace kport::example {

struct Matrix {
    std::uint64_t a, b, c, d;
};

/// Not commutative: the matrix of node 0 is the leftmost. Declaring it commutative is refuted before a run.
inline Reduction product(bool said_commutative = false) {
    return Reduction::own<Matrix>({
        .name = "product",
        .fold =
            [](const Matrix& l, const Matrix& r) {
                return Matrix{l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
                              l.c * r.b + l.d * r.d};
            },
        .commutative = said_commutative,
        .contribution =
            [](NodeId v, std::uint64_t) {
                return Matrix{1, v % 3, v % 2, 1};
            },
        .type = "2x2 matrix",
        .text = [](const Matrix& m) { return fmt::format("[{} {}; {} {}]", m.a, m.b, m.c, m.d); },
    });
}

/// On a mesh of rows of p nodes: along each row to its first node, then up the first column: sum of (sides - 1) rounds.
inline Program product_of_all(Node& self, NodeId p) {
    constexpr Port up = 0;
    constexpr Port down = 1;
    constexpr Port left = 2;
    constexpr Port right = 3;
    Value product = self.contribution();
    if ((self.id() + 1) % p != 0) {
        const Arrival arrival = co_await self.receive(right);
        product = self.fold(product, arrival.value());
    }
    if (self.id() % p != 0) {
        co_await self.send(left, product);
        co_return;
    }
    if (self.id() + p < self.nodes()) {
        const Arrival arrival = co_await self.receive(down);
        product = self.fold(product, arrival.value());
    }
    if (self.id() == 0)
        self.result(product);
    else
        co_await self.send(up, product);
}

}  // namespace kport::example
