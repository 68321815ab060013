/// @file threads.hpp   Threads that call collectives together.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace kport::test {

/// Calls of(rank) in a thread for each rank. Returns what each has thrown; "" for nothing.
inline std::vector<std::string> together(unsigned threads, const std::function<void(unsigned)>& of) {
    std::vector<std::string> thrown(threads);
    std::vector<std::thread> all;
    for (unsigned rank = 0; rank < threads; ++rank)
        all.emplace_back([&, rank] {
            try {
                of(rank);
            } catch (const std::exception& error) {
                thrown[rank] = error.what();
            }
        });
    for (std::thread& one : all) one.join();
    return thrown;
}

}  // namespace kport::test
