/// @file workshop.hpp   C++ programs that were handed in: compiled in one box, run in another; only their schedules come out.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/own_algorithms.hpp"
#include "app/grade/grading.hpp"

namespace kport::cli {

/// Runs the programs of hand-ins in boxes (box.hpp). On each machine a program runs three times, with the nodes in another order each
/// time; it must make the same schedule, so that nodes that share state, a clock or random numbers are found.
class BoxWorkshop final : public grade::Workshop {
  public:
    /// Makes a folder of its own. `already_contained`: the system around is the box, and bubblewrap is not needed. Throws RequestError
    /// where no program can be compiled or none may run.
    explicit BoxWorkshop(bool already_contained);
    ~BoxWorkshop() override;

    [[nodiscard]] std::vector<grade::Made> made_by(const grade::HandIn& hand_in,
                                                   const grade::Exercise& exercise) override;

  private:
    struct Compiled {
        std::filesystem::path object;
        std::string refusal;
    };
    [[nodiscard]] Compiled compiled(const grade::HandIn& hand_in, const std::filesystem::path& folder) const;

    /// For Box::folder.
    [[nodiscard]] std::string scratch_in(const std::filesystem::path& folder) const;

    Toolchain tools_;
    bool already_contained_;
    std::filesystem::path folder_;
    std::atomic<std::uint64_t> hand_ins_ = 0;
};

}  // namespace kport::cli
