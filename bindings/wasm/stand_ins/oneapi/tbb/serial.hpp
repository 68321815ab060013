/// @file serial.hpp   The calls of oneTBB that kport makes, on the one thread of a page. Meanings as in oneTBB.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tbb {

class global_control {
  public:
    enum parameter { max_allowed_parallelism };
    global_control(parameter, std::size_t) {}
};

struct simple_partitioner {};

template <class Index>
class blocked_range {
  public:
    blocked_range(Index begin, Index end, std::size_t = 1) : begin_(begin), end_(end) {}
    [[nodiscard]] Index begin() const { return begin_; }
    [[nodiscard]] Index end() const { return end_; }

  private:
    Index begin_;
    Index end_;
};

template <class Index, class Body, class... Partitioner>
void parallel_for(Index first, Index last, const Body& body, const Partitioner&...) {
    for (Index i = first; i < last; ++i) body(i);
}
template <class Index, class Body, class... Partitioner>
void parallel_for(const blocked_range<Index>& range, const Body& body, const Partitioner&...) {
    if (range.begin() < range.end()) body(range);
}

template <class Iterator>
void parallel_sort(Iterator first, Iterator last) {
    std::sort(first, last);
}

class task_group {
  public:
    template <class Body>
    void run(const Body& body) {
        body();
    }
    void wait() {}
};

class task_arena {
  public:
    struct attach {};
    static constexpr int not_initialized = -2;
    explicit task_arena(int = 1, unsigned = 1) {}
    explicit task_arena(attach) {}
    template <class Body>
    auto execute(const Body& body) {
        return body();
    }
    [[nodiscard]] int max_concurrency() const { return 1; }
};

namespace this_task_arena {
inline int current_thread_index() { return 0; }
inline int max_concurrency() { return 1; }
}  // namespace this_task_arena

namespace info {
inline int default_concurrency() { return 1; }
}  // namespace info

}  // namespace tbb
