"""Node programs that are generators."""

import threading
import unittest

import kport


def binomial(self):
    first = 0
    if not self.is_source:
        mail = yield self.receive()
        first = mail.port + 1
    for port in range(first, self.ports):
        yield self.send(port)


def flooding(self):
    if not self.is_source:
        yield self.receive()
    yield [self.send(port) for port in range(self.ports)]


def along_the_line(self):
    """A scatter from node 0."""
    if not self.is_source:
        mail = yield self.receive()
        assert mail.sender == self.id - 1 and mail.round == self.round - 1
    for node in reversed(range(self.id + 1, self.nodes)):
        if self.is_source:
            yield self.send_to(1, node)
    if not self.is_source:
        for _ in range(self.id + 1, self.nodes):
            yield self.send_to(self.id + 1, mail.packet)
            if self.id + 1 < self.nodes and _ + 1 < self.nodes:
                mail = yield self.receive()


def to_node_0(self):
    """A reduction along a line."""
    value = self.contribution()
    if self.id + 1 < self.nodes:
        mail = yield self.receive()
        value = self.fold(value, mail.value)
    if self.id == 0:
        self.result(value)
    else:
        yield self.send_to(self.id - 1, value)


def run(program, operation="broadcast", on="hypercube:4", **options):
    return kport.run(program, operation=operation, on=on, **options)


class AProgram(unittest.TestCase):
    def test_is_judged_as_any_other(self):
        result = run(binomial)
        self.assertEqual((result.measured["rounds"], result.measured["work"], result.lawful, result.algorithm),
                         (4, 15, True, "binomial"))
        self.assertEqual(len(result.schedule), 15)
        self.assertIn("<svg", result._repr_svg_())
        self.assertFalse(run(flooding, on="ring:5", ports="all").lawful)

    def test_sends_packets_and_values(self):
        self.assertEqual(run(to_node_0, "reduce", "line:5", values=[1, 2, 4, 8, 16]).results, ["31"])

        def rotate(self):
            for _ in range(self.nodes - 1):
                yield self.send_to((self.id + 1) % self.nodes, [(self.id - _) % self.nodes])
                yield self.receive_from((self.id - 1) % self.nodes)

        result = run(rotate, "allgather", "ring:5")
        self.assertEqual((result.lawful, result.measured["rounds"]), (True, 4))

    def test_may_ask_for_the_graph(self):
        def asking(self):
            graph = self.topology()
            assert (graph.nodes, graph.degree(3), graph.ports(3), graph.distance(0, 15)) == (16, 4, 4, 4)
            assert graph.neighbour(3, 2) == 7 and graph.neighbour(3, 4) is None
            try:
                graph.degree(16)
            except IndexError as error:
                assert str(error) == "node 16 is none of 16"
            yield from binomial(self)

        self.assertTrue(run(asking).lawful)

    def test_that_raises_is_an_error_with_node_and_round_and_its_cause(self):
        def failing(self):
            yield from binomial(self)
            if self.id == 5:
                {}["no such key"]

        with self.assertRaisesRegex(kport.ProgramError, "node 5 in round 4.*KeyError: 'no such key'") as caught:
            run(failing)
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        self.assertIn("failing", [frame.name for frame in __import__("traceback").extract_tb(
            caught.exception.__cause__.__traceback__)])

    def test_that_is_refused_when_its_turn_comes_is_an_error_with_its_line(self):
        def far(self):
            if self.is_source:
                yield self.send_to(1)
                yield self.send_to(3)

        with self.assertRaisesRegex(kport.ProgramError, "node 3 is no neighbour of node 0") as caught:
            run(far)
        self.assertEqual(caught.exception.line, far.__code__.co_firstlineno + 3)

    def test_that_does_what_no_node_does_is_an_error_with_a_sentence(self):
        def one(act):
            def program(self):
                yield act(self)
            return program

        for act, sentence in [
            (lambda self: 3, "yields 3; want self.send"), (lambda self: None, "yields None"),
            (lambda self: self.send(99), "port"), (lambda self: self.send(-1), "incompatible|TypeError"),
            (lambda self: self.send(0, 7), "packet 7 is none"), (lambda self: self.send(0, "a"), "Error"),
            (lambda self: [self.receive()], "no send"), (lambda self: [3], "yields"), (lambda self: self.send(0, 10**30), "Error"),
            (lambda self: self.receive(10**30), "Error"), (lambda self: self.neighbour("x"), "Error"),
            (lambda self: self.fold(1, 2), "Error"), (lambda self: self.contribution(), "yields|Error|argument")]:
            with self.subTest(sentence), self.assertRaisesRegex(kport.ProgramError, sentence):
                run(one(act))
        for program in (lambda self: 3, lambda: iter(()), repr, len):
            with self.assertRaises(kport.ProgramError):
                run(program)

    def test_may_catch_what_is_refused(self):
        def careful(self):
            if self.is_source:
                try:
                    yield self.send(99)
                except ValueError as error:
                    assert "port" in str(error)
            yield from binomial(self)

        self.assertTrue(run(careful).lawful)

    def test_that_waits_for_ever_is_in_the_verdict(self):
        def waiting(self):
            yield self.receive()

        result = run(waiting)
        self.assertFalse(result.lawful)

    def test_needs_an_operation_and_one_thread(self):
        with self.assertRaisesRegex(kport.RequestError, "a program needs operation="):
            kport.run(binomial, on="ring:4")
        with self.assertRaisesRegex(kport.RequestError, "run on one thread"):
            run(binomial, threads=2)
        with self.assertRaisesRegex(kport.RequestError, "run in lockstep"):
            run(binomial, engine="free")
        with self.assertRaisesRegex(kport.RequestError, "--algorithm has no effect"):
            run(binomial, algorithm="sbt")

    def test_keeps_a_node_beyond_its_run_and_is_told_so(self):
        kept = []

        def keeping(self):
            kept.append(self)
            yield from binomial(self)

        run(keeping)
        with self.assertRaisesRegex(RuntimeError, "this node's run is over"):
            kept[0].id

    def test_may_run_in_several_threads_at_once(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(run(binomial).measured["rounds"])) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [4] * 4)

    def test_may_ask_kport_itself(self):
        def asking(self):
            assert kport.run("broadcast", on="ring:4").lawful
            yield from binomial(self)

        self.assertTrue(run(asking, on="hypercube:2").lawful)
