"""The process: threads, signals, memory, the start, the program behind python -m kport."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import kport
from program import program


def python(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **options)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class AProcess(unittest.TestCase):
    def test_runs_requests_of_many_threads_at_once(self):
        texts = []

        def ask():
            for on in ("ring:5", "hypercube:6", "mesh:4x4"):
                texts.append((on, kport.run("scatter", on=on, reproducible=True).json))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(texts), len(set(texts))), (24, 3))

    def test_goes_on_in_other_threads_meanwhile(self):
        counted = 0
        over = threading.Event()
        thread = threading.Thread(target=lambda: (kport.run("broadcast", on="hypercube:16"), over.set()))
        thread.start()
        while not over.is_set():
            counted += 1
        thread.join()
        self.assertGreater(counted, 1000)

    def test_stops_within_a_second_of_ctrl_c(self):
        for code in ("kport.run('broadcast', on='ring:4000000')", "kport.search('allgather', on='petersen', mode='telegraph', for_='1h')",
                     "kport.run(endless, operation='broadcast', on='ring:4')"):
            start = ("import kport, sys, time\ndef endless(self):\n    while True: pass\n    yield\n"
                     f"print('ready', flush=True)\ntry:\n    {code}\nexcept KeyboardInterrupt: print('interrupted')")
            with self.subTest(code), subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE,
                                                      stderr=subprocess.PIPE, text=True) as child:
                self.assertEqual(child.stdout.readline(), "ready\n")
                time.sleep(0.7)
                begun = time.monotonic()
                child.send_signal(signal.SIGINT)
                out, errors = child.communicate(timeout=60)
                self.assertEqual(out, "interrupted\n", errors)
                self.assertLess(time.monotonic() - begun, 3)  # a second on a computer with nothing else to do

    def test_raises_what_a_signal_handler_raises(self):
        done = python("import kport, signal\ndef handle(*_): raise OSError('mine')\nsignal.signal(signal.SIGALRM, handle)\n"
                      "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
                      "try: kport.run('broadcast', on='ring:4000000')\nexcept OSError as e: print(e)")
        self.assertEqual(done.stdout, "mine\n", done.stderr)

    def test_shows_progress_to_whom_asks_for_it(self):
        class Enough(Exception):
            pass

        def show(round, messages, reached, nodes):
            if round > 0:
                self.assertEqual(nodes, 4000000)
                raise Enough

        with self.assertRaises(Enough):
            kport.run("broadcast", on="ring:4000000", progress=show)

    def test_leaks_nothing_over_1000_runs(self):
        def binomial(self):
            if not self.is_source:
                yield self.receive()
            for port in range(self.ports):
                yield self.send(port)

        def runs(times):
            for _ in range(times):
                kport.run("broadcast", on="hypercube:4")
            for _ in range(times // 10):
                kport.run(binomial, operation="broadcast", on="hypercube:3")
                try:
                    kport.run("broadcast", on="nothing:3")
                except kport.RequestError:
                    pass
            gc.collect()

        runs(100)
        before = resident_bytes()
        runs(1000)
        self.assertLess(resident_bytes() - before, 5 << 20)

    def test_imports_without_what_is_not_needed(self):
        done = python("import kport, sys; print([name for name in ('numpy', 'networkx', 'pandas', 'tqdm') if name in sys.modules])")
        self.assertEqual(done.stdout, "[]\n", done.stderr)

    def test_imports_in_a_tenth_of_a_second(self):
        def time_of(code):
            return min(float(python(f"import time; start = time.process_time(); {code}; print(time.process_time() - start)").stdout)
                       for _ in range(5))

        self.assertLess(time_of("import kport"), 0.1)

    def test_lives_on_in_a_child(self):
        done = python("import kport, os\nkport.run('broadcast', on='hypercube:14')\nif os.fork() == 0:\n"
                      "    print(kport.run('broadcast', on='hypercube:14').lawful, flush=True); os._exit(0)\nos.wait()", )
        self.assertEqual(done.stdout, "True\n", done.stderr)

    def test_is_the_program_as_a_module(self):
        for words in (["run", "broadcast", "--on", "hypercube:3", "--reproducible"], ["run", "broadcast", "--on", "nothing:3"],
                      ["run", "broadcast", "--on", "ring:5", "--ports", "all", "--algorithm", "flooding", "--reproducible"],
                      ["--version"], ["new", "broadcast"]):
            done = subprocess.run([sys.executable, "-m", "kport", *words], capture_output=True, text=True,
                                  env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"})
            self.assertEqual((done.returncode, done.stdout, done.stderr), program(*words))
        self.assertEqual(kport.__version__, program("--version")[1].split()[1])
