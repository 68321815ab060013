"""Results as objects."""

import unittest

import kport

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None


def listed(table):
    return table.tolist() if hasattr(table, "tolist") else table


class ARun(unittest.TestCase):
    def test_has_the_members_of_the_report_as_attributes(self):
        run = kport.run("broadcast", on="hypercube:10", ports=1)
        self.assertEqual((run.measured["rounds"], run.bounds["rounds"], run.lawful, run.status), (10, 10, True, 0))
        self.assertEqual(run.to_dict()["measured"], run.measured)
        self.assertIn("measured", dir(run))
        with self.assertRaisesRegex(AttributeError, "no 'speed'"):
            run.speed

    def test_that_breaks_a_rule_has_sentences(self):
        run = kport.run("broadcast", on="ring:6", ports="all", algorithm="flooding")
        self.assertEqual((run.lawful, run.status), (False, 1))
        self.assertTrue(all(isinstance(sentence, str) for sentence in run.violations))
        self.assertEqual(kport.run("broadcast", on="ring:6").violations, [])

    def test_has_a_table_of_rounds(self):
        for options in ({}, {"per_round": True}):
            table = kport.run("broadcast", on="mesh:2x2", **options).rounds_table
            self.assertEqual(listed(table), [[1, 1, 1, 64, 2], [2, 2, 1, 128, 4]])
        self.assertEqual(numpy is not None, hasattr(table, "dtype"))

    def test_has_the_load_of_links_and_nodes(self):
        run = kport.run("scatter", on="line:3", ports="all")
        self.assertEqual(listed(run.load("node")), [[2, 128], [1, 64], [0, 0]])
        self.assertEqual(listed(run.load("link")), [[0, 1, 2, 128], [1, 2, 1, 64]])
        far = kport.run("scatter", on="mesh:3x3", switching="wh")
        self.assertEqual(sum(row[2] for row in listed(far.load("link"))), far.measured["work"])
        with self.assertRaisesRegex(kport.RequestError, "load 'port' is unknown"):
            run.load("port")

    def test_is_a_picture_in_a_notebook(self):
        run = kport.run("scatter", on="hypercube:3")
        self.assertTrue(run._repr_svg_().startswith("<svg"))
        self.assertIsNone(run._repr_html_())
        large = kport.run("broadcast", on="ring:100")
        self.assertIsNone(large._repr_svg_())
        self.assertRegex(large._repr_html_(), "^<iframe sandbox")
        self.assertRegex(run.show()._repr_html_(), "^<iframe sandbox")
        self.assertNotRegex(run.show(), "(src|href)=.https?:")

    def test_keeps_files_that_it_would_write(self):
        self.assertIn("traceEvents", kport.run("broadcast", on="ring:4", trace=True).files["--trace"])
        self.assertIn("<svg", kport.compare("broadcast", sweep=["ring:3", "ring:4"], plot=True).files["--plot"])

    def test_with_a_text_beside_it_is_a_text(self):
        self.assertIn("round 1", kport.run("broadcast", on="ring:4", picture=True).lower())
        self.assertTrue(kport.compare("broadcast", on="ring:4", csv=True).startswith("operation,"))


class AComparison(unittest.TestCase):
    def test_is_a_table(self):
        rows = kport.compare("broadcast", on="mesh:4x4").rows
        self.assertGreater(len(rows), 1)
        self.assertLessEqual({"algorithm", "rounds", "work", "latency", "lawful"}, set(rows[0]))
        many = kport.sweep("broadcast", on=[f"mesh:{k}x{k}" for k in (2, 4)], ports=[1, "all"])
        self.assertEqual({(row["topology"], row["ports"]) for row in many.rows},
                         {(f"mesh:{k}x{k}", ports) for k in (2, 4) for ports in ("1", "all")})

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_is_a_data_frame(self):
        frame = kport.compare("broadcast", on="mesh:4x4").to_pandas()
        self.assertIn("rounds", frame.columns)
