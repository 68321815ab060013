#include "app/cli/workshop.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/cli/awaits_alone.hpp"
#include "app/cli/output.hpp"
#include "app/files/json_report.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/random.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t source_bytes_most = std::size_t{1} << 20;
constexpr std::size_t object_bytes_most = std::size_t{16} << 20;
constexpr std::size_t runs_on_machine = 3;
constexpr NodeId processes_most = 4;  ///< each may take as much memory as the exercise allows
constexpr std::size_t said_bytes = 300;

std::string this_program() { return fs::read_symlink("/proc/self/exe").string(); }

void write_bytes(const fs::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    if (!out.flush()) throw OutputError(fmt::format("{} cannot be written", quoted(file.string())), false);
}

/// In front of a program that knows its own ports only. It cannot ask for the machine.
constexpr std::string_view own_ports_only = "#pragma GCC poison topology machine\n";

/// The first error of a compiler, with its line in the program.
std::string first_error_in(const std::string& told, const std::string& source) {
    constexpr std::string_view mark = "error: ";
    for (const std::string_view text : split(told, '\n')) {
        const std::size_t at = text.find(mark);
        if (at == std::string_view::npos) continue;
        std::string what(text.substr(at + mark.size()));
        if (what.find("poisoned") != std::string::npos)
            what =
                "asks for the machine; here a node knows its own ports only, as degree() and neighbour(port) have "
                "them";
        if (text.starts_with(source + ":"))
            what = fmt::format("line {}: {}", split(text.substr(source.size() + 1), ':').front(), what);
        return one_line(what, said_bytes);
    }
    return "the compiler gives no reason";
}

/// A run of the program: what stands in the output of the box between zero bytes.
struct Run {
    std::string schedule;
    std::string status;
    std::string said;  ///< the end of what it wrote to standard error
};

/// Without the folder of the program, whose name differs from time to time.
std::vector<Run> runs_in(const std::string& output, const fs::path& folder) {
    const std::vector<std::string_view> parts = split(output, '\0');
    std::vector<Run> runs;
    for (std::size_t i = 0; i + 2 < parts.size(); i += 3)
        runs.push_back({std::string(parts[i]), std::string(parts[i + 1]),
                        boost::replace_all_copy(std::string(parts[i + 2]), folder.string() + "/", "")});
    return runs;
}

/// The last line of a text.
std::string last_line(const std::string& text) {
    constexpr std::string_view speaker = "kport: ";
    std::string last;
    for (const std::string_view line : split(text, '\n'))
        if (!line.empty()) last = line;
    if (last.starts_with(speaker)) last.erase(0, speaker.size());
    return one_line(last, said_bytes);
}

/// How a program ended that made no schedule, and what is said of it. What it can make differ from one run to the next is not quoted.
enum class Fate : std::uint8_t { late, sealed, exits, crashes, memory, long_schedule };

std::string sentence_of(Fate fate, const grade::Limits& limits) {
    switch (fate) {
        case Fate::late: return fmt::format("the program does not end within {} s", number(limits.seconds));
        case Fate::sealed:
            return "the program starts a thread or a process, writes a file or opens a connection, which none may";
        case Fate::exits: return "the program ends the whole run, with exit() or so";
        case Fate::crashes: return "the program crashes";
        case Fate::memory:
            return fmt::format("the program needs more than {}", memory(static_cast<double>(limits.memory)));
        case Fate::long_schedule: break;
    }
    return "the program writes too long a schedule";
}

/// By what kport says of a C++ program; nothing for other ends.
std::optional<Fate> fate_of_cpp(const Run& run) {
    const auto says = [&](std::string_view words) { return run.said.find(words) != std::string::npos; };
    if (run.status == "137" || says("a program in a file may compute for") || says("no sign of life"))
        return Fate::late;
    if (says("Bad system call")) return Fate::sealed;
    if (says("ended the whole program")) return Fate::exits;
    if (says("program.so crashed: ")) return Fate::crashes;
    if (says("memory")) return Fate::memory;
    return std::nullopt;
}

/// By the word that kport's module for Python has for it; nothing where it has a sentence.
std::optional<Fate> fate_of_python(const Run& run) {
    constexpr std::array<std::pair<std::string_view, Fate>, 6> words = {{{"late", Fate::late},
                                                                         {"sealed", Fate::sealed},
                                                                         {"exits", Fate::exits},
                                                                         {"crashes", Fate::crashes},
                                                                         {"memory", Fate::memory},
                                                                         {"long", Fate::long_schedule}}};
    for (const auto& [word, fate] : words)
        if (run.status == word) return fate;
    return std::nullopt;
}

/// Where a program says that it failed: "line 3: "; empty where it does not.
std::string line_in(const std::string& said) {
    constexpr std::string_view word = "line ";
    constexpr std::size_t digits_most = 7;
    const std::size_t end = said.find_first_not_of("0123456789", word.size());
    const bool is_line = said.starts_with(word) && end > word.size() && end <= word.size() + digits_most;
    return is_line ? said.substr(0, end) + ": " : std::string();
}

/// What a program says of a hidden machine is not quoted: it could name it.
std::string why_none(const Run& run, grade::Kind kind, bool is_hidden, const grade::Limits& limits) {
    const bool is_python = kind == grade::Kind::python;
    if (const auto fate = is_python ? fate_of_python(run) : fate_of_cpp(run)) return sentence_of(*fate, limits);
    if (is_hidden) return line_in(run.said) + "the program ends with an error";
    return is_python ? one_line(run.said, said_bytes)
                     : fmt::format("the program makes no schedule: {}", last_line(run.said));
}

/// What names each machine in a box: its specification, or the file of its graph in this folder.
std::vector<std::string> names_of_machines(const grade::Exercise& exercise, const fs::path& folder) {
    std::vector<std::string> names;
    for (const grade::ExerciseMachine& machine : exercise.machines)
        names.push_back(machine.graph.empty() ? machine.on
                                              : (folder / fmt::format("machine-{}.metis", names.size())).string());
    return names;
}

/// Writes the graphs that have no specification, and shows them in the box.
void show_graphs(Box& box, const grade::Exercise& exercise, const fs::path& folder) {
    const std::vector<std::string> names = names_of_machines(exercise, folder);
    for (std::size_t m = 0; m < names.size(); ++m) {
        if (exercise.machines[m].graph.empty()) continue;
        write_bytes(names[m], exercise.machines[m].graph);
        box.shows.push_back(names[m]);
    }
}

/// What `kport run` is asked for, and by how many processes.
struct Asked {
    std::vector<std::string> words;
    unsigned processes = 1;
};

/// On all machines: once in each order, then with the nodes dealt out to processes that share nothing.
std::vector<Asked> runs_of(const grade::Exercise& exercise, const fs::path& folder, const std::string& algorithm) {
    std::vector<Asked> runs;
    std::uint64_t seed = 0;
    const std::vector<std::string> names = names_of_machines(exercise, folder);
    for (std::size_t m = 0; m < names.size(); ++m)
        for (std::size_t i = 0; i < runs_on_machine; ++i) {
            std::vector<std::string> words = {"run", exercise.operation, "--algorithm=" + algorithm,
                                              "--record=schedule.json"};
            for (const auto& [option, value] : exercise.options)
                if (option != "--source")
                    words.push_back(value == "true" ? option : fmt::format("{}={}", option, value));
            words.push_back("--on=" + names[m]);
            const bool is_apart = i + 1 == runs_on_machine;
            words.emplace_back("--threads=1");
            words.push_back(is_apart ? "--partition-nodes=1"
                                     : fmt::format("--order={}", Dice(++seed).below(1'000'000)));
            if (const auto root = exercise.machines[m].experiment.root())
                words.push_back(fmt::format("--source={}", *root));
            const NodeId nodes = exercise.machines[m].experiment.topology().nodes();
            const auto most = static_cast<unsigned>(std::min<NodeId>(nodes, processes_most));
            runs.push_back({std::move(words), is_apart ? most : 1});
        }
    return runs;
}

/// The shell's text that runs a C++ program. It ends after a run without an end.
std::string script_of(const grade::Exercise& exercise, const fs::path& folder, const std::string& object) {
    std::string script = fmt::format(
        "r() {{ export KPORT_SEALED=$1; shift; timeout --foreground -s KILL {} {} \"$@\" >/dev/null "
        "2>said; s=$?; if [ $s -lt 2 ]; then cat schedule.json; printf '\\0%s\\0\\0' $s; else printf '\\0%s\\0' $s; "
        "tail -c {} said; printf '\\0'; fi; [ $s != 137 ] || exit 0; }}\n",
        number(exercise.limits.seconds), as_shell_word(this_program()), said_bytes);
    for (const auto& [words, processes] : runs_of(exercise, folder, object)) {
        script += fmt::format("r {}", processes);
        for (const std::string& word : words) script += " " + as_shell_word(word);
        script += "\n";
    }
    return script;
}

/// What kport's module for Python reads (bindings/python/kport/_hand_in.py).
std::string request_of(const grade::Exercise& exercise, const fs::path& folder) {
    Json json;
    json["seconds"] = exercise.limits.seconds;
    json["knows"] = exercise.knows == grade::Knows::own ? "own" : "graph";
    json["bytes"] = grade::schedule_bytes_most;
    json["runs"] = Json::array();
    for (const auto& [words, processes] : runs_of(exercise, folder, "./program.py"))
        json["runs"].push_back({{"words", words}, {"processes", processes}});
    return json.dump();
}

/// The schedule of a machine, if all its runs, which begin with the first of these, made the same.
grade::Made made_in(std::span<const Run> runs, grade::Kind kind, bool is_hidden, const grade::Limits& limits) {
    for (std::size_t i = 0; i < runs_on_machine; ++i) {
        if (i >= runs.size()) return {.text = {}, .refusal = "not run, since the program did not end before"};
        const bool is_apart = i + 1 == runs_on_machine;
        if (is_apart && runs[i].schedule != runs.front().schedule)
            return {.text = {},
                    .refusal =
                        "the schedule is another where nodes run in several processes; they must share nothing "
                        "but messages"};
        if (runs[i].schedule.empty()) return {.text = {}, .refusal = why_none(runs[i], kind, is_hidden, limits)};
        if (runs[i].schedule != runs.front().schedule)
            return {.text = {},
                    .refusal =
                        "the schedule depends on the order in which the nodes run; they must share nothing, and "
                        "use no clock and no random numbers"};
    }
    return {.text = runs.front().schedule, .refusal = {}};
}

std::vector<grade::Made> refused_by_all(const grade::Exercise& exercise, const std::string& why) {
    return std::vector<grade::Made>(exercise.machines.size(), {.text = {}, .refusal = why});
}

/// Throws RequestError where programs of strangers must not run: as root outside a container, or without boxes.
void require_box() {
    constexpr const char* instead = "; in a container that runs nothing else: --already-contained";
    if (is_root_without_container())
        throw RequestError(fmt::format("programs of strangers do not run as root; want another user{}", instead));
    if (const auto why = why_no_box())
        throw RequestError(fmt::format("programs of hand-ins run in boxes, and {}{}", *why, instead));
}

/// The folder that holds kport's module for Python: beside the program where it was built, or where it is installed.
fs::path python_folder() {
    const fs::path program = fs::path(this_program()).parent_path();
    const fs::path built = program / "python";
    const fs::path installed = program.parent_path() / "lib/python3/dist-packages";
    const fs::path by_pip = program.parent_path();  // the program is in the package
    for (const fs::path& folder : {built, installed, by_pip})
        if (fs::exists(folder / "kport/_hand_in.py")) return folder;
    throw RequestError(
        fmt::format("Python hand-ins need kport's module for Python, and neither {} nor {} has it; install pybind11 "
                    "and python3-dev, and build kport again",
                    quoted(built.string()), quoted(installed.string())));
}

/// Debian's Python without packages of this computer, and with the same hashes each time.
std::vector<std::string> python_command(std::initializer_list<std::string> more) {
    std::vector<std::string> command = {"python3", "-s", "-S", "-B"};
    command.insert(command.end(), more);
    return command;
}

}  // namespace

BoxWorkshop::BoxWorkshop(const std::set<grade::Kind>& kinds, bool already_contained)
    : already_contained_(already_contained) {
    if (kinds.contains(grade::Kind::cpp)) tools_ = toolchain();
    if (kinds.contains(grade::Kind::python)) python_ = python_folder();
    if (!already_contained) require_box();
    if (kinds.contains(grade::Kind::python)) require_python();
}

BoxWorkshop::Scratch::Scratch() {
    std::string name = (fs::temp_directory_path() / "kport-grade-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw OutputError("no folder for programs can be made", false);
    path = name;
}

BoxWorkshop::Scratch::~Scratch() {
    std::error_code none;
    fs::remove_all(path, none);
}

std::string BoxWorkshop::scratch_in(const fs::path& folder) const {
    if (!already_contained_) return {};
    const fs::path scratch = folder / "scratch";
    fs::remove_all(scratch);
    fs::create_directory(scratch);
    return scratch.string();
}

Box BoxWorkshop::python_box(const fs::path& folder, std::initializer_list<std::string> more) const {
    Box box;
    box.shows = {(python_ / "kport").string()};
    box.environment = {"PYTHONHASHSEED=0", "PYTHONPATH=" + python_.string()};
    box.command = python_command(more);
    box.folder = scratch_in(folder);
    return box;
}

void BoxWorkshop::require_python() const {
    const Ended ended =
        run_in_box(python_box(folder_.path, {"-c", "from kport import _hand_in, _kport; _kport.seal()"}));
    if (!ended.well())
        throw RequestError(fmt::format("Python hand-ins need a python3 that loads and seals {}, and it says: {}",
                                       quoted((python_ / "kport").string()), last_line(ended.err)));
}

BoxWorkshop::Program BoxWorkshop::compiled(const grade::Exercise& exercise, const std::string& source,
                                           const fs::path& folder) const {
    if (const auto wrong = awaits_not_alone("it", source); !wrong.empty())
        return {.box = {}, .refusal = one_line(wrong.front(), said_bytes)};
    const std::string program = (folder / "program.cpp").string();
    write_bytes(program, source);
    Box box;
    box.shows = {program};
    for (const fs::path& headers : tools_.headers) box.shows.push_back(headers.string());
    box.environment = {"TMPDIR=."};
    box.folder = scratch_in(folder);
    std::string before;
    if (exercise.knows == grade::Knows::own) {
        const std::string header = (folder / "own.hpp").string();
        write_bytes(header, std::string(own_ports_only));
        box.shows.push_back(header);
        before = "-include kport/kport.hpp -include " + as_shell_word(header);
    }
    box.command = {"sh", "-c",
                   fmt::format("{} {} -w -shared {} -o made.so {} && cat made.so", tools_.compiler,
                               fmt::join(tools_.flags, " "), before, as_shell_word(program))};
    box.seconds = 60;
    box.processor_seconds = 30;
    box.memory = std::uint64_t{4} << 30;
    box.output = object_bytes_most;
    const Ended ended = run_in_box(box);
    if (ended.cut != Ended::Cut::no) return {.box = {}, .refusal = "compiling it takes too long, or gives too much"};
    if (!ended.well()) return {.box = {}, .refusal = "does not compile: " + first_error_in(ended.err, program)};
    const fs::path object = folder / "program.so";
    write_bytes(object, ended.out);
    const fs::path script = folder / "run.sh";
    write_bytes(script, script_of(exercise, folder, object.string()));
    Box runs;
    runs.shows = {object.string(), this_program(), script.string()};
    runs.folder = scratch_in(folder);
    runs.command = {"sh", script.string()};
    return {.box = std::move(runs), .refusal = {}};
}

BoxWorkshop::Program BoxWorkshop::interpreted(const grade::Exercise& exercise, const std::string& source,
                                              const fs::path& folder) const {
    const std::string program = (folder / "program.py").string();
    const std::string request = (folder / "request.json").string();
    write_bytes(program, source);
    write_bytes(request, request_of(exercise, folder));
    Box box = python_box(folder, {"-m", "kport._hand_in", program, request});
    box.shows.insert(box.shows.end(), {program, request});
    return {.box = std::move(box), .refusal = {}};
}

std::vector<grade::Made> BoxWorkshop::made_by(const grade::HandIn& hand_in, const grade::Exercise& exercise) {
    const grade::FileText source = grade::text_of_file(hand_in.path, source_bytes_most);
    if (!source.refusal.empty()) return refused_by_all(exercise, source.refusal);
    const fs::path folder = folder_.path / std::to_string(hand_ins_++);
    fs::create_directory(folder);
    const grade::Kind kind = hand_in.kind(exercise).value();
    auto [box, refusal] = kind == grade::Kind::python ? interpreted(exercise, source.text, folder)
                                                      : compiled(exercise, source.text, folder);
    if (!refusal.empty()) return refused_by_all(exercise, refusal);
    show_graphs(box, exercise, folder);
    const std::size_t all = exercise.machines.size() * runs_on_machine;
    box.seconds = exercise.limits.seconds * static_cast<double>(all) + 10;
    box.processor_seconds = static_cast<std::uint64_t>(std::ceil(exercise.limits.seconds)) + 1;
    box.memory = exercise.limits.memory;
    box.output = std::min(all * grade::schedule_bytes_most, std::size_t{256} << 20);
    const Ended ended = run_in_box(box);
    std::error_code none;
    fs::remove_all(folder, none);
    if (ended.cut == Ended::Cut::output)
        return refused_by_all(exercise, sentence_of(Fate::long_schedule, exercise.limits));
    const std::vector<Run> runs = runs_in(ended.out, folder);
    if (runs.empty()) return refused_by_all(exercise, "the program does not run: " + last_line(ended.err));
    std::vector<grade::Made> made;
    for (std::size_t m = 0; m < exercise.machines.size(); ++m) {
        const auto of_machine = std::span(runs).subspan(std::min(m * runs_on_machine, runs.size()));
        made.push_back(made_in(of_machine, kind, exercise.machines[m].hidden, exercise.limits));
    }
    return made;
}

}  // namespace kport::cli
