"""Arguments: every option of the table is a keyword, and what is wrong is refused with the program's sentence."""

import inspect
import random
import unittest
import warnings

import kport
from kport import _commands
from program import program

# A value with which each option can be tried; the others take one of their choices.
VALUES = {
    "--on": "ring:4", "--sweep": ["ring:4"], "--broken": "0--1", "--ports-by": "k", "--capacity-by": "lanes", "--algorithm": "nothing", "--ts": 2,
    "--td": 1, "--tm": 0.5, "--source": 1, "--bytes": "4KiB", "--packets": 2, "--permutation": "shift:1",
    "--rules": "nodup=count", "--dimensions": [1, 0], "--arity": 2, "--aggregate": 2, "--ports-at-most": 1, "--values": [1, 2],
    "--message": "1KiB", "--partition-nodes": 5, "--threads": 1, "--seed": 3, "--inject": "drop", "--order": 1,
    "--max-rounds": 9, "--until": 1, "--for": "1s", "--nodes": 1, "--sample": 3, "--record": True, "--trace": True,
    "--proof": True, "--plot": True, "--picture": True, "--rounds": "1-2", "--shape": "slide", "--width": 800, "--cases": 3, "--case": 2, "--switch-limit": 2, "--routing": "adaptive", "--ports": 1, "--with": "./x.cpp",
    "--calibrated": True, "--output": True, "--operation": "broadcast", "--switches": "1",
    "--slow": "0--1=2", "--td-by": "weight", "--tm-by": "weight", "--sources": "0,1", "--counts": "1,2", "--sizes": "8,16", "--promise": "all-held",
    "--members": "0,1", "--groups": "0-1/2-3", "--intra": "rda", "--inter": "rda",
}


def refusal(command, *words, **options):
    """What is raised, as the program prints it."""
    try:
        getattr(kport, command)(*words, **options)
    except (kport.RequestError, kport.DoesNotFit) as raised:
        return f"kport: {raised}\n"
    return ""


class EveryOption(unittest.TestCase):
    def test_is_a_keyword_that_reaches_the_program(self):
        for command in _commands.commands().values():
            subjects = {"OPERATION": ["broadcast"], "TOPOLOGY": ["ring:4"], "FILE": ["nothing.txt"], "LIST": ["algorithms"],
                        "OPERATION|FILE": ["broadcast"]}.get(command.subject, [])
            for option in command.options:
                if option.is_flag:
                    value = True
                else:
                    value = VALUES.get(option.name) or option.choices[0]
                with self.subTest(command=command.name, option=option.name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    options = {option.keyword: value}
                    if "on" in command.by_keyword and option.name not in ("--on", "--sweep"):
                        options["on"] = "ring:4"
                    if command.name == "stress" and option.name not in ("--for", "--cases", "--case"):
                        options["cases"] = 3
                    try:
                        getattr(kport, command.name)(*subjects, **options)
                    except (kport.RequestError, kport.DoesNotFit, kport.Stopped) as raised:
                        self.assertNotRegex(str(raised), "unknown option|takes no|is given twice|of type")

    def test_stands_in_the_signature_and_in_the_help(self):
        for command in _commands.commands().values():
            function = getattr(kport, command.name)
            for option in command.options:
                self.assertIn(option.keyword, inspect.signature(function).parameters)
                self.assertIn(option.keyword + ":" if option.about else option.keyword, function.__doc__)

    def test_may_have_its_alias_and_a_list_as_value(self):
        self.assertEqual(kport.bounds("scatter", on="ring:5", root=3).json, kport.bounds("scatter", on="ring:5", source=3).json)
        run = kport.run("reduce", on="ring:3", values=[1, 2, 4], reproducible=True)
        self.assertEqual(run.results, ["7"])

    def test_that_is_none_or_false_is_left_out(self):
        self.assertEqual(kport.bounds("scatter", on="ring:5", source=None, ports=None).json,
                         kport.bounds("scatter", on="ring:5").json)
        self.assertEqual(kport.bounds("scatter", on="ring:5", pairwise=False).json, kport.bounds("scatter", on="ring:5").json)


class AWrongArgument(unittest.TestCase):
    def test_is_refused_with_the_programs_sentence(self):
        for options, words in [
            ({"on": "hypercub:3"}, ["--on=hypercub:3"]),
            ({"on": "ring:4", "portz": 1}, ["--on=ring:4", "--portz"]),
            ({"on": "ring:4", "cases": 1}, ["--on=ring:4", "--cases"]),
            ({}, []),
            ({"on": "ring:4", "bytes": float("nan")}, ["--on=ring:4", "--bytes=nan"]),
            ({"on": "ring:4", "ts": float("nan")}, ["--on=ring:4", "--ts=nan"]),
            ({"on": "ring:4", "ts": float("inf")}, ["--on=ring:4", "--ts=inf"]),
            ({"on": "ring:4", "ports": 10**30}, ["--on=ring:4", f"--ports={10**30}"]),
            ({"on": "ring:4", "ports": -1}, ["--on=ring:4", "--ports=-1"]),
            ({"on": "ring:4", "ports": ""}, ["--on=ring:4", "--ports="]),
            ({"on": "ring:4\nring:5"}, ["--on=ring:4\nring:5"]),
            ({"on": "hypercube:45"}, ["--on=hypercube:45"]),
        ]:
            with self.subTest(options):
                expected = program("run", "broadcast", *words, "--json")
                self.assertIn(expected[0], (2, 3))
                self.assertEqual(refusal("run", "broadcast", **options), expected[2])

    def test_of_a_type_that_no_option_has_is_refused_by_name(self):
        for value in (b"ring:4", {"a": 1}, object(), 1j, {1, 2}, [["a"]], [None], lambda: 1):
            with self.subTest(repr(value)), self.assertRaises(kport.RequestError) as caught:
                kport.run("broadcast", on="ring:4", ports=value)
            self.assertRegex(str(caught.exception), "^--ports")

    def test_that_gives_an_option_twice_is_refused(self):
        with self.assertRaisesRegex(kport.RequestError, "--source is given twice: source= and root="):
            kport.run("broadcast", on="ring:4", root=1, source=2)

    def test_with_a_zero_byte_or_half_a_character_is_refused(self):
        for text in ("ring\0:4", "ring:\ud800"):
            with self.assertRaises(kport.RequestError):
                kport.run("broadcast", on=text)

    def test_that_begins_with_a_dash_is_no_option(self):
        for subject in ("--help", "--version", "-h"):
            with self.assertRaisesRegex(kport.RequestError, "begins with a dash"):
                kport.run(subject, on="ring:4")
        with self.assertRaises(kport.RequestError):
            kport.run("broadcast", on="--help")

    def test_too_many_is_refused(self):
        with self.assertRaises(TypeError):
            kport.bounds("broadcast", "ring:4")
        with self.assertRaisesRegex(kport.RequestError, "--pairwise takes no value, but 3 gives one"):
            kport.run("broadcast", on="ring:4", pairwise=3)

    def test_of_any_kind_never_ends_the_process(self):
        dice = random.Random(5)
        kinds = [None, True, False, 0, -1, 1, 2.5, float("nan"), 10**40, "", "a", "\0", "\ud800", "ring:4", "all", "-", "--on",
                 b"x", [], [1], ["a", "b"], [[0, 1]], [(1, 0, 1, 0)], (), {}, {"a": 1}, set(), object(), range(3), 1j, "é", "x" * 5000,
                 lambda node: iter(()), print, int, [True], [b""], "nothing.txt", "\n", "graph { a -- b }"]
        names = sorted({keyword for command in _commands.commands().values() for keyword in command.by_keyword}
                       - {"record", "trace", "proof", "plot", "picture", "output", "for_", "threads"})
        allowed = (kport.RequestError, kport.DoesNotFit, kport.Stopped, kport.ProgramError)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3000):
                command = dice.choice(["run", "compare", "bounds", "explain", "check", "info", "convert", "list", "show"])
                options = {dice.choice(names): dice.choice(kinds) for _ in range(dice.randrange(3))}
                if dice.random() < 0.7:
                    options.setdefault("on", dice.choice(["ring:4", "ring:4", "petersen", dice.choice(kinds)]))
                subject = dice.choice(kinds + ["broadcast"] * 20)
                options.pop(_commands.parameters(_commands.commands()[command])[0][0], None)
                options.pop("file", None)
                try:
                    getattr(kport, command)(subject, **options)
                except allowed:
                    pass
