/// @file fault_list.hpp   Findings of a judgement: the first ones of each kind.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/report/judgement.hpp"

namespace kport {

class FaultList {
  public:
    void add(ScheduleFault fault, std::string text, std::vector<Repair> repairs = {}) {
        add({fault, std::move(text), std::move(repairs)});
    }
    void add(FoundFault found) {
        if (++count_.at(static_cast<std::size_t>(found.fault)) <= shown_max) findings_.push_back(std::move(found));
    }
    [[nodiscard]] bool is_full(ScheduleFault fault) const {
        return count_.at(static_cast<std::size_t>(fault)) > shown_max;
    }
    [[nodiscard]] bool has(ScheduleFault fault) const { return count_.at(static_cast<std::size_t>(fault)) != 0; }
    [[nodiscard]] bool empty() const { return findings_.empty(); }

    /// Returns all listed findings, with a last line for those not shown.
    [[nodiscard]] std::vector<FoundFault> take() {
        for (std::size_t i = 0; i < count_.size(); ++i)
            if (count_[i] > shown_max)
                findings_.push_back({static_cast<ScheduleFault>(i),
                                     fmt::format("and more than these {}", shown_max),
                                     {},
                                     count_[i] - shown_max});
        return std::move(findings_);
    }

  private:
    static constexpr std::size_t shown_max = 16;

    std::array<std::size_t, static_cast<std::size_t>(ScheduleFault::noho) + 1> count_ = {};
    std::vector<FoundFault> findings_;
};

}  // namespace kport
