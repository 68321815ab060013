/// @file ranks.hpp   Processes that run one job together, each a share of its nodes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace KPORT_PUBLIC kport {

/// What one rank sends another in an exchange: bytes written by the engine (ranks/letter.hpp).
using Letter = std::vector<std::byte>;

/// A number of ranks, each with the same job. Every rank calls exchange() equally often and in the same order.
///
/// Callers   one thread of each rank.
/// Errors    std::bad_alloc; a rank that cannot go on ends all of them (abort()).
class Ranks {
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] virtual unsigned rank() const = 0;  ///< 0 .. size() - 1
    [[nodiscard]] virtual unsigned size() const = 0;
    /// Sends letters[r] to each other rank r, and stores there what r sent to this one. The own letter stays. Waits for
    /// all ranks. A rank that has ended sends empty letters once; if the others go on, they call abort(), and this call
    /// never returns.
    virtual void exchange(std::vector<Letter>& letters) = 0;
    /// Ends all ranks with a status, after writing a text to this rank's standard error. Does not return.
    [[noreturn]] virtual void abort(int status, std::string_view text) = 0;
};

}  // namespace kport
