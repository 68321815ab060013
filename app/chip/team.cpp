#include "app/chip/team.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "emulator/base/error.hpp"

namespace kport::chip {

namespace {

double now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Team::Team(std::span<const Pu> pus) : caller_(pus[0]), spans_(pus.size()) {
    note(caller_);
    try {
        for (std::size_t member = 1; member < pus.size(); ++member)
            threads_.emplace_back(&Team::serve, this, member, pus[member]);
    } catch (const std::system_error&) {
        dismiss();
        throw DoesNotFit("the system gives no more threads; fewer --threads may do");
    }
    // One empty work, so that all are pinned and have reported.
    run([](std::size_t) {});
}

Team::~Team() { dismiss(); }

void Team::dismiss() {
    work_ = nullptr;
    meeting_.call();
    for (std::thread& thread : threads_) thread.join();
}

double Team::run(const std::function<void(std::size_t)>& work) {
    work_ = &work;
    meeting_.call();
    take_part(0);
    spin_until([&] { return meeting_.all_have_ended(size()); });
    const auto begins = [](const Span& a, const Span& b) { return a.begin < b.begin; };
    const auto ends = [](const Span& a, const Span& b) { return a.end < b.end; };
    return std::max_element(spans_.begin(), spans_.end(), ends)->end -
           std::min_element(spans_.begin(), spans_.end(), begins)->begin;
}

void Team::serve(std::size_t member, Pu pu) {
    const Pinned pinned(pu);
    note(pinned);
    for (std::uint32_t calls = 0;; ++calls) {
        meeting_.await(calls);
        if (work_ == nullptr) return;
        take_part(member);
    }
}

void Team::take_part(std::size_t member) {
    meeting_.begin();
    // The others need microseconds to wake up; spinning makes all start together.
    spin_until([&] { return meeting_.all_have_begun(size()); });
    spans_[member].begin = now();
    (*work_)(member);
    spans_[member].end = now();
    meeting_.end();
}

void Team::note(const Pinned& pinned) {
    const std::scoped_lock guard(why_not_guard_);
    if (!pinned.in_force()) why_not_pinned_ = pinned.why_not();
}

}  // namespace kport::chip
