#include "emulator/base/numbers.hpp"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

std::string refusal(const std::function<void()>& act) {
    try {
        act();
    } catch (const RequestError& error) {
        return error.what();
    }
    return "(accepted)";
}

std::string count_refusal(std::string_view text) {
    return refusal([&] { (void)parse_count(text, "--ports", 1, 100); });
}
std::string size_refusal(std::string_view text) {
    return refusal([&] { (void)parse_size(text, "--bytes"); });
}
std::string cost_refusal(std::string_view text) {
    return refusal([&] { (void)parse_cost(text, "--ts"); });
}

TEST(ParseCount, ReadsCanonicalDecimals) {
    EXPECT_EQ(parse_count("0", "n"), 0U);
    EXPECT_EQ(parse_count("7", "n"), 7U);
    EXPECT_EQ(parse_count("18446744073709551615", "n"), count_max);
    EXPECT_EQ(parse_count("1", "n", 1, 100), 1U);
    EXPECT_EQ(parse_count("100", "n", 1, 100), 100U);
}

TEST(ParseCount, NamesTheWrongWordAndTheRightForm) {
    EXPECT_EQ(count_refusal(""), "--ports missing; want digits only, such as 16");
    EXPECT_EQ(count_refusal("1x"), "--ports '1x' is not a whole number; want digits only, such as 16");
    EXPECT_EQ(count_refusal("05"), "--ports '05' has a leading zero; want 5");
    EXPECT_EQ(count_refusal("0101"), "--ports '0101' is too large; want at most 100");
    EXPECT_EQ(count_refusal("0" + std::string(20, '7')),
              "--ports '077777777777777777777' is too large; want at most 100");
    EXPECT_EQ(count_refusal("00"), "--ports '00' is too small; want at least 1");
    EXPECT_EQ(refusal([] { (void)parse_count("x", "--dimensions", 0, 3); }),
              "--dimensions 'x' is not a whole number; want digits only, such as 3");
    EXPECT_EQ(count_refusal("0"), "--ports '0' is too small; want at least 1");
    EXPECT_EQ(count_refusal("101"), "--ports '101' is too large; want at most 100");
    EXPECT_EQ(count_refusal("18446744073709551616"), "--ports '18446744073709551616' is too large; want at most 100");
}

TEST(ParseCount, RefusesEverythingThatIsNotDigits) {
    for (const std::string_view text :
         {"-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "1,000", "eins", "\n1", "1/", "1:"})
        EXPECT_NE(count_refusal(text).find("is not a whole number"), std::string::npos) << text;
    EXPECT_NE(count_refusal(std::string_view("1\0", 2)).find("is not a whole number"), std::string::npos);
}

TEST(ToCount, GivesNothingForWhatParseCountRefuses) {
    EXPECT_EQ(to_count("42"), 42U);
    for (const std::string_view text : {"", "-1", "01", "4 ", "18446744073709551616", "99999999999999999999999"})
        EXPECT_FALSE(to_count(text)) << text;
}

TEST(ParseSize, KnowsTheFourSuffixes) {
    EXPECT_EQ(parse_size("64", "s"), 64U);
    EXPECT_EQ(parse_size("0", "s"), 0U);
    EXPECT_EQ(parse_size("64B", "s"), 64U);
    EXPECT_EQ(parse_size("3KiB", "s"), 3072U);
    EXPECT_EQ(parse_size("2MiB", "s"), 2097152U);
    EXPECT_EQ(parse_size("5GiB", "s"), 5368709120U);
    EXPECT_EQ(parse_size("17179869183GiB", "s"), 17179869183U * (std::uint64_t{1} << 30));
}

TEST(ParseSize, NamesTheWrongWordAndTheRightForm) {
    const std::string wanted = "; want a whole number, alone or with B, KiB, MiB or GiB, such as 64KiB";
    EXPECT_EQ(size_refusal("12Q"), "--bytes '12Q' has the unknown suffix 'Q'" + wanted);
    EXPECT_EQ(size_refusal("1.5KiB"), "--bytes '1.5KiB' has the unknown suffix '.5KiB'" + wanted);
    EXPECT_EQ(size_refusal("1 KiB"),
              "--bytes '1 KiB' has the unknown suffix ' KiB'; did you mean '1KiB'? (B, KiB, MiB, GiB)");
    EXPECT_EQ(size_refusal("1kib"),
              "--bytes '1kib' has the unknown suffix 'kib'; did you mean '1KiB'? (B, KiB, MiB, GiB)");
    EXPECT_EQ(size_refusal("4K"), "--bytes '4K' has the unknown suffix 'K'; did you mean '4KiB'? (B, KiB, MiB, GiB)");
    EXPECT_EQ(size_refusal("1e3"),
              "--bytes '1e3' has the unknown suffix 'e3'; did you mean '1000'? (B, KiB, MiB, GiB)");
    EXPECT_EQ(size_refusal("1e19"), "--bytes '1e19' has the unknown suffix 'e19'" + wanted);
    EXPECT_EQ(size_refusal("KiB"), "--bytes 'KiB' is not a size" + wanted);
    EXPECT_EQ(size_refusal("-1"), "--bytes '-1' is not a size" + wanted);
    EXPECT_EQ(size_refusal(""), "--bytes missing" + wanted);
    EXPECT_EQ(size_refusal("01KiB"), "--bytes '01KiB' has a leading zero; want 1KiB");
    EXPECT_EQ(size_refusal("007K"),
              "--bytes '007K' has the unknown suffix 'K'; did you mean '7KiB'? (B, KiB, MiB, GiB)");
    EXPECT_EQ(size_refusal("17179869184GB"), "--bytes '17179869184GB' has the unknown suffix 'GB'" + wanted);
    EXPECT_EQ(size_refusal("017179869184GiB"), "--bytes '017179869184GiB' is too large; want less than 2^64 bytes");
    EXPECT_EQ(size_refusal("17179869184GiB"), "--bytes '17179869184GiB' is too large; want less than 2^64 bytes");
    EXPECT_EQ(size_refusal("18446744073709551616"),
              "--bytes '18446744073709551616' is too large; want less than 2^64 bytes");
}

TEST(ParseCost, ReadsFiniteNumbersFromZero) {
    EXPECT_EQ(parse_cost("0", "c"), 0.0);
    EXPECT_EQ(parse_cost("0.001", "c"), 0.001);
    EXPECT_EQ(parse_cost("1e3", "c"), 1000.0);
    EXPECT_EQ(parse_cost(".5", "c"), 0.5);
    EXPECT_FALSE(std::signbit(parse_cost("0", "c")));
}

TEST(ParseCost, RefusesNegativeAndInfiniteNumbersAndText) {
    const std::string wanted = "; want a finite number of at least 0 without a unit, such as 0.5";
    for (const std::string text :
         {"-1", "-0", "inf", "nan", "-inf", "infinity", "1x", "x", "+1", " 1", "1 ", "0x1p3", "1,5"})
        EXPECT_EQ(cost_refusal(text), "--ts '" + text + "' is not a price" + wanted);
    EXPECT_EQ(cost_refusal(""), "--ts missing" + wanted);
    EXPECT_EQ(cost_refusal("1e999"), "--ts '1e999' is out of range" + wanted);
}

TEST(ParseSeconds, IsFiniteInEveryUnit) {
    EXPECT_EQ(parse_seconds("1.5h", "--for"), 5400.0);
    const std::string beyond = "1" + std::string(308, '0');  // a double, but not that many hours
    EXPECT_EQ(parse_seconds(beyond, "--for"), 1e308);
    EXPECT_EQ(refusal([&] { (void)parse_seconds(beyond + "h", "--for"); }),
              "--for '1" + std::string(79, '0') + "...' is out of range; want a time such as 500ms, 10s, 2m or 1h");
}

TEST(ParseSeconds, KnowsItsUnits) {
    EXPECT_EQ(parse_seconds("10s", "--for"), 10);
    EXPECT_EQ(parse_seconds("500ms", "--for"), 0.5);
    EXPECT_EQ(parse_seconds("2m", "--for"), 120);
    EXPECT_EQ(parse_seconds("1.5h", "--for"), 5400);
    EXPECT_EQ(parse_seconds("7", "--for"), 7);
    EXPECT_EQ(parse_seconds("0", "--for"), 0);
}

TEST(ParseSeconds, NamesTheWrongWordAndTheRightForm) {
    const std::string wanted = "; want a time such as 500ms, 10s, 2m or 1h";
    const auto seconds_refusal = [](std::string_view text) {
        return refusal([&] { (void)parse_seconds(text, "--for"); });
    };
    for (const std::string text : {"x", "s", "-1s", "-0", "inf", "nan", " 1"})
        EXPECT_EQ(seconds_refusal(text), "--for '" + text + "' is no time" + wanted);
    EXPECT_EQ(seconds_refusal(""), "--for missing" + wanted);
    EXPECT_EQ(seconds_refusal("1d"), "--for '1d' has the unknown unit 'd'" + wanted);
    EXPECT_EQ(seconds_refusal("1e3"), "--for '1e3' has the unknown unit 'e3'" + wanted);
    EXPECT_EQ(seconds_refusal("1 s"), "--for '1 s' has the unknown unit ' s'" + wanted);
}

TEST(CheckedArithmetic, RefusesToWrap) {
    EXPECT_EQ(checked_product(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1, "x"), count_max - 0xFFFFFFFFU);
    EXPECT_EQ(checked_product(count_max, 0, "x"), 0U);
    EXPECT_EQ(checked_product(0, count_max, "x"), 0U);
    EXPECT_EQ(checked_product(count_max, 1, "x"), count_max);
    EXPECT_EQ(checked_sum(count_max, 0, "x"), count_max);
    EXPECT_EQ(checked_sum(3, 3, "x"), 6U);
    EXPECT_THROW((void)checked_product(std::uint64_t{1} << 32, std::uint64_t{1} << 32, "x"), DoesNotFit);
    try {
        (void)checked_sum(count_max, 1, "the sum");
        FAIL();
    } catch (const DoesNotFit& error) {
        EXPECT_STREQ(error.what(), "the sum needs more than 64 bits");
    }
}

}  // namespace
}  // namespace kport
