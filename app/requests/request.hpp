/// @file request.hpp   A request that is being answered.
#pragma once

#include <exception>
#include <functional>
#include <istream>
#include <memory>
#include <string>

#include "app/files/json_report.hpp"
#include "app/requests/answer.hpp"

namespace kport::requests {

/// What a command works with. It lives as long as answer() runs.
struct Request {
    const Words& words;
    std::istream& input;  ///< what "-" names
    Client& client;

    [[nodiscard]] bool stopped() const { return client.stop != nullptr && *client.stop; }
    /// Whether what differs from run to run is left out.
    [[nodiscard]] bool reproducible() const { return words.has("--reproducible"); }
    /// The text of the JSON document that make() returns.
    template <class Make>
    [[nodiscard]] std::string document(const Make& make) const {
        return client.document([&] { return json_text(make()); });
    }
};

/// Writes files, then makes the text, also where a file cannot be written: what was computed is reported. Throws what they throw, but
/// an OutputError of `files` becomes the error of the answer.
[[nodiscard]] Answer answer_beside(const std::function<void()>& files, const std::function<std::string()>& text,
                                   int status = status_lawful);

/// The report of a run, as text or JSON, as the words ask for it.
[[nodiscard]] std::string report_of(const Request& request, const Report& report);

/// What `work` gives; the text is shown meanwhile. Throws what it throws.
template <class Work>
auto with_signs_of_life(Client& client, const std::string& text, const Work& work) {
    const std::unique_ptr<Signs> shown = client.meanwhile(text);
    return work();
}

/// Adds to the answer how a request ends that has thrown this. What has its text keeps it.
void put_failure(Answer& answer, Client& client, const std::exception_ptr& failure);

}  // namespace kport::requests
