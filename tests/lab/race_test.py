"""Two algorithms beside each other in kport lab: one clock, and counts that are those of the reports.

race_test.py KPORT; status 77 where there is no browser or no selenium."""
import json

from browser import By, Keys, Lab, Select, WebDriverWait, kport, main


def report(operation, machine, algorithm, *options):
    return json.loads(kport("run", operation, "--on", machine, "--algorithm", algorithm, *options, "--json", "--per-round").stdout)


class After:
    """What a report says of the rounds up to one."""

    def __init__(self, of, round):
        rounds = [one for one in of["per_round"] if one["round"] <= round]
        self.round = rounds[-1]["round"] if rounds else 0
        self.messages = sum(one["transfers"] for one in rounds)
        self.all_messages = sum(one["transfers"] for one in of["per_round"])
        self.last = of["per_round"][-1]["round"]


class Race(Lab):
    def race(self, operation, machine, one, other, *options):
        self.type("command", " ".join(["compare", operation, "--on", machine, "--algorithm", f"{one},{other}", *options]))
        self.assertEqual(self.read("error"), "")

    def counts(self, lane):
        return {row[0]: row[1:] for row in self.rows(f"counts-{lane}")}

    def agrees(self, round, lane, of, messages_are_bounded=True):
        """Whether the page, the picture beside it and the report speak of one round."""
        want = After(of, round)
        bound = str(of["bounds"]["work"]) if messages_are_bounded else ""
        WebDriverWait(self.page, 20, 0.05).until(lambda _: self.counts(lane).get("rounds", [""])[0] == str(want.round))
        counts = self.counts(lane)
        self.assertEqual(counts["rounds"], [str(want.round), str(want.last), str(of["bounds"]["rounds"])])
        self.assertEqual(counts["messages"], [str(want.messages), str(want.all_messages), bound])
        state = self.in_picture("return kport.state()", f"lane-{lane}")
        self.assertEqual([state["drawn"]["round"], state["round"], str(state["reached"])], [want.round, want.round, counts["nodes reached"][0]])
        when = f" after round {want.round} of {want.last}: " if want.round else f" at the start, of {want.last} rounds: "
        line = self.read("ahead").split("\n")[lane]
        self.assertTrue(line.startswith(of["algorithm"] + when + f"{want.messages} of {want.all_messages} messages"), line)
        self.assertEqual(self.read(f"name-{lane}"), of["algorithm"])

    def both_agree(self, round, reports, **more):
        WebDriverWait(self.page, 20, 0.05).until(lambda _: self.page.execute_script(
            "return lanes.every(lane => lane.shown && lane.shown.time === clock.time) && clock.time === arguments[0]", round))
        for lane, of in enumerate(reports):
            self.agrees(round, lane, of, **more)

    def test_steps_both_runs_together_and_counts_what_the_reports_count(self):
        for operation, machine, pair, options in (("broadcast", "mesh:4x4", ("controlled-flooding", "dost"), ()),
                                                  ("scatter", "ring:6", ("pipeline", "dost"), ()),
                                                  ("broadcast", "hypercube:3", ("flooding", "sbt"), ("--ports", "all"))):
            reports = [report(operation, machine, name, *options) for name in pair]
            self.race(operation, machine, *pair, *options)
            last = max(After(of, 0).last for of in reports)
            for round in range(last + 1):
                self.both_agree(round, reports)
                self.find("step").click()
            self.both_agree(last, reports)
            lasts = [After(of, 0).last for of in reports]
            end = self.read("ahead").split("\n")[2]
            if lasts[0] == lasts[1]:
                self.assertEqual(end, f"Both take {lasts[0]} rounds.")
            else:
                by = abs(lasts[0] - lasts[1])
                self.assertEqual(end, f"{pair[lasts[0] > lasts[1]]} takes {by} round{'s' * (by > 1)} less.")
            for round in reversed(range(last)):
                self.find("back").click()
                self.both_agree(round, reports)

    def test_names_no_bound_on_messages_where_a_message_goes_over_several_links(self):
        options = ("--switching", "wh")
        reports = [report("broadcast", "line:8", name, *options) for name in ("rda-product", "chain")]
        self.race("broadcast", "line:8", "rda-product", "chain", *options)
        self.find("last").click()
        last = max(After(of, 0).last for of in reports)
        WebDriverWait(self.page, 20, 0.05).until(lambda _: len(self.read("ahead").split("\n")) == 3)
        self.agrees(last, 0, reports[0], messages_are_bounded=False)
        self.agrees(last, 1, reports[1])

    def test_goes_by_keys_also_from_within_a_picture(self):
        pair = ("controlled-flooding", "dost")
        reports = [report("broadcast", "mesh:3x3", name) for name in pair]
        self.race("broadcast", "mesh:3x3", *pair)
        heading = self.page.find_element(By.TAG_NAME, "body")
        heading.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.both_agree(2, reports)
        heading.send_keys(Keys.ARROW_LEFT)
        self.both_agree(1, reports)
        self.page.switch_to.frame(self.find("lane-1"))
        self.find("canvas").send_keys(Keys.ARROW_RIGHT)
        self.page.switch_to.default_content()
        self.both_agree(2, reports)
        heading.send_keys(Keys.END)
        self.both_agree(max(After(of, 0).last for of in reports), reports)
        heading.send_keys(Keys.HOME)
        self.both_agree(0, reports)

    def test_says_while_it_plays_which_round_is_drawn(self):
        self.race("broadcast", "mesh:4x4", "controlled-flooding", "dost")
        Select(self.find("speed")).select_by_value("0.5")
        self.find("play").click()
        seen = set()
        for _ in range(4):
            WebDriverWait(self.page, 20, 0.02).until(lambda page: page.execute_script("return clock.time % 1 > 0.1 && clock.time % 1 < 0.8") and
                                                     self.page.execute_script("return Math.ceil(clock.time)") not in seen)
            if not seen:
                self.assertIn("pause", self.read("play"))
            self.find("play").click()
            round = self.page.execute_script("return Math.ceil(clock.time)")
            seen.add(round)
            for lane, name in enumerate(("controlled-flooding", "dost")):
                WebDriverWait(self.page, 20, 0.05).until(lambda _: self.counts(lane)["rounds"][0] == f"in {round}")
                state = self.in_picture("return kport.state()", f"lane-{lane}")
                self.assertEqual([state["drawn"]["round"], state["said"].split(":")[0]], [round, f"in round {round} of {self.counts(lane)['rounds'][1]} (bound 6)"])
                self.assertIn(f"{name} in round {round} of ", self.read("ahead"))
            self.find("play").click()
        self.find("play").click()

    def test_finds_two_algorithms_and_takes_another_rival(self):
        self.type("command", "run broadcast --on mesh:4x4")
        self.tab("race")
        runs = [run["algorithm"] for run in json.loads(kport("compare", "broadcast", "--on", "mesh:4x4", "--json").stdout)["runs"]]
        self.assertEqual(self.find("command").get_attribute("value"), f"compare broadcast --on mesh:4x4 --algorithm {runs[0]},{runs[1]}")
        self.assertEqual([option.get_attribute("value") for option in Select(self.find("rival")).options], runs)
        Select(self.find("rival")).select_by_value("controlled-flooding")
        self.wait()
        self.assertIn(f"--algorithm {runs[0]},controlled-flooding", self.find("command").get_attribute("value"))
        reports = [report("broadcast", "mesh:4x4", name) for name in (runs[0], "controlled-flooding")]
        self.both_agree(0, reports)
        shared = self.page.current_url.split("#")[1]
        self.page.get(self.url + "#" + shared)
        self.page.refresh()
        self.wait()
        self.both_agree(0, reports)
        self.assertEqual(self.find("rival").get_attribute("value"), "controlled-flooding")
        self.tab("report")
        self.assertEqual(self.find("command").get_attribute("value"), f"run broadcast --on mesh:4x4 --algorithm {runs[0]} --ports 1")
        self.assertIn(f"algorithm {runs[0]}", self.read("text"))

    def test_goes_back_to_what_was_shown_before(self):
        self.type("command", "run broadcast --on mesh:3x3")
        self.type("command", "run broadcast --on mesh:4x4")
        self.tab("race")
        self.assertIn("compare broadcast --on mesh:4x4 --algorithm", self.find("command").get_attribute("value"))
        self.find("play").click()
        self.page.back()
        WebDriverWait(self.page, 20, 0.05).until(lambda _: "mesh:3x3" in self.find("command").get_attribute("value"))
        self.wait()
        self.both_agree(0, [report("broadcast", "mesh:3x3", name) for name in (self.read("name-0"), self.read("name-1"))])
        self.find("play").click()
        self.tab("report")
        self.assertFalse(self.page.execute_script("return clock.playing"))

    def test_says_why_an_algorithm_does_not_run_and_takes_another_one(self):
        self.type("command", "compare broadcast --on mesh:4x4 --algorithm dost,chain")
        self.assertIn("algorithm 'chain' needs", self.read("error"))
        self.assertEqual(self.read("ahead"), "")
        Select(self.find("rival")).select_by_value("layered")
        self.wait()
        self.assertEqual(self.read("error"), "")
        self.both_agree(0, [report("broadcast", "mesh:4x4", name) for name in ("dost", "layered")])

    def test_names_two_algorithms_itself_on_large_machines(self):
        self.tab("race")
        self.type("command", "run broadcast --on mesh:150x140")
        self.assertIn("name both algorithms", self.read("error"))
        self.race("broadcast", "mesh:150x140", "dost", "farthest-first")
        self.find("last").click()
        reports = [report("broadcast", "mesh:150x140", name) for name in ("dost", "farthest-first")]
        last = max(After(of, 0).last for of in reports)
        WebDriverWait(self.page, 20, 0.05).until(lambda _: len(self.read("ahead").split("\n")) == 3)
        for lane, of in enumerate(reports):
            self.assertEqual(self.counts(lane)["rounds"], [str(After(of, last).round)] * 2 + [str(of["bounds"]["rounds"])])
            self.assertEqual(self.counts(lane)["messages"][0], f"{After(of, last).messages:,}")

    def test_takes_no_counts_from_a_picture_that_are_none(self):
        pair = ("controlled-flooding", "dost")
        self.race("broadcast", "mesh:3x3", *pair)
        self.find("step").click()
        reports = [report("broadcast", "mesh:3x3", name) for name in pair]
        self.both_agree(1, reports)
        for lie in ("round: '<b>9</b>'", "messages: -1", "time: 'now'", "reached: null", "kport: 'other'"):
            self.in_picture("parent.postMessage({kport: 'shows', time: 1, round: 9, messages: 99, reached: 9, moving: false, " + lie + "}, '*')", "lane-0")
        for lie in ("last: 'x'", "quantities: 7", "quantities: [['rounds']]", "cost: {}"):
            self.in_picture("parent.postMessage({kport: 'led', last: 9, messages: 9, hosts: 9, lawful: true, cost: '', quantities: [], " + lie + "}, '*')", "lane-0")
        for key in ("toString", "__proto__", "constructor"):
            self.in_picture("parent.postMessage({kport: 'key', key: '" + key + "'}, '*')", "lane-0")
        self.both_agree(1, reports)


if __name__ == "__main__":
    main()
