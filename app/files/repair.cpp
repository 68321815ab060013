#include "app/files/repair.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "app/files/edited_text.hpp"
#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// A text with some changes, and how it was judged.
struct Candidate {
    std::vector<Repair> changes = {};
    bool lawful = false;
    std::uint64_t faults = 0;
    std::vector<Repair> next = {};  ///< suggestions for a few faults; those of the other faults are tried after them
    std::size_t number = 0;         ///< number of the attempt

    /// Changes so far, and one for each remaining fault.
    [[nodiscard]] auto cost() const { return std::tuple(changes.size() + faults, faults, number); }
    [[nodiscard]] bool is_before(const Candidate& other) const { return cost() < other.cost(); }
};

class RepairSearch {
  public:
    RepairSearch(const std::string& text, std::string_view name, const JudgeOfText& judge)
        : text_(text), name_(name), judge_(judge) {}

    FoundRepair run() {
        try_changes({});
        while (!open_.empty()) {
            const Candidate best = open_.top();
            open_.pop();
            if (best.lawful) return found(without_needless(best.changes));
            if (!is_cut_ && best.changes.size() < repair_changes_max) expand(best);
        }
        return {{}, {}, !is_cut_};
    }

  private:
    void expand(const Candidate& from) {
        for (const Repair& repair : from.next) {
            std::vector<Repair> changes = from.changes;
            changes.push_back(repair);
            try_changes(std::move(changes));
        }
    }

    void try_changes(std::vector<Repair> changes) {
        const auto edited = with(changes);
        if (!edited) return;
        const std::string text = edited->text();
        if (!seen_.insert(std::hash<std::string>()(text)).second) return;
        is_cut_ = is_cut_ || tries_ == repair_tries_max || (tries_ > 0 && bytes_ + text.size() > repair_bytes_max);
        if (is_cut_) return;
        ++tries_;
        bytes_ += text.size();
        try {
            JudgedText judged = judge_(text);
            std::uint64_t faults = judged.other_faults;
            for (const FoundFault& fault : judged.faults) faults += fault.count;
            open_.push({std::move(changes), judged.lawful, faults, first_repairs(judged.faults), tries_});
        } catch (const RequestError&) {
            return;  // no longer well-formed
        }
    }

    static std::vector<Repair> first_repairs(std::vector<FoundFault>& faults) {
        constexpr std::size_t tried_max = 32;
        std::vector<Repair> repairs;
        for (FoundFault& fault : faults)
            for (Repair& repair : fault.repairs)
                if (!repair.edits.empty() && repairs.size() < tried_max) repairs.push_back(std::move(repair));
        return repairs;
    }

    [[nodiscard]] std::optional<EditedText> with(const std::vector<Repair>& changes) const {
        EditedText edited(text_);
        for (const Repair& change : changes)
            if (!edited.apply(change)) return std::nullopt;
        return edited;
    }

    /// Removes changes that later ones made unnecessary.
    [[nodiscard]] std::vector<Repair> without_needless(std::vector<Repair> changes) const {
        for (std::size_t i = 0; i < changes.size();) {
            std::optional<std::vector<Repair>> fewer = without(i, changes);
            const bool is_needless = fewer && is_lawful_with(*fewer);
            if (is_needless) changes = *std::move(fewer);
            i = is_needless ? 0 : i + 1;
        }
        for (Repair& change : changes) leave_out_edits(change, changes);
        return changes;
    }

    /// Removes unnecessary edits of one change.
    void leave_out_edits(Repair& change, const std::vector<Repair>& changes) const {
        for (std::size_t k = change.edits.size(); k-- > 0;) {
            if (change.edits[k].what.empty()) continue;
            const Repair whole = change;
            change.edits.erase(change.edits.begin() + static_cast<std::ptrdiff_t>(k));
            if (!is_lawful_with(changes)) change = whole;
        }
    }

    /// Positions of later changes are those of the text with the earlier ones.
    [[nodiscard]] std::optional<std::vector<Repair>> without(std::size_t i, const std::vector<Repair>& changes) const {
        EditedText edited(text_);
        std::vector<Repair> fewer(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t j = 0; j < changes.size(); ++j) {
            if (j > i) {
                std::optional<Repair> moved = edited.without(i, changes[j]);
                if (!moved) return std::nullopt;
                fewer.push_back(*std::move(moved));
            }
            if (!edited.apply(changes[j])) return std::nullopt;
        }
        return fewer;
    }

    [[nodiscard]] bool is_lawful_with(const std::vector<Repair>& changes) const {
        const auto edited = with(changes);
        try {
            return edited && judge_(edited->text()).lawful;
        } catch (const RequestError&) {
            return false;
        }
    }

    [[nodiscard]] FoundRepair found(const std::vector<Repair>& changes) const {
        FoundRepair repair;
        for (const Repair& change : changes)
            repair.changes.push_back(fmt::format("{}: {}", change.where, change.in_words()));
        repair.patch = with(changes)->patch(name_);
        return repair;
    }

    struct Later {
        bool operator()(const Candidate& a, const Candidate& b) const { return b.is_before(a); }
    };

    const std::string& text_;
    std::string_view name_;
    const JudgeOfText& judge_;
    std::priority_queue<Candidate, std::vector<Candidate>, Later> open_;
    std::unordered_set<std::size_t> seen_;  ///< hashes of texts
    std::size_t tries_ = 0;
    std::uint64_t bytes_ = 0;
    bool is_cut_ = false;
};

}  // namespace

FoundRepair repair_text(const std::string& text, std::string_view name, const JudgeOfText& judge) {
    return RepairSearch(text, name, judge).run();
}

}  // namespace kport
