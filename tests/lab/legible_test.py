"""What is read and reached in the pages: contrast as the browser computes it, large type for a projector, and all by keys.

legible_test.py KPORT; status 77 where there is no browser or no selenium."""
import os
import tempfile
import unittest

from browser import By, Keys, Lab, WebDriverWait, browser, kport, main

# [[what, contrast, least]] of all that is visible and has too little: text to what is behind it 4.5; edges of controls to what they stand in,
# and the lines and marks that are drawn, 3. Controls that are switched off are exempt, as in WCAG 2.1.
TOO_FAINT = r"""
const parts = text => (text.match(/[\d.]+/g) || []).map(Number);
const light = colour => { const [r, g, b] = colour.slice(0, 3).map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const contrast = (a, b) => { const [p, q] = [light(a), light(b)].sort((x, y) => y - x); return (p + 0.05) / (q + 0.05); };
const alpha = colour => colour.length > 3 ? colour[3] : 1;
function behind(element) {
  for (let e = element; e; e = e.parentElement) { const colour = parts(getComputedStyle(e).backgroundColor); if (colour.length && alpha(colour) === 1) return colour; }
  return getComputedStyle(document.documentElement).colorScheme === "dark" ? [0, 0, 0] : [255, 255, 255];
}
const found = [], judge = (what, a, b, least) => { const is = contrast(a, b); ++judge.count; if (is < least) found.push([what, Math.round(is * 100) / 100, least]); };
judge.count = 0;
const name = e => e.tagName + (e.id ? "#" + e.id : "") + " " + (e.textContent || e.value || "").trim().slice(0, 30);
for (const e of document.body.querySelectorAll("*")) {
  const style = getComputedStyle(e);
  if (!e.checkVisibility({checkVisibilityCSS: true}) || e.disabled || ["SCRIPT", "STYLE", "CANVAS", "IFRAME", "OPTION"].includes(e.tagName)) continue;
  const isControl = ["INPUT", "SELECT", "TEXTAREA", "BUTTON"].includes(e.tagName), says = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (says || isControl) judge(name(e), parts(style.color), behind(e), 4.5);
  if (e.placeholder) judge(name(e) + " (placeholder)", parts(getComputedStyle(e, "::placeholder").color), behind(e), 4.5);
  if (isControl && e.type !== "range") judge(name(e) + " (edge)", parts(style.borderTopColor), behind(e.parentElement), 3);
  if (isControl && style.outlineStyle !== "none" && e === document.activeElement) judge(name(e) + " (focus)", parts(style.outlineColor), behind(e.parentElement), 3);
}
if (document.getElementById("canvas")) {
  const probe = document.body.appendChild(document.createElement("i")), root = getComputedStyle(document.documentElement);
  const rgb = colour => { probe.style.color = colour; return parts(getComputedStyle(probe).color); };
  const paper = rgb(root.getPropertyValue("--paper"));
  for (const mark of ["link", "message", "broken", "all", "faint"]) judge("drawn: " + mark, rgb(root.getPropertyValue("--" + mark)), paper, 3);
  for (const [shade, text] of kport.shades()) { judge("load " + shade, rgb(shade), paper, 3); judge("text on load " + shade, rgb(text), rgb(shade), 4.5); }
  probe.remove();
}
return [found, judge.count];
"""
SCHEMES = ("light", "dark")


class Contrast:
    def paint(self, scheme):
        self.page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def assert_legible(self, what, least_judged):
        found, count = self.page.execute_script(TOO_FAINT)
        self.assertEqual(found, [], what)
        self.assertGreaterEqual(count, least_judged, what)

    def listed_keys(self):
        """What stands in the dialog "keys", as events name it."""
        names = {"\u2190": "ArrowLeft", "\u2192": "ArrowRight", "\u2191": "ArrowUp", "\u2193": "ArrowDown", "space": " ", "Esc": "Escape"}
        listed = self.page.execute_script("return [...document.querySelectorAll('#keys kbd')].map(one => one.textContent)")
        return {names.get(one, one).lower() for one in listed}


class Player(unittest.TestCase, Contrast):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.quit()
        cls.folder.cleanup()

    def open(self, *words):
        path = os.path.join(self.folder.name, "page.html")
        kport("show", *words, "--as", "html", "--output", path)
        self.page.get("file://" + path)

    def tearDown(self):
        self.paint("light")
        self.assertEqual([entry["message"] for entry in self.page.get_log("browser")], [])

    def find(self, name):
        return self.page.find_element(By.ID, name)

    def test_has_contrast_by_day_by_night_and_on_a_projector_also_with_broken_rules_and_open_panels(self):
        for words in (("broadcast", "--on", "torus:4x4", "--algorithm", "flooding", "--ports", "all"), ("scatter", "--on", "mesh:3x3"), ("broadcast", "--on", "mesh:150x140")):
            for scheme in SCHEMES:
                self.paint(scheme)
                self.open(*words)
                self.page.execute_script("kport.go(2)")
                self.assert_legible((words, scheme), 60)
                if self.find("predict").is_displayed():
                    self.page.execute_script("kport.predict()")
                    self.assert_legible((words, scheme, "prediction"), 50)
                    self.page.execute_script("kport.predict()")
                self.find("help").click()
                self.assert_legible((words, scheme, "keys"), 60)
                self.page.find_element(By.CSS_SELECTOR, "#keys button").click()
                self.find("project").click()
                self.assert_legible((words, scheme, "projector"), 30)

    def test_the_measure_of_contrast_finds_what_is_too_faint(self):
        self.open("scatter", "--on", "mesh:3x3")
        for faint, found in (("document.getElementById('now').style.color = '#888'", "P#now"), ("document.getElementById('find').style.borderColor = '#ccc'", "INPUT#find"),
                             ("document.documentElement.style.setProperty('--link', '#aaa')", "drawn: link")):
            self.page.execute_script(faint)
            self.assertTrue(any(found in row[0] for row in self.page.execute_script(TOO_FAINT)[0]), found)

    def test_a_projector_has_large_type_and_links_of_three_pixels(self):
        self.open("broadcast", "--on", "mesh:3x3")
        size = "return parseFloat(getComputedStyle(document.getElementById('now')).fontSize)"
        before = self.page.execute_script(size)
        self.find("canvas").send_keys("p")
        self.assertGreaterEqual(self.page.execute_script(size), 2 * before)
        self.assertGreaterEqual(min(self.page.execute_script("return [...document.querySelectorAll('button, label, p')].filter(e => e.checkVisibility() && e.textContent.trim()).map(e => parseFloat(getComputedStyle(e).fontSize))")), 24)
        # Across the link between nodes 0 and 1, where nothing moves: pixels of its colour.
        dark = self.page.execute_script("""kport.go(0);
            const [p, q] = [kport.placeOf(0), kport.placeOf(1)], canvas = document.getElementById("canvas"), ratio = canvas.width / canvas.getBoundingClientRect().width;
            const column = canvas.getContext("2d").getImageData(Math.round((p.x + q.x) / 2 * ratio), Math.round(p.y * ratio) - 12, 1, 24).data;
            return [...Array(24).keys()].filter(i => column[4 * i] < 0x90).length / ratio""")
        self.assertGreaterEqual(dark, 2)  # whole ones: the third is shared by two
        self.find("canvas").send_keys("P")
        self.assertEqual(self.page.execute_script(size), before)

    def test_lists_every_key_it_knows(self):
        self.open("broadcast", "--on", "mesh:3x3")
        self.page.execute_script("window.postMessage({kport: 'none'}, '*'); kport.predict()")
        known = {key.lower() for key in self.page.execute_script("return kport.keys()")}
        self.assertGreater(len(known), 12)
        self.assertEqual(known - self.listed_keys(), set())

    def test_the_rounds_are_reached_and_chosen_by_keys(self):
        self.open("broadcast", "--on", "line:8")
        rows = self.page.find_elements(By.CSS_SELECTOR, "#rounds tr")
        self.assertEqual([row.get_attribute("tabindex") for row in rows], ["0"] + ["-1"] * (len(rows) - 1))
        rows[0].send_keys(Keys.DOWN, Keys.DOWN, Keys.DOWN, Keys.UP)
        self.assertTrue(self.page.execute_script("return document.activeElement === arguments[0]", rows[2]))
        self.assertEqual([row.get_attribute("tabindex") for row in rows].index("0"), 2)
        rows[2].send_keys(Keys.ENTER)
        self.assertEqual(self.page.execute_script("return [kport.state().round, kport.playing]"), [3, False])
        self.assertEqual(rows[2].get_attribute("aria-current"), "true")
        rows[2].send_keys(Keys.RIGHT)  # a key of the clock, everywhere
        self.assertEqual(self.page.execute_script("return kport.state().round"), 4)
        rows[0].send_keys(Keys.UP)
        self.assertTrue(self.page.execute_script("return document.activeElement === arguments[0]", rows[0]))


class InTheLab(Lab, Contrast):
    def tearDown(self):
        self.paint("light")
        super().tearDown()

    def test_has_contrast_in_every_tab_by_day_by_night_and_on_a_projector(self):
        for scheme in SCHEMES:
            self.paint(scheme)
            self.page.get(self.url)
            self.wait()
            for tab in ("watch", "report", "compare", "race", "explain", "build"):
                self.tab(tab)
                self.assert_legible((scheme, tab), 35)
            self.type("command", "run broadcast --on hypercub:4")
            self.assert_legible((scheme, "refused"), 30)
            self.type("command", "run broadcast --on torus:4x4 --algorithm flooding --ports all")
            self.find("project").click()
            for tab in ("report", "compare", "race", "build"):
                self.tab(tab)
                self.assert_legible((scheme, tab, "projector"), 15)
            self.find("help").click()
            self.assert_legible((scheme, "keys"), 20)
            self.page.find_element(By.CSS_SELECTOR, "#keys button").click()
            self.find("project").click()

    def test_a_projector_is_for_the_page_and_the_pictures_in_it(self):
        is_large = "return document.documentElement.classList.contains('projector')"

        def both():
            return [self.page.execute_script(is_large), self.in_picture(is_large)]
        self.assertEqual(both(), [False, False])
        self.find("project").click()
        WebDriverWait(self.page, 10, 0.1).until(lambda _: both() == [True, True])
        self.assertFalse(self.find("choose").is_displayed())
        self.assertGreaterEqual(self.page.execute_script("return parseFloat(getComputedStyle(document.getElementById('command')).fontSize)"), 22)
        self.type("command", "run gather --on ring:6")  # a picture that comes later
        WebDriverWait(self.page, 10, 0.1).until(lambda _: both() == [True, True])
        self.page.switch_to.frame(self.find("picture"))
        self.find("canvas").send_keys("p")  # in the picture, back
        self.page.switch_to.default_content()
        WebDriverWait(self.page, 10, 0.1).until(lambda _: both() == [False, False])

    def test_lists_every_key_it_knows(self):
        self.tab("race")
        known = {key.lower() for key in self.page.execute_script("return kportLab.keys()")}
        self.assertGreater(len(known), 8)
        self.assertEqual(known - self.listed_keys(), set())
        body = self.page.find_element(By.TAG_NAME, "body")
        body.send_keys("?")
        self.assertTrue(self.find("keys").is_displayed())
        body.send_keys(Keys.ESCAPE)
        self.assertFalse(self.find("keys").is_displayed())
        body.send_keys("/")
        self.assertTrue(self.page.execute_script("return document.activeElement.id === 'command'"))

    def test_the_rows_of_a_comparison_are_reached_and_chosen_by_keys(self):
        self.tab("compare")
        rows = self.page.find_elements(By.CSS_SELECTOR, "#table tr")
        self.assertEqual([row.get_attribute("tabindex") for row in rows[1:3]], ["0", "-1"])
        name = rows[2].find_element(By.TAG_NAME, "button").text
        rows[1].send_keys(Keys.DOWN)
        self.assertTrue(self.page.execute_script("return document.activeElement === arguments[0]", rows[2]))
        rows[2].send_keys(Keys.ENTER)
        self.wait()
        self.assertIn("--algorithm " + name, self.find("command").get_attribute("value"))


if __name__ == "__main__":
    main()
