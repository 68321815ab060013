/// @file program.hpp   The program as the client of its requests: files, a terminal, code in files, ranks, signals.
#pragma once

#include <optional>
#include <string_view>

#include "app/cli/commands.hpp"
#include "app/cli/progress.hpp"
#include "app/requests/performed.hpp"
#include "app/session/experiment.hpp"
#include "emulator/ranks/ranks.hpp"

namespace kport::cli {

/// Allows all files. Progress and warnings go to standard error as they come. One thread.
class Program final : public requests::Client {
  public:
    Program();

    [[nodiscard]] bool may_read(const std::string&) const override { return true; }
    void require_place(std::string_view option, const std::string& file) const override;
    void write_file(std::string_view option, const std::string& file,
                    const std::function<void(std::ostream&)>& write) override;
    void require_code(const std::string&) const override {}

    /// Compiles the file; the counts, the verdict and the status come from the transfers that its process reports, judged here. In
    /// that process it does not return.
    [[nodiscard]] requests::Performed performed_apart(requests::Request& request, const Experiment& experiment,
                                                      const requests::Wanted& wanted) override;
    [[nodiscard]] std::unique_ptr<OutOfProcess> own_rows(requests::Request& request,
                                                         std::span<const Experiment> experiments) override;
    void predict(const std::string& file, requests::Wanted& wanted) override;
    [[nodiscard]] requests::Answer checked_files(requests::Request& request) override;

    [[nodiscard]] Company company() const override;
    [[nodiscard]] Caller caller() override;
    [[nodiscard]] ProgressFunction progress(std::uint64_t nodes, std::uint64_t reached) override;
    [[nodiscard]] std::unique_ptr<requests::Signs> signs() override;
    [[nodiscard]] std::unique_ptr<requests::Signs> meanwhile(const std::string& text) override;
    [[nodiscard]] std::function<void(const Computing&, const Topology&)> computing() override;
    void at_work(const std::string& text) override;
    void can_report() override;

    void warn(const std::string& text) override;
    [[nodiscard]] std::string document(const std::function<std::string()>& make) override;
    void fails_alone(int status, std::string_view why) override;

  private:
    Attended attended_;
    std::optional<ProgressDisplay> progress_;
};

/// The ranks that run the command together; null: this process alone. Set by join_ranks().
[[nodiscard]] Ranks* joined_ranks();
/// This process, or those ranks.
[[nodiscard]] Company company();

/// Looks at what the launcher says, loads the plug-in of its MPI, and makes sure that all ranks are this program with these
/// arguments. Of several ranks all but the first are silent from then on. Throws RequestError, on all ranks.
void join_ranks(int argc, const char* const* argv);

/// Throws RequestError for commands and options that several ranks do not have.
void require_for_ranks(const Words& words);

/// The end of the program at every rank: each waits for the others, and ends with its status, what it has printed being on its way. Where others go on,
/// this one ends all of them and says `why`, which the first one has said already. Also without ranks.
[[nodiscard]] int leave_ranks(int status, std::string_view why);
/// Several ranks: ends all of them for a reason that this one may have alone. Else does nothing.
void give_up_ranks(int status, std::string_view why);

}  // namespace kport::cli
