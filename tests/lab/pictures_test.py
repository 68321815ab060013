"""The pictures of kport lab in Chromium: what the page shows is what the program draws.

pictures_test.py KPORT; status 77 where there is no browser or no selenium."""
import json
import pathlib
import re
import unittest
from xml.etree import ElementTree

from browser import By, Lab, ONE_FILE, Select, kport, main

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(SVG + "text")]


class Pictures(Lab):
    def drawn(self):
        """The texts of the picture that is shown."""
        self.assertEqual(self.find("error").text, "")
        drawing = self.find("drawing")
        self.assertTrue(drawing.is_displayed())
        return self.page.execute_script("return [...arguments[0].querySelectorAll('text')].map(one => one.textContent)", drawing)

    def choose(self, kind, of=None):
        Select(self.find("kind")).select_by_value(kind)
        self.wait()
        if of:
            Select(self.find("of")).select_by_value(of)
            self.wait()
        return self.find("drawn-by").get_attribute("textContent").removeprefix("kport ").split()

    def test_of_each_kind_are_those_of_the_command_that_stands_above_them(self):
        self.type("command", "run broadcast --on mesh:3x3 --ports 1")
        self.tab("pictures")
        for kind in [one.get_attribute("value") for one in Select(self.find("kind")).options]:
            with self.subTest(kind=kind):
                command = self.choose(kind)
                self.assertEqual(self.drawn(), texts(kport(*command).stdout))

    def test_show_first_who_holds_what_over_time(self):
        self.type("command", "run scatter --on hypercube:3 --ports 1")
        self.tab("pictures")
        self.assertEqual(self.find("kind").get_attribute("value"), "holdings")
        self.assertEqual(self.drawn(), texts(kport("show", "scatter", "--on", "hypercube:3", "--as", "holdings").stdout))

    def test_of_every_node_as_the_source_have_the_quantity_that_is_chosen(self):
        self.type("command", "run broadcast --on mesh:3x3 --ports 1 --algorithm dost")
        self.tab("pictures")
        self.choose("map", of="rounds")
        self.drawn()
        told = self.page.execute_script("return [...document.querySelectorAll('#drawing circle > title')].map(one => one.textContent)")
        found = {int(node): int(rounds) for node, rounds in re.findall(r"from node (\d+) .*?: rounds (\d+), bound", "\n".join(told))}
        machines = json.loads(kport("compare", "broadcast", "--on", "mesh:3x3", "--source", "all", "--algorithm", "dost", "--json").stdout)["machines"]
        self.assertEqual(found, {machine["source"]: machine["runs"][0]["measured"]["rounds"] for machine in machines})

    def test_that_have_no_source_are_not_offered_where_all_nodes_send(self):
        self.type("command", "run broadcast --on ring:6 --ports 1")
        self.tab("pictures")
        self.choose("map")
        self.type("command", "run allreduce --on ring:6 --ports 1")
        self.assertEqual(self.find("kind").get_attribute("value"), "holdings")
        self.assertFalse(self.page.find_element(By.CSS_SELECTOR, "#kind [value=map]").is_enabled())
        self.assertIn("allreduce on ring:6", self.drawn()[0])

    def test_fill_the_page_on_a_projector(self):
        self.type("command", "run broadcast --on ring:5 --ports 1")
        self.tab("pictures")
        before = self.page.execute_script("return document.querySelector('#drawing > svg').getBoundingClientRect().width")
        self.find("project").click()
        width, page = self.page.execute_script("return [document.querySelector('#drawing > svg').getBoundingClientRect().width, innerWidth]")
        self.find("project").click()
        self.assertGreater(width, max(before, 0.9 * page))

    def test_are_gone_on_another_tab_and_the_refusal_is_said(self):
        self.tab("pictures")
        self.tab("report")
        self.assertFalse(self.find("drawing").is_displayed() or self.find("pictures").is_displayed())
        self.type("command", "run broadcast --on hypercube:11 --ports 1")
        self.tab("pictures")
        self.assertIn("shows at most 1024 nodes", self.find("error").text)
        self.assertFalse(self.find("drawing").is_displayed())

    def test_of_a_typed_command_are_shown_too(self):
        self.type("command", "show broadcast --on ring:5 --as animation")
        image = self.find("drawing").find_element(By.TAG_NAME, "img")
        self.assertTrue(image.get_attribute("src").startswith("data:image/svg+xml,"))
        self.type("command", "compare broadcast --on ring:6 --ports 1,2 --plot -")
        self.assertIn("ports that a node uses in a round", self.drawn())

    @unittest.skipIf(ONE_FILE, "of the server and its folder")
    def test_of_a_graph_in_a_file_with_signs_in_its_name_name_no_folder(self):
        file = pathlib.Path(self.folder.name, "a & b <c>.edges")
        file.write_text("0 1\n1 2\n2 0\n2 3\n")
        self.type("command", "run broadcast --on 'a & b <c>.edges' --ports 1")
        self.tab("pictures")
        for kind in ["holdings", "bounds", "map", "ports", "matrix"]:
            with self.subTest(kind=kind):
                self.choose(kind)
                self.assertIn("a & b <c>.edges", self.drawn()[0])
                self.assertNotIn(self.folder.name, " ".join(self.drawn()))


if __name__ == "__main__":
    main()
