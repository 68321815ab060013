"""The page of kport lab when what answers it breaks down: it says what happened and what to do, and the next request is answered.

breakdown_test.py KPORT; status 77 where there is no browser or no selenium."""
import base64
import gzip
import os
import signal
import subprocess
import tempfile
import time
import unittest

from browser import KPORT, ONE_FILE, Keys, Lab, WebDriverWait, browser, main

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def source(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


# ---- a module that breaks down when it is told to ---------------------------------------------------------------------
def number(value):
    """Signed LEB128; for counts below 64 the unsigned form is the same."""
    out = b""
    while True:
        low, value = value & 127, value >> 7
        if value == (-1 if low & 64 else 0):
            return out + bytes([low])
        out += bytes([low | 128])


def listed(items):
    return number(len(items)) + b"".join(items)


def counted(data):
    count, out = len(data), b""
    while count > 127:
        out, count = out + bytes([count & 127 | 128]), count >> 7
    return out + bytes([count]) + data


def small_module():
    """The functions that worker.js calls. kport_answer traps where the first word begins with t, and never ends where it begins with l; the
    text of any other answer is that letter."""
    i32, end, request = b"\x7f", b"\x0b", 1024
    text = b'{"status":0,"text":"?","warnings":[],"error":""}'

    def letter():
        return b"\x20\x00\x2d\x00" + number(len('{"words":["'))  # local.get 0, i32.load8_u

    def where(first, then):
        return letter() + b"\x41" + number(ord(first)) + b"\x46\x04\x40" + then + end  # i32.const, i32.eq, if
    trap, forever = b"\x00", b"\x03\x40\x0c\x00" + end
    types = [b"\x60" + listed(takes) + listed(gives) for takes, gives in (([], []), ([i32], [i32]), ([i32], []), ([i32, i32], []), ([], [i32]))]
    answer = where("t", trap) + where("l", forever) + b"\x41" + number(text.index(b"?")) + letter() + b"\x3a\x00\x00"  # i32.store8
    functions = [("_initialize", 0, b""), ("kport_alloc", 1, b"\x41" + number(request)), ("kport_free", 2, b""), ("kport_answer", 3, answer),
                 ("kport_text", 4, b"\x41\x00"), ("kport_text_bytes", 4, b"\x41" + number(len(text)))]
    exports = [counted(name.encode()) + b"\x00" + number(i) for i, (name, _, _) in enumerate(functions)] + [counted(b"memory") + b"\x02\x00"]
    sections = {1: listed(types), 3: listed([number(kind) for _, kind, _ in functions]), 5: listed([b"\x00\x01"]), 7: listed(exports),
                10: listed([counted(b"\x00" + body + end) for _, _, body in functions]), 11: listed([b"\x00\x41\x00" + end + counted(text)])}
    return b"\x00asm\x01\x00\x00\x00" + b"".join(bytes([kind]) + counted(data) for kind, data in sections.items())


class Worker(unittest.TestCase):
    """What asks the module (bindings/wasm/page), with a small module in the place of kport."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = browser()
        cls.page.set_script_timeout(30)

    @classmethod
    def tearDownClass(cls):
        cls.page.quit()
        cls.folder.cleanup()

    def open(self, module, worker=source("bindings", "wasm", "page", "worker.js")):
        path = os.path.join(self.folder.name, "page.html")
        packed = base64.b64encode(gzip.compress(module)).decode()
        with open(path, "w") as file:
            file.write(f'<!DOCTYPE html><meta charset="utf-8"><script type="text/plain" id="worker">{worker}</script><script type="text/plain" id="module">{packed}</script>'
                       f'<script>const $ = id => document.getElementById(id);\n{source("bindings", "wasm", "page", "asked.js")}\n'
                       'const asks = (...words) => posted("/answer", {words, input: ""}), sleep = time => new Promise(done => setTimeout(done, time));</script>')
        self.page.get("file://" + path)

    def told(self, script):
        told = self.page.execute_async_script("const done = arguments[arguments.length - 1]; (async () => {" + script + "})().then(done, error => done({thrown: String(error)}))")
        self.assertEqual([entry["message"] for entry in self.page.get_log("browser") if "favicon" not in entry["message"]], [])
        return told

    def test_answers_requests_that_come_at_once_in_their_order(self):
        self.open(small_module())
        told = self.told("const order = []; const all = ['a', 'b', 'c'].map(word => asks(word).then(answer => { order.push(answer.text); return answer; })); await Promise.all(all); return order")
        self.assertEqual(told, ["a", "b", "c"])

    def test_says_that_a_request_trapped_and_answers_those_that_waited_and_the_next_one(self):
        self.open(small_module())
        told = self.told("return Promise.all([asks('a'), asks('trap', '--on', 'hypercube:4'), asks('b')]).then(async all => [...all, await asks('c'), (await posted('/now', {})).at_work])")
        self.assertEqual([told[0]["text"], told[2]["text"], told[3]["text"], told[4]], ["a", "b", "c", ""])
        self.assertEqual(told[1]["status"], 4)
        for part in ("kport broke down in this page at `kport trap --on hypercube:4` (unreachable)", "The next request opens it again", "smaller machine", "the program kport"):
            self.assertIn(part, told[1]["error"])

    def test_stop_ends_a_run_that_never_would_and_all_that_wait(self):
        self.open(small_module())
        told = self.told("const all = [asks('loop', 'x'), asks('b')]; await sleep(300); const now = await posted('/now', {}); await posted('/stop', {}); return [now, ...await Promise.all(all), await asks('c')]")
        self.assertEqual(told[0], {"at_work": "kport loop x"})
        for stopped in told[1:3]:
            self.assertEqual([stopped["status"], stopped["error"]], [4, "stopped; the next request opens kport again"])
        self.assertEqual(told[3]["text"], "c")

    def test_stop_ends_a_request_while_the_module_opens(self):
        self.open(small_module())
        told = self.told("const one = asks('a'), now = await posted('/now', {}); await posted('/stop', {}); return [now, await one, ...await Promise.all([asks('b'), asks('c')])]")
        self.assertEqual(told[0], {"at_work": "opening kport: a"})
        self.assertEqual(told[1]["error"], "stopped; the next request opens kport again")
        self.assertEqual([answer["text"] for answer in told[2:]], ["b", "c"])

    def test_says_what_a_browser_must_have_that_cannot_open_the_module(self):
        self.open(b"\x00asm\x01\x00\x00\x00\x01\x7f")
        for _ in range(2):  # the second time too
            told = self.told("return asks('a')")
            self.assertEqual(told["status"], 4)
            self.assertIn("kport cannot be opened in this page (WebAssembly.compile()", told["error"])
            self.assertIn("want Chromium 95, Firefox 113, Safari 16.4 or a later one, or the program kport", told["error"])

    def test_says_that_a_module_lacks_a_function_or_the_worker_does_not_start(self):
        self.open(small_module().replace(b"_initialize", b"_initialism"))
        self.assertIn("kport broke down in this page at `kport a` (exports._initialize is not a function)", self.told("return asks('a')")["error"])
        self.open(small_module(), "this is no script")
        self.assertIn("kport broke down in this page at `kport a` (Uncaught SyntaxError", self.told("return asks('a')")["error"])


@unittest.skipUnless(ONE_FILE, "of the page with kport in it")
class OneFile(Lab):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(ONE_FILE) as file:
            page = file.read()
        call = "    exports.kport_answer(at, bytes.length);\n"
        assert page.count(call) == 1
        breaks = '    if (request.words[0] === "exhaust") for (let size = 1 << 26; size; size >>= 1) while (exports.kport_alloc(size));\n'
        path = os.path.join(cls.folder.name, "page.html")
        with open(path, "w") as file:
            file.write(page.replace(call, breaks + call))
        cls.url = "file://" + path

    def test_says_that_memory_ran_out_and_answers_the_next_request(self):
        self.tab("report")
        self.type("command", "exhaust")
        self.assertIn("kport broke down in this page at `kport exhaust`", self.find("error").text)
        self.assertFalse(self.find("stop").is_displayed())
        self.type("command", "run broadcast --on hypercube:3")
        self.assertEqual(self.find("error").text, "")
        self.assertIn("all rules kept", self.find("text").text)

    def test_stops_a_run_and_answers_the_next_request(self):
        self.tab("report")
        box = self.find("command")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys("run alltoall --on hypercube:11", Keys.ENTER)
        WebDriverWait(self.page, 30, 0.05).until(lambda _: "kport run alltoall" in self.find("busy").text)
        self.find("stop").click()
        self.wait()
        self.assertEqual([self.find("error").text, self.find("busy").text], ["stopped; the next request opens kport again", ""])
        self.type("command", "run broadcast --on hypercube:3")
        self.assertIn("all rules kept", self.find("text").text)

    def test_begins_again_where_it_was_stopped_while_kport_opened(self):
        self.page.execute_script("location.reload()")
        self.page.get(self.url)
        WebDriverWait(self.page, 30, 0.01).until(lambda page: page.execute_script(
            "if (!window.kportLab || kportLab.settled) return false; document.getElementById('stop').click(); return document.getElementById('error').textContent !== ''"))
        self.type("command", "run broadcast --on hypercube:3")
        self.assertEqual(self.find("error").text, "")
        self.assertEqual(self.find("operation").get_attribute("value"), "broadcast")


@unittest.skipIf(ONE_FILE, "of the server")
class Server(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen([KPORT, "lab", "--no-open"], stdout=subprocess.PIPE, text=True, cwd=self.folder.name)
        self.page = browser()
        self.page.get(self.server.stdout.readline().strip())
        self.until("return window.kportLab && kportLab.settled")

    def tearDown(self):
        self.page.quit()
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGCONT)
            self.server.kill()
            self.server.wait()
        self.server.stdout.close()
        self.folder.cleanup()

    def until(self, script, seconds=60):
        WebDriverWait(self.page, seconds, 0.1).until(lambda page: page.execute_script(script))

    def run_long(self):
        box = self.page.find_element("id", "command")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys("run alltoall --on hypercube:12", Keys.ENTER)
        self.until("return document.getElementById('busy').textContent.includes('round')")

    def says_that_it_is_gone(self):
        self.until("return kportLab.settled")
        told = {name: self.page.find_element("id", name) for name in ("error", "busy", "stop")}
        self.assertEqual(told["error"].text, "kport lab does not answer: it has ended, or hangs. Start `kport lab` again, and open the address that it prints")
        self.assertEqual([told["busy"].text, told["stop"].is_displayed()], ["", False])

    def test_says_that_the_server_ended_during_a_run(self):
        self.run_long()
        self.server.kill()
        self.server.wait()
        begin = time.monotonic()
        self.says_that_it_is_gone()
        self.assertLess(time.monotonic() - begin, 10)

    def test_says_that_the_server_hangs_during_a_run(self):
        self.run_long()
        self.server.send_signal(signal.SIGSTOP)
        self.says_that_it_is_gone()

    def test_stop_ends_a_run_and_the_next_request_is_answered(self):
        self.run_long()
        self.page.find_element("id", "stop").click()
        self.until("return kportLab.settled")
        self.assertEqual(self.page.find_element("id", "error").text, "The run was stopped, or came to its limit of time or rounds: this is what it did until then.")
        box = self.page.find_element("id", "command")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys("run broadcast --on hypercube:3", Keys.ENTER)
        self.until("return kportLab.settled")
        self.assertEqual(self.page.find_element("id", "error").text, "")


if __name__ == "__main__":
    main()
