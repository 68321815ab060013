/// @file team.hpp   Threads pinned to PUs of their own that start the same work at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/chip/meeting.hpp"
#include "app/chip/pinning.hpp"

namespace kport::chip {

/// Spins until ready(), since that is measured. If the other side seems to have no core, yields the core and returns
/// false.
template <class Ready>
bool spin_until(Ready&& ready) {
    constexpr int patience = 1 << 14;
    for (int i = 0; i < patience; ++i)
        if (ready()) return true;
    while (!ready()) std::this_thread::yield();
    return false;
}

/// Member 0 is the calling thread; the others sleep between pieces of work. All are pinned while the team lives.
///
/// Callers   the thread that created it.
/// Errors    DoesNotFit from the constructor if the system cannot create a thread.
class Team {
  public:
    explicit Team(std::span<const Pu> pus);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    [[nodiscard]] std::size_t size() const { return spans_.size(); }
    /// Returns an empty text if every member is pinned, else why one is not.
    [[nodiscard]] const std::string& why_not_pinned() const { return why_not_pinned_; }

    /// Every member runs work(its number), which must not throw. Returns the ns from the first start to the last end.
    double run(const std::function<void(std::size_t)>& work);

  private:
    /// Start and end of a member, in ns of the steady clock; on its own cache line.
    struct alignas(64) Span {
        double begin = 0;
        double end = 0;
    };

    void serve(std::size_t member, Pu pu);
    void take_part(std::size_t member);
    void note(const Pinned& pinned);
    void dismiss();

    Pinned caller_;
    std::vector<Span> spans_;
    std::vector<std::thread> threads_;
    const std::function<void(std::size_t)>* work_ = nullptr;  ///< null: the team is being destroyed
    Meeting<> meeting_;
    std::mutex why_not_guard_;
    std::string why_not_pinned_;
};

}  // namespace kport::chip
