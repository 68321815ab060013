#include "app/chip/measurements.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "app/chip/team.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/huge_array.hpp"

namespace kport::chip {

namespace {

/// The source and destination of one thread.
struct Buffers {
    explicit Buffers(std::size_t bytes) : source(bytes), target(bytes) {}
    HugeArray<std::byte> source;
    HugeArray<std::byte> target;
    bool copied = true;
};

}  // namespace

std::vector<std::uint64_t> copy_sizes(const Hardware& machine, std::uint64_t memory_most) {
    constexpr std::uint64_t smallest = 4096;
    constexpr std::uint64_t usual_last_cache = 32 << 20;  // if the system does not report it
    const std::uint64_t last = machine.caches.empty() ? usual_last_cache : machine.caches.back().bytes;
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = smallest; 2 * bytes <= memory_most; bytes *= 4) {
        sizes.push_back(bytes);
        if (bytes >= last) break;
    }
    return sizes;
}

std::vector<unsigned> thread_counts(unsigned most) {
    std::vector<unsigned> counts;
    for (unsigned threads = 1; threads < most; threads *= 2) counts.push_back(threads);
    counts.push_back(most);
    return counts;
}

std::vector<Copying> copying(std::span<const Pu> pus, std::span<const std::uint64_t> sizes, std::uint64_t memory_most,
                             const Limits& limits, const std::function<void(std::uint64_t)>& before) {
    Team team(pus);
    const auto too_large = [&](std::uint64_t bytes) { return bytes > memory_most / 2 / pus.size(); };
    sizes = sizes.first(
        static_cast<std::size_t>(std::distance(sizes.begin(), std::find_if(sizes.begin(), sizes.end(), too_large))));
    if (sizes.empty()) return {};
    std::vector<Buffers> buffers;
    for (std::size_t i = 0; i < pus.size(); ++i) buffers.emplace_back(sizes.back());

    std::vector<Copying> found;
    int value = 0;  // fills the sources, different for each size, so that bytes of the previous size are detected
    for (const std::uint64_t bytes : sizes) {
        before(bytes);
        ++value;
        // Each thread touches its memory first, so that it is near its core.
        team.run([&](std::size_t member) {
            std::memset(buffers[member].source.data(), value, bytes);
            std::memset(buffers[member].target.data(), 0, bytes);
        });
        const Statistics ns = sample(limits, [&](const Batch& batch) {
            const double took = team.run([&](std::size_t member) {
                std::byte* target = buffers[member].target.data();
                const std::byte* source = buffers[member].source.data();
                for (std::uint64_t i = 0; i < batch.repetitions; ++i) {
                    std::memcpy(target, source, bytes);
                    looked_at(target);
                }
            });
            return Took{took, batch.repetitions};
        });
        team.run([&](std::size_t member) {
            Buffers& own = buffers[member];
            own.copied = std::memcmp(own.target.data(), own.source.data(), bytes) == 0;
        });
        for (const Buffers& own : buffers) invariant(own.copied, "a copy is what was copied");
        found.push_back({bytes, static_cast<unsigned>(pus.size()), ns});
    }
    return found;
}

}  // namespace kport::chip
