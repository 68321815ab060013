"""What the tests of pages share: kport, a browser, a lab. The first argument is KPORT; status 77 where there is no browser.

With KPORT_LAB_PAGE, the page in one file (bindings/wasm), the lab is that file, and no server runs."""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    print("python3-selenium is not installed")
    sys.exit(77)

__all__ = ["ActionChains", "By", "KPORT", "Keys", "ONE_FILE", "Lab", "Select", "WebDriverWait", "browser", "kport", "main"]

KPORT = sys.argv[1]
ONE_FILE = os.environ.get("KPORT_LAB_PAGE")


def kport(*words, **more):
    return subprocess.run([KPORT, *words], capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"}, **more)


def browser():
    options = webdriver.ChromeOptions()
    # The driver sometimes loses a frame that has a process of its own, as sandboxed ones have unless told otherwise.
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,1200",
                 "--disable-features=IsolateSandboxedIframes"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


class Lab(unittest.TestCase):
    """A lab, and its page in a browser."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = None if ONE_FILE else subprocess.Popen([KPORT, "lab", "--no-open"], stdout=subprocess.PIPE, text=True, cwd=cls.folder.name)
        cls.url = "file://" + ONE_FILE if ONE_FILE else cls.server.stdout.readline().strip()
        cls.page = browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.quit()
        if cls.server:
            cls.server.terminate()
            cls.server.wait()
            cls.server.stdout.close()
        cls.folder.cleanup()

    def setUp(self):
        self.page.get(self.url)
        self.wait()

    def tearDown(self):
        # The browser notes each answer of status 4xx by itself; scripts and policies must give no cause.
        told = [entry["message"] for entry in self.page.get_log("browser") if "409 (Conflict)" not in entry["message"]]  # a run of another page goes on
        self.assertEqual(told, [])

    def wait(self):
        def is_settled(page):
            return page.execute_script("return document.readyState === 'complete' && window.kportLab && window.kportLab.settled && kportLab.at.words.length > 0")
        WebDriverWait(self.page, 60, 0.1).until(is_settled)

    def find(self, name):
        return self.page.find_element(By.ID, name)

    def read(self, name):
        """The text that is seen there. Asked at once: a table's cells one by one take the driver seconds."""
        return self.page.execute_script("return document.getElementById(arguments[0]).innerText.trim()", name)

    def rows(self, name):
        """The texts of a table, by rows."""
        return self.page.execute_script("return [...document.getElementById(arguments[0]).rows].map(row => [...row.cells].map(cell => cell.innerText.trim()))", name)

    def tab(self, name):
        self.page.find_element(By.CSS_SELECTOR, f"[data-tab={name}]").click()
        self.wait()

    def type(self, name, text):
        box = self.find(name)
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(text, Keys.ENTER if name == "command" else Keys.TAB)
        self.wait()

    def in_picture(self, script, frame="picture"):
        def is_drawn(page):
            # A frame that was entered before its document came stays at the empty one.
            page.switch_to.default_content()
            page.switch_to.frame(self.find(frame))
            return page.execute_script("return typeof kport === 'object'")
        WebDriverWait(self.page, 60, 0.1).until(is_drawn)
        told = self.page.execute_script(script)
        self.page.switch_to.default_content()
        return told


def main():
    try:
        browser().quit()
    except Exception as error:  # any: no browser, no driver, another version
        print("no browser:", error)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
