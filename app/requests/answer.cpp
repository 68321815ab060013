#include "app/requests/answer.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/texts.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/searched.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/report/report.hpp"

namespace kport::requests {

namespace {

using Command = Answer (*)(Request&);
constexpr auto served = std::to_array<std::pair<std::string_view, Command>>({{"run", run},
                                                                             {"compare", compare},
                                                                             {"bounds", bounds},
                                                                             {"explain", explain},
                                                                             {"info", info},
                                                                             {"list", list},
                                                                             {"show", show},
                                                                             {"check", check},
                                                                             {"convert", convert},
                                                                             {"search", search},
                                                                             {"stress", stress},
                                                                             {"tolerance", tolerance}});

/// Code that the words name by file.
void require_code_allowed(const Words& words, const Client& client) {
    if (const auto name = words.get("--algorithm"); name && is_algorithm_file(*name)) client.require_code(*name);
    if (const auto files = words.get("--with")) client.require_code(*files);
}

/// Throws as the commands do.
Answer answered(const Words& words, std::istream& input, Client& client) {
    if (!words.help.empty()) return {.text = words.help};
    const auto command = std::ranges::find(served, words.command, &std::pair<std::string_view, Command>::first);
    if (command == served.end()) {
        throw RequestError(fmt::format("{} is a command of the program kport only; want one of {}",
                                       quoted(words.command), fmt::join(answered_commands(), ", ")));
    }
    Request request{words, input, client};
    require_code_allowed(words, client);
    const GraphsOfRequest graphs(request);
    Answer answer = command->second(request);
    graphs.require_options_used();
    return answer;
}

/// Calls `work`; whatever it throws becomes the error of the answer.
template <class Work>
Answer guarded(Client& client, const Work& work) {
    Answer answer;
    try {
        prepare_for_requests();
        answer = work();
    } catch (...) {
        put_failure(answer, client, std::current_exception());
    }
    answer.warnings = std::exchange(client.warnings, {});
    return answer;
}

Words read_words(std::span<const std::string> words, std::size_t width) {
    std::vector<const char*> line = {"kport"};
    for (const std::string& word : words) {
        if (word.find('\0') != std::string::npos)
            throw RequestError(fmt::format("a word has a zero byte: {}", quoted(word.substr(0, word.find('\0')))));
        line.push_back(word.c_str());
    }
    return CommandLineReader(width).read(static_cast<int>(line.size()), line.data());
}

}  // namespace

void put_failure(Answer& answer, Client& client, const std::exception_ptr& failure) {
    const auto end = [&](int status, std::string error) {
        answer.status = status;
        answer.error = std::move(error);
    };
    try {
        std::rethrow_exception(failure);
    } catch (const RequestError& error) {
        end(status_wrong, in_options(error.what()));
    } catch (const DoesNotFit& error) {
        end(status_does_not_fit, in_options(error.what()));
    } catch (const std::bad_alloc&) {
        client.fails_alone(status_does_not_fit, no_memory);
        end(status_does_not_fit, std::string(no_memory));
    } catch (const NoVerdict& error) {
        end(error.status, error.what());
    } catch (const OutputError& error) {
        end(status_stopped, error.what());
    } catch (const ProgramError& error) {
        end(status_stopped, std::string("a node program failed: ") + error.what());
    } catch (const std::exception& error) {
        client.fails_alone(status_stopped, error.what());
        end(status_stopped, std::string("stopped by an unexpected error: ") + error.what());
    }
}

Answer answer_beside(const std::function<void()>& files, const std::function<std::string()>& text, int status) {
    Answer answer{.status = status};
    try {
        files();
    } catch (const OutputError& error) {
        answer.status = status_stopped;
        answer.error = error.what();
    }
    answer.text = text();
    return answer;
}

std::string report_of(const Request& request, const Report& report) {
    Client& client = request.client;
    client.reported(report);
    if (request.words.has("--json")) return request.document([&] { return json_report(report); });
    return text_report(report, client.paint, client.width);
}

std::vector<std::string_view> answered_commands() {
    std::vector<std::string_view> names;
    for (const auto& [name, function] : served) names.push_back(name);
    return names;
}

void prepare_for_requests() {
    know_graphs_of_requests();
    static const bool known = (search::know_exact(), search::know_searched(), true);
    (void)known;
}

Answer answer(std::span<const std::string> words, std::string_view input, Client& client) {
    return guarded(client, [&] {
        const Words read = read_words(words, client.width);
        std::istringstream in{std::string(input)};
        return answered(read, in, client);
    });
}

Answer answer(const Words& words, std::istream& input, Client& client) {
    return guarded(client, [&] { return answered(words, input, client); });
}

}  // namespace kport::requests
