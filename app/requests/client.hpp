/// @file client.hpp   What the caller of answer() allows, provides and shows.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/comparison.hpp"
#include "app/session/run.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::requests {

struct Answer;
struct Performed;
struct Request;
struct Wanted;

/// A file, or standard output, cannot take what is written. The text gives the reason.
class OutputError : public std::runtime_error {
  public:
    OutputError(const std::string& text, bool quiet_end) : std::runtime_error(text), quiet(quiet_end) {}
    bool quiet;  ///< the reader went away (`| head`): no message needed
};

/// The process with the code of a file ended without a report that counts. `status`: the exit status, 2 to 4; an empty text: the
/// reason has been printed.
class NoVerdict : public std::runtime_error {
  public:
    NoVerdict(const std::string& text, int exit_status) : std::runtime_error(text), status(exit_status) {}
    int status;
};

/// Signs of life of work that may take long. This one shows nothing.
class Signs {
  public:
    Signs() = default;
    virtual ~Signs() = default;
    Signs(const Signs&) = delete;
    Signs& operator=(const Signs&) = delete;

    /// Whether a text would be shown now: call it before making one.
    [[nodiscard]] virtual bool due() const { return false; }
    /// Shows what goes on. Callers: one thread.
    virtual void show(std::string_view) {}
};

/// The caller of answer(): what it allows, provides and shows. By default no file is read or written, no code is loaded, and nothing is
/// shown until the answer is complete. Members are called by the thread that asks, unless they say otherwise.
///
/// Threads   Each thread that asks has a client of its own; a client asks one request at a time.
class Client {
  public:
    Client() = default;
    virtual ~Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    std::size_t width = usual_width;          ///< columns of a text; at least 40
    Paint paint = Paint(false);               ///< colours of a text
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: a run ends after its round, a search soon
    double search_seconds_max = 60;           ///< the most that `search --for` may ask for
    std::vector<std::string> warnings = {};   ///< of the request that is being answered

    /// Whether the file, or the folder with all that it holds, may be read; "/": whether all files may be. Any thread.
    [[nodiscard]] virtual bool may_read(const std::string& path) const;
    /// Throws RequestError where the file cannot be written. `option`: empty for a file that a word names.
    virtual void require_place(std::string_view option, const std::string& file) const;
    /// Replaces the file as a whole. Throws OutputError where it cannot be written; what was there before stays.
    virtual void write_file(std::string_view option, const std::string& file,
                            const std::function<void(std::ostream&)>& write);
    /// Throws RequestError where code in files may not run.
    virtual void require_code(const std::string& file) const;

    /// Runs an algorithm whose code is in a file, and judges it. Throws also NoVerdict.
    [[nodiscard]] virtual Performed performed_apart(Request& request, const Experiment& experiment,
                                                    const Wanted& wanted);
    /// The algorithms of a comparison that files hold; null if the words name none.
    [[nodiscard]] virtual std::unique_ptr<OutOfProcess> own_rows(Request& request,
                                                                 std::span<const Experiment> experiments);
    /// `run --calibrated FILE`: adds to `wanted` what predicts the time of the run. Throws RequestError.
    virtual void predict(const std::string& file, Wanted& wanted);
    /// `check FOLDER`, and of one file with --csv. Throws RequestError.
    [[nodiscard]] virtual Answer checked_files(Request& request);

    /// The processes that run an experiment together.
    [[nodiscard]] virtual Company company() const { return {}; }
    /// For runs, one after the other. It warns of faults that were not injected, and of the limit of rounds.
    [[nodiscard]] virtual Caller caller();
    /// Progress of an audit without a run, as Caller::progress; may be empty. Valid until it is called again.
    [[nodiscard]] virtual ProgressFunction progress(std::uint64_t, std::uint64_t) { return {}; }
    [[nodiscard]] virtual std::unique_ptr<Signs> signs() { return std::make_unique<Signs>(); }
    /// Shows the text until it is destroyed, or show() has another one.
    [[nodiscard]] virtual std::unique_ptr<Signs> meanwhile(const std::string&) { return signs(); }
    /// For many runs: told what is computed in one of them and does not end soon, by any thread; may be empty.
    [[nodiscard]] virtual std::function<void(const Computing&, const Topology&)> computing() { return {}; }
    /// What goes on now, before there is anything to report.
    virtual void at_work(const std::string&) {}
    /// From here on a request that is stopped has something to report.
    virtual void can_report() {}

    /// The report of a run or of a schedule, before it becomes the text of the answer.
    virtual void reported(const Report&) {}
    /// A sentence for the reader, beside the answer.
    virtual void warn(const std::string& text) { warnings.push_back(text); }
    /// Calls `make`, whose documents allocate in their destructors.
    [[nodiscard]] virtual std::string document(const std::function<std::string()>& make) { return make(); }
    /// Called where the request fails for a reason that this one of several processes may have alone.
    virtual void fails_alone(int, std::string_view) {}
};

/// What a run gives reason to warn of.
[[nodiscard]] std::vector<std::string> warnings_of(const Experiment& experiment, const Outcome& outcome);

/// Throws RequestError for a folder, for a name in a folder that does not exist, and for "-": standard output has the report.
/// `option`: empty for a file that a word names.
void require_usable_name(std::string_view option, const std::string& file);
/// Throws RequestError as require_usable_name() does, and where the file could not be replaced.
void require_writable_place(std::string_view option, const std::string& file);
/// Replaces the file by what `write` puts into the stream. Throws OutputError where it cannot be written, and what `write` throws;
/// the old file stays then.
void replace_named_file(std::string_view option, const std::string& file,
                        const std::function<void(std::ostream&)>& write);

/// Forks this process into so many ranks (ranks/forked_ranks.hpp): what is run from now on they run together, and each runs the
/// programs of its own nodes only. Returns the rank; only rank 0 is to report. Callers and errors as fork_ranks().
unsigned fork_into(unsigned processes);
/// The ranks that fork_into() has made; null: this process is alone.
[[nodiscard]] Ranks* forked_ranks();
/// Seals this process: from now on the kernel ends it where it starts a thread or a process, opens a file for writing, opens a
/// connection, or reads another process's memory. Cannot be undone. Throws RequestError where the system cannot do that.
void seal_process();
/// Whether this process is sealed: nothing here may start a thread.
[[nodiscard]] bool sealed();

}  // namespace kport::requests
