/// @file thread_ranks.hpp   Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "emulator/ranks/ranks.hpp"

namespace kport {

/// Holds the letters during an exchange.
class Post {
  public:
    explicit Post(unsigned ranks) : letters_(ranks) {}

    /// Waits for all ranks twice: when all have put their letters, and when all have taken theirs.
    void exchange(unsigned rank, std::vector<Letter>& letters) {
        letters_[rank] = &letters;
        meet();
        std::vector<Letter> taken(letters.size());
        for (unsigned r = 0; r < letters.size(); ++r)
            if (r != rank) taken[r] = (*letters_[r])[rank];
        taken[rank] = letters[rank];
        meet();
        letters = std::move(taken);
    }
    /// Releases the others from waiting for a rank that has failed.
    void leave() {
        const std::lock_guard lock(mutex_);
        somebody_left_ = true;
        all_are_here_.notify_all();
    }

  private:
    void meet() {
        std::unique_lock lock(mutex_);
        const std::uint64_t meeting = meetings_;
        if (++here_ == letters_.size()) {
            here_ = 0;
            ++meetings_;
            all_are_here_.notify_all();
            return;
        }
        all_are_here_.wait(lock, [&] { return meetings_ != meeting || somebody_left_; });
        if (meetings_ == meeting) throw std::runtime_error("a rank has left");
    }

    std::vector<std::vector<Letter>*> letters_;
    std::mutex mutex_;
    std::condition_variable all_are_here_;
    std::size_t here_ = 0;
    std::uint64_t meetings_ = 0;
    bool somebody_left_ = false;
};

class ThreadRanks final : public Ranks {
  public:
    ThreadRanks(Post& post, unsigned rank, unsigned size) : post_(post), rank_(rank), size_(size) {}
    [[nodiscard]] unsigned rank() const override { return rank_; }
    [[nodiscard]] unsigned size() const override { return size_; }
    void exchange(std::vector<Letter>& letters) override {
        ++exchanges_;
        post_.exchange(rank_, letters);
    }
    [[nodiscard]] std::size_t exchanges() const { return exchanges_; }
    [[noreturn]] void abort(int status, std::string_view text) override {
        std::cerr << text;
        std::_Exit(status);
    }

  private:
    Post& post_;
    unsigned rank_;
    unsigned size_;
    std::size_t exchanges_ = 0;
};

/// Returns the results of run(ranks) on each of `count` ranks.
template <class Run>
auto at_each_rank(unsigned size, const Run& run) {
    Post post(size);
    std::vector<decltype(run(std::declval<ThreadRanks&>()))> results(size);
    std::vector<std::exception_ptr> errors(size);
    {
        std::vector<std::jthread> threads;
        for (unsigned r = 0; r < size; ++r)
            threads.emplace_back([&, r] {
                try {
                    ThreadRanks ranks(post, r, size);
                    results[r] = run(ranks);
                } catch (...) {
                    errors[r] = std::current_exception();
                    post.leave();
                }
            });
    }
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
    return results;
}

}  // namespace kport
