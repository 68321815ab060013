/// @file fields.hpp   The members of a JSON object, read strictly: every wrong word is refused with its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/json_report.hpp"

namespace kport::grade {

/// Returns the text as JSON; it may have comments. `what` begins the messages: "exercise 'x.json'". Throws RequestError with line and column where it is none,
/// and for a member that an object has twice.
[[nodiscard]] Json strict_json(const std::string& text, const std::string& what);

/// An object whose members are asked for by name. Every function throws RequestError, whose message begins with the place and says what
/// would be right.
class Fields {
  public:
    /// `place`: "exercise 'x.json': machines[1]". The object must outlive this.
    Fields(const Json& object, std::string place);

    /// Refuses members that have other names.
    void require_known(std::initializer_list<std::string_view> names) const;

    [[nodiscard]] bool has(std::string_view name) const { return object_.contains(name); }
    [[nodiscard]] std::string place_of(std::string_view name) const;
    /// Refuses the member: "<place>.<name>: <its value>; want <wanted>".
    [[noreturn]] void refuse(std::string_view name, std::string_view wanted) const;

    /// Without a default the member must be there.
    [[nodiscard]] std::string text(std::string_view name, std::string_view wanted,
                                   std::optional<std::string> otherwise = {}) const;
    /// One of several words.
    [[nodiscard]] std::string word(std::string_view name, std::initializer_list<std::string_view> choices,
                                   std::optional<std::string> otherwise = {}) const;
    [[nodiscard]] bool flag(std::string_view name) const;
    /// A number above 0.
    [[nodiscard]] double positive(std::string_view name, std::optional<double> otherwise = {}) const;
    [[nodiscard]] std::uint64_t count(std::string_view name, std::uint64_t least, std::uint64_t most,
                                      std::optional<std::uint64_t> otherwise = {}) const;
    /// A list that is not empty.
    [[nodiscard]] const Json& list(std::string_view name) const;

  private:
    [[nodiscard]] const Json& required(std::string_view name, std::string_view wanted) const;

    const Json& object_;
    std::string place_;
};

}  // namespace kport::grade
