"""The module answers as the program does."""

import json
import random
import unittest
import warnings

import kport
from program import program

OPERATIONS = ["broadcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall", "scan", "barrier",
              "reduce-scatter", "permutation"]
MACHINES = ["hypercube:3", "mesh:3x4", "torus:3x3", "ring:5", "line:4", "complete:6", "petersen", "star:5", "tree:7", "mesh:0x2",
            "hypercube", "ring:3", "nothing:4"]
OPTIONS = {
    "ports": [1, 2, "all", "1:2", "two", -1],
    "bytes": [1, "4KiB", 0, "1EiB"],
    "switching": ["sf", "wh", "ct"],
    "duplex": ["full", "half"],
    "links": ["full", "half"],
    "combining": ["on", "off"],
    "packets": [1, 3, 0],
    "source": [0, 2, 99, "x"],
    "ts": [1, 2.5, 0.001],
    "pairwise": [True, False],
    "policy": ["queue", "strict"],
}


def as_word(option, value):
    if value is True:
        return ["--" + option]
    return [] if value is False else [f"--{option}={value}"]


def answered(command, *words, **options):
    """Status, text and sentence, as the program gives them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = getattr(kport, command)(*words, **options)
            status, text, error = result.status, result.json, ""
        except kport.RequestError as raised:
            status, text, error = 2, "", f"kport: {raised}\n"
        except kport.DoesNotFit as raised:
            status, text, error = 3, "", f"kport: {raised}\n"
    return status, text, "".join(f"kport: {one.message}\n" for one in caught) + error


class AnAnswer(unittest.TestCase):
    def test_equals_the_programs_json_for_100_random_requests(self):
        dice = random.Random(1)
        statuses = set()
        for _ in range(100):
            command = dice.choice(["run", "run", "run", "compare", "bounds", "explain"])
            operation, on = dice.choice(OPERATIONS), dice.choice(MACHINES)
            options = {name: dice.choice(OPTIONS[name]) for name in dice.sample(sorted(OPTIONS), dice.randrange(4))}
            if command in ("run", "compare"):
                options["reproducible"] = True
            words = [command, operation, f"--on={on}"]
            for name, value in options.items():
                words += as_word(name, value)
            with self.subTest(" ".join(words)):
                expected = program(*words, "--json")
                self.assertEqual(answered(command, operation, on=on, **options), expected)
                statuses.add(expected[0])
        self.assertLessEqual({0, 2}, statuses)

    def test_of_other_commands_equals_the_programs(self):
        for words, result in [
            (["info", "petersen", "--json"], kport.info("petersen").json),
            (["list", "algorithms", "scatter", "--json"], kport.list("algorithms", "scatter").json),
            (["list", "--json"], kport.list().json),
            (["search", "allgather", "--on", "ring:5", "--reproducible", "--json"],
             kport.search("allgather", on="ring:5", reproducible=True).json),
            (["tolerance", "broadcast", "--on", "ring:4", "--json"], kport.tolerance("broadcast", on="ring:4").json),
            (["show", "scatter", "--on", "hypercube:3", "--as", "svg"], kport.show("scatter", on="hypercube:3", as_="svg")),
            (["convert", "mesh:2x3", "--to", "dot"], kport.convert("mesh:2x3", to="dot")),
            (["compare", "broadcast", "--sweep", "ring:3", "ring:4", "--ports", "1,all", "--json", "--reproducible"],
             kport.sweep("broadcast", on=["ring:3", "ring:4"], ports=[1, "all"], reproducible=True).json),
        ]:
            with self.subTest(" ".join(words)):
                self.assertEqual(program(*words)[1], str(result))

    def test_of_random_tests_equals_the_programs_but_for_the_time(self):
        told = kport.stress(cases=20, nodes=9, seed=4, inject="drop", threads=1)
        expected = json.loads(program("stress", "--cases", "20", "--nodes", "9", "--seed", "4", "--inject", "drop", "--threads", "1", "--json")[1])
        self.assertEqual({**told.to_dict(), "seconds": 0}, {**expected, "seconds": 0})
        self.assertTrue(told.passed)
        self.assertEqual(told.faults["named"] + told.faults["no_certain_harm"], told.faults["put_in"])
        with self.assertRaisesRegex(kport.RequestError, "has no algorithm 'sbtt'"):
            kport.stress(operation="scatter", algorithm="sbtt")

    def test_as_text_is_the_programs_report(self):
        run = kport.run("broadcast", on="mesh:3x4", per_round=True, reproducible=True)
        self.assertEqual(str(run), program("run", "broadcast", "--on", "mesh:3x4", "--per-round", "--reproducible")[1])
        self.assertEqual(str(kport.compare("scatter", on="ring:5", reproducible=True)),
                         program("compare", "scatter", "--on", "ring:5", "--reproducible")[1])
        self.assertEqual(kport.bounds("scatter", on="ring:5", json=False), program("bounds", "scatter", "--on", "ring:5")[1])

    def test_that_is_stopped_at_the_limit_of_rounds_warns(self):
        with self.assertWarnsRegex(kport.RequestWarning, "was stopped at the limit of 2 rounds"):
            self.assertEqual(kport.run("broadcast", on="ring:9", max_rounds=2).status, 4)
