/// @file dot_words.hpp   The words of the DOT language.
#pragma once

#include <string>

#include "app/files/graphs/text_source.hpp"

namespace kport {

/// Takes a text apart: names, numerals, texts in quotes, signs. Leaves out white space and comments.
/// Source    graphviz.org/doc/info/lang.html
class DotWords {
  public:
    enum class Kind { id, quoted_id, html, sign, end };
    struct Word {
        Kind kind = Kind::end;
        std::string text;  ///< of a sign "{", "--", "->", ...; of a text in quotes what stands within, with \" as "
        TextPlace at;

        [[nodiscard]] bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
        [[nodiscard]] bool is_id() const { return kind == Kind::id || kind == Kind::quoted_id || kind == Kind::html; }
        /// Not in quotes, in any case.
        [[nodiscard]] bool is_keyword(std::string_view keyword) const;
        /// As a message names it.
        [[nodiscard]] std::string shown() const;
    };

    explicit DotWords(TextSource& text) : text_(text) { next(); }

    /// The word at hand.
    [[nodiscard]] const Word& now() const { return now_; }
    /// Gives the word at hand and goes on.
    Word take();
    /// Takes the sign if it is at hand.
    bool take_sign(std::string_view sign);
    /// Throws RequestError at the word at hand: "'x'; want ...".
    [[noreturn]] void refuse_now(std::string_view wanted) const;
    [[noreturn]] void refuse(const TextPlace& at, std::string_view why) const { text_.refuse(at, why); }

  private:
    void next();
    void skip_space();
    void skip_block_comment(const TextPlace& begin);
    void read_id();
    void read_number();
    void read_quoted();
    void read_html();
    void add(int c);

    TextSource& text_;
    Word now_;
};

}  // namespace kport
