/// @file server_test.cpp   kport lab's server: whom it answers, what it reads, and that its answers are those of the program.
#include "app/lab/server.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"
#include "emulator/base/error.hpp"

namespace kport::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

/// A server in a folder of its own, and a client that has its key.
class LabServer : public testing::Test {
  protected:
    LabServer() : folder_(fs::temp_directory_path() / fmt::format("kport-lab-{}", getpid())) {
        requests::prepare_for_requests();
        fs::create_directories(folder_ / "inside");
    }
    ~LabServer() override {
        end();
        fs::remove_all(folder_);
    }

    void start(ServerOptions options = {}) {
        std::promise<std::string> url;
        options.folder = folder_ / "inside";
        options.stop = &stop_;
        options.ready = [&url](const std::string& given) { url.set_value(given); };
        std::future<std::string> given = url.get_future();
        served_ = std::async(std::launch::async, [options] { serve(options); });
        const std::string address = given.get();  // http://127.0.0.1:PORT/?key=KEY
        const std::size_t key_at = address.find("?key=");
        key_ = address.substr(key_at + 5);
        port_ = std::stoi(address.substr(17, key_at - 18));
    }
    void end() {
        stop_ = true;
        if (served_.valid()) served_.get();
    }

    [[nodiscard]] httplib::Client client() const {
        httplib::Client client("127.0.0.1", port_);
        client.set_read_timeout(120);
        return client;
    }
    [[nodiscard]] httplib::Headers with_key() const { return {{"X-Kport-Key", key_}}; }
    [[nodiscard]] static std::string body_of(const std::vector<std::string>& words, const std::string& input = "") {
        return Json{{"words", words}, {"input", input}}.dump();
    }
    [[nodiscard]] Json asked(const std::vector<std::string>& words, const std::string& input = "") const {
        const auto reply = client().Post("/answer", with_key(), body_of(words, input), "application/json");
        if (!reply || reply->status != 200) return {{"refused", reply ? reply->status : 0}};
        return Json::parse(reply->body);
    }

    fs::path folder_;
    std::atomic<bool> stop_ = false;
    std::future<void> served_;
    std::string key_;
    int port_ = 0;
};

TEST_F(LabServer, AnswersInTheWordsOfTheProgram) {
    start();
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "broadcast", "--on", "hypercube:4", "--reproducible"},
          {"run", "broadcast", "--on", "torus:5x5", "--algorithm", "flooding", "--ports", "all", "--reproducible",
           "--json"},
          {"bounds", "scatter", "--on", "mesh:4x4"},
          {"run", "broadcast", "--on", "no-such-graph:3"},
          {"chip"}}) {
        requests::Client client;
        client.width = 100;
        const requests::Answer answer = requests::answer(words, "", client);
        const Json told = asked(words);
        EXPECT_EQ(told.at("status"), answer.status) << words.front();
        EXPECT_EQ(told.at("text"), answer.text) << words.front();
        EXPECT_EQ(told.at("error"), answer.error) << words.front();
    }
    const Json checked = asked({"check", "-", "broadcast", "--on", "line:3"}, "round 1: 0 -> 1\nround 2: 1 -> 2\n");
    EXPECT_EQ(checked.at("status"), 0);
    EXPECT_THAT(checked.at("text").get<std::string>(), HasSubstr("all rules kept, 3 of 3"));
}

TEST_F(LabServer, AnswersNoOneWithoutItsKey) {
    start();
    auto http = client();
    EXPECT_EQ(http.Get("/")->body.find(key_), std::string::npos) << "the page alone tells nothing";
    EXPECT_EQ(http.Post("/answer", body_of({"list"}), "application/json")->status, 403);
    for (const std::string& wrong : {std::string("0123456789abcdef0123456789abcdef"), key_.substr(1), std::string()})
        EXPECT_EQ(http.Post("/answer", {{"X-Kport-Key", wrong}}, body_of({"list"}), "application/json")->status, 403);
    EXPECT_EQ(http.Post("/stop", "{}", "application/json")->status, 403);
    EXPECT_EQ(http.Get("/picture/0123456789abcdef0123456789abcdef")->status, 404);
}

TEST_F(LabServer, AnswersNoPageOfAnotherSite) {
    start();
    auto http = client();
    const auto status_with = [&](httplib::Headers more) {
        more.merge(with_key());
        return http.Post("/answer", more, body_of({"list"}), "application/json")->status;
    };
    EXPECT_EQ(status_with({{"Origin", "https://example.org"}}), 403);
    EXPECT_EQ(status_with({{"Host", "example.org"}}), 403) << "a name that leads here";
    EXPECT_EQ(status_with({{"Origin", fmt::format("http://127.0.0.1:{}", port_)}}), 200);
    EXPECT_EQ(status_with({{"Host", fmt::format("localhost:{}", port_)}}), 200);
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
        EXPECT_EQ(http.Post("/answer", with_key(), body_of({"list"}), type)->status, 415) << "what a form may send";
    const auto page = http.Get("/?key=" + key_);
    EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer");
}

TEST_F(LabServer, RefusesWhatIsNoQuestion) {
    start();
    auto http = client();
    for (const char* body :
         {"", "words", "[]", "{}", R"({"words": "list"})", R"({"words": [1]})", "{\"words\": [\"list\"]"})
        EXPECT_EQ(http.Post("/answer", with_key(), body, "application/json")->status, 400) << body;
    const std::string large(std::size_t{5} << 20, ' ');
    const auto reply = http.Post("/answer", with_key(), large, "application/json");
    EXPECT_TRUE(!reply || reply->status == 413) << "more than 4 MiB";
    EXPECT_EQ(asked({"list"}).at("status"), 0) << "it goes on";
}

TEST_F(LabServer, ReadsFilesOfItsFolderAloneAndWritesNone) {
    std::ofstream(folder_ / "inside/graph.txt") << "0 1\n1 2\n";
    std::ofstream(folder_ / "inside/.hidden.txt") << "0 1\n1 2\n";
    std::ofstream(folder_ / "outside.txt") << "0 1\n1 2\n";
    fs::create_symlink(folder_ / "outside.txt", folder_ / "inside/link.txt");
    const fs::path before = fs::current_path();
    fs::current_path(folder_ / "inside");
    start();
    EXPECT_EQ(asked({"info", "file:graph.txt"}).at("status"), 0);
    EXPECT_EQ(asked({"info", "file:" + (folder_ / "inside/graph.txt").string()}).at("status"), 0);
    for (const std::string& path : {std::string("../outside.txt"), (folder_ / "outside.txt").string(),
                                    std::string(".hidden.txt"), std::string("link.txt"), std::string("/etc/passwd")})
        EXPECT_EQ(asked({"info", "file:" + path}).at("status"), 2) << path;
    EXPECT_EQ(asked({"check", "../outside.txt", "broadcast", "--on", "line:3"}).at("status"), 2);
    EXPECT_EQ(asked({"run", "broadcast", "--on", "line:3", "--record", "made.json"}).at("status"), 2);
    EXPECT_EQ(asked({"run", "broadcast", "--on", "line:3", "--algorithm", "./mine.cpp"}).at("status"), 2);
    EXPECT_FALSE(fs::exists(folder_ / "inside/made.json"));
    fs::current_path(before);
}

TEST_F(LabServer, KeepsPicturesUnderNamesOfTheirOwnAndApartFromItsSite) {
    start();
    const Json told = asked({"show", "broadcast", "--on", "line:3", "--as", "html"});
    const auto picture = client().Get(told.at("picture").get<std::string>());
    EXPECT_EQ(picture->status, 200);
    EXPECT_THAT(picture->body, testing::StartsWith("<!DOCTYPE html>"));
    const std::string policy = picture->get_header_value("Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("sandbox allow-scripts"));
    EXPECT_THAT(policy, testing::Not(HasSubstr("allow-same-origin")));
}

TEST_F(LabServer, AnswersOneAtATimeAndStopsWhenAsked) {
    start();
    auto first = std::async(std::launch::async, [this] {
        return asked({"run", "alltoall", "--on", "mesh:64x64", "--payload", "none"});
    });
    const auto at_work = [this] {
        return Json::parse(client().Post("/now", with_key(), "{}", "application/json")->body)
            .at("at_work")
            .get<std::string>();
    };
    while (at_work().empty() && first.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    }
    const auto second = client().Post("/answer", with_key(), body_of({"list"}), "application/json");
    const bool still_runs = first.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    EXPECT_TRUE(!still_runs || second->status == 409) << second->status;
    while (first.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
        EXPECT_EQ(client().Post("/stop", with_key(), "{}", "application/json")->status, 200);
    EXPECT_EQ(first.get().at("status"), 4) << "it takes seconds, and was stopped";
    EXPECT_EQ(asked({"list"}).at("status"), 0);
}

TEST_F(LabServer, StopsWhatTakesTooLong) {
    ServerOptions options;
    options.run_most = std::chrono::milliseconds(100);
    start(options);
    EXPECT_EQ(asked({"run", "alltoall", "--on", "mesh:64x64", "--payload", "none"}).at("status"), 4) << "takes seconds";
    EXPECT_EQ(asked({"run", "broadcast", "--on", "line:3"}).at("status"), 0) << "the next one is not stopped";
}

TEST_F(LabServer, EndsWhenNoPageHasSpokenForLong) {
    ServerOptions options;
    options.idle_most = std::chrono::seconds(1);
    start(options);
    EXPECT_EQ(served_.wait_for(std::chrono::minutes(2)), std::future_status::ready);
}

TEST_F(LabServer, SaysThatAPortIsTaken) {
    start();
    ServerOptions options;
    options.port = port_;
    options.folder = folder_;
    try {
        serve(options);
        ADD_FAILURE() << "two servers on one port";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr(fmt::format("--port {}: it cannot be had", port_)));
    }
}

}  // namespace
}  // namespace kport::lab
