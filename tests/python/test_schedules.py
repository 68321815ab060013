"""Schedules as rows, both ways, lies among them."""

import pathlib
import tempfile
import unittest

import kport

try:
    import networkx
except ImportError:
    networkx = None


def judged(rows, operation="broadcast", on="ring:4", **options):
    return kport.check(rows, operation=operation, on=on, reproducible=True, **options)


class ASchedule(unittest.TestCase):
    def test_of_rows_is_judged(self):
        self.assertTrue(judged([(1, 0, 1, 0), (2, 0, 3, [0]), (2, 1, 2, (0,))]).lawful)
        self.assertTrue(judged([(2, 1, 2, {0}), (2, 0, 3, range(1)), (1, 0, 1, 0)]).lawful)

    def test_that_breaks_a_rule_is_no_exception_until_it_is_asked_for(self):
        broken = judged([(1, 0, 1, 0), (1, 0, 3, 0), (2, 1, 2, 0)])
        self.assertFalse(broken.lawful)
        self.assertEqual(broken.status, 1)
        self.assertRegex(broken.violations[0], "node 0")
        with self.assertRaisesRegex(kport.BrokenRule, "broken"):
            broken.raise_if_broken()
        self.assertIs(judged([(1, 0, 1, 0), (2, 0, 3, 0), (2, 1, 2, 0)]).raise_if_broken().lawful, True)

    def test_of_a_run_is_rows_that_are_judged_alike(self):
        for operation, on, options in [("broadcast", "mesh:3x3", {}), ("scatter", "hypercube:3", {}), ("alltoall", "ring:4", {}),
                                       ("allreduce", "hypercube:2", {}), ("gather", "line:4", {"packets": 2}),
                                       ("scatter", "mesh:3x3", {"switching": "wh"}), ("barrier", "ring:5", {})]:
            with self.subTest(operation=operation, on=on):
                run = kport.run(operation, on=on, ports="all", **options)
                self.assertEqual(len(run.schedule), run.engine["transfers"])
                options = {"ports": "all", **options}
                for schedule in (run.schedule, list(run.schedule), run.schedule.json):
                    again = judged(schedule, operation, on, **options)
                    self.assertTrue(again.lawful, again)
                    self.assertEqual(again.measured["rounds"], run.measured["rounds"])
                    self.assertEqual(again.measured["work"], run.measured["work"])

    def test_of_a_run_is_kept_or_made_again(self):
        kept = kport.run("scatter", on="ring:5", record=True)
        self.assertEqual(kept.schedule, kport.run("scatter", on="ring:5").schedule)
        self.assertIn("kport_schedule", kept.files["--record"])
        with self.assertRaisesRegex(kport.RequestError, "record=True"):
            kport.run("broadcast", on="ring:5", engine="free").schedule
        self.assertEqual(len(kport.run("broadcast", on="ring:5", engine="free", record=True).schedule), 4)

    def test_that_was_judged_is_rows_again(self):
        rows = [(1, 0, 1, (0,)), (2, 1, 2, (0,))]
        self.assertEqual([row[:4] for row in judged(rows, on="line:3").schedule], rows)

    def test_may_be_a_text_or_a_path(self):
        text = "on ring:4\nscatter from 0\nround 1: 0 -> 1 {1..2}\nround 2: 1 -> 2 {2}, 0 -> 3 {3}\n"
        self.assertTrue(kport.check(text).lawful)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scatter.txt"
            file.write_text(text)
            self.assertTrue(kport.check(file).lawful)
            self.assertTrue(kport.check(str(file)).lawful)
            self.assertIn("<svg", kport.show(file, as_="svg"))
        self.assertIn("<svg", kport.show(text, as_="svg"))
        self.assertIn('"ring:4"', kport.convert(text, to="json"))
        with self.assertRaisesRegex(kport.RequestError, "nothing.txt.*cannot be opened"):
            kport.check("nothing.txt")

    def test_that_lies_is_judged_or_refused_with_a_sentence(self):
        for rows, sentence in [
            ([(1, 0, 9, 0)], "9"), ([(1, 0, 0, 0)], "itself|0"), ([(0, 0, 1, 0)], "round"),
            ([(-1, 0, 1, 0)], "round|-1"), ([(1, -1, 1, 0)], "-1"), ([(1, 0, 1, 7)], "packet"), ([(1, 0, 1, [])], "no packets"),
            ([(1, 0, 1, -7)], "-7"), ([(1.5, 0, 1, 0)], "1.5 as round"), ([(1, 0, 1, None)], "None as a packet"),
            ([(1, True, 1, 0)], "True as a node"), ([(1, 0, 1)], "row 0"), ([(10**30, 0, 1, 0)], "as round"),
            ([(1, 0, 1, 10**30)], "as a packet"), ([(1, b"0", 1, 0)], "as a node"), ([(1, "x", 1, 0)], "x"),
            ([(1, 'x"\n', 1, 0)], "names"), ([(1, 0, 1, "0}\nround 2: 1 -> 2 {0")], "as a packet"), ([(1, 0, 1, float("nan"))], "nan"),
            ([(1, {}, 1, 0)], "as a node"), (3, "want rows"), ([(1, 0, 1, {"first": 0})], "as a packet"), ("", ""), ([], "")]:
            with self.subTest(repr(rows)), self.assertRaisesRegex(kport.RequestError, sentence):
                judged(rows)
        self.assertRegex(judged([(1, 1, 2, 0)]).violations[0], "node 1 sends packet 0.*does not hold it")
        self.assertFalse(judged([(1, 0, 1, 0), (2, 1, 0, 0)]).lawful)
        self.assertFalse(judged([(1, 0, 1, 0)]).lawful)
        self.assertFalse(judged([(1, 0, 2, 0)]).lawful)
        self.assertFalse(judged([(1, 0, 1, 0)] * 2).lawful)

    @unittest.skipUnless(networkx, "networkx is not installed")
    def test_names_nodes_of_its_graph(self):
        path = networkx.path_graph(["a", "b c", "d"])
        check = judged([(1, "a", "b c", 0), (2, "b c", "d", 0)], on=path, source="a")
        self.assertTrue(check.lawful)
        self.assertEqual(len(check.schedule), 2)
        moved = networkx.relabel_nodes(networkx.path_graph(3), {0: 7, 1: 8, 2: 9})
        self.assertTrue(judged([(1, 7, 8, 0), (2, 8, 9, 0)], on=moved, source=7).lawful)
        with self.assertRaisesRegex(kport.RequestError, "z"):
            judged([(1, "a", "z", 0)], on=path)
