#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/topology/galois_field.hpp"

namespace kport {
namespace {

using Element = GaloisField::Element;

TEST(PrimePowers, AreRecognized) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t q = 0; q <= 32; ++q)
        if (prime_power(q)) found.push_back(q);
    EXPECT_EQ(found, (std::vector<std::uint64_t>{2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32}));
    EXPECT_EQ(prime_power(531441)->prime, 3U);
    EXPECT_EQ(prime_power(531441)->exponent, 12U);
    EXPECT_EQ(prime_power(1048573)->exponent, 1U);
    EXPECT_FALSE(prime_power(1009ULL * 1013));
}

TEST(PrimePowers, BesideANumberAreNamed) {
    EXPECT_EQ(prime_powers_beside(6, 3), "5 or 7");
    EXPECT_EQ(prime_powers_beside(15, 2), "13 or 16");
    EXPECT_EQ(prime_powers_beside(0, 2), "2");
    EXPECT_EQ(prime_powers_beside(2, 3), "3");
}

/// Irreducible polynomials and primitive elements from tables of finite fields (Lidl, Niederreiter), the least ones by hand.
TEST(GaloisField, HasTheLeastModulusAndTheLeastPrimitiveElement) {
    struct KnownField {
        std::uint64_t order;
        Element lower_part;
        Element primitive;
    };
    for (const auto& [order, lower_part, primitive] : std::vector<KnownField>{{2, 0, 1},
                                                                              {3, 0, 2},
                                                                              {4, 3, 2},
                                                                              {5, 0, 2},
                                                                              {7, 0, 3},
                                                                              {8, 3, 2},
                                                                              {9, 1, 4},
                                                                              {16, 3, 2},
                                                                              {23, 0, 5},
                                                                              {25, 2, 6},
                                                                              {27, 7, 3}}) {
        const GaloisField field(order);
        EXPECT_EQ(field.lower_part_of_modulus(), lower_part) << order;
        EXPECT_EQ(field.power(1 % (order - 1)), primitive) << order;
    }
}

TEST(GaloisField, KeepsTheLawsOfAField) {
    for (const std::uint64_t order : {2U, 3U, 4U, 5U, 8U, 9U, 16U, 25U, 27U}) {
        const GaloisField field(order);
        const Element q = field.order();
        for (Element a = 0; a < q; ++a) {
            EXPECT_EQ(field.sum(a, field.negative(a)), 0U) << order;
            EXPECT_EQ(field.sum(a, 0), a) << order;
            EXPECT_EQ(field.product(a, 1), a) << order;
            EXPECT_TRUE(a == 0 || field.product(a, field.inverse(a)) == 1) << order;
            for (Element b = 0; b < q; ++b) {
                EXPECT_EQ(field.sum(a, b), field.sum(b, a)) << order;
                EXPECT_EQ(field.sum(field.difference(a, b), b), a) << order;
                EXPECT_EQ(field.product(a, b), field.product(b, a)) << order;
                EXPECT_EQ(field.product(a, b) == 0, a == 0 || b == 0) << order;
                for (Element c = 0; c < q; ++c) {
                    ASSERT_EQ(field.product(a, field.sum(b, c)), field.sum(field.product(a, b), field.product(a, c)));
                    ASSERT_EQ(field.product(a, field.product(b, c)), field.product(field.product(a, b), c));
                }
            }
        }
    }
}

TEST(GaloisField, HasEachElementButZeroAsAPower) {
    for (const std::uint64_t order : {64U, 81U, 121U, 1024U, 3481U, 65536U}) {
        const GaloisField field(order);
        std::set<Element> powers;
        for (std::uint64_t n = 0; n + 1 < order; ++n) powers.insert(field.power(n));
        EXPECT_EQ(powers.size(), order - 1) << order;
        EXPECT_FALSE(powers.contains(0)) << order;
    }
}

}  // namespace
}  // namespace kport
