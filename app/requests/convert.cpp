/// @file convert.cpp   kport convert: a graph or a schedule in another format.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/files/formats.hpp"
#include "app/files/graphs/graph_forms.hpp"
#include "app/files/schedule_forms.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

template <class Rows>
bool has_name(const Rows& rows, const std::string& name) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.name == name; });
}

/// What the ending of the file names, where --to does not: a format of graphs or a form of schedules.
template <class Format>
const Format& named_by_ending(const Words& words, const Format* (*of_path)(std::string_view), const char* such_as) {
    if (!words.of)
        throw RequestError(
            "into which format? --to FORMAT, or a file whose ending says it ('kport list formats' shows all)");
    if (const Format* format = of_path(*words.of)) return *format;
    throw RequestError(fmt::format(
        "the ending of {} names no format; want --to FORMAT, such as --to {} ('kport list formats' shows all)",
        quoted(*words.of), such_as));
}

/// As --to says, else as the file's ending does.
const FileFormat& format_wanted(const Words& words) {
    const std::optional<std::string> name = words.get("--to");
    if (!name) return named_by_ending(words, format_of_path, "graphml");
    if (has_name(schedule_forms(), *name))
        throw RequestError(
            fmt::format("--to {0}: {0} is a form of schedules, and {1} is a graph", *name, quoted(*words.subject)));
    return format_named(*name);
}

const ScheduleForm& form_wanted(const Words& words) {
    const std::optional<std::string> name = words.get("--to");
    if (!name) return named_by_ending(words, schedule_form_of_path, "json");
    if (has_name(file_formats(), *name))
        throw RequestError(
            fmt::format("--to {0}: {0} is a format of graphs, and {1} is a schedule", *name, quoted(*words.subject)));
    return written_form_named(*name);
}

bool has_labels(const Topology& graph) {
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (!graph.label(v).empty()) return true;
    return false;
}

/// Refuses what the format cannot hold of the graph, unless --simplify leaves it out; nothing leaves switches out.
void require_kept(const FileFormat& format, const std::optional<GraphFile>& described, const Topology& graph,
                  const Words& words) {
    const auto refuse = [&](std::string_view what, std::string_view remedy) {
        throw RequestError(fmt::format("{} cannot hold the {} of {}; want graphml, gml, dot or node-link{}",
                                       format.name, what, quoted(*words.subject), remedy));
    };
    if (!described) {
        if (graph.has_trunks() && !has_word(format.keeps, "trunks")) refuse("trunks", "");
        return;
    }
    const GraphFile& file = *described;
    if (file.switches() > 0 && !has_word(format.keeps, "switches")) refuse("switches", "");
    if (!file.capacities.empty() && !has_word(format.keeps, "trunks")) refuse("trunks", ", or --simplify");
    if (!file.attributes.empty() && !has_word(format.keeps, "weights") && !words.has("--simplify"))
        refuse("weights", ", or --simplify, which leaves them out");
}

/// The whole text is made before anything is written.
std::string text_of(const FileFormat& format, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    constexpr std::uint64_t ends_most = std::uint64_t{1} << 30;
    if (graph.nodes() > ends_most || graph.ports() > ends_most / graph.nodes())
        throw DoesNotFit(fmt::format("{} has {} nodes of {} ports; a file may have at most {} in all", graph.spec(),
                                     graph.nodes(), graph.ports(), ends_most));
    std::ostringstream out;
    format.write_graph(out, file);
    return std::move(out).str();
}

bool goes_into_file(const Words& words) { return words.of && *words.of != "-"; }

/// Where it is wanted: in the file of the second word, or on standard output.
Answer deliver(const Request& request, std::string text) {
    if (!goes_into_file(request.words)) return {.text = std::move(text)};
    request.client.write_file("", *request.words.of, [&](std::ostream& out) { out << text; });
    return {};
}

/// The graph of a file; of a family with switches or trunks as a file would have it; nothing for any other.
std::optional<GraphFile> file_of(const DescribedGraph& described) {
    if (described.file || described.fabric == nullptr) return described.file;
    GraphFile file;
    file.topology = described.shared_graph();
    file.hosts = described.hosts();
    if (described.has_trunks())
        for_each_link(*file.topology, [&](NodeId a, NodeId b) {
            const Port port = file.topology->port_to(a, b);
            file.capacities.push_back(static_cast<std::uint32_t>(described.fabric->capacity(a, port)));
        });
    return file;
}

Answer convert_graph(Request& request) {
    const Words& words = request.words;
    refuse_idle_options(words, "TOPOLOGY");
    const DescribedGraph described = described_graph(*words.subject);
    const std::optional<GraphFile> file = file_of(described);
    const Topology& graph = described.graph();
    const FileFormat& format = format_wanted(words);
    if (format.write_graph == nullptr)
        throw RequestError(
            fmt::format("graphs are only read from {}; want --to graphml, gml, dot, node-link, edges, metis, mm or "
                        "graph6",
                        format.name));
    require_kept(format, file, graph, words);
    Answer answer = deliver(request, text_of(format, file ? GraphToWrite(*file) : GraphToWrite(graph)));
    if (file)
        for (const std::string& note : file->notes) request.client.warn(note);
    if (!has_word(format.keeps, "names") && has_labels(graph))
        request.client.warn(
            fmt::format("{} keeps the numbers of the nodes alone, not what they are called", format.name));
    return answer;
}

/// Whether a form of schedules is wanted, by --to, else by the file's ending.
bool wants_schedule(const Words& words) {
    if (const auto name = words.get("--to")) return has_name(schedule_forms(), *name);
    return words.of && schedule_form_of_path(*words.of) != nullptr && format_of_path(*words.of) == nullptr;
}

/// Whether it names a file that begins as a schedule does; standard input does unless --to names a format of graphs.
bool holds_schedule(const Request& request) {
    const std::string& path = *request.words.subject;
    if (path == "-") {
        const std::optional<std::string> to = request.words.get("--to");
        return !to || !has_name(file_formats(), *to);
    }
    if (!request.client.may_read(path)) return false;
    std::array<char, 4096> head{};
    std::ifstream file(path);
    file.read(head.data(), head.size());
    const std::string_view text(head.data(), static_cast<std::size_t>(file.gcount()));
    const ScheduleForm* form = schedule_form_of(text);
    // A list of links may have columns called from and to.
    return form != nullptr && (form->name != "csv" || text.find("round") != std::string_view::npos);
}

/// Throws RequestError for options that neither the file as it is read nor the one that is written has a place for.
void put_machine_asked_for(ReadSchedule& read, const ScheduleForm& form, const Words& words) {
    if (words.has("--bytes") && !form.keeps_bytes && read.told.collective.promises())
        throw RequestError(fmt::format("--bytes: {} does not say how large packets are; leave --bytes out", form.name));
    const char* given = nullptr;
    for (const char* option : {"--ports", "--ports-by", "--duplex", "--links", "--pairwise", "--switching"})
        if (words.has(option)) given = option;
    if (given == nullptr) return;
    if (form.keeps_machine)
        read.told.machine = machine_of(words, read.told.machine.value_or(Machine{}));
    else if (!read.form->finds_rounds)
        throw RequestError(
            fmt::format("{0}: {1} does not say for which machine a schedule is; want --to json, or leave {0} "
                        "out",
                        given, form.name));
}

/// Refuses a schedule that cannot run, which has no messages to write, and messages with data that was never written.
void require_runnable(const ToldSchedule& told, const std::string& file) {
    const std::vector<FoundFault>& findings = told.judgement.findings;
    const auto unwritten = std::ranges::find(findings, ScheduleFault::unwritten, &FoundFault::fault);
    if (findings.empty() || (!told.schedule.empty() && unwritten == findings.end())) return;
    const FoundFault& why = unwritten == findings.end() ? findings.front() : *unwritten;
    throw RequestError(fmt::format("schedule {} is broken, so that nothing is written; {}: {}", quoted(file),
                                   name(why.fault), why.text));
}

/// For a schedule that runs wrong: messages are written, and what else is wrong with it may not be. What was written is judged again.
void tell_of_fault(const ToldSchedule& told, const std::string& written, Request& request) {
    if (told.judgement.findings.empty()) return;
    const FoundFault& first = told.judgement.findings.front();
    const std::string& file = *request.words.subject;
    Words machine = request.words;  // what is written says the rest
    for (const char* option : {"--operation", "--source", "--bytes", "--packets", "--promise"})
        machine.values.erase(option);
    const Ending ending = check(submission_in_text(written, file, machine, request.client), false).ending;
    const char* const what = ending == Ending::broken ? "so is what is written"
                             : ending == Ending::lawful
                                 ? "what is written is lawful, for only its messages were written"
                                 : "what is written has no such fault, for only its messages were written";
    request.client.warn(fmt::format("{} is broken, and {}; {}: {}", file, what, name(first.fault), first.text));
}

/// Messages that the file leaves unordered are written in rounds, which order them.
void tell_of_order(const ReadSchedule& read, Request& request) {
    if (read.form->finds_rounds && !read.told.judgement.not_judged.empty())
        request.client.warn(
            fmt::format("of {} is not judged: {} ({}); what is written has its messages in rounds, with orders that "
                        "it may leave open",
                        *request.words.subject, read.told.judgement.not_judged.front().what,
                        read.told.judgement.not_judged.front().why));
}

/// For links without a name.
void tell_of_network(const ScheduleForm& form, Request& request) {
    const std::string& file = *request.words.subject;
    if (!form.finds_rounds)
        throw RequestError(fmt::format(
            "--to {}: it names the topology, and the links of {} have no name; want --on GRAPH, a file of these links",
            form.name, quoted(file)));
    request.client.warn(
        fmt::format("the links of {} have no name, so that what is written is on a complete graph", file));
}

Answer convert_schedule(Request& request) {
    const Words& words = request.words;
    const ScheduleForm& form = form_wanted(words);
    ReadSchedule read = schedule_in(*words.subject, request);
    refuse_options_without(words, read.told.collective);
    put_machine_asked_for(read, form, words);
    for (const std::string& remark : read.told.remarks) request.client.warn(remark);
    require_runnable(read.told, *words.subject);
    tell_of_order(read, request);
    if (read.told.topology->spec() == unnamed_network) tell_of_network(form, request);
    std::ostringstream out;
    form.write(out, read.told);
    std::string written = std::move(out).str();
    tell_of_fault(read.told, written, request);
    return deliver(request, std::move(written));
}

}  // namespace

Answer convert(Request& request) {
    const Words& words = request.words;
    if (!words.subject)
        throw RequestError("kport convert needs a graph or a schedule, such as petersen, net.graphml or scatter.txt");
    if (goes_into_file(words)) request.client.require_place("", *words.of);
    std::error_code none;
    const bool is_nothing = !begins_as_topology(*words.subject) && (!request.client.may_read(*words.subject) ||
                                                                    !std::filesystem::exists(*words.subject, none));
    const bool lacks_schedule = is_nothing && wants_schedule(words);  // then that is what is wrong
    return lacks_schedule || holds_schedule(request) ? convert_schedule(request) : convert_graph(request);
}

}  // namespace kport::requests
