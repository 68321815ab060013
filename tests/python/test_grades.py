"""kport.grade(): answers of a notebook, good, wrong and hostile; what a student reads; what nbgrader counts."""

import fractions
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import kport
import node_programs

EXERCISES = pathlib.Path(os.environ["KPORT_SOURCE_DIR"]) / "examples/exercises"
RING = {"kport_exercise": 1, "title": "A <broadcast> on a ring", "operation": "broadcast", "source": 0, "machines": [{"on": "ring:6"}],
        "criteria": [{"name": "lawful", "points": 4}, {"name": "rounds", "points": 4, "at_most": "bound", "zero_from": "2 * bound"},
                     {"name": "optimal", "points": 2, "of": "rounds"}]}
BEST = "round 1: 0 -> 1\nround 2: 0 -> 5, 1 -> 2\nround 3: 5 -> 4, 2 -> 3\n"
SLOW = "round 1: 0 -> 1\nround 2: 1 -> 2\nround 3: 2 -> 3\nround 4: 3 -> 4\nround 5: 4 -> 5\n"
BROKEN = "round 1: 0 -> 1, 0 -> 5\n"
PROGRAM = {**RING, "hand_in": ["python"], "machines": [{"on": "ring:6"}, {"family": "ring", "nodes": [4, 9], "draw": 2, "seed": 1, "hidden": True}],
           "criteria": [{"name": "lawful", "points": 4}, {"name": "rounds", "points": 6, "at_most": "bound + 1", "zero_from": "2 * bound + 2"}], "limits": {"seconds": 3}}
NUMBERS = EXERCISES / "bounds-in-numbers/exercise.json"


def graded_by_program(exercise, text, ending, *words):
    """What `kport grade` says of the same answer."""
    with tempfile.TemporaryDirectory() as folder:
        path, asked = os.path.join(folder, "answer" + ending), os.path.join(folder, "exercise.json")
        pathlib.Path(path).write_text(text)
        pathlib.Path(asked).write_text(json.dumps(exercise) if isinstance(exercise, dict) else exercise.read_text())
        done = subprocess.run([os.environ["KPORT_PROGRAM"], "grade", asked, path, "--json", *words], capture_output=True, text=True)
        return json.loads(done.stdout)


def can_run_programs():
    try:
        kport.grade(PROGRAM, "def program(self):\n    yield\n")
    except kport.RequestError:
        return False
    return True


RUNS_PROGRAMS = can_run_programs()


class AGrade(unittest.TestCase):
    def test_is_that_of_the_program(self):
        for text in (BEST, SLOW, BROKEN, "", "hello", "{", "round 1: 0 -> 99"):
            grade = kport.grade(RING, text)
            self.assertEqual(grade.to_dict(), graded_by_program(RING, text, ".txt"), text)
            of = grade.to_dict()["hand_ins"][0]
            self.assertEqual([grade.points, grade.criteria, grade.feedback], [of["points"], of["criteria"], of["first_failure"] or ""])

    def test_has_points_criteria_and_feedback(self):
        best = kport.grade(RING, BEST)
        self.assertEqual([best.points, best.points_of, best.feedback, best.is_full], [10, 10, "", True])
        self.assertEqual(best.criteria, {"lawful": 4, "rounds": 4, "optimal rounds": 2})
        slow = kport.grade(RING, SLOW)
        self.assertEqual([slow.points, slow.is_full, str(slow)], [5.33, False, "5.33 of 10 points: ring:6: 5 rounds, allowed 3 (bound 3)"])
        broken = kport.grade(RING, BROKEN)
        self.assertEqual(broken.points, 0)
        self.assertIn("ports broken: node 0 starts more than 1 send in round 1", broken.feedback)
        self.assertEqual(broken.machines, {"ring:6": 0})

    def test_takes_an_exercise_as_a_path_a_folder_a_text_or_a_dictionary(self):
        place = EXERCISES / "ring-broadcast"
        answer = next(iter(sorted((place / "right").iterdir()))).read_text()
        asked = [place, str(place), place / "exercise.json", str(place / "exercise.json"), (place / "exercise.json").read_text()]
        self.assertEqual([kport.grade(exercise, answer).points for exercise in asked], [10] * 5)

    def test_takes_rows_and_the_schedule_of_a_run(self):
        rows = [(1, 0, 1, 0), (2, 0, 5, 0), (2, 1, 2, 0), (3, 5, 4, 0), (3, 2, 3, 0)]
        self.assertEqual(kport.grade(RING, rows).points, 10)
        self.assertEqual(kport.grade(RING, kport.run("broadcast", on="ring:6").schedule).points, 10)
        self.assertEqual(kport.grade(RING, rows[:-1]).points, 0)

    def test_takes_a_file_only_where_a_path_is_given(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.txt"
            path.write_text(BEST)
            self.assertEqual(kport.grade(RING, path).points, 10)
            self.assertEqual(kport.grade(RING, str(path)).points, 0, "a text that names a file does not read it")
            os.symlink(path, pathlib.Path(folder) / "link.txt")
            self.assertIn("a link is no hand-in", kport.grade(RING, pathlib.Path(folder) / "link.txt").feedback)

    def test_takes_a_schedule_for_each_machine(self):
        exercise = {**RING, "machines": [{"on": "ring:4"}, {"on": "mesh:1x2"}]}
        ring = "round 1: 0 -> 1\nround 2: 0 -> 3, 1 -> 2\n"
        self.assertEqual(kport.grade(exercise, {"ring:4": ring, "mesh:1x2": "round 1: 0 -> 1"}).points, 10)
        some = kport.grade(exercise, {"ring:4": ring})
        self.assertEqual([some.points, some.machines["ring:4"]], [0, 10])
        self.assertEqual(kport.grade(exercise, {"ring:4": ring}, machine=1).points, 10)
        self.assertIn("is no machine", kport.grade(exercise, {"../x": ring}).feedback)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("ring-4", "mesh-1x2"):
                (pathlib.Path(folder) / f"{name}.txt").write_text(ring if name == "ring-4" else "round 1: 0 -> 1")
            self.assertEqual(kport.grade(exercise, pathlib.Path(folder)).points, 10)
            os.mkfifo(os.path.join(folder, "pipe"))
            self.assertIn("cannot be read", kport.grade(exercise, pathlib.Path(folder)).feedback)

    def test_takes_numbers_by_name(self):
        want = {"diameter": 4, "least rounds": 4, "least work": 15, "work of controlled flooding": 15, "channels": 64}
        self.assertEqual(kport.grade(NUMBERS, want).points, 8)
        self.assertEqual(kport.grade(NUMBERS, "".join(f"{name}: {value}\n" for name, value in want.items())).points, 8)
        wrong = kport.grade(NUMBERS, {**want, "channels": 65.0})
        self.assertEqual([wrong.points, wrong.criteria["channels"]], [7, 0])
        for value in (10**5000, float("nan"), float("inf"), fractions.Fraction(1, 3), fractions.Fraction(10**400)):
            self.assertEqual(kport.grade(NUMBERS, {**want, "channels": value}).criteria["channels"], 0)

    def test_raises_nothing_for_an_answer_that_is_none(self):
        class Odd:
            def __repr__(self):
                raise RuntimeError

        def with_yield(self):
            yield

        exec("def made(self):\n    yield", names := {})
        for answer, says in ((None, "it is None"), (Odd(), "of type Odd"), (3, "of type int"), ([1, 2], "row 0 is 1"), ([], ""), ({}, ""),
                             ({"a": True}, "of type bool"), ({"a": [1]}, "row 0 is 1"), ({"a/../b": "x", "": "y"}, "'' is no machine"), ({("x",): 1}, "is no answer"), ({"ring:6": None}, "it is None"),
                             (lambda self: (yield), "a lambda"), (names["made"], "the text of made is not known"), (b"round 1: 0 -> 1", "of type bytes"),
                             (pathlib.Path("/nowhere/x.txt"), "there is no file"), ("\udcff\x00", ""), ("x" * 100, ""), (Odd, "of type type"), (print, "of type")):
            grade = kport.grade(RING, answer)
            self.assertEqual([grade.points, set(grade.criteria.values())], [0, {0}], grade)
            self.assertIn(says, grade.feedback)
            self.assertNotEqual(grade.feedback, "")
            self.assertIn("0 of 10 points", grade._repr_html_() if grade._page is None else str(grade))

    def test_raises_for_what_the_teacher_has_wrong(self):
        for exercise, says in (("nowhere.json", "nowhere.json"), ({"kport_exercise": 1}, "want"), ("{", "exercise"), ({**RING, "machnes": []}, "machnes")):
            with self.assertRaisesRegex(kport.RequestError, says):
                kport.grade(exercise, BEST)
        with self.assertRaisesRegex(kport.RequestError, "kind='fortran'; want one of schedule, python, cpp, numbers"):
            kport.grade(RING, BEST, kind="fortran")
        with self.assertRaises(kport.RequestError):
            kport.grade(RING, BEST, machine=2)
        with self.assertRaises(kport.RequestError):
            kport.grade(3, BEST)

    def test_shows_a_table_and_a_picture_without_the_markup_of_an_answer(self):
        shown = kport.grade(RING, BROKEN)._repr_html_()
        for part in ("<svg", "ports broken", "0 of 10 points", "A &lt;broadcast&gt; on a ring"):
            self.assertIn(part, shown)
        large = kport.grade({**RING, "machines": [{"on": "mesh:16x16"}]}, "".join(f"round {k + 1}: {k} -> {k + 1}\n" for k in range(15)))._repr_html_()
        self.assertLess(len(large), 1000)
        self.assertIn("The picture is too large for a notebook.", large)
        for answer in ("<script>alert(1)</script>", [(1, "<script>", 1, 0)], {"<script>": "x"}, {"<script>": [1]}):
            grade = kport.grade(RING, answer)
            self.assertEqual(grade.points, 0)
            self.assertNotIn("<script", grade._repr_html_())

    def test_keeps_back_what_the_exercise_keeps_back(self):
        hidden = {**RING, "machines": [{"on": "ring:6", "hidden": True}]}
        self.assertNotIn("ring:6", str(kport.grade(hidden, SLOW)) + kport.grade(hidden, SLOW)._repr_html_())
        for feedback in ("none", "points"):
            grade = kport.grade({**RING, "feedback": feedback}, SLOW)
            self.assertEqual([grade.points, grade.feedback, str(grade)], [5.33, "", "5.33 of 10 points"])
            self.assertNotIn("allowed", grade._repr_html_())
        everything = kport.grade({**RING, "feedback": "all", "machines": [{"on": "ring:6"}, {"on": "ring:7"}]}, SLOW).feedback
        self.assertEqual(len(everything.split("\n")), 2)


class ACredit(unittest.TestCase):
    """nbgrader takes an exception for no points, a last value above 0 for so many, and anything else, 0 too, for all."""

    def counted(self, code, worth):
        try:
            value = eval(code, {"kport": kport, "RING": RING, "BEST": BEST, "SLOW": SLOW, "BROKEN": BROKEN})
        except Exception:
            return 0
        try:
            number = float(repr(value))
        except ValueError:
            return worth
        if number > worth:
            raise ValueError("partial credit cannot be greater than maximum points for cell")
        return number if number > 0 else worth

    def test_is_what_nbgrader_counts(self):
        for answer, worth, points in (("BEST", 10, 10), ("SLOW", 10, 5.33), ("BROKEN", 10, 0), ("None", 10, 0), ("''", 10, 0)):
            self.assertEqual(self.counted(f"kport.grade(RING, {answer}).credit()", worth), points)
        self.assertEqual(self.counted("kport.grade(RING, SLOW).credit(of=3)", 3), 1.6)
        self.assertEqual(self.counted("kport.grade(RING, BEST).credit(of=3)", 3), 3)

    def test_raises_the_feedback_where_there_are_no_points(self):
        with self.assertRaisesRegex(kport.NoCredit, "0 of 10 points: ring:6: ports broken: node 0"):
            kport.grade(RING, BROKEN).credit()
        self.assertTrue(issubclass(kport.NoCredit, AssertionError))
        for of in (0, -1, "3", float("nan")):
            with self.assertRaises(kport.RequestError):
                kport.grade(RING, BEST).credit(of=of)


@unittest.skipUnless(RUNS_PROGRAMS, "programs do not run in boxes here")
class AProgram(unittest.TestCase):
    def test_is_graded_as_a_text_and_as_a_function(self):
        text = pathlib.Path(node_programs.__file__).read_text()
        self.assertEqual(kport.grade(PROGRAM, node_programs.both_ways).points, 10)
        self.assertEqual(kport.grade(PROGRAM, text + "\nprogram = both_ways\n").points, 10)
        self.assertEqual(kport.grade(PROGRAM, node_programs.one_way).to_dict(), graded_by_program(PROGRAM, text + "\nprogram = one_way\n", ".py"))
        self.assertLess(kport.grade(PROGRAM, node_programs.one_way).points, 10)
        self.assertIn("the exercise takes no schedules", kport.grade(PROGRAM, BEST).feedback)

    def test_runs_in_a_box_and_not_here(self):
        def hostile(self):
            import os
            os.environ["KPORT_CAUGHT"] = "yes"
            yield

        def writes(self):
            open("/tmp/kport-was-here", "w").write("x")
            yield

        def ends(self):
            yield
            raise SystemExit(0)

        def loops(self):
            while True:
                pass
            yield

        def global_name(self):
            yield self.send(RING)

        for program, says in ((hostile, "imports os"), (writes, "which none may"), (loops, "does not end within 3 s"), (global_name, "NameError")):
            grade = kport.grade(PROGRAM, program)
            self.assertEqual(grade.points, 0)
            self.assertIn(says, grade.feedback)
        self.assertEqual(kport.grade(PROGRAM, ends).points, 0)
        self.assertNotIn("KPORT_CAUGHT", os.environ)
        self.assertFalse(os.path.exists("/tmp/kport-was-here"))

    def test_may_be_a_text_that_does_not_look_like_one(self):
        text = "program = lambda self: 0\n"
        self.assertIn("the exercise takes no schedules", kport.grade(PROGRAM, text).feedback)
        self.assertIn("program is no generator", kport.grade(PROGRAM, text, kind="python").feedback)


if __name__ == "__main__":
    unittest.main()
