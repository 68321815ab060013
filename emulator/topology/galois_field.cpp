#include "emulator/topology/galois_field.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

using Element = GaloisField::Element;
/// The coefficients of a polynomial, that of x^0 first.
using Polynomial = std::vector<std::uint64_t>;

Polynomial digits_of(std::uint64_t number, std::uint64_t base, unsigned count) {
    Polynomial digits(count);
    for (std::uint64_t& digit : digits) {
        digit = number % base;
        number /= base;
    }
    return digits;
}

std::uint64_t number_of(const Polynomial& digits, std::uint64_t base) {
    std::uint64_t number = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) number = number * base + *digit;
    return number;
}

/// Takes multiples of a monic polynomial from another until its degree is below that of the first, coefficients modulo `prime`.
void reduce(Polynomial& dividend, const Polynomial& monic, std::uint64_t prime) {
    while (dividend.size() >= monic.size()) {
        const std::uint64_t factor = dividend.back();
        const std::size_t shift = dividend.size() - monic.size();
        for (std::size_t i = 0; i < monic.size(); ++i)
            dividend[shift + i] = (dividend[shift + i] + (prime - factor) * monic[i]) % prime;
        dividend.pop_back();
    }
}

bool divides(const Polynomial& monic, Polynomial dividend, std::uint64_t prime) {
    reduce(dividend, monic, prime);
    return std::ranges::all_of(dividend, [](std::uint64_t digit) { return digit == 0; });
}

Polynomial monic(std::uint64_t lower_part, unsigned degree, std::uint64_t prime) {
    Polynomial polynomial = digits_of(lower_part, prime, degree);
    polynomial.push_back(1);
    return polynomial;
}

/// By division by all monic polynomials of at most half the degree.
bool is_irreducible(const Polynomial& polynomial, std::uint64_t prime) {
    const auto degree = static_cast<unsigned>(polynomial.size() - 1);
    std::uint64_t divisors = prime;
    for (unsigned d = 1; 2 * d <= degree; ++d, divisors *= prime)
        for (std::uint64_t lower = 0; lower < divisors; ++lower)
            if (divides(monic(lower, d, prime), polynomial, prime)) return false;
    return true;
}

/// Multiplication of polynomials, while the field has no logarithms yet.
class SlowField {
  public:
    explicit SlowField(const PrimePower& order) : prime_(order.prime), exponent_(order.exponent) {
        std::uint64_t lower = 0;
        while (!is_irreducible(monic(lower, exponent_, prime_), prime_)) ++lower;
        modulus_ = monic(lower, exponent_, prime_);
    }

    [[nodiscard]] Element lower_part() const {
        return static_cast<Element>(number_of({modulus_.begin(), modulus_.end() - 1}, prime_));
    }
    [[nodiscard]] Element product(Element a, Element b) const {
        const Polynomial left = digits_of(a, prime_, exponent_);
        const Polynomial right = digits_of(b, prime_, exponent_);
        Polynomial result(2 * exponent_ - 1, 0);
        for (unsigned i = 0; i < exponent_; ++i)
            for (unsigned j = 0; j < exponent_; ++j) result[i + j] = (result[i + j] + left[i] * right[j]) % prime_;
        reduce(result, modulus_, prime_);
        return static_cast<Element>(number_of(result, prime_));
    }
    [[nodiscard]] Element power(Element a, std::uint64_t n) const {
        Element result = 1;
        for (; n > 0; n /= 2, a = product(a, a))
            if (n % 2 == 1) result = product(result, a);
        return result;
    }

  private:
    std::uint64_t prime_;
    unsigned exponent_;
    Polynomial modulus_;
};

std::vector<std::uint64_t> prime_factors(std::uint64_t n) {
    std::vector<std::uint64_t> factors;
    for (std::uint64_t divisor = 2; divisor * divisor <= n; ++divisor) {
        if (n % divisor != 0) continue;
        factors.push_back(divisor);
        while (n % divisor == 0) n /= divisor;
    }
    if (n > 1) factors.push_back(n);
    return factors;
}

Element least_primitive(const SlowField& field, std::uint64_t order) {
    const std::vector<std::uint64_t> factors = prime_factors(order - 1);
    const auto is_primitive = [&](Element g) {
        return std::ranges::none_of(factors,
                                    [&](std::uint64_t factor) { return field.power(g, (order - 1) / factor) == 1; });
    };
    Element g = 1;
    while (!is_primitive(g)) ++g;
    return g;
}

PrimePower checked_order(std::uint64_t q) {
    const std::optional<PrimePower> order = prime_power(q);
    invariant(order.has_value() && q <= GaloisField::order_max, "a field has a prime power of elements");
    return *order;
}

}  // namespace

std::optional<PrimePower> prime_power(std::uint64_t q) {
    if (q < 2) return std::nullopt;
    std::uint64_t prime = 2;
    while (q % prime != 0) prime = prime * prime < q ? prime + 1 : q;
    PrimePower found{prime, 0};
    for (; q % prime == 0; q /= prime) ++found.exponent;
    return q == 1 ? std::optional(found) : std::nullopt;
}

std::string prime_powers_beside(std::uint64_t q, std::uint64_t least) {
    std::uint64_t above = std::max(q + 1, least);
    while (!prime_power(above)) ++above;
    for (std::uint64_t below = q; below > least; --below)
        if (prime_power(below - 1)) return fmt::format("{} or {}", below - 1, above);
    return std::to_string(above);
}

GaloisField::GaloisField(std::uint64_t q)
    : order_(static_cast<Element>(q)), prime_(static_cast<Element>(checked_order(q).prime)),
      exponent_(checked_order(q).exponent), powers_(2 * (q - 1)), logarithms_(q) {
    const SlowField field({prime_, exponent_});
    lower_part_ = field.lower_part();
    const Element primitive = least_primitive(field, q);
    Element power = 1;
    for (Element n = 0; n < order_ - 1; ++n, power = field.product(power, primitive)) {
        powers_[n] = powers_[order_ - 1 + n] = power;
        logarithms_[power] = n;
    }
}

GaloisField::Element GaloisField::sum(Element a, Element b) const {
    if (prime_ == 2) return a ^ b;
    if (exponent_ == 1) return a + b < order_ ? a + b : a + b - order_;
    Element result = 0;
    for (Element place = 1; place < order_; place *= prime_) {
        result += (a % prime_ + b % prime_) % prime_ * place;
        a /= prime_;
        b /= prime_;
    }
    return result;
}

GaloisField::Element GaloisField::negative(Element a) const {
    if (prime_ == 2) return a;
    if (exponent_ == 1) return a == 0 ? 0 : order_ - a;
    Element result = 0;
    for (Element place = 1; place < order_; place *= prime_, a /= prime_)
        result += (prime_ - a % prime_) % prime_ * place;
    return result;
}

}  // namespace kport
