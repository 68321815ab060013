/// @file sweep.hpp   Ranges and lists of machines: hypercube:{2..16} is fifteen of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kport::requests {

/// The most machines that a command compares.
inline constexpr std::uint64_t machines_max = 10'000;

/// The topologies of --sweep: words separated by spaces, one topology each, or many with numbers in
/// braces: "line:{9,17,33}", "hypercube:{2..16}", "line:{10..100..10}". Empty braces repeat the number before them:
/// "mesh:{4,8}x{}" gives "mesh:4x4" and "mesh:8x8". A shell that expands the braces itself gives the same topologies.
/// Does not check that they exist. Throws RequestError, also for more than `most`.
[[nodiscard]] std::vector<std::string> swept(std::string_view text, std::uint64_t most = machines_max);

}  // namespace kport::requests
