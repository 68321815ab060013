"""The page of kport lab in Chromium: every tab, each control, what is wrong, and sharing by the address.

page_test.py KPORT; status 77 where there is no browser or no selenium."""
import json
import os
import unittest

from browser import ONE_FILE, ActionChains, By, Keys, Lab, Select, WebDriverWait, kport, main


class Page(Lab):
    @unittest.skipIf(ONE_FILE, "of the server and its folder")
    def test_opens_with_a_run_and_takes_its_key_out_of_the_address(self):
        self.assertNotIn("key", self.page.current_url)
        report = json.loads(kport("run", "broadcast", "--on", "hypercube:4", "--json").stdout)
        data = self.in_picture("return [kport.data.measured.rounds, kport.data.title]")
        self.assertEqual(data[0], report["measured"]["rounds"])
        self.assertIn("hypercube:4", data[1])

    def test_controls_write_the_command_line_and_the_command_line_sets_the_controls(self):
        Select(self.find("operation")).select_by_value("scatter")
        self.wait()
        Select(self.find("family")).select_by_value("mesh")
        self.wait()
        Select(self.find("ports")).select_by_value("all")
        self.wait()
        self.assertEqual(self.find("command").get_attribute("value"), "run scatter --on mesh:4x4 --ports all")
        self.type("command", "kport run allreduce --on ring:6 --ports 2")
        self.assertEqual(self.find("operation").get_attribute("value"), "allreduce")
        self.assertEqual(self.find("on").get_attribute("value"), "ring:6")
        self.assertEqual(self.find("ports").get_attribute("value"), "2")
        self.assertFalse(self.find("source").is_displayed())
        self.assertIn("allreduce", self.in_picture("return kport.data.title"))

    def test_reports_in_the_words_of_the_program(self):
        line = "run broadcast --on torus:5x5 --algorithm flooding --ports all --reproducible"
        self.tab("report")
        self.type("command", line)
        self.assertEqual(self.find("text").get_attribute("textContent"), kport(*line.split()).stdout)
        self.assertEqual(self.find("text").get_attribute("className"), "broken")

    def test_offers_the_algorithms_that_fit_and_says_why_others_do_not(self):
        self.tab("compare")
        all_of_them = json.loads(kport("compare", "broadcast", "--on", "hypercube:4", "--json").stdout)
        options = [(option.get_attribute("value"), option.is_enabled()) for option in Select(self.find("algorithm")).options[1:]]
        self.assertEqual(options, [(run["algorithm"], True) for run in all_of_them["runs"]]
                         + [(other["algorithm"], False) for other in all_of_them["not_applicable"]])
        rows = self.find("table").find_elements(By.TAG_NAME, "tr")
        self.assertEqual(len(rows), 2 + len(all_of_them["runs"]) + len(all_of_them["not_applicable"]))
        rows[2].find_element(By.TAG_NAME, "button").click()
        self.wait()
        self.assertIn("--algorithm " + all_of_them["runs"][1]["algorithm"], self.find("command").get_attribute("value"))

    def test_judges_a_schedule_at_every_change(self):
        self.type("command", "run broadcast --on line:3")
        self.tab("build")
        self.find("schedule").send_keys("round 1: 0 -> 1\nround 2: 1 -> 2")
        WebDriverWait(self.page, 60).until(lambda _: "all rules kept, 3 of 3" in self.find("text").get_attribute("textContent"))
        self.find("schedule").send_keys(", 0 -> 1")
        WebDriverWait(self.page, 60).until(lambda _: "NODUP" in self.find("text").get_attribute("textContent"))
        self.find("schedule").send_keys(", 0 -> 7")
        WebDriverWait(self.page, 60).until(lambda _: self.find("error").text != "")
        self.find("take").click()
        WebDriverWait(self.page, 60).until(lambda _: "all rules kept, 3 of 3" in self.find("text").get_attribute("textContent"))

    def drawn(self, steps, lines):
        """Does something in the picture, whose messages go into a round, and waits for these lines of the schedule."""
        into = int(self.find("round").get_attribute("value"))
        self.page.switch_to.frame(self.find("picture"))
        WebDriverWait(self.page, 60, 0.1).until(lambda page: page.execute_script("return typeof kport === 'object' && kport.drawsInto === arguments[0]", into))
        canvas = self.find("canvas")
        self.page.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)

        def at(chain, place):  # a node, or the middle between two
            x, y = self.page.execute_script(
                "const [p, q] = arguments[0].map(kport.placeOf); return [(p.x + q.x) / 2, (p.y + q.y) / 2]", place if isinstance(place, list) else [place, place])
            return chain.move_to_element_with_offset(canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2))
        steps(lambda: ActionChains(self.page), at)
        self.page.switch_to.default_content()
        try:
            WebDriverWait(self.page, 60, 0.1).until(lambda _: self.find("schedule").get_attribute("value").split("\n")[:-1] == lines)
        except Exception:
            self.assertEqual(self.find("schedule").get_attribute("value").split("\n")[:-1], lines)
        self.wait()

    def draw(self, a, b, lines):
        self.drawn(lambda chain, at: at(at(chain(), a).click_and_hold(), b).release().perform(), lines)

    def test_takes_messages_that_are_drawn_and_judges_each(self):
        self.type("command", "run allgather --on ring:4")
        self.tab("build")
        self.draw(0, 1, ["round 1: 0 -> 1 {0}"])
        self.draw(2, 3, ["round 1: 0 -> 1 {0}", "  2 -> 3 {2}"])
        self.type("round", "2")
        self.draw(1, 2, ["round 1: 0 -> 1 {0}", "  2 -> 3 {2}", "round 2: 1 -> 2 {0, 1}"])
        self.assertIn("NOT delivered", self.find("text").get_attribute("textContent"))
        self.assertEqual(self.in_picture("return kport.state().round"), 2)
        self.type("round", "3")
        self.draw(2, 0, ["round 1: 0 -> 1 {0}", "  2 -> 3 {2}", "round 2: 1 -> 2 {0, 1}", "round 3: 2 -> 0 {1, 2}"])
        self.assertIn("channel broken: node 2 sends 2 links far", self.find("text").get_attribute("textContent"))
        self.find("undo").click()
        self.wait()
        self.type("round", "2")
        chosen = lambda chain, at: (at(chain(), [1, 2]).click().perform(), chain().send_keys(Keys.DELETE).perform())
        self.drawn(chosen, ["round 1: 0 -> 1 {0}", "  2 -> 3 {2}", "round 2: silent"])
        self.find("undo").click()
        self.wait()
        self.find("redo").click()
        self.wait()
        self.assertIn("round 2: silent", self.find("schedule").get_attribute("value"))

        def by_keys(chain, at):
            for node in ("1", "2"):
                self.find("find").send_keys(Keys.CONTROL, "a")
                self.find("find").send_keys(node, Keys.TAB)
                self.find("canvas").send_keys(Keys.ENTER)
        self.drawn(by_keys, ["round 1: 0 -> 1 {0}", "  2 -> 3 {2}", "round 2: 1 -> 2 {0, 1}"])

    def advice(self, schedule):
        box = self.find("schedule")
        box.clear()
        box.send_keys(schedule)
        WebDriverWait(self.page, 60, 0.1).until(lambda page: page.execute_script("return written.now === document.getElementById('schedule').value"))
        self.wait()
        self.assertEqual(self.find("advice").get_attribute("textContent"), "")
        self.find("hint").click()
        self.wait()
        return self.find("advice").get_attribute("textContent")

    def test_says_whether_a_schedule_by_hand_can_still_be_optimal(self):
        self.type("command", "run broadcast --on line:5 --source 2")  # 3 rounds; from 2, 1 and 3 one more
        self.tab("build")
        can, cannot = "It can still be optimal.", "It cannot be optimal any more: take a step back."
        fewest = "The fewest of any schedule: 3 rounds. "
        self.assertEqual(self.advice("round 1: silent"), "After round 0 at least 3 rounds more, 3 rounds in all. " + fewest + can)
        self.assertEqual(self.advice("round 1: 2 -> 1"), "After round 1 at least 2 rounds more, 3 rounds in all. " + fewest + can)
        self.assertEqual(self.advice("round 1: silent\nround 2: 2 -> 1"), "After round 2 at least 2 rounds more, 4 rounds in all. " + fewest + cannot)
        self.assertEqual(self.advice("round 1: 2 -> 1\nround 2: 2 -> 3, 1 -> 0\nround 3: 3 -> 4"), "After round 3 at least 0 rounds more, 3 rounds in all. " + fewest + can)
        self.assertEqual(self.advice("round 1: 2 -> 1, 2 -> 3"), "A rule is broken; mend that first.")
        self.type("command", "run broadcast --on mesh:3x3 --source 0,0 --ports all")  # numbers of nodes are no coordinates
        self.tab("build")
        self.assertEqual(self.advice("round 1: 0 -> 1\nround 2: 1 -> 2\nround 3: 2 -> 5"), "After round 3 at least 2 rounds more, 5 rounds in all. The fewest of any schedule: 4 rounds. " + cannot)
        self.type("command", "run scatter --on ring:4")
        self.tab("build")
        self.assertEqual(self.advice("round 1: 0 -> 1"), "This is asked of broadcasts of one packet to all nodes.")

    def test_takes_nothing_from_a_picture_that_is_no_message(self):
        self.type("command", "run allgather --on ring:4")
        self.tab("build")
        self.draw(0, 1, ["round 1: 0 -> 1 {0}"])
        for lie in ("round: 0.5", "from: -1", "to: '2'", "holds: '{0}\\nround 9: 1 -> 2 {0}'", "holds: 7", "kport: 'other'"):
            self.in_picture("const told = {kport: 'drawn', round: 2, from: 1, to: 2, holds: '{0,1}', has: '{2}'}; parent.postMessage({...told, " + lie + "}, '*')")
        self.draw(1, 2, ["round 1: 0 -> 1 {0}", "  1 -> 2 {1}"])

    def test_says_in_the_words_of_kport_what_is_wrong(self):
        self.type("command", "run broadcast --on hypercub:4")
        self.assertEqual(self.find("error").text, kport("run", "broadcast", "--on", "hypercub:4").stderr.strip().removeprefix("kport: "))
        self.type("command", "run broadcast --on 'hypercube:4")
        self.assertIn("is not closed", self.find("error").text)
        self.type("command", "run broadcast --on 'hypercube:4'")
        self.assertEqual(self.find("error").text, "")

    def test_answers_every_command_that_is_typed(self):
        for line in ("info petersen", "list faults", "bounds scatter --on mesh:4x4", "chip"):
            self.type("command", line)
            program = kport(*line.split()) if line != "chip" else None
            if program:
                self.assertEqual(self.find("text").get_attribute("textContent"), program.stdout)
            else:
                self.assertIn("is a command of the program", self.find("error").text)
        self.type("command", "compare broadcast --on mesh:3x3")
        self.assertIn("dost", self.find("table").text)
        self.tab("watch")
        self.assertIn("mesh:3x3", self.in_picture("return kport.data.title"))

    def test_has_a_small_machine_of_every_family(self):
        self.tab("report")
        for family in [option.get_attribute("value") for option in Select(self.find("family")).options if option.get_attribute("value")]:
            Select(self.find("family")).select_by_value(family)
            self.wait()
            self.assertEqual(self.find("error").text, "", family)
            self.assertIn("all rules kept", self.find("text").get_attribute("textContent"), family)

    @unittest.skipIf(ONE_FILE, "of the server and its folder")
    def test_waits_where_a_run_of_another_page_goes_on(self):
        self.tab("report")
        self.find("command").clear()
        self.find("command").send_keys("run alltoall --on hypercube:12", Keys.ENTER)
        self.page.refresh()
        WebDriverWait(self.page, 60, 0.1).until(lambda page: page.execute_script("return document.readyState === 'complete' && !!window.kportLab"))
        while not self.page.execute_script("return kportLab.settled"):
            self.page.execute_script("const stop = document.getElementById('stop'); if (!stop.hidden) stop.click()")
        self.assertIn("hypercube:12", self.find("command").get_attribute("value"))

    @unittest.skipIf(ONE_FILE, "of the server and its folder")
    def test_takes_words_as_they_are_typed_where_no_control_stands_for_them(self):
        with open(os.path.join(self.folder.name, "flooding.json"), "w") as file:
            file.write(kport("show", "broadcast", "--on", "ring:6", "--algorithm", "flooding", "--ports", "all", "--as", "json").stdout)
        self.type("command", "show flooding.json --ports all")
        self.assertFalse(self.in_picture("return kport.data.lawful"))
        for line in ("toString", "constructor"):
            self.type("command", line)
            self.assertNotEqual(self.find("error").text, "")
        self.type("command", "run --ports=2 broadcast --on ring:4")
        self.type("command", "run broadcast --on ring:4 --ports=2 --root 1")
        self.assertEqual([self.find("ports").get_attribute("value"), self.find("source").get_attribute("value")], ["2", "1"])

    def test_is_shared_by_its_address(self):
        self.type("command", "run gather --on star:5 --ports all")
        shared = self.page.current_url.split("#")[1]
        self.page.get(self.url + "#" + shared)
        self.page.refresh()
        self.wait()
        self.assertEqual(self.find("command").get_attribute("value"), "run gather --on star:5 --ports all")

    def test_breaks_a_run_by_a_fault_and_names_it(self):
        Select(self.find("inject")).select_by_value("drop")
        self.wait()
        facts = self.in_picture("return [kport.data.lawful, document.getElementById('facts').textContent]")
        self.assertFalse(facts[0])
        self.assertIn("injected fault", facts[1])

    def test_lets_a_student_predict_the_run_that_is_watched_but_no_schedule_that_is_drawn(self):
        self.type("command", "run broadcast --on ring:4")
        self.in_picture("document.getElementById('predict').click()")
        self.page.switch_to.frame(self.find("picture"))
        self.find("expected").send_keys("0 -> 1, 0 -> 3", Keys.ENTER)
        self.page.switch_to.default_content()
        first = {(row["from"], row["to"]) for row in json.loads(kport("show", "broadcast", "--on", "ring:4", "--as", "json").stdout)["transfers"] if row["round"] == 1}
        judged = self.in_picture("return kport.prediction().judged")
        self.assertEqual(len(first & {(0, 1), (0, 3)}), 1)
        self.assertIn("score: 1 of 1 messages right, 0 missed, 1 too much", judged)
        self.tab("build")
        self.draw(0, 1, ["round 1: 0 -> 1"])
        self.assertTrue(self.in_picture("return document.getElementById('predict').hidden && document.getElementById('prediction').hidden"))

    def test_prints_the_command_and_the_answer_without_the_controls(self):
        self.tab("report")
        self.page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            shown = {name: self.find(name).is_displayed() for name in ("command", "text", "choose", "tabs", "copy")}
        finally:
            self.page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.assertEqual(shown, {"command": True, "text": True, "choose": False, "tabs": False, "copy": False})

    def test_has_a_name_for_every_control(self):
        for tab in ("watch", "race", "build"):
            self.tab(tab)
            for control in self.page.find_elements(By.CSS_SELECTOR, "input, select, textarea, button, iframe"):
                if control.is_displayed():
                    self.assertNotEqual(control.accessible_name, "", control.get_attribute("id"))


if __name__ == "__main__":
    main()
