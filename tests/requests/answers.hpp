/// @file answers.hpp   Answers of the door below the command line, for a client that allows no files, or keeps them in memory.
#pragma once

#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/requests/answer.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {

/// Keeps in memory what is written.
class KeepingClient final : public requests::Client {
  public:
    void require_place(std::string_view, const std::string&) const override {}
    void write_file(std::string_view, const std::string&, const std::function<void(std::ostream&)>& write) override {
        std::ostringstream out;
        write(out);
        written = out.str();
    }
    std::string written;
};

inline requests::Answer answer_to(const std::vector<std::string>& line, std::string_view input = "") {
    requests::Client client;
    return requests::answer(line, input, client);
}
inline requests::Answer answer_to(const std::string& line, std::string_view input = "") {
    return answer_to(words(line), input);
}

}  // namespace kport::test
