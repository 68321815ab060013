#include "app/grade/mark.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/words.hpp"

namespace kport::grade {

namespace {

constexpr std::size_t shown_bytes = 60;

double counted_by(const std::string& algorithm, Quantity quantity, const ExerciseMachine& machine) {
    Experiment experiment = machine.experiment;
    experiment.algorithm = algorithm;
    experiment.threads = 1;
    return measured_value(kport::run(experiment).report, quantity);
}

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_right(double answer, double right) {
    constexpr double part = 1e-3;
    return right == std::floor(right) ? answer == right : std::abs(answer - right) <= part * std::abs(right);
}

/// The answers by their keys.
std::map<std::string, double, std::less<>> answers_in(const Exercise& exercise, const std::string& text) {
    std::vector<std::string_view> keys;
    for (const Criterion& criterion : exercise.criteria) keys.push_back(criterion.key);
    std::map<std::string, double, std::less<>> answers;
    std::size_t number = 0;
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // some editors begin a text with it
    std::string_view rest = text;
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    for (const std::string_view whole : split(rest, '\n')) {
        ++number;
        const std::string_view line = without_blanks(whole);
        if (line.empty() || line.starts_with('#')) continue;
        const auto refuse = [&](const std::string& why) {
            throw RequestError(fmt::format("line {}: {}", number, why));
        };
        const std::size_t colon = line.rfind(':');
        if (colon == std::string_view::npos)
            refuse(fmt::format("{} has no ':'; want an answer, such as {}: 3", quoted(one_line(line, shown_bytes)),
                               keys.front()));
        const std::string key(without_blanks(line.substr(0, colon)));
        const std::string_view value = without_blanks(line.substr(colon + 1));
        if (std::ranges::find(keys, key) == keys.end())
            refuse(fmt::format("nothing called {} is asked for{}; want {}", quoted(one_line(key, shown_bytes)),
                               did_you_mean(key, keys), fmt::join(keys, ", ")));
        const std::optional<double> answer = to_real(value);
        if (!answer) refuse(fmt::format("{} is no number", quoted(one_line(value, shown_bytes))));
        if (!answers.emplace(key, *answer).second)
            refuse(fmt::format("{} is answered twice; want one answer", quoted(key)));
    }
    return answers;
}

}  // namespace

std::vector<double> right_answers(const Exercise& exercise, const ExerciseMachine& machine) {
    std::vector<double> answers;
    for (const Criterion& criterion : exercise.criteria) {
        if (criterion.counted)
            answers.push_back(counted_by(criterion.algorithm, *criterion.counted, machine));
        else
            answers.push_back(allowed_on(machine, machine.bounds, criterion.quantity.value_or(Quantity::rounds),
                                         criterion.value.value()));
    }
    return answers;
}

std::string text_of_answers(const Exercise& exercise, const ExerciseMachine& machine) {
    std::string text;
    for (std::size_t c = 0; c < exercise.criteria.size(); ++c)
        text += fmt::format("{}: {}\n", exercise.criteria[c].key, number(machine.answers[c]));
    return text;
}

Mark mark_of_answers(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text) {
    const auto answers = answers_in(exercise, text);
    Mark mark;
    mark.lawful = true;
    for (std::size_t c = 0; c < exercise.criteria.size(); ++c) {
        const Criterion& criterion = exercise.criteria[c];
        const auto answer = answers.find(criterion.key);
        const bool right = answer != answers.end() && is_right(answer->second, machine.answers[c]);
        mark.points.push_back(right ? criterion.points : 0);
        if (right || !mark.failure.empty()) continue;
        mark.failure = answer == answers.end()
                           ? fmt::format("no answer to {}; want a line {}: NUMBER", criterion.key, criterion.key)
                           : fmt::format("{}: {} is wrong", criterion.key, number(answer->second));
    }
    return mark;
}

}  // namespace kport::grade
