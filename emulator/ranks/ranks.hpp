/// @file ranks.hpp   Processes that run one job together, each a share of its nodes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace KPORT_PUBLIC kport {

/// What one rank sends another in an exchange: bytes that the engine has written (ranks/letter.hpp).
using Letter = std::vector<std::byte>;

/// A number of ranks, each with the same job. Every rank calls exchange() equally often and in the same order.
///
/// Callers   one thread of each rank.
/// Errors    std::bad_alloc; what a rank cannot do ends all of them (abort()).
class Ranks {
  public:
    Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    virtual ~Ranks() = default;

    [[nodiscard]] virtual unsigned rank() const = 0;  ///< 0 .. size() - 1
    [[nodiscard]] virtual unsigned size() const = 0;
    /// Sends letters[r] to each other rank r, and puts there what r has sent to this one. The own letter stays. Waits for all. A
    /// rank that is over sends empty letters, once: to one that goes on this never returns, for the other ends it (abort()).
    virtual void exchange(std::vector<Letter>& letters) = 0;
    /// Ends all ranks with a status, after some text on this rank's standard error. Does not return.
    [[noreturn]] virtual void abort(int status, std::string_view text) = 0;
};

}  // namespace kport
