/// @file judged_schedule.hpp   Which schedule threads follow: run on a virtual machine, judged by the auditor, the cheapest there.
#pragma once

#include <cstdint>

#include "bindings/shm/movements.hpp"

namespace kport::shm {

/// Returns what the threads do in an operation on `bytes`: of the whole vector in a broadcast, reduce or allreduce, else of the packet
/// that one thread has for another. Every applicable algorithm of the catalogue is run on the complete graph of the threads, where a node
/// reads one message at a time and any number read from it; the movements are those of the lawful schedule that ends first at the prices of
/// copies between cores. The same for the same arguments, on every computer. Some milliseconds for 4 threads.
[[nodiscard]] Movements judged_movements(const Operation& operation, unsigned root, unsigned threads,
                                         std::uint64_t bytes);

}  // namespace kport::shm
