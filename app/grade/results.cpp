#include "app/grade/grading.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "app/requests/texts.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/words.hpp"

namespace kport::grade {

namespace {

double sum_of(const std::vector<double>& points) { return std::accumulate(points.begin(), points.end(), 0.0); }

/// As points_text(), as a number.
double rounded(double points) {
    constexpr double parts = 100;
    return std::round(points * parts) / parts;
}

std::string heading_of(const Criterion& criterion) {
    if (!criterion.key.empty()) return criterion.key;
    return criterion.name == "optimal" ? fmt::format("optimal {}", row(*criterion.quantity).title) : criterion.name;
}

Json points_by_criterion(const Exercise& exercise, const std::vector<double>& points) {
    Json json = Json::object();
    for (std::size_t c = 0; c < points.size(); ++c) json[heading_of(exercise.criteria[c])] = rounded(points[c]);
    return json;
}

std::string measured_text(const Mark& mark, Quantity quantity) {
    return mark.measured ? number((*mark.measured)[quantity]) : "";
}

Json machine_json(const Exercise& exercise, const ExerciseMachine& machine, const Mark& mark) {
    Json json;
    json["machine"] = machine.label;
    json["lawful"] = mark.lawful;
    json["points"] = rounded(sum_of(mark.points));
    json["criteria"] = points_by_criterion(exercise, mark.points);
    json["measured"] = nullptr;
    if (mark.measured) {
        Json measured;
        for (const QuantityRow& of : quantity_rows) measured[std::string(of.key)] = (*mark.measured)[of.quantity];
        json["measured"] = std::move(measured);
    }
    json["failure"] = mark.failure.empty() ? Json() : Json(mark.failure);
    return json;
}

/// What a student may read about a machine.
std::string told_to_student(const Exercise& exercise, const Mark& mark, bool is_first) {
    const bool tells = exercise.feedback == Feedback::all || (exercise.feedback == Feedback::first_failure && is_first);
    if (mark.failure.empty() || exercise.feedback == Feedback::none) return "";
    return tells ? mark.failure : "";
}

}  // namespace

std::string table_of(const Exercise& exercise, const std::vector<Grade>& grades, const Paint& paint,
                     std::size_t width) {
    using enum Table::Align;
    std::vector<Table::Column> columns = {{"hand-in"}};
    for (const Criterion& criterion : exercise.criteria)
        columns.push_back({.heading = heading_of(criterion), .align = right, .stays = true});
    columns.push_back({.heading = "points", .align = right, .stays = true});
    columns.push_back({.heading = "first failure", .stays = true});
    Table table(columns);
    for (const Grade& grade : grades) {
        std::vector<Cell> cells = {{grade.name}};
        for (const double points : grade.points) cells.push_back({points_text(points)});
        cells.push_back({points_text(grade.total()), is_full(exercise, grade) ? Tone::good : Tone::bad});
        cells.push_back({first_failure(exercise, grade.marks)});
        table.row(std::move(cells));
    }
    return table.text(paint, width);
}

std::string csv_of(const Exercise& exercise, const std::vector<Grade>& grades) {
    std::vector<std::string> fields = {"hand-in", "machine"};
    for (const Criterion& criterion : exercise.criteria) fields.push_back(heading_of(criterion));
    fields.insert(fields.end(), {"points", "points_of", "lawful"});
    for (const QuantityRow& of : quantity_rows) fields.emplace_back(fmt::format("measured_{}", of.key));
    fields.emplace_back("failure");
    std::string text = requests::csv_line(fields);
    for (const Grade& grade : grades)
        for (std::size_t m = 0; m < grade.marks.size(); ++m) {
            const Mark& mark = grade.marks[m];
            fields = {grade.name, exercise.machines[m].label};
            for (const double points : mark.points) fields.push_back(points_text(points));
            fields.insert(fields.end(), {points_text(sum_of(mark.points)), points_text(exercise.points()),
                                         mark.lawful ? "yes" : "no"});
            for (const QuantityRow& of : quantity_rows) fields.push_back(measured_text(mark, of.quantity));
            fields.push_back(mark.failure);
            text += requests::csv_line(fields);
        }
    return text;
}

Json json_of(const Exercise& exercise, const std::vector<Grade>& grades) {
    Json json;
    json["exercise"] = exercise.title;
    json["points_of"] = rounded(exercise.points());
    json["hand_ins"] = Json::array();
    for (const Grade& grade : grades) {
        Json one;
        one["hand_in"] = grade.name;
        one["points"] = rounded(grade.total());
        one["criteria"] = points_by_criterion(exercise, grade.points);
        const std::string failure = first_failure(exercise, grade.marks);
        one["first_failure"] = failure.empty() ? Json() : Json(failure);
        one["machines"] = Json::array();
        for (std::size_t m = 0; m < grade.marks.size(); ++m)
            one["machines"].push_back(machine_json(exercise, exercise.machines[m], grade.marks[m]));
        json["hand_ins"].push_back(std::move(one));
    }
    return json;
}

Json gradescope_of(const Exercise& exercise, const Grade& grade) {
    Json json;
    json["score"] = rounded(grade.total());
    json["stdout_visibility"] = "hidden";
    json["tests"] = Json::array();
    bool told = false;
    for (std::size_t m = 0; m < grade.marks.size(); ++m) {
        const Mark& mark = grade.marks[m];
        const std::string output = told_to_student(exercise, mark, !told);
        told |= !output.empty();
        Json test;
        test["name"] = exercise.machines[m].label;
        test["score"] = rounded(sum_of(mark.points));
        test["max_score"] = rounded(exercise.points());
        test["output"] = output;
        test["visibility"] = exercise.feedback == Feedback::none ? "hidden" : "visible";
        json["tests"].push_back(std::move(test));
    }
    return json;
}

}  // namespace kport::grade
