#include "app/files/xml_events.hpp"

#include <algorithm>
#include <new>

#include <expat.h>
#include <fmt/format.h>

namespace kport {

namespace {

XmlEvents& as_events(void* self) { return *static_cast<XmlEvents*>(self); }

}  // namespace

std::optional<std::string_view> XmlAttributes::value(std::string_view name) const {
    for (const char** at = attributes_; *at != nullptr; at += 2)
        if (at[0] == name) return at[1];
    return std::nullopt;
}

XmlEvents::XmlEvents(TextSource& text) : text_(text), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* full_name, const char** attributes) {
            const std::string_view name = full_name;
            as_events(self).guarded([&](XmlEvents& events) {
                events.begin_element(name.substr(name.find(':') + 1), XmlAttributes(attributes));
            });
        },
        [](void* self, const char*) { as_events(self).guarded([](XmlEvents& events) { events.end_element(); }); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* data, int bytes) {
        as_events(self).guarded([&](XmlEvents& events) { events.add_text({data, static_cast<std::size_t>(bytes)}); });
    });
    XML_SetCommentHandler(parser_.get(), [](void* self, const char* comment) {
        as_events(self).guarded([&](XmlEvents& events) { events.add_comment(comment); });
    });
    XML_SetEntityDeclHandler(parser_.get(), [](void* self, const char*, int, const char*, int, const char*, const char*,
                                               const char*, const char*) {
        as_events(self).guarded([](XmlEvents& events) { events.refuse("entities are not read; want a file without"); });
    });
}

XmlEvents::~XmlEvents() = default;

template <class Act>
void XmlEvents::guarded(const Act& act) noexcept {
    if (failure_) return;
    try {
        act(*this);
    } catch (...) {
        failure_ = std::current_exception();
        XML_StopParser(parser_.get(), XML_FALSE);
    }
}

void XmlEvents::read() {
    std::uint64_t fed = 0;
    for (std::string_view piece = text_.piece(); !piece.empty(); piece = text_.piece()) {
        fed += piece.size();
        parse(piece, false);
        const auto done = static_cast<std::uint64_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_.get()), 0));
        if (fed - done > word_most) refuse(fmt::format("a tag of more than {} bytes", word_most));
    }
    parse({}, true);
}

void XmlEvents::parse(std::string_view piece, bool last) {
    const auto status = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), last ? 1 : 0);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_ERROR) return;
    const XML_Error error = XML_GetErrorCode(parser_.get());
    if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    refuse(fmt::format("XML: {}; want well-formed XML, down to its last tag", XML_ErrorString(error)));
}

TextPlace XmlEvents::place() const {
    return {static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
}

void XmlEvents::refuse(std::string_view why) const { text_.refuse(place(), why); }

std::string_view XmlEvents::wanted(const XmlAttributes& attributes, std::string_view element,
                                   std::string_view name) const {
    const auto value = attributes.value(name);
    if (!value) refuse(fmt::format("<{0}> without {1}; want <{0} {1}=\"...\">", element, name));
    return *value;
}

}  // namespace kport
