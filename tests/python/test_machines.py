"""Graphs of Python as machines."""

import unittest

import kport

try:
    import networkx
except ImportError:
    networkx = None
try:
    import numpy
except ImportError:
    numpy = None


def machine(on, **options):
    return kport.run("broadcast", on=on, reproducible=True, **options)


class ALinkList(unittest.TestCase):
    def test_is_a_machine_with_its_names(self):
        run = machine([("a", "b"), ("b", "c")], source="b")
        self.assertEqual((run.topology["nodes"], run.source, run.measured["rounds"]), (3, 0 if run.source == 0 else 1, 2))
        self.assertIn("(b)", str(run))

    def test_of_numbers_keeps_the_numbers(self):
        self.assertEqual(machine([(2, 0), (1, 2)], source=2).source, 2)

    def test_with_a_link_twice_is_refused(self):
        with self.assertRaisesRegex(kport.RequestError, "are linked already"):
            machine([(0, 1), (1, 2), (1, 0)])

    def test_that_is_none_is_refused(self):
        for wrong in ([(0, 1), (1, 2, 3)], [(0, {}), (1, 2)], [[], []], {"a": 1}, 3, None, object()):
            with self.subTest(repr(wrong)), self.assertRaises(kport.RequestError):
                machine(wrong)

    def test_that_is_in_two_parts_is_refused(self):
        with self.assertRaisesRegex(kport.RequestError, "connected|parts|reach"):
            machine([(0, 1), (2, 3)])


class AnAdjacencyArray(unittest.TestCase):
    def test_is_a_machine(self):
        ring = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
        self.assertEqual(machine(ring).topology["channels"], 8)
        if numpy is not None:
            self.assertEqual(machine(numpy.array(ring)).topology["channels"], 8)
            self.assertEqual(machine(numpy.array([[0, 1], [1, 0]], dtype=bool)).topology["channels"], 2)

    def test_with_weights_or_directions_is_refused(self):
        with self.assertRaisesRegex(kport.RequestError, "row 0 column 1 of the array is 2.*no weights"):
            machine([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
        with self.assertRaisesRegex(kport.RequestError, "directed: row 0 column 1 is 1, row 1 column 0 is 0"):
            machine([[0, 1, 0], [0, 0, 1], [0, 1, 0]])


@unittest.skipUnless(networkx, "networkx is not installed")
class ANetworkxGraph(unittest.TestCase):
    def test_is_a_machine(self):
        self.assertEqual(machine(networkx.petersen_graph()).measured, machine("petersen").measured)

    def test_keeps_the_names_of_its_nodes(self):
        run = machine(networkx.grid_2d_graph(2, 3), source=(1, 2))
        self.assertIn("(1, 2)", str(run))
        odd = networkx.Graph([("a b", 'c"d'), ('c"d', "e'f"), ("e'f", "é<&>")])
        self.assertEqual(machine(odd, source='c"d').lawful, True)

    def test_has_attributes_of_nodes_as_port_limits(self):
        star = networkx.star_graph(3)
        networkx.set_node_attributes(star, {0: "2", 1: "1", 2: "1", 3: "1"}, "k")
        self.assertEqual(machine(star, ports_by="k").measured["rounds"], 2)

    def test_that_is_directed_or_weighted_is_refused_by_name(self):
        with self.assertRaisesRegex(kport.RequestError, "--on DiGraph: the graph is directed.*to_undirected"):
            machine(networkx.DiGraph([(0, 1)]))
        with self.assertRaisesRegex(kport.RequestError, "--on Graph: the link 'a' - 'b' has weight 2.5"):
            machine(networkx.Graph([("a", "b", {"weight": 2.5})]))

    def test_with_loops_or_names_that_lie_gets_the_programs_sentence(self):
        loop = networkx.Graph([(0, 0), (0, 1)])
        with self.assertWarnsRegex(kport.RequestWarning, "1 loop dropped"):
            machine(loop)
        with self.assertRaisesRegex(kport.RequestError, "two nodes are called '1'"):
            machine(networkx.Graph([(1, "1")]))
        with self.assertRaises(kport.RequestError):
            machine(networkx.Graph())
        with self.assertRaises(kport.RequestError):
            machine(networkx.Graph([("a", "x" * 5000)]))
        lines = networkx.Graph([("a\nb", "c"), ("c", "d\0e")])
        try:
            self.assertTrue(machine(lines).lawful)
        except kport.RequestError as error:
            self.assertIn("name", str(error))

    def test_beside_a_text_as_another_argument_is_refused(self):
        with self.assertRaises(kport.RequestError):
            kport.compare("broadcast", on=networkx.petersen_graph(), sweep=["ring:4"])

    def test_is_drawn_searched_and_compared(self):
        graph = networkx.petersen_graph()
        self.assertIn("<svg", kport.show("broadcast", on=graph, as_="svg"))
        self.assertIn("<svg", machine(graph)._repr_svg_())
        self.assertEqual(kport.search("broadcast", on=graph).rounds_minimum, 4)
        self.assertEqual(kport.info(graph).diameter, 2)
        self.assertTrue(kport.compare("broadcast", on=graph).rows)
        self.assertIn("graph", kport.convert(graph, to="dot"))
