/// @file galois_field.hpp   Arithmetic in finite fields, for families of graphs that are defined over one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kport {

/// q = prime^exponent, exponent >= 1.
struct PrimePower {
    std::uint64_t prime;
    unsigned exponent;
};

/// Returns nothing if q is no power of a prime. O(sqrt(q)).
[[nodiscard]] std::optional<PrimePower> prime_power(std::uint64_t q);
/// Returns "5 or 7": the prime powers next to q that are at least `least`.
[[nodiscard]] std::string prime_powers_beside(std::uint64_t q, std::uint64_t least);

/// GF(q), q <= 2^20. An element is the number whose base-p digits are the coefficients of its polynomial. The modulus is the
/// monic irreducible polynomial whose lower part, as a number, is least.
///
/// Memory   12 bytes an element
/// Cost     a product O(1), by logarithms; a sum O(1) where p is 2 or q, else O(exponent)
class GaloisField {
  public:
    using Element = std::uint32_t;
    static constexpr std::uint64_t order_max = std::uint64_t{1} << 20;

    /// `q`: a prime power, at most order_max.
    explicit GaloisField(std::uint64_t q);

    [[nodiscard]] Element order() const { return order_; }
    [[nodiscard]] Element sum(Element a, Element b) const;
    [[nodiscard]] Element negative(Element a) const;
    [[nodiscard]] Element difference(Element a, Element b) const { return sum(a, negative(b)); }
    [[nodiscard]] Element product(Element a, Element b) const {
        return a == 0 || b == 0 ? 0 : powers_[logarithms_[a] + logarithms_[b]];
    }
    /// a != 0.
    [[nodiscard]] Element inverse(Element a) const { return powers_[order_ - 1 - logarithms_[a]]; }
    /// Returns power n of the least primitive element, n < 2 (q - 1).
    [[nodiscard]] Element power(std::uint64_t n) const { return powers_[n]; }
    /// Returns the number of the modulus without its leading term.
    [[nodiscard]] Element lower_part_of_modulus() const { return lower_part_; }

  private:
    Element order_;
    Element prime_;
    unsigned exponent_;
    Element lower_part_ = 0;
    std::vector<Element> powers_;  ///< of the least primitive element, twice the whole group
    std::vector<Element> logarithms_;
};

}  // namespace kport
