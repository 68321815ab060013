"""The page of `kport show --as html` where a student predicts rounds: what it says beside the schedule in JSON, and what it hides.

prediction_test.py KPORT; status 77 where there is no browser or no selenium."""
import json
import os
import random
import tempfile
import unittest

from browser import ActionChains, By, Keys, Select, WebDriverWait, browser, kport, main


def rounds_of(schedule):
    """The messages of each round that has any: [(round, {(sender, receiver)})]."""
    rounds = {}
    for row in schedule["transfers"]:
        rounds.setdefault(row["round"], set()).add((row["from"], row["to"]))
    return sorted(rounds.items())


def in_text(keys):
    return ", ".join(" -> ".join(map(str, key)) for key in sorted(keys))


class Score:
    """What the page must say, by other means."""

    def __init__(self, kind="messages"):
        self.kind, self.right, self.missed, self.much, self.clean, self.rounds = kind, 0, 0, 0, 0, 0

    def says(self, round, is_so, expected):
        parts = [("\u2713", "right", is_so & expected), ("!", "missed", is_so - expected), ("\u2717", "too much", expected - is_so)]
        self.right, self.missed, self.much = (sum_ + len(part[2]) for sum_, part in zip((self.right, self.missed, self.much), parts))
        self.rounds += 1
        self.clean += is_so == expected
        last = "; ".join(f"{sign} {len(keys)} {name}: {in_text(keys)}" for sign, name, keys in parts if keys)
        return (f"round {round}: {last}\nscore: {self.right} of {self.right + self.missed} {self.kind} right, {self.missed} missed, "
                f"{self.much} too much; {self.clean} of {self.rounds} round{'s' * (self.rounds > 1)} without a mistake")


class Prediction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.quit()
        cls.folder.cleanup()

    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.page.get_log("browser")], [])

    def open(self, *words):
        """The page of a run; returns its rounds, as the JSON of the same run has them."""
        path = os.path.join(self.folder.name, "page.html")
        shown = kport("show", *words, "--as", "html", "--output", path)
        self.assertIn(shown.returncode, (0, 1), shown.stderr)
        self.page.get("file://" + path)
        return rounds_of(json.loads(kport("show", *words, "--as", "json").stdout))

    def find(self, name):
        return self.page.find_element(By.ID, name)

    def text(self, name):
        return self.page.execute_script("return document.getElementById(arguments[0]).innerText.trim()", name)

    def at(self, chain, v, w=None, way=0.5):
        """Moves the mouse to a node, or to a place on the way to another one."""
        canvas = self.find("canvas")
        x, y = self.page.execute_script("const [v, w, t] = arguments, p = kport.placeOf(v), q = kport.placeOf(w); return [p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t]",
                                        v, v if w is None else w, 0 if w is None else way)
        return chain.move_to_element_with_offset(canvas, round(x - canvas.size["width"] / 2), round(y - canvas.size["height"] / 2))

    def click(self, *where):
        self.at(ActionChains(self.page), *where).click().perform()

    def write(self, text):
        box = self.find("expected")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE, text)

    def shows(self, rounds, seen):
        """Whether what is drawn, said and listed ends with the last round that was predicted."""
        last = rounds[seen - 1][0] if seen else 0
        state = self.page.execute_script("return kport.state()")
        self.assertEqual([state["drawn"]["round"], state["step"]], [last, seen])
        self.assertTrue(state["said"].startswith(f"after round {last} of " if seen else f"before round {rounds[0][0]} of "), state["said"])
        rows = self.page.execute_script("return [...document.querySelectorAll('#rounds tr')].filter(row => row.checkVisibility()).map(row => row.querySelector('td').innerText)")
        self.assertEqual(rows, [str(number) for number, _ in rounds[:seen]])
        self.assertEqual(self.text("next"), str(rounds[seen][0]) if seen < len(rounds) else "")

    def test_says_what_was_right_missed_and_too_much_and_keeps_a_score_over_the_run(self):
        draw = random.Random(5)
        for words in (("broadcast", "--on", "hypercube:4"), ("scatter", "--on", "mesh:3x3"), ("allgather", "--on", "petersen"), ("broadcast", "--on", "fat-tree:4"),
                      ("broadcast", "--on", "line:16", "--switching", "wh"), ("broadcast", "--on", "torus:4x4", "--algorithm", "flooding", "--ports", "all")):
            rounds = self.open(*words)
            for kind in ("messages", "senders"):
                if self.find("predict").get_attribute("aria-pressed") == "false":
                    self.find("predict").click()
                Select(self.find("kind")).select_by_value(kind)
                self.find("restart").click()
                score = Score(kind)
                possible = {key for _, messages in rounds for key in messages}
                for seen, (round, messages) in enumerate(rounds):
                    self.shows(rounds, seen)
                    keys = {key if kind == "messages" else key[:1] for key in possible}
                    is_so = {key if kind == "messages" else key[:1] for key in messages}
                    expected = is_so if draw.random() < 0.3 else {key for key in keys if draw.random() < (0.7 if key in is_so else 0.1)}
                    self.write(in_text(expected))
                    self.find("compare").click()
                    self.assertEqual(self.text("judged"), score.says(round, is_so, expected), words)
                self.shows(rounds, len(rounds))
                self.assertEqual(self.text("asked"), "No round is left.")
                self.assertFalse(self.find("compare").is_enabled())

    def test_takes_clicks_on_links_and_nodes_and_messages_that_are_drawn(self):
        rounds = self.open("broadcast", "--on", "mesh:3x3")
        self.find("predict").click()
        self.assertEqual(self.text("asked").split("?")[0], "Who sends to whom in round 1")
        self.click(0, 1, 0.35)  # a link near the end that sends
        self.click(0, 3, 0.65)
        self.assertEqual(self.find("expected").get_attribute("value"), "0 -> 1, 3 -> 0")
        self.click(3)  # the sender, then the receiver
        self.click(4)
        self.at(self.at(ActionChains(self.page), 4).click_and_hold(), 7).release().perform()
        self.assertEqual(self.find("expected").get_attribute("value"), "0 -> 1, 3 -> 0, 3 -> 4, 4 -> 7")
        self.click(0, 3, 0.65)  # again: no longer
        self.click(8)
        self.click(0)  # no link joins them: another sender
        self.assertEqual(self.page.execute_script("return kport.state().node"), 0)
        self.click(3)
        self.assertEqual(self.find("expected").get_attribute("value"), "0 -> 1, 0 -> 3, 3 -> 4, 4 -> 7")
        self.find("compare").click()
        self.assertEqual(self.text("judged"), Score().says(1, rounds[0][1], {(0, 1), (0, 3), (3, 4), (4, 7)}))
        Select(self.find("kind")).select_by_value("senders")
        self.assertEqual(self.text("judged"), "")
        self.click(0)
        self.click(1)
        self.click(5)
        self.click(5)
        self.click(0, 1)  # a link is no sender
        self.assertEqual(self.find("expected").get_attribute("value"), "0, 1")
        self.find("compare").click()
        self.assertEqual(self.text("judged"), Score("senders").says(2, {key[:1] for key in rounds[1][1]}, {(0,), (1,)}))

    def test_goes_by_keys_alone(self):
        rounds = self.open("broadcast", "--on", "ring:6")
        body = self.page.find_element(By.TAG_NAME, "body")
        body.send_keys("g")
        self.assertEqual(self.find("predict").get_attribute("aria-pressed"), "true")
        for node in ("0", "1"):
            body.send_keys("/")
            self.page.switch_to.active_element.send_keys(Keys.CONTROL, "a")
            self.page.switch_to.active_element.send_keys(node, Keys.TAB)
            self.find("canvas").send_keys(Keys.ENTER)
            if node == "0":
                self.assertEqual(self.text("asked"), "To whom does node 0 send? Find it, and press Enter.")
        self.assertEqual(self.find("expected").get_attribute("value"), "0 -> 1")
        self.find("expected").send_keys(Keys.ENTER)
        score = Score()
        self.assertEqual(self.text("judged"), score.says(1, rounds[0][1], {(0, 1)}))
        for keys in (Keys.END + Keys.ARROW_RIGHT, " "):  # no way around
            self.find("canvas").send_keys(keys)
            WebDriverWait(self.page, 20, 0.05).until(lambda page: not page.execute_script("return kport.playing"))
            self.shows(rounds, 1)
        self.find("canvas").send_keys(Keys.HOME)
        self.assertIn("before round 1", self.text("now"))
        self.write("1->2,0->5")
        self.find("expected").send_keys(Keys.ENTER)
        self.assertEqual(self.text("judged"), score.says(2, rounds[1][1], {(1, 2), (0, 5)}))
        self.shows(rounds, 2)
        for name in ("predict", "kind", "expected", "compare", "restart"):
            self.assertNotEqual(self.find(name).accessible_name, "", name)
        for name in ("judged", "asked"):
            self.assertTrue(self.find(name).is_displayed())
        self.assertEqual(self.find("judged").get_attribute("aria-live"), "polite")

    def test_hides_all_that_differs_in_later_rounds(self):
        shown = []
        first = "round 1: 0 -> 1\nround 2: 0 -> 2, 1 -> 3\n"
        ends = ("round 3: 0 -> 4, 1 -> 5, 2 -> 6\nround 4: 3 -> 7\n", "round 3: 1 -> 5, 2 -> 6, 3 -> 7\nround 4: 0 -> 4\n")
        for end in ends:
            path = os.path.join(self.folder.name, "schedule.txt")
            with open(path, "w") as file:
                file.write(first + end)
            self.open(path, "broadcast", "--on", "complete:8")
            states = []
            self.page.execute_script("kport.go(2)")
            self.find("predict").click()
            self.assertFalse(self.find("view").is_enabled())
            self.assertFalse(self.find("print").is_enabled())
            for round in (2, 1):
                for what in ("", "0", "4", "7", "p0"):
                    self.page.execute_script("document.getElementById('find').value = arguments[0]; kport.find()", what)
                    states.append([self.page.find_element(By.TAG_NAME, "body").text, self.find("canvas").get_attribute("aria-label"),
                                   self.page.execute_script("return document.getElementById('canvas').toDataURL()")])
                self.click(7)
                states.append(self.page.find_element(By.TAG_NAME, "body").text)
                self.page.execute_script("kport.sheets(); kport.go(arguments[0] - 1)", round)
                states.append([image.get_attribute("src") for image in self.page.find_elements(By.CSS_SELECTOR, "#sheets img")])
                self.assertEqual(len(states[-1]), 2)
                self.page.execute_script("document.documentElement.classList.remove('sheets')")
            for key in (Keys.END, "v", "v", Keys.ARROW_RIGHT):
                self.find("canvas").send_keys(key)
                self.assertEqual(self.find("view").get_attribute("value"), "rounds")
                states.append([self.page.find_element(By.TAG_NAME, "body").text, self.page.execute_script("return document.getElementById('canvas').toDataURL()")])
            shown.append(states)
            self.find("predict").click()
            self.page.execute_script("kport.go(3)")
            shown.append(self.page.execute_script("return document.getElementById('canvas').toDataURL()"))
        self.assertEqual(shown[0], shown[2])
        self.assertNotEqual(shown[1], shown[3], "the pictures differ where they may")

    def test_hides_broken_rules_of_later_rounds(self):
        rounds = self.open("broadcast", "--on", "ring:6", "--algorithm", "flooding", "--ports", "all")
        self.find("predict").click()
        for seen in range(len(rounds) + 1):
            self.assertFalse(self.find("violations").is_displayed())
            self.page.execute_script("kport.follow(3, -1, -1)")
            self.assertEqual("NODUP" in self.text("about"), seen >= 3, seen)
            if seen < len(rounds):
                self.find("compare").click()
        self.find("predict").click()
        self.assertTrue(self.find("violations").is_displayed())
        self.assertTrue(self.find("facts").is_displayed())

    def test_says_what_is_no_message_and_counts_nothing(self):
        rounds = self.open("broadcast", "--on", "mesh:3x3")
        self.find("predict").click()
        for wrong, why in (("0 - 1", "'0 - 1' is no message; want messages, such as 0 -> 4"), ("0 -> 9", "'9' is no node"), ("0 -> 4", "0 -> 4: no link joins them"),
                           ("0 -> 0", "a node does not send to itself"), ("0 -> 1 -> 2", "is no message"), ("-> 1", "'' is no node"), ("0 -> 1, x", "'x' is no message")):
            self.write(wrong)
            self.find("compare").click()
            self.assertIn(why, self.text("unclear"))
            self.assertEqual(self.find("expected").get_attribute("aria-invalid"), "true")
            self.shows(rounds, 0)
        self.assertEqual(self.text("judged"), "")
        self.write("(0,0) -> (0,1); node 0 \u2192 3, 0 -> 1")
        self.find("compare").click()
        self.assertEqual(self.text("judged"), Score().says(1, rounds[0][1], {(0, 1), (0, 3)}))
        self.assertEqual(self.text("unclear"), "")

    def test_begins_where_the_run_stands_and_again_from_the_start(self):
        rounds = self.open("broadcast", "--on", "hypercube:3")
        self.page.execute_script("kport.go(1.4)")
        self.find("predict").click()
        self.shows(rounds, 1)
        self.find("compare").click()
        self.shows(rounds, 2)
        self.find("restart").click()
        self.shows(rounds, 0)
        self.assertEqual(self.text("judged"), "")
        self.find("predict").click()
        self.find("last").click()
        self.assertEqual(self.page.execute_script("return kport.state().step"), len(rounds))
        self.find("predict").click()
        self.shows(rounds, 0)

    def test_is_offered_only_where_messages_are_drawn(self):
        for words in (("broadcast", "--on", "mesh:150x140"),):
            self.open(*words)
            self.assertFalse(self.find("predict").is_displayed())
        path = os.path.join(self.folder.name, "machine.html")
        kport("info", "petersen", "--picture", path)
        self.page.get("file://" + path)
        self.page.find_element(By.TAG_NAME, "body").send_keys("g")
        self.assertFalse(self.find("predict").is_displayed())
        self.assertFalse(self.find("prediction").is_displayed())


if __name__ == "__main__":
    main()
