#include "app/lab/server.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "app/lab/page.hpp"
#include "app/requests/answer.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::lab {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// 128 random bits in hexadecimal.
std::string fresh_key() {
    std::array<unsigned char, 16> bits{};
    if (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
        throw RequestError("the system gives no random numbers for a key");
    return fmt::format("{:02x}", fmt::join(bits, ""));
}

/// Takes as long for any text of that length: how long it takes tells nothing of the key.
bool is_key(std::string_view given, std::string_view key) {
    unsigned differs = given.size() == key.size() ? 0 : 1;
    for (std::size_t i = 0; i < key.size() && i < given.size(); ++i)
        differs |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(key[i]);
    return differs == 0;
}

/// Whether a path leads into the folder, links followed, and over no hidden name.
bool is_within(const fs::path& folder, const fs::path& path) {
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    if (error) return false;
    const fs::path whole = fs::weakly_canonical(path.is_absolute() ? path : root / path, error);
    if (error) return false;
    const fs::path below = whole.lexically_relative(root);
    if (below.empty() || below == ".") return false;
    for (const fs::path& part : below)
        if (part.string().starts_with('.')) return false;
    return fs::is_regular_file(whole, error) || fs::is_directory(whole, error) || !fs::exists(whole, error);  // no pipe
}

/// What goes on, for who asks meanwhile.
class AtWork {
  public:
    void is(std::string text) {
        const std::lock_guard lock(mutex_);
        text_ = std::move(text);
    }
    [[nodiscard]] std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }

  private:
    mutable std::mutex mutex_;
    std::string text_;
};

/// The page, as a caller of answer().
class Guest final : public requests::Client {
  public:
    Guest(const fs::path& folder, const std::atomic<bool>& stops, double seconds_most, AtWork& at_work)
        : folder_(folder), at_work_(at_work) {
        width = 100;
        stop = &stops;
        search_seconds_max = seconds_most;
    }

    [[nodiscard]] bool may_read(const std::string& path) const override { return is_within(folder_, path); }
    [[nodiscard]] Caller caller() override {
        Caller caller = Client::caller();
        caller.progress = [this](const Metrics& metrics, std::uint64_t reached) { show(metrics, reached); };
        return caller;
    }
    [[nodiscard]] ProgressFunction progress(std::uint64_t, std::uint64_t) override {
        return [this](const Metrics& metrics, std::uint64_t reached) { show(metrics, reached); };
    }
    void at_work(const std::string& text) override { at_work_.is(text); }

  private:
    void show(const Metrics& metrics, std::uint64_t reached) {
        at_work_.is(fmt::format("round {}, {} messages, {} nodes reached", metrics.rounds, metrics.transfers, reached));
    }

    const fs::path& folder_;
    AtWork& at_work_;
};

/// Pages that play a run, each under a name that only its answer has told. The last ones are kept.
class Pictures {
  public:
    [[nodiscard]] std::string keep(std::string html) {
        const std::lock_guard lock(mutex_);
        kept_.emplace_back(fresh_key(), std::move(html));
        constexpr std::size_t most = 8;
        if (kept_.size() > most) kept_.pop_front();
        return kept_.back().first;
    }
    [[nodiscard]] std::optional<std::string> named(const std::string& name) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, html] : kept_)
            if (is_key(name, key)) return html;
        return std::nullopt;
    }

  private:
    mutable std::mutex mutex_;
    std::deque<std::pair<std::string, std::string>> kept_;
};

/// Sets a flag when it has lived too long.
class Deadline {
  public:
    Deadline(std::chrono::milliseconds most, std::atomic<bool>& flag)
        : thread_([this, most, &flag](const std::stop_token& over) {
              std::unique_lock lock(mutex_);
              if (!over_.wait_for(lock, over, most, [] { return false; }) && !over.stop_requested()) flag = true;
          }) {}

  private:
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread thread_;
};

class Server {
  public:
    explicit Server(const ServerOptions& options) : options_(options), key_(fresh_key()) {
        constexpr std::size_t connections_most = 4;
        constexpr std::size_t body_most = std::size_t{4} << 20;
        constexpr time_t silence_most = 5;
        http_.new_task_queue = [connections_most] {
            return std::make_unique<httplib::ThreadPool>(connections_most).release();
        };
        http_.set_socket_options([](socket_t socket) {
            const int yes = 1;  // but no second server on the port
            (void)setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        http_.set_payload_max_length(body_most);
        http_.set_read_timeout(silence_most);
        http_.set_write_timeout(silence_most);
        http_.set_keep_alive_timeout(silence_most);
        http_.set_pre_routing_handler([this](const httplib::Request& in, httplib::Response& out) {
            return is_admitted(in, out) ? httplib::Server::HandlerResponse::Unhandled
                                        : httplib::Server::HandlerResponse::Handled;
        });
        const auto page = [this](const char* path, std::string_view text, const char* type) {
            http_.Get(path, [text, type](const httplib::Request&, httplib::Response& out) {
                out.set_content(std::string(text), type);
            });
        };
        page("/", page_html, "text/html; charset=utf-8");
        page("/page.css", page_css, "text/css; charset=utf-8");
        page("/page.js", page_js, "text/javascript; charset=utf-8");
        http_.Get(R"(/picture/([0-9a-f]+))", [this](const httplib::Request& in, httplib::Response& out) {
            const std::optional<std::string> html = pictures_.named(in.matches[1]);
            if (!html) return refuse(out, 404, "this picture is no longer kept; run it again");
            out.set_content(*html, "text/html; charset=utf-8");
        });
        http_.Post("/answer", [this](const httplib::Request& in, httplib::Response& out) { answer(in, out); });
        http_.Post("/now", [this](const httplib::Request&, httplib::Response& out) {
            out.set_content(Json{{"at_work", at_work_.text()}}.dump(), "application/json");
        });
        http_.Post("/stop", [this](const httplib::Request&, httplib::Response& out) {
            stop_ = true;
            out.set_content("{}", "application/json");
        });
    }

    void run() {
        const int port = options_.port == 0                               ? http_.bind_to_any_port("127.0.0.1")
                         : http_.bind_to_port("127.0.0.1", options_.port) ? options_.port
                                                                          : -1;
        if (port < 0)
            throw RequestError(
                fmt::format("--port {}: it cannot be had, another program may listen there; want "
                            "another one, or none",
                            options_.port));
        hosts_ = {fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)};
        heard();
        if (options_.ready) options_.ready(fmt::format("http://{}/?key={}", hosts_.front(), key_));
        const std::jthread watch([this](const std::stop_token& over) { watch_for_end(over); });
        http_.listen_after_bind();
    }

  private:
    void watch_for_end(const std::stop_token& over) {
        constexpr std::chrono::milliseconds look{100};
        while (!over.stop_requested()) {
            std::this_thread::sleep_for(look);
            const bool idle = Clock::now() - Clock::time_point(Clock::duration(heard_)) > options_.idle_most;
            if (!idle && (options_.stop == nullptr || !*options_.stop)) continue;
            stop_ = true;
            http_.stop();
            return;
        }
    }

    void heard() { heard_ = Clock::now().time_since_epoch().count(); }

    static void refuse(httplib::Response& out, int status, const std::string& why) {
        out.status = status;
        out.set_content(Json{{"error", why}}.dump(), "application/json");
    }

    /// A page of another site can send requests here. It knows neither the key nor may it name this host or read an answer.
    bool is_admitted(const httplib::Request& in, httplib::Response& out) {
        const bool is_picture = in.path.starts_with("/picture/");
        out.set_header("Cache-Control", "no-store");
        out.set_header("X-Content-Type-Options", "nosniff");
        out.set_header("Referrer-Policy", "no-referrer");
        out.set_header("Cross-Origin-Resource-Policy", "same-origin");
        // A picture is a page with a script of its own, which has no part in this site.
        out.set_header("Content-Security-Policy",
                       is_picture
                           ? "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                             "img-src data: blob:; frame-ancestors 'self'; sandbox allow-scripts allow-downloads "
                             "allow-modals"
                           : "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                             "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
                             "form-action 'none'");
        const std::string host = in.get_header_value("Host");
        const std::string origin = in.get_header_value("Origin");
        const bool knows_host = std::ranges::find(hosts_, host) != hosts_.end();
        if (!knows_host || (!origin.empty() && origin != "http://" + host)) {
            refuse(out, 403, "this server is for its own page alone");
            return false;
        }
        // The page itself tells nothing, and a picture's name is a key: all else is for who knows the key.
        const bool is_open = in.method == "GET";
        if (!is_open && !is_key(in.get_header_value("X-Kport-Key"), key_)) {
            refuse(out, 403, "the key is missing or wrong; open the address that kport lab has printed");
            return false;
        }
        if (in.method == "POST" && in.get_header_value("Content-Type") != "application/json") {
            refuse(out, 415, "want Content-Type: application/json");
            return false;
        }
        heard();
        return true;
    }

    void answer(const httplib::Request& in, httplib::Response& out) {
        std::vector<std::string> words;
        std::string input;
        try {
            const Json asked = Json::parse(in.body);
            words = asked.at("words").get<std::vector<std::string>>();
            input = asked.value("input", "");
        } catch (const Json::exception&) {
            return refuse(out, 400, R"(want {"words": ["run", ...], "input": "..."})");
        }
        const std::unique_lock turn(one_at_a_time_, std::try_to_lock);
        if (!turn) return refuse(out, 409, fmt::format("kport is at work: {}", at_work_.text()));
        at_work_.is(fmt::format("kport {}", fmt::join(words, " ")));
        stop_ = false;
        const double seconds_most = std::chrono::duration<double>(options_.run_most).count();
        Guest guest(options_.folder, stop_, seconds_most, at_work_);
        requests::Answer answer;
        {
            const Deadline deadline(options_.run_most, stop_);
            answer = requests::answer(words, input, guest);
        }
        at_work_.is("");
        Json told{{"status", answer.status}, {"warnings", answer.warnings}, {"error", answer.error}};
        if (answer.text.starts_with("<!DOCTYPE html>"))
            told["picture"] = "/picture/" + pictures_.keep(std::move(answer.text));
        else
            told["text"] = std::move(answer.text);
        // Names of nodes come from files, and may be no UTF-8.
        out.set_content(told.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
    }

    const ServerOptions& options_;
    std::string key_;
    std::vector<std::string> hosts_;
    httplib::Server http_;
    Pictures pictures_;
    AtWork at_work_;
    std::mutex one_at_a_time_;
    std::atomic<bool> stop_{false};
    std::atomic<Clock::rep> heard_{0};
};

}  // namespace

void serve(const ServerOptions& options) { Server(options).run(); }

}  // namespace kport::lab
