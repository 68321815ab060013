/// @file answers.hpp   Answers of the door below the command line, for a client that allows no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/requests/answer.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {

inline requests::Answer answer_to(const std::vector<std::string>& line, std::string_view input = "") {
    requests::Client client;
    return requests::answer(line, input, client);
}
inline requests::Answer answer_to(const std::string& line, std::string_view input = "") {
    return answer_to(words(line), input);
}

}  // namespace kport::test
