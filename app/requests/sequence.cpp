/// @file sequence.cpp   kport run sequence FILE: operations one after the other, as a file says.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/trim.hpp>
#include <boost/tokenizer.hpp>

#include "app/files/json_report.hpp"
#include "app/files/lines.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/requests/texts.hpp"
#include "app/session/reporting.hpp"
#include "app/session/sequence.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::requests {

namespace {

constexpr std::array<std::string_view, 3> words_of_sequences = {"on", "promise", "phase"};
constexpr std::size_t phases_max = 1000;

/// A line of the file: its number, and what stands behind its first word.
struct SequenceLine {
    std::uint64_t number = 0;
    std::string rest = {};
};

/// The lines of a file, not yet understood.
struct SequenceText {
    std::string what;  ///< begins the messages: "sequence 'rows.txt'"
    std::optional<SequenceLine> on = {};
    std::optional<SequenceLine> promise = {};
    std::vector<SequenceLine> phases = {};
};

SequenceText text_of(std::istream& in, const std::string& path) {
    SequenceText text{fmt::format("sequence {}", quoted(path == "-" ? "standard input" : path))};
    Lines lines(in, text.what);
    const auto put_once = [&](std::optional<SequenceLine>& place, SequenceLine line, std::string_view word) {
        if (place)
            lines.refuse(1, fmt::format("a second line of {}; the first is line {}", quoted(word), place->number));
        place = std::move(line);
    };
    while (lines.next()) {
        LineCursor cursor(lines.text().substr(0, lines.text().find('#')), lines.what(), lines.number());
        if (cursor.at_end()) continue;
        const std::size_t column = cursor.column();
        const std::string word(cursor.until(" \t\r"));
        SequenceLine line{lines.number(), boost::algorithm::trim_copy(std::string(cursor.rest()))};
        if (std::ranges::find(words_of_sequences, word) == words_of_sequences.end())
            lines.refuse(column,
                         fmt::format("{} is unknown{} ({})", quoted(word), did_you_mean(word, words_of_sequences),
                                     fmt::join(words_of_sequences, ", ")));
        if (line.rest.empty())
            lines.refuse(column, fmt::format("{} of what? want such as '{}'", quoted(word),
                                             word == "on"        ? "on complete:8"
                                             : word == "promise" ? "promise broadcast"
                                                                 : "phase scatter --source 0"));
        if (word == "on")
            put_once(text.on, std::move(line), word);
        else if (word == "promise")
            put_once(text.promise, std::move(line), word);
        else
            text.phases.push_back(std::move(line));
        if (text.phases.size() > phases_max)
            lines.refuse(column, fmt::format("more than {} phases; want fewer", phases_max));
    }
    if (text.phases.empty())
        lines.refuse("has no line of a phase; want such as 'phase scatter --source 0', and before it 'on complete:8'");
    return text;
}

SequenceText text_in(const std::string& path, Request& request) {
    if (path == "-") return text_of(request.input, path);
    const std::string what = fmt::format("sequence {}", quoted(path));
    if (!request.client.may_read(path))
        throw RequestError(
            fmt::format("{}: no file is read here; want its text as the input, and - as its name", what));
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
        throw RequestError(fmt::format("{} is a folder; want a file with lines such as 'phase scatter'", what));
    std::ifstream in(path, std::ios::binary);
    if (!in) throw RequestError(fmt::format("{}: no such file can be opened ({})", what, std::strerror(errno)));
    return text_of(in, path);
}

/// Calls `work`; what it refuses stands in this line.
template <class Work>
auto in_line(const SequenceText& text, const SequenceLine& line, const Work& work) {
    try {
        return work();
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("{}: line {}: {}", text.what, line.number, in_options(error.what())));
    } catch (const DoesNotFit& error) {
        throw DoesNotFit(fmt::format("{}: line {}: {}", text.what, line.number, in_options(error.what())));
    }
}

/// The words of a line, as a command line has them.
Words words_of(const SequenceLine& line, std::size_t width) {
    std::vector<std::string> all = {"kport", "run"};
    try {
        using Tokens = boost::tokenizer<boost::escaped_list_separator<char>>;
        const boost::escaped_list_separator<char> blanks("\\", " \t\r", "'\"");
        for (const std::string& word : Tokens(line.rest, blanks))
            if (!word.empty()) all.push_back(word);
    } catch (const boost::escaped_list_error&) {
        throw RequestError("a backslash stands before a letter that needs none; leave it out");
    }
    if (all.size() > 2 && all[2].starts_with('-'))
        throw RequestError(fmt::format("{} stands before the operation; want such as 'scatter --source 0'", all[2]));
    std::vector<const char*> argv;
    for (const std::string& word : all) {
        if (word == "--help" || word == "-h") throw RequestError(fmt::format("{} has no meaning in a file", word));
        argv.push_back(word.c_str());
    }
    return read_command_line(static_cast<int>(argv.size()), argv.data(), width);
}

void require_taken(const Words& line, std::string_view taken, std::string_view by) {
    for (const auto& [name, value] : line.values)
        if (!has_word(taken, name))
            throw RequestError(
                fmt::format("{} does not stand there: {} takes {}; those of the machine and of the run "
                            "stand on the command line",
                            line.typed(name), by, taken));
}

/// The command's words that say something of each phase and of the whole: the machine, the prices, the size and kind of what is moved.
Words common_words(const Words& command, const Operation& operation) {
    constexpr std::string_view of_folds = "--type --rules";
    Words words;
    words.command = "run";
    const auto put = [&](const std::string& name) {
        if (const auto value = command.get(name)) words.values[name] = *value;
    };
    for (const auto& [name, value] : command.values) {
        const OptionGroup group = option_named(name)->group;
        const bool is_common = group == OptionGroup::machine || group == OptionGroup::prices ||
                               group == OptionGroup::graph || group == OptionGroup::run;
        if (is_common && !has_word(of_folds, name)) put(name);
    }
    put("--payload");
    if (operation.folds())
        for (const char* name : {"--op", "--type"}) put(name);
    if (operation.signals())
        words.values.erase("--noho");
    else
        for (const char* name : {"--bytes", "--rules"}) put(name);
    return words;
}

class SequenceReader {
  public:
    SequenceReader(Request& request, SequenceText text)
        : request_(request), text_(std::move(text)), topology_(topology()) {}

    [[nodiscard]] Sequence read() const {
        Sequence sequence;
        sequence.name = *request_.words.of == "-" ? "standard input" : *request_.words.of;
        if (text_.promise) sequence.whole = in_line(text_, *text_.promise, [&] { return whole(); });
        for (const SequenceLine& line : text_.phases)
            sequence.phases.push_back(in_line(text_, line, [&] { return phase(line, sequence.whole); }));
        Machine machine;
        machine.topology = topology_;
        sequence.machine = machine_of(request_.words, machine);
        return sequence;
    }
    /// Runs it; what a phase is refused for stands in its line.
    [[nodiscard]] Outcome run(const Sequence& sequence, const Caller& caller) const {
        try {
            return kport::run(sequence, caller);
        } catch (const PhaseRefused& refused) {
            return in_line(text_, text_.phases[refused.phase], [&]() -> Outcome { throw refused; });
        }
    }

  private:
    /// That of --on, else that of the file.
    [[nodiscard]] std::shared_ptr<const Topology> topology() const {
        if (request_.words.has("--on")) return topology_of(request_.words);
        if (!text_.on)
            throw RequestError(fmt::format(
                "{}: on which machine? want a line such as 'on complete:8', or --on complete:8", text_.what));
        Words words = request_.words;
        words.values["--on"] = text_.on->rest;
        return in_line(text_, *text_.on, [&] { return topology_of(words); });
    }

    [[nodiscard]] Experiment whole() const {
        const std::string& rest = text_.promise->rest;
        const std::string first = rest.substr(0, rest.find_first_of(" \t"));
        const bool is_file = !operation_meant(first) && first.find_first_of("./") != std::string::npos;
        Words line;
        if (is_file) {
            line.subject = "promise";
            line.values["--promise"] = rest;
        } else {
            line = words_of(*text_.promise, request_.client.width);
            require_taken(line, "--source --sources --packets --counts --sizes --permutation --op", "promise");
        }
        const Operation operation = is_file ? Operation::promise : operation_named(*line.subject);
        Words words = common_words(request_.words, operation);
        put_of_command(words, line, operation);
        words.subject = line.subject;
        add(words, line);
        // The messages of all phases have the ports of the file.
        Experiment e = experiment_of(words, topology_, GraphFiles::as_they_are);
        e.per_round = request_.words.has("--per-round");
        e.reproducible = request_.reproducible();
        return e;
    }
    /// Packets and values of the whole may stand on the command line, too.
    void put_of_command(Words& words, const Words& line, const Operation& operation) const {
        for (const char* name : {"--packets", "--values"})
            if (const auto value = request_.words.get(name)) {
                if (line.has(name))
                    throw RequestError(fmt::format("{0} stands there and on the command line; want one", name));
                words.values[name] = *value;
            }
        if (!operation.folds() && request_.words.has("--op"))
            throw RequestError(fmt::format("--op {}: {} folds nothing; leave --op out",
                                           quoted(*request_.words.get("--op")), name(operation)));
    }

    [[nodiscard]] Experiment phase(const SequenceLine& line, const std::optional<Experiment>& whole) const {
        Words own = words_of(line, request_.client.width);
        require_taken(
            own,
            "--members --groups --algorithm --source --counts --permutation --op --keep --dimensions --arity --gather "
            "--aggregate --ports-at-most",
            "a phase");
        const Operation operation = operation_named(*own.subject);
        require_phase_of(operation, whole ? &whole->collective.operation : nullptr);
        Words words = common_words(request_.words, operation);
        const bool has_numbers = own.has("--counts") || operation.signals();
        if (const auto m = request_.words.get("--packets"); m && !whole && !has_numbers) words.values["--packets"] = *m;
        if (whole && operation.folds() && !own.has("--op")) words.values["--op"] = whole->options.reduction.op->name;
        words.subject = own.subject;
        add(words, own);
        Experiment e = experiment_of(words, topology_);
        const auto& op = e.options.reduction.op;
        if (whole && operation.folds() && op->name != whole->options.reduction.op->name)
            throw RequestError(fmt::format("op {}: the promise folds by {}; want the same, or no promise",
                                           quoted(op->name), whole->options.reduction.op->name));
        e.reproducible = request_.reproducible();
        return e;
    }
    static void add(Words& words, const Words& line) {
        for (const auto& [name, value] : line.values) words.values[name] = value;
        words.aliases = line.aliases;
    }

    Request& request_;
    SequenceText text_;
    std::shared_ptr<const Topology> topology_;
};

}  // namespace

Answer run_sequence(Request& request) {
    const Words& words = request.words;
    if (!words.of)
        throw RequestError("which sequence? want kport run sequence FILE, a file with lines such as 'phase scatter'");
    refuse_idle_options(words, "SEQUENCE");
    if (request.client.company().processes > 1)
        throw RequestError("a sequence runs in one process; want kport run without mpiexec");
    const SequenceReader reader(request, text_in(*words.of, request));
    const Sequence sequence = reader.read();
    const auto folds = [](const Experiment& e) { return e.collective.folds(); };
    for (const char* option : {"--op", "--type", "--values"})
        if (words.has(option) && std::ranges::none_of(sequence.phases, folds))
            throw RequestError(fmt::format("{}: no phase folds anything; leave {} out", option, option));
    const bool wants_moved = wants_transfers(request);
    for (const char* option : {"--record", "--picture", "--hotspots", "--per-round", "--values"})
        if (!sequence.whole && words.has(option))
            throw RequestError(
                fmt::format("{}: nothing is promised as a whole, and only phases are run; want a line "
                            "such as 'promise broadcast', or leave {} out",
                            option, option));
    Caller caller = request.client.caller();
    caller.counts_brackets = true;
    Schedule moved;
    if (wants_moved) caller.recorded_schedule = &moved;
    Outcome outcome = reader.run(sequence, caller);
    Report& report = outcome.report;
    report.reproducible = request.reproducible();
    report.again = command_as_typed(words);
    if (sequence.whole) settle_bounds(*sequence.whole, report);
    if (words.has("--hotspots")) put_hotspots(report, moved);
    std::string pictures;
    const auto draw = [&] {
        if (wants_moved) pictures = pictures_of(request, report, std::move(moved), {});
    };
    return answer_beside(
        draw, [&] { return report_of(request, report) + pictures; }, status_of(outcome.ending));
}

}  // namespace kport::requests
