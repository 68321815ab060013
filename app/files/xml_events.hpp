/// @file xml_events.hpp   XML as events: elements and text, with bounded memory and without entities.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>

#include "app/files/graphs/text_source.hpp"

struct XML_ParserStruct;

namespace kport {

/// The attributes of an element; valid while it begins.
class XmlAttributes {
  public:
    explicit XmlAttributes(const char** attributes) : attributes_(attributes) {}
    /// Returns nothing if it is absent.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const;

  private:
    const char** attributes_;
};

/// Reads a document with expat, a C library: exceptions of handlers are rethrown after expat has returned.
class XmlEvents {
  public:
    explicit XmlEvents(TextSource& text);
    virtual ~XmlEvents();
    XmlEvents(const XmlEvents&) = delete;
    XmlEvents& operator=(const XmlEvents&) = delete;

    /// Calls the handlers. Throws RequestError for invalid XML, for entities, and for a tag of more than a MiB; and
    /// passes on exceptions of handlers.
    void read();

  protected:
    /// `name` is without its namespace.
    virtual void begin_element(std::string_view name, const XmlAttributes& attributes) = 0;
    virtual void end_element() = 0;
    virtual void add_text(std::string_view) {}
    virtual void add_comment(std::string_view) {}

    [[nodiscard]] TextPlace place() const;
    /// Throws RequestError at the current position.
    [[noreturn]] void refuse(std::string_view why) const;
    /// Returns the value, or refuses the element without it.
    [[nodiscard]] std::string_view wanted(const XmlAttributes& attributes, std::string_view element,
                                          std::string_view name) const;
    [[nodiscard]] TextSource& text() const { return text_; }

    /// Expat stores a tag or a comment until its end.
    static constexpr std::uint64_t word_most = std::uint64_t{1} << 20;

  private:
    template <class Act>
    void guarded(const Act& act) noexcept;
    void parse(std::string_view piece, bool last);

    TextSource& text_;
    std::unique_ptr<XML_ParserStruct, void (*)(XML_ParserStruct*)> parser_;
    std::exception_ptr failure_;
};

}  // namespace kport
