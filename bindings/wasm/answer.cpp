/// @file answer.cpp   kport in a page: requests in, answers out, by memory. One request at a time.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"

namespace {

/// A page has neither files nor code of files.
class Page final : public kport::requests::Client {
  public:
    Page() { width = 100; }  // as in kport lab
    [[nodiscard]] bool may_read(const std::string&) const override { return false; }
};

std::string text;

}  // namespace

extern "C" {

__attribute__((export_name("kport_alloc"))) void* kport_alloc(std::size_t bytes) { return std::malloc(bytes); }
__attribute__((export_name("kport_free"))) void kport_free(void* memory) { std::free(memory); }

/// Takes {"words": [...], "input": "..."}, and leaves {"status", "text", "warnings", "error"} (requests::Answer) at kport_text().
__attribute__((export_name("kport_answer"))) void kport_answer(const char* request, std::size_t bytes) {
    const nlohmann::json json = nlohmann::json::parse(std::string_view(request, bytes));
    Page page;
    const kport::requests::Answer answer =
        kport::requests::answer(json.at("words").get<std::vector<std::string>>(), json.value("input", ""), page);
    text =
        nlohmann::json{
            {"status", answer.status}, {"text", answer.text}, {"warnings", answer.warnings}, {"error", answer.error}}
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);  // names of nodes may be no UTF-8
}
__attribute__((export_name("kport_text"))) const char* kport_text() { return text.data(); }
__attribute__((export_name("kport_text_bytes"))) std::size_t kport_text_bytes() { return text.size(); }
}
