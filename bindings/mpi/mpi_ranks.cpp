/// @file mpi_ranks.cpp   Ranks that are processes of MPI. Compiled once for each MPI, as a plug-in that kport loads (cli/joined.cpp).
#include <mpi.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/ranks/ranks.hpp"

namespace kport {

namespace {

/// The begin of a letter, which says how long it is. Most letters are no longer.
struct Begin {
    static constexpr std::size_t most = 4096;
    std::uint64_t size;
    std::array<std::byte, most> bytes;
};

/// Counts of MPI are ints.
constexpr std::size_t piece_max = std::size_t{1} << 30;
constexpr int begin_tag = 1;
constexpr int rest_tag = 2;

/// A rank that waits gives its core away soon: there may be more ranks than cores, and both MPIs would spin. It sleeps only after
/// what another rank may run alone (engine/solo_rounds.hpp), for that one waits until it has woken up.
void wait_for_all(std::vector<MPI_Request>& requests) {
    using Clock = std::chrono::steady_clock;
    constexpr int spins = 64;
    constexpr auto awake = std::chrono::milliseconds(1);
    std::optional<Clock::time_point> since;
    for (int tries = 0;; ++tries) {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        if (done != 0) break;
        if (tries < spins) continue;
        if (!since) since = Clock::now();
        if (Clock::now() - *since > awake)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        else
            sched_yield();
    }
    requests.clear();
}

/// Until the launcher has read what this rank has printed, at most a second. It hears of an abort by another way: the mpiexec of
/// MPICH ends when it hears of one, and text that it has not read by then is lost.
void wait_until_read(int output) {
    for (int waited = 0; waited < 1000; ++waited) {
        int unread = 0;
        if (ioctl(output, FIONREAD, &unread) != 0 || unread == 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

class MpiRanks final : public Ranks {
  public:
    MpiRanks() {
        int granted = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        sent_.resize(size());
        received_.resize(size());
        letters_.resize(size());
    }
    ~MpiRanks() override { MPI_Finalize(); }

    [[nodiscard]] unsigned rank() const override { return static_cast<unsigned>(rank_); }
    [[nodiscard]] unsigned size() const override { return static_cast<unsigned>(size_); }

    void exchange(std::vector<Letter>& letters) override {
        for_each_other([&](int other, std::size_t r) {
            Begin& begin = sent_[r];
            begin.size = letters[r].size();
            std::copy_n(letters[r].begin(), in_begin(begin.size), begin.bytes.begin());
            const std::size_t bytes = sizeof begin.size + in_begin(begin.size);
            MPI_Irecv(&received_[r], sizeof(Begin), MPI_BYTE, other, begin_tag, MPI_COMM_WORLD, next_request());
            MPI_Isend(&begin, static_cast<int>(bytes), MPI_BYTE, other, begin_tag, MPI_COMM_WORLD, next_request());
        });
        wait_for_all(requests_);
        if (ends(letters)) return;
        for_each_other([&](int other, std::size_t r) {
            for_each_piece(letters[r], [&](std::byte* piece, int bytes) {
                MPI_Isend(piece, bytes, MPI_BYTE, other, rest_tag, MPI_COMM_WORLD, next_request());
            });
            const Begin& begin = received_[r];
            letters_[r].resize(begin.size);
            std::copy_n(begin.bytes.begin(), in_begin(begin.size), letters_[r].begin());
            for_each_piece(letters_[r], [&](std::byte* piece, int bytes) {
                MPI_Irecv(piece, bytes, MPI_BYTE, other, rest_tag, MPI_COMM_WORLD, next_request());
            });
        });
        wait_for_all(requests_);
        for_each_other([&](int, std::size_t r) { std::swap(letters[r], letters_[r]); });
    }

    [[noreturn]] void abort(int status, std::string_view text) override {
        std::cerr << text << std::flush;
        for (const int output : {STDOUT_FILENO, STDERR_FILENO}) wait_until_read(output);
        MPI_Abort(MPI_COMM_WORLD, status);
        std::_Exit(status);
    }

  private:
    /// Whether this rank is over; then letters[r] is empty if rank r is, too.
    bool ends(std::vector<Letter>& letters) const {
        bool is_over = false;
        bool other_is_over = false;
        for_each_other([&](int, std::size_t r) {
            is_over |= letters[r].empty();
            other_is_over |= received_[r].size == 0;
        });
        if (is_over)
            for_each_other(
                [&](int, std::size_t r) { letters[r].resize(std::min<std::uint64_t>(1, received_[r].size)); });
        else if (other_is_over)
            for (;;) pause();
        return is_over;
    }

    static std::size_t in_begin(std::uint64_t size) { return std::min<std::size_t>(size, Begin::most); }
    MPI_Request* next_request() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

    template <class Visit>
    void for_each_other(const Visit& visit) const {
        for (int other = 0; other < size_; ++other)
            if (other != rank_) visit(other, static_cast<std::size_t>(other));
    }
    /// What does not go into the begin.
    template <class Visit>
    static void for_each_piece(Letter& letter, const Visit& visit) {
        for (std::size_t at = Begin::most; at < letter.size(); at += piece_max)
            visit(letter.data() + at, static_cast<int>(std::min(letter.size() - at, piece_max)));
    }

    int rank_ = 0;
    int size_ = 1;
    std::vector<Begin> sent_;
    std::vector<Begin> received_;
    std::vector<Letter> letters_;  ///< that come
    std::vector<MPI_Request> requests_;
};

}  // namespace

}  // namespace kport

/// What kport looks up.
extern "C" [[gnu::visibility("default")]] kport::Ranks* kport_join_ranks() {
    static kport::MpiRanks ranks;
    return &ranks;
}
