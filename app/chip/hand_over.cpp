#include "app/chip/measurements.hpp"

#include <atomic>
#include <cstdint>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include "app/chip/team.hpp"
#include "emulator/base/error.hpp"
#include "emulator/payload/mailbox.hpp"

namespace kport::chip {

namespace {

using Word = std::uint64_t;

constexpr std::uint64_t burst = 64;    ///< of one thread with itself
constexpr std::uint64_t round = 4096;  ///< of two threads; no container is ever full

/// The containers behind one interface. A round: post() up to `round` words, publish() them; collect() the available
/// ones; restart() when all of them are collected.
template <class Container>
class Places {
  public:
    Places() : container_(round) {}
    void post(Word word) { container_.push(word); }
    void publish() {}
    template <class Visit>
    void collect(Visit&& visit) {
        container_.consume_all(visit);
    }
    void restart() {}

  private:
    Container container_;
};

class Post {
  public:
    Post() {  // a consumer may read a mailbox only after the first post
        box_.post(0);
        box_.publish();
        box_.collect([](std::span<const Word>) {});
        box_.restart();
    }
    void post(Word word) { box_.post(word); }
    void publish() { box_.publish(); }
    template <class Visit>
    void collect(Visit&& visit) {
        box_.collect([&](std::span<const Word> batch) {
            for (const Word word : batch) visit(word);
        });
    }
    void restart() { box_.restart(); }

  private:
    Mailbox<Word> box_;
};

constexpr Word over = ~Word{0};  ///< the last word between two threads; not counted

constexpr Word sum_below(std::uint64_t n) { return n * (n - 1) / 2; }

template <class Channel>
void put(Channel& channel, Word word) {
    channel.post(word);
    channel.publish();
}

/// Waits for one word; sets `prompt` to false if that took long.
template <class Channel>
Word take_one(Channel& channel, bool& prompt) {
    Word found = over;
    bool taken = false;
    prompt = spin_until([&] {
        channel.collect([&](Word word) {
            found = word;
            taken = true;
        });
        return taken;
    });
    return found;
}

template <class Channel>
Statistics alone(std::span<const Pu> pus, const Limits& limits) {
    const Pinned here(pus[0]);
    Channel channel;
    return sample(limits, [&](const Batch& batch) {
        Word sum = 0;
        const double ns = timed([&] {
            for (std::uint64_t i = 0; i < batch.repetitions; ++i) {
                for (Word word = 0; word < burst; ++word) channel.post(word);
                channel.publish();
                channel.collect([&](Word word) { sum += word; });
                channel.restart();
            }
        });
        invariant(sum == batch.repetitions * sum_below(burst), "what is handed over arrives");
        return Took{ns, batch.repetitions * burst};
    });
}

/// Counts the rounds that one thread has received, for the other thread; on its own cache line.
struct alignas(128) RoundsTaken {
    std::atomic<std::uint64_t> count = 0;
};

/// Receives rounds until the end. Returns the sum of their words.
template <class Channel>
Word take_rounds(Channel& channel, RoundsTaken& rounds) {
    Word sum = 0;
    std::uint64_t left = round;
    bool ended = false;
    while (!ended) {
        const std::uint64_t before = left;
        spin_until([&] {
            channel.collect([&](Word word) {
                ended = word == over;
                if (ended) return;
                sum += word;
                --left;
            });
            return left != before || ended;
        });
        if (left != 0) continue;
        left = round;
        rounds.count.fetch_add(1, std::memory_order_release);
    }
    return sum;
}

/// Sends the rounds of a batch, fewer if it is late. Returns their number.
template <class Channel>
std::uint64_t give_rounds(Channel& channel, const RoundsTaken& rounds, const Batch& batch) {
    std::uint64_t done = 0;
    for (bool late = false; done < batch.repetitions && !late;) {
        for (Word word = 0; word < round; ++word) channel.post(word);
        channel.publish();
        ++done;
        const bool prompt = spin_until([&] { return rounds.count.load(std::memory_order_acquire) == done; });
        channel.restart();
        late = !prompt && batch.late();
    }
    put(channel, over);
    return done;
}

template <class Channel>
Statistics streaming(std::span<const Pu> pus, const Limits& limits) {
    Team team(pus.first(2));
    Channel channel;
    RoundsTaken rounds;
    return sample(limits, [&](const Batch& batch) {
        Word sum = 0;
        std::uint64_t done = 0;
        rounds.count.store(0, std::memory_order_relaxed);
        const double ns = team.run([&](std::size_t member) {
            if (member == 0)
                done = give_rounds(channel, rounds, batch);
            else
                sum = take_rounds(channel, rounds);
        });
        channel.restart();
        invariant(sum == done * sum_below(round), "what is handed over arrives");
        return Took{ns, done * round};
    });
}

/// Sends 0, 1, ..., waiting each time for the next number. Returns how many it sent.
template <class Channel>
std::uint64_t ask(Channel& there, Channel& back, const Batch& batch) {
    std::uint64_t done = 0;
    for (bool late = false; done < batch.repetitions && !late;) {
        put(there, done);
        bool prompt = true;
        invariant(take_one(back, prompt) == ++done, "what is handed over comes back");
        there.restart();  // the answer shows that it was taken
        late = !prompt && batch.late();
    }
    put(there, over);
    return done;
}

template <class Channel>
void answer(Channel& there, Channel& back) {
    bool prompt = true;
    for (Word word = 0; (word = take_one(there, prompt)) != over;) {
        back.restart();
        put(back, word + 1);
    }
}

template <class Channel>
Statistics to_and_fro(std::span<const Pu> pus, const Limits& limits) {
    Team team(pus.first(2));
    Channel there;
    Channel back;
    return sample(limits, [&](const Batch& batch) {
        std::uint64_t done = 0;
        const double ns = team.run([&](std::size_t member) {
            if (member == 0)
                done = ask(there, back, batch);
            else
                answer(there, back);
        });
        there.restart();
        back.restart();
        return Took{ns, 2 * done};
    });
}

template <class Channel>
Statistics by(Way way, std::span<const Pu> pus, const Limits& limits) {
    switch (way) {
        case Way::alone: return alone<Channel>(pus, limits);
        case Way::streaming: return streaming<Channel>(pus, limits);
        case Way::to_and_fro: break;
    }
    return to_and_fro<Channel>(pus, limits);
}

}  // namespace

std::string_view name(Carrier carrier) {
    switch (carrier) {
        case Carrier::spsc_queue: return "spsc_queue";
        case Carrier::queue: return "queue";
        case Carrier::stack: return "stack";
        case Carrier::mailbox: break;
    }
    return "Mailbox";
}

std::string_view name(Way way) {
    switch (way) {
        case Way::alone: return "one thread";
        case Way::streaming: return "two, streaming";
        case Way::to_and_fro: break;
    }
    return "two, to and fro";
}

Statistics hand_over(Carrier carrier, Way way, std::span<const Pu> pus, const Limits& limits) {
    switch (carrier) {
        case Carrier::spsc_queue: return by<Places<boost::lockfree::spsc_queue<Word>>>(way, pus, limits);
        case Carrier::queue: return by<Places<boost::lockfree::queue<Word>>>(way, pus, limits);
        case Carrier::stack: return by<Places<boost::lockfree::stack<Word>>>(way, pus, limits);
        case Carrier::mailbox: break;
    }
    return by<Post>(way, pus, limits);
}

}  // namespace kport::chip
