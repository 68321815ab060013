/// @file module.cpp   The Python module: words and input in, text and exit status out, as answer() has it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "app/requests/answer.hpp"
#include "app/requests/client.hpp"
#include "app/requests/command_table.hpp"
#include "bindings/python/generators.hpp"
#include "emulator/report/report.hpp"

namespace kport::python {

namespace py = pybind11;

namespace {

/// How far a request is, as its thread says.
struct Progress {
    std::uint64_t round = 0;
    std::uint64_t messages = 0;
    std::uint64_t reached = 0;
    std::uint64_t nodes = 0;
};

/// The caller of answer(): a process with the rights of its user, who reads and writes files by name.
class PythonClient final : public requests::Client {
  public:
    /// `kept`: the options whose files are kept in the answer instead of being written.
    PythonClient(std::set<std::string> kept, std::unique_ptr<GeneratorRun> program)
        : kept_(std::move(kept)), program_(std::move(program)) {
        stop = &stopped_;
        search_seconds_max = std::numeric_limits<double>::infinity();
    }

    [[nodiscard]] bool may_read(const std::string&) const override { return true; }
    void require_place(std::string_view option, const std::string& file) const override {
        if (!keeps(option)) requests::require_writable_place(option, file);
    }
    void write_file(std::string_view option, const std::string& file,
                    const std::function<void(std::ostream&)>& write) override {
        if (!keeps(option)) return requests::replace_named_file(option, file, write);
        std::ostringstream out;
        write(out);
        files[std::string(option)] += std::move(out).str();
    }
    void require_code(const std::string& file) const override {
        if (program_ == nullptr) requests::Client::require_code(file);
    }
    [[nodiscard]] requests::Performed performed_apart(requests::Request& request, const Experiment& experiment,
                                                      const requests::Wanted& wanted) override {
        if (program_ == nullptr) return requests::Client::performed_apart(request, experiment, wanted);
        const py::gil_scoped_acquire locked;
        return program_->performed(experiment, caller(), wanted);
    }

    [[nodiscard]] Caller caller() override {
        Caller of_run = requests::Client::caller();
        of_run.begins = [this, before = of_run.begins](const Chosen& chosen) {
            if (before) before(chosen);
            const std::scoped_lock lock(telling_);
            progress_.nodes = chosen.experiment.topology().nodes();
        };
        of_run.progress = [this](const Metrics& metrics, std::uint64_t reached) { note(metrics, reached); };
        return of_run;
    }
    [[nodiscard]] ProgressFunction progress(std::uint64_t nodes, std::uint64_t) override {
        progress_.nodes = nodes;
        return [this](const Metrics& metrics, std::uint64_t reached) { note(metrics, reached); };
    }
    void reported(const Report& shown) override { report = std::make_shared<const Report>(shown); }

    /// Any thread.
    void end() { stopped_ = true; }
    [[nodiscard]] Progress progress_now() {
        const std::scoped_lock lock(telling_);
        return progress_;
    }
    [[nodiscard]] const GeneratorRun* program() const { return program_.get(); }

    std::map<std::string, std::string> files = {};
    std::shared_ptr<const Report> report = nullptr;

  private:
    [[nodiscard]] bool keeps(std::string_view option) const { return kept_.contains(std::string(option)); }
    void note(const Metrics& metrics, std::uint64_t reached) {
        const std::scoped_lock lock(telling_);
        progress_ = {metrics.rounds, metrics.transfers, reached, progress_.nodes};
    }

    std::set<std::string> kept_;
    std::unique_ptr<GeneratorRun> program_;
    std::atomic<bool> stopped_ = false;
    std::mutex telling_;
    Progress progress_;
};

/// A request on a thread of its own, so that this one can look for signals.
class Work {
  public:
    Work(const std::vector<std::string>& words, const std::string& input, PythonClient& client) {
        const auto work = [this, &words, &input, &client] {
            id_ = PyThread_get_thread_ident();
            try {
                answer_ = requests::answer(words, input, client);
            } catch (...) {
                error_ = std::current_exception();
            }
            const std::scoped_lock lock(ending_);
            over_ = true;
            ended_.notify_one();
        };
        if (requests::sealed()) {  // none may start a thread
            work();
            return;
        }
        try {
            thread_ = std::thread(work);
        } catch (const std::system_error&) {  // the system gives no thread
            work();
        }
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() {
        if (thread_.joinable()) thread_.join();
    }

    [[nodiscard]] bool over_within(std::chrono::milliseconds time) {
        std::unique_lock lock(ending_);
        return ended_.wait_for(lock, time, [&] { return over_; });
    }
    [[nodiscard]] requests::Answer answer() {
        if (error_) std::rethrow_exception(error_);
        return std::move(answer_);
    }
    /// Of its thread, for Python.
    [[nodiscard]] unsigned long id() const { return id_; }

  private:
    requests::Answer answer_;
    std::exception_ptr error_;
    std::mutex ending_;
    std::condition_variable ended_;
    bool over_ = false;
    std::atomic<unsigned long> id_ = 0;
    std::thread thread_;
};

/// An answer, with what Python may ask for besides.
struct Asked {
    requests::Answer answer;
    std::map<std::string, std::string> files;
    std::shared_ptr<const Report> report;
    py::object failure;  ///< what a program in Python raised, or None
    int line = 0;        ///< GeneratorRun::line()
};

py::str text_for_python(const std::string& text) {
    return py::reinterpret_steal<py::str>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// Looks for signals, and shows progress, 20 times a second. What a handler raises, Ctrl-C among it, ends the work and is thrown
/// when it has ended.
void wait_for(Work& work, PythonClient& client, const py::object& progress) {
    constexpr std::chrono::milliseconds between(50);
    std::optional<py::error_already_set> raised;
    {
        const py::gil_scoped_release released;
        while (!work.over_within(between)) {
            const py::gil_scoped_acquire locked;
            try {
                if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                if (raised || progress.is_none()) continue;
                const Progress now = client.progress_now();
                progress(now.round, now.messages, now.reached, now.nodes);
            } catch (py::error_already_set& error) {
                if (!raised) raised.emplace(error);
                client.end();
                // A program of Python may compute without an end.
                if (client.program() != nullptr) PyThreadState_SetAsyncExc(work.id(), raised->type().ptr());
            }
        }
    }
    if (raised) {
        raised->restore();
        throw py::error_already_set();
    }
}

Asked asked(const std::vector<std::string>& words, const std::string& input, const std::vector<std::string>& kept,
            std::size_t width, const py::object& progress, const py::object& program, const std::string& program_name) {
    PythonClient client({kept.begin(), kept.end()},
                        program.is_none() ? nullptr : std::make_unique<GeneratorRun>(program, program_name));
    client.width = width;
    requests::Answer answer;
    {
        Work work(words, input, client);
        wait_for(work, client, progress);
        answer = work.answer();
    }
    return {std::move(answer), std::move(client.files), std::move(client.report),
            client.program() == nullptr ? py::none() : client.program()->failure(),
            client.program() == nullptr ? 0 : client.program()->line()};
}

/// The kind of an option's words, as Python has it.
std::string_view words_of(const Option& option) {
    if (option.value.empty()) return "flag";
    switch (option.words) {
        case OptionWords::many: return "many";
        case OptionWords::at_most_one: return "at most one";
        case OptionWords::one:
        case OptionWords::repeated: break;
    }
    return "one";
}

py::list commands() {
    py::list all;
    for (const std::string_view name : requests::answered_commands()) {
        const requests::CommandInfo& command = requests::command_named(name);
        py::list options;
        for (const Option& option : all_options())
            if (requests::takes(name, option))
                options.append(py::make_tuple(option.name, option.alias, option.value, words_of(option),
                                              requests::about_of(option, name), option.member.choices));
        all.append(py::make_tuple(name, command.about, command.subject, command.of, command.example, options));
    }
    return all;
}

}  // namespace

PYBIND11_MODULE(_kport, module) {
    module.doc() = "kport's requests; the package kport has functions for them.";
    requests::prepare_for_requests();
    add_node_classes(module);
    py::class_<Asked>(module, "Asked")
        .def_property_readonly("status", [](const Asked& a) { return a.answer.status; })
        .def_property_readonly("text", [](const Asked& a) { return text_for_python(a.answer.text); })
        .def_property_readonly("error", [](const Asked& a) { return text_for_python(a.answer.error); })
        .def_property_readonly("warnings",
                               [](const Asked& a) {
                                   py::list all;
                                   for (const std::string& warning : a.answer.warnings)
                                       all.append(text_for_python(warning));
                                   return all;
                               })
        .def_property_readonly("files",
                               [](const Asked& a) {
                                   py::dict all;
                                   for (const auto& [option, text] : a.files)
                                       all[text_for_python(option)] = text_for_python(text);
                                   return all;
                               })
        .def_readonly("failure", &Asked::failure)
        .def_readonly("line", &Asked::line)
        .def(
            "report",
            [](const Asked& a, std::size_t width) -> py::object {
                if (a.report == nullptr) return py::none();
                return text_for_python(text_report(*a.report, Paint(false), width));
            },
            py::arg("width"), "The report of a run as text; None where there is none.")
        .def(
            "across",
            [](const Asked& a, NodeId node, Port port) {
                if (a.report == nullptr) throw py::index_error("no machine");
                const Topology& graph = a.report->machine.topology->wires();
                if (node >= graph.nodes() || port >= graph.ports()) throw py::index_error("no such port");
                return graph.across(node, port).node;
            },
            py::arg("node"), py::arg("port"), "The node at the other end of a link of a run's machine.");
    module.def("ask", &asked, py::arg("words"), py::arg("input"), py::arg("kept"), py::arg("width"),
               py::arg("progress"), py::arg("program"), py::arg("program_name"));
    module.def("commands", &commands);
    module.def("fork_into", &requests::fork_into,
               "Forks this process into ranks that run a stranger's program together.");
    module.def("seal", &requests::seal_process, "Takes rights from this process before it runs a stranger's program.");
    module.attr("__version__") = KPORT_VERSION;
}

}  // namespace kport::python
