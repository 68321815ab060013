/// @file text_report.hpp   A run as text: the request, the verdict, one row a quantity.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/report/report.hpp"
#include "emulator/report/table.hpp"

namespace KPORT_PUBLIC kport {

/// The whole report. The first few violations follow the table; the table of rounds comes last if requested. Lines take
/// at most `width` columns, but for the command that repeats the run.
[[nodiscard]] std::string text_report(const Report& report, const Paint& paint, std::size_t width = usual_width);

/// A row for each round of a run whose rounds were kept (Report::per_round).
[[nodiscard]] std::string rounds_table(const Report& report, const Paint& paint, std::size_t width = usual_width);

/// How numbers of five digits and more are written: as programs read them, or with commas between thousands (grouped()).
enum class Digits : std::uint8_t { plain, grouped };

/// "counted only: NODUP not kept 5 times" of the rules that are counted and were not kept; empty where there are none.
[[nodiscard]] std::string counted_text(const Verdict& verdict, Digits digits = Digits::grouped);

/// "1024 of 1024 nodes hold the packet", "node 0 holds 7 of 8 packets".
[[nodiscard]] std::string holding_text(const Verdict& verdict, const Topology& topology, const Collective& collective,
                                       NodeId root, Digits digits = Digits::grouped);

/// "all rules kept, 1024 of 1024 nodes hold the packet", or what is broken.
[[nodiscard]] Cell verdict_text(const Report& report, Digits digits = Digits::grouped);

/// "optimal", "above by 3 (30%)", "no bound known": a measured value compared with its bound.
[[nodiscard]] Cell status_text(const Report& report, double measured, const BoundLine& bound);

}  // namespace kport
