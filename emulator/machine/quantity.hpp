/// @file quantity.hpp   The quantities of model.md section 1. A new one is an enumerator and its row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/machine/metrics.hpp"

namespace KPORT_PUBLIC kport {

/// The quantities that a run is measured in and that have lower bounds.
enum class Quantity : std::uint8_t { rounds, work, path_sum, volume, latency };

struct QuantityRow {
    Quantity quantity;
    std::string_view key;    ///< in JSON and CSV: "path_sum"
    std::string_view title;  ///< in tables: "path sum"
    std::string_view unit;   ///< "hops"; empty: none is shown
    /// The member of Metrics: one of the two, for a count or a sum of times.
    std::uint64_t Metrics::*count = nullptr;
    double Metrics::*time = nullptr;

    [[nodiscard]] constexpr double of(const Metrics& metrics) const {
        return count != nullptr ? static_cast<double>(metrics.*count) : metrics.*time;
    }
    /// Returns "path sum (hops)".
    [[nodiscard]] std::string label() const {
        return std::string(title) + (unit.empty() ? std::string() : " (" + std::string(unit) + ")");
    }
};

/// Rows in the order of the enumeration, in which reports list them.
inline constexpr auto quantity_rows =
    std::to_array<QuantityRow>({{Quantity::rounds, "rounds", "rounds", "", &Metrics::rounds},
                                {Quantity::work, "work", "work", "hops", &Metrics::work},
                                {Quantity::path_sum, "path_sum", "path sum", "hops", &Metrics::path_sum},
                                {Quantity::volume, "volume", "volume", "bytes", &Metrics::volume},
                                {Quantity::latency, "latency", "latency", "", nullptr, &Metrics::latency}});

[[nodiscard]] constexpr const QuantityRow& row(Quantity quantity) {
    return quantity_rows.at(static_cast<std::size_t>(quantity));
}

static_assert(std::ranges::all_of(quantity_rows, [](const QuantityRow& r) { return &row(r.quantity) == &r; }),
              "in order");

/// A value for each quantity.
template <class T>
class PerQuantity {
  public:
    [[nodiscard]] T& operator[](Quantity quantity) { return of_.at(static_cast<std::size_t>(quantity)); }
    [[nodiscard]] const T& operator[](Quantity quantity) const { return of_.at(static_cast<std::size_t>(quantity)); }
    /// Iterates in the order of the enumeration.
    [[nodiscard]] auto begin() { return of_.begin(); }
    [[nodiscard]] auto end() { return of_.end(); }
    [[nodiscard]] auto begin() const { return of_.begin(); }
    [[nodiscard]] auto end() const { return of_.end(); }

  private:
    std::array<T, quantity_rows.size()> of_ = {};
};

}  // namespace kport
