/// @file bench.cpp   kport bench: what an operation costs on this chip, beside memcpy and a plain loop.
#include "cli/bench_cells.hpp"
#include "cli/bench_json.hpp"
#include "cli/bench_table.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

int bench(const Words& words) {
    if (words.has("--csv") && words.has("--json")) throw RequestError("--csv and --json: want one of them");
    constexpr std::uint64_t repetitions_max = 1'000'000;
    const auto repetitions = words.get("--repetitions");
    const std::uint64_t wanted = repetitions ? parse_count(*repetitions, "--repetitions", 1, repetitions_max) : 0;
    Bench bench = planned(words);
    measure_all(bench, wanted);
    if (words.has("--json"))
        write_out(json_text(bench_json(bench)));
    else
        write_out(words.has("--csv") ? bench_csv(bench) : bench_table(bench, paint_for_stdout()));
    return status_of(bench);
}

}  // namespace kport::cli
