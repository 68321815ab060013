#include "emulator/ranks/forked_ranks.hpp"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace kport {

namespace {

/// What lies in shared memory from one rank to another: a letter, piece by piece.
struct Tray {
    static constexpr std::size_t most = 8192 - sizeof(std::uint64_t);
    std::uint64_t letter_bytes;
    std::array<std::byte, most> piece;
};

/// The memory that the ranks share.
struct SharedPlace {
    std::atomic<unsigned> here;
    std::array<sem_t, forked_ranks_max> all_are_here;                        ///< one for each rank
    std::array<std::array<Tray, forked_ranks_max>, forked_ranks_max> trays;  ///< from, to
};
static_assert(std::atomic<unsigned>::is_always_lock_free, "it is shared by processes");

[[noreturn]] void refuse(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Unmap {
    void operator()(SharedPlace* place) const { munmap(place, sizeof *place); }
};
using Place = std::unique_ptr<SharedPlace, Unmap>;

/// Zeros, of which only what is used takes memory.
Place place_for(unsigned size) {
    void* const memory =
        mmap(nullptr, sizeof(SharedPlace), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) refuse("memory for several processes");
    Place place(new (memory) SharedPlace);
    for (unsigned r = 0; r < size; ++r)
        if (sem_init(&place->all_are_here[r], 1, 0) != 0) refuse("a semaphore for several processes");
    return place;
}

class ForkedRanks final : public Ranks {
  public:
    explicit ForkedRanks(unsigned size) : place_(place_for(size)), size_(size) {
        const pid_t first = getpid();
        for (unsigned r = 1; r < size && rank_ == 0; ++r) {
            const pid_t child = fork();
            if (child < 0) refuse("a process");
            if (child == 0) {
                others_.clear();
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (getppid() != first) std::_Exit(EXIT_FAILURE);
                rank_ = r;
            } else {
                others_.push_back(child);
            }
        }
    }

    [[nodiscard]] unsigned rank() const override { return rank_; }
    [[nodiscard]] unsigned size() const override { return size_; }

    void exchange(std::vector<Letter>& letters) override {
        std::vector<Letter> came(size_);
        std::size_t done = 0;
        for (bool goes_on = true; goes_on; done += Tray::most) {
            for_each_other([&](unsigned r) { put_piece(letters[r], done, place_->trays[rank_][r]); });
            meet();
            for_each_other([&](unsigned r) { take_piece(place_->trays[r][rank_], done, came[r]); });
            goes_on = longest_letter() > done + Tray::most;
            meet();
        }
        came[rank_] = std::move(letters[rank_]);
        letters = std::move(came);
    }

    [[noreturn]] void abort(int status, std::string_view text) override {
        std::cerr << text << std::flush;
        std::_Exit(status);
    }

  private:
    static void put_piece(const Letter& letter, std::size_t done, Tray& tray) {
        tray.letter_bytes = letter.size();
        const auto rest = std::span(letter).subspan(std::min(done, letter.size()));
        std::ranges::copy(rest.first(std::min(rest.size(), Tray::most)), tray.piece.begin());
    }
    static void take_piece(const Tray& tray, std::size_t done, Letter& letter) {
        if (tray.letter_bytes <= done) return;
        const auto piece = std::span(tray.piece).first(std::min<std::size_t>(tray.letter_bytes - done, Tray::most));
        letter.insert(letter.end(), piece.begin(), piece.end());
    }
    /// In bytes, of those that are under way. The same for all ranks.
    [[nodiscard]] std::size_t longest_letter() const {
        std::size_t longest = 0;
        for (unsigned from = 0; from < size_; ++from)
            for (unsigned to = 0; to < size_; ++to)
                if (from != to) longest = std::max<std::size_t>(longest, place_->trays[from][to].letter_bytes);
        return longest;
    }

    /// Waits for all ranks.
    void meet() {
        if (++place_->here == size_) {
            place_->here = 0;
            for_each_other([&](unsigned r) { sem_post(&place_->all_are_here[r]); });
            return;
        }
        while (!waited_a_moment())
            if (rank_ == 0 && another_has_ended()) throw std::runtime_error("a rank has ended");
    }
    [[nodiscard]] bool another_has_ended() const {
        return std::ranges::any_of(others_, [](pid_t rank) { return waitpid(rank, nullptr, WNOHANG) != 0; });
    }
    /// Whether all are here.
    [[nodiscard]] bool waited_a_moment() {
        constexpr long moment = 50'000'000;  // ns
        constexpr long second = 1'000'000'000;
        timespec end{};
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += (end.tv_nsec + moment) / second;
        end.tv_nsec = (end.tv_nsec + moment) % second;
        return sem_timedwait(&place_->all_are_here[rank_], &end) == 0;
    }

    template <class Visit>
    void for_each_other(const Visit& visit) const {
        for (unsigned r = 0; r < size_; ++r)
            if (r != rank_) visit(r);
    }

    Place place_;
    unsigned size_;
    unsigned rank_ = 0;
    std::vector<pid_t> others_;  ///< of rank 0
};

}  // namespace

std::unique_ptr<Ranks> fork_ranks(unsigned size) {
    if (size < 1 || size > forked_ranks_max) throw std::invalid_argument("fork_ranks: so many there cannot be");
    return std::make_unique<ForkedRanks>(size);
}

}  // namespace kport
