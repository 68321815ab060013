/// @file goals.cpp   Does the engine meet its goals of speed and memory?
///
///     goals [--turns=N] [--clock=wall|cpu] [--large] [--only=TEXT]
///
/// --large adds hypercube:27 and 28, which need up to 20 GiB; bench/support/question.hpp says the rest.
#include "bench/goals/questions.hpp"

int main(int argc, char** argv) {
    return kport::bench::ask_all({argv + 1, argv + argc}, kport::bench::questions_of_goals);
}
