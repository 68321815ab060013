/// @file workshop.hpp   Programs that were handed in run in boxes; only their schedules come out.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "app/cli/own_algorithms.hpp"
#include "app/cli/process.hpp"
#include "app/grade/grading.hpp"

namespace kport::cli {

/// Runs the programs of hand-ins in boxes (process.hpp); C++ programs are compiled in one before. On each machine a program runs three times:
/// twice with the nodes in another order, once with the nodes dealt out to processes. It must make the same schedule, so that nodes that
/// share state, a clock or random numbers are found.
class BoxWorkshop final : public grade::Workshop {
  public:
    /// Makes a folder of its own. `kinds`: of the programs that will come. `already_contained`: the system around is the box, and
    /// bubblewrap is not needed. Throws RequestError where these programs cannot be compiled or none may run.
    BoxWorkshop(const std::set<grade::Kind>& kinds, bool already_contained);

    [[nodiscard]] std::vector<grade::Made> made_by(const grade::HandIn& hand_in,
                                                   const grade::Exercise& exercise) override;

  private:
    /// A new folder, which is removed at the end.
    struct Scratch {
        std::filesystem::path path;
        Scratch();
        ~Scratch();
        Scratch(const Scratch&) = delete;
        Scratch& operator=(const Scratch&) = delete;
    };
    /// What runs a program on all machines, without its limits.
    struct Program {
        Box box;
        std::string refusal;  ///< empty: there is a box
    };
    [[nodiscard]] Program compiled(const grade::Exercise& exercise, const std::string& source,
                                   const std::filesystem::path& folder) const;
    [[nodiscard]] Program interpreted(const grade::Exercise& exercise, const std::string& source,
                                      const std::filesystem::path& folder) const;

    /// python3 with these words, which sees the module.
    [[nodiscard]] Box python_box(const std::filesystem::path& folder, std::initializer_list<std::string> more) const;
    /// Throws RequestError where python3 does not load the module, or cannot be sealed.
    void require_python() const;
    /// For Box::folder.
    [[nodiscard]] std::string scratch_in(const std::filesystem::path& folder) const;

    Toolchain tools_;
    std::filesystem::path python_;  ///< the folder with the module
    bool already_contained_;
    Scratch folder_;
    std::atomic<std::uint64_t> hand_ins_ = 0;
};

}  // namespace kport::cli
