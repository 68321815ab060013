#include "app/cli/own_algorithms.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/reported.hpp"
#include "emulator/base/error.hpp"

namespace kport::cli {

namespace {

/// The experiment with no algorithm but that of the file.
Experiment with_file_only(Experiment e, const std::string& file) {
    if (e.algorithm != file) {
        e.algorithm.clear();
        e.algorithms = {file};
    }
    e.besides.clear();
    return e;
}

/// In the process with the code.
[[noreturn]] void compare_and_report(const Experiment& e) {
    Schedule moved;
    Attended attended;
    Caller caller = attended.caller();
    caller.recorded_schedule = &moved;
    const Comparison comparison = kport::compare(e, caller);
    if (!comparison.misfits.empty())
        report_misfit(comparison.misfits.front().why);
    else if (!comparison.failures.empty())
        report_failure(comparison.failures.front().why);
    else if (!comparison.reports.empty())
        report_run(comparison.reports.front(), moved, {});
    end_at_once(status_of(comparison.ending));
}

/// Forks, and waits for the report. In the process with the code it does not return.
Reported row_apart(const OwnFiles& files, const std::string& file, const Experiment& experiment) {
    const auto supervision = supervise(file);
    if (supervision == nullptr) {
        files.load(file);
        compare_and_report(with_file_only(experiment, file));
    }
    Reported failed;
    try {
        return reported(*supervision, file, experiment.topology().nodes());
    } catch (const NoVerdict& error) {
        if (passed_signal_on() || error.status == status_wrong)
            throw;  // an operation that the file has not: for no machine
        failed.failure = error.what();
        if (failed.failure->empty())
            failed.failure = fmt::format("{} ended with status {} and no schedule; no verdict", file, error.status);
    } catch (const DoesNotFit& error) {
        failed.failure = error.what();
    }
    return failed;
}

class OwnRows final : public OutOfProcess {
  public:
    /// Returns false where a signal asks to stop.
    bool add(const OwnFiles& files, const std::string& file, const Experiment& experiment) {
        const Key wanted = key(experiment, file);
        if (rows_.contains(wanted)) return true;  // asked for twice
        const auto row = rows_.emplace(wanted, row_apart(files, file, experiment)).first;
        if (const Reported& run = row->second; run.ran()) facts_.emplace(file, run.facts);
        return !passed_signal_on();
    }
    void enter_catalogue(const Operation& operation, const std::string& file) {
        follow_in_catalogue(operation, file, facts_[file]);
    }

    [[nodiscard]] bool has(const Algorithm& row) const override { return facts_.contains(row.name); }

    [[nodiscard]] std::optional<std::string> misfit(const Experiment& experiment, const Algorithm& row) override {
        const auto found = rows_.find(key(experiment, row.name));
        if (found == rows_.end()) return std::nullopt;  // it was stopped before this one, and so is the comparison
        if (const auto& why = found->second.failure) throw OutOfProcessError(*why);
        return found->second.misfit;
    }

    [[nodiscard]] Outcome run(const Chosen& chosen, const Caller& caller) override {
        try {
            return judged_outcome(chosen, rows_.at(key(chosen.experiment, chosen.algorithm->name)), caller);
        } catch (const NoVerdict& error) {
            throw OutOfProcessError(error.what());
        }
    }

  private:
    using Key = std::pair<std::string, std::string>;

    static Key key(const Experiment& experiment, std::string_view file) {
        return {again(experiment, file), std::string(file)};
    }

    std::map<Key, Reported> rows_;
    std::map<std::string, OwnFacts, std::less<>> facts_;  ///< by file
};

}  // namespace

std::unique_ptr<OutOfProcess> own_rows(const Words& words, std::span<const Experiment> experiments) {
    const OwnFiles files(words);
    if (files.empty()) return nullptr;
    auto rows = std::make_unique<OwnRows>();
    bool goes_on = true;
    for (const Experiment& experiment : experiments)
        for (const std::string& file : files.list())
            if (goes_on) goes_on = rows->add(files, file, experiment);
    if (!goes_on) interrupt();
    for (const std::string& file : files.list()) rows->enter_catalogue(experiments.front().collective.operation, file);
    return rows;
}

}  // namespace kport::cli
