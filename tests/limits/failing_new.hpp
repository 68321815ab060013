/// @file failing_new.hpp   An operator new for this executable that fails on request.
#pragma once

#include <cstdint>

namespace kport::test {

enum class Fails : std::uint8_t { once, from_there_on };

/// The n-th allocation from now on (counted from 1) throws std::bad_alloc, and later ones if wanted.
///
/// Callers   one thread: the jobs that are tested have one.
void fail_allocation(std::uint64_t n, Fails fails);
/// All succeed again. True if one has failed.
bool stop_failing();

}  // namespace kport::test
