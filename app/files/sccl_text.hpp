/// @file sccl_text.hpp   The JSON of SCCL, msccl-tools and TACCL.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/files/chunk_schedule.hpp"
#include "emulator/base/types.hpp"

namespace kport::sccl {

/// All links from its sources to its destinations together carry at most `bandwidth` chunks a round.
struct Switch {
    std::string name;
    std::vector<NodeId> sources;
    std::vector<NodeId> destinations;
    double bandwidth = 1;
};

struct ScclFile {
    chunked::ChunkSchedule schedule;         ///< chunks as the sends name them: each chunk of the collective M times
    std::vector<double> rounds;              ///< of each step
    std::string operation = {};              ///< the collective's name in the file: "Allgather"
    std::vector<std::vector<double>> links;  ///< [destination][source]: chunks a round, 0 is no link; empty: not given
    std::vector<Switch> switches;
    std::optional<std::uint64_t> pipeline = {};  ///< steps t, t + pipeline, ... run at the same time
    bool is_taccl = false;                       ///< its topology has another form (`node_links`)
    bool has_topology = false;
};

/// Throws RequestError with the place ("steps[0].sends[2]") and what would be right. O(bytes).
[[nodiscard]] ScclFile read_sccl_text(std::istream& in, const std::string& name);

}  // namespace kport::sccl
