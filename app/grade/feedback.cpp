#include "app/grade/grading.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "emulator/base/error.hpp"

namespace kport::grade {

namespace {

constexpr std::string_view style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 "
    "1em;color:#1c2733;background:#fff}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #c3cad1;"
    "vertical-align:top}svg{max-width:100%;height:auto}";

bool tells_sentences(const Exercise& exercise) {
    return exercise.feedback == Feedback::first_failure || exercise.feedback == Feedback::all;
}

std::string row_of(const ExerciseMachine& machine, const Mark& mark, bool tells) {
    const double points = std::accumulate(mark.points.begin(), mark.points.end(), 0.0);
    return fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(machine.label), points_text(points),
                       tells ? escaped(mark.failure) : std::string());
}

std::string table_in_page(const Exercise& exercise, const Grade& grade) {
    std::string rows;
    bool told = false;
    for (std::size_t m = 0; m < grade.marks.size(); ++m) {
        const Mark& mark = grade.marks[m];
        const bool tells = exercise.feedback == Feedback::all || (tells_sentences(exercise) && !told);
        told |= !mark.failure.empty();
        rows += row_of(exercise.machines[m], mark, tells);
    }
    return "<table>\n<tr><th>machine</th><th>points</th><th></th></tr>\n" + rows + "</table>\n";
}

std::string picture_in_page(const Exercise& exercise, const Grade& grade) {
    const std::size_t machine = pictured(exercise, grade.marks);
    if (grade.picture.empty() || machine == grade.marks.size() || !tells_sentences(exercise)) return {};
    return fmt::format("<h2>{}</h2>\n<p>{}</p>\n{}", escaped(exercise.machines[machine].label),
                       escaped(grade.marks[machine].failure), grade.picture);
}

std::string file_name_of(const std::string& name) {
    constexpr std::size_t letters_most = 60;
    std::string file = name.substr(0, letters_most);
    std::ranges::replace_if(
        file, [](unsigned char c) { return (c >= 0x80 || std::isalnum(c) == 0) && c != '.' && c != '-' && c != '_'; },
        '_');
    return file;
}

}  // namespace

std::size_t pictured(const Exercise& exercise, const std::vector<Mark>& marks) {
    std::size_t found = marks.size();
    for (std::size_t m = 0; m < marks.size(); ++m) {
        if (marks[m].failure.empty() || !marks[m].measured || exercise.machines[m].hidden) continue;
        const auto nodes = [&](std::size_t i) { return exercise.machines[i].experiment.topology().nodes(); };
        if (found == marks.size() || nodes(m) < nodes(found)) found = m;
    }
    return found;
}

std::string picture_of(const Exercise& exercise, const ExerciseMachine& machine, const std::string& text) {
    std::ostringstream out;
    try {
        draw(out, picture_kind_named("svg"), story_in(exercise, machine, text));
    } catch (const RequestError&) {
        return {};
    } catch (const DoesNotFit&) {
        return {};
    }
    return std::move(out).str();
}

std::string page_of(const Exercise& exercise, const Grade& grade) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{1}</style></head>"
        "<body>\n<h1>{0}</h1>\n<p>{2}: {3} of {4} points</p>\n{5}{6}</body></html>\n",
        escaped(exercise.title), style, escaped(grade.name), points_text(grade.total()), points_text(exercise.points()),
        table_in_page(exercise, grade), picture_in_page(exercise, grade));
}

std::vector<std::string> page_names(const std::vector<Grade>& grades) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const Grade& grade : grades) {
        const std::string base = file_name_of(grade.name);
        std::string name = base + ".html";
        for (unsigned i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}.html", base, i);
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace kport::grade
