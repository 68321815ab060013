#include "app/grade/share_out.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kport::grade {

void share_out(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex failing;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        try {
            for (std::size_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            const std::scoped_lock lock(failing);
            failure = std::current_exception();
            next = n;
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min<std::size_t>(threads, n); ++i) others.emplace_back(take_turns);
        take_turns();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace kport::grade
