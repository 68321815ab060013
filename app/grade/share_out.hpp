/// @file share_out.hpp   Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>

namespace kport::grade {

/// Calls work(i) for i = 0 .. n - 1 on so many threads, in any order; returns when all are done. What one throws is thrown here, after
/// the threads have ended; then not all were called.
///
/// Threads of its own, since the engines limit those of oneTBB for all that runs at the same time.
void share_out(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace kport::grade
