"""The examples of docs/python.md are run, and the stubs are those of the tables."""

import doctest
import os
import pathlib
import re
import subprocess
import sys
import unittest

import kport
from kport import _stubs

root = pathlib.Path(os.environ["KPORT_SOURCE_DIR"])


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


class ThePage(unittest.TestCase):
    @unittest.skipUnless(has("numpy") and has("networkx"), "numpy and networkx are not installed")
    def test_shows_what_its_examples_print(self):
        text = (root / "docs/python.md").read_text()
        blocks = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
        if not has("pandas"):
            blocks = re.sub(r">>> .*to_pandas.*\n(?:[^>\n].*\n)*", "", blocks)
        test = doctest.DocTestParser().get_doctest(blocks, {}, "docs/python.md", "docs/python.md", 0)
        self.assertGreaterEqual(len(test.examples), 12)
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
        self.assertEqual(result.failed, 0)


class TheStubs(unittest.TestCase):
    def test_are_those_of_the_tables(self):
        stub = root / "bindings/python/kport/__init__.pyi"
        self.assertEqual(_stubs.text(), stub.read_text(), f"python -m kport._stubs > {stub} writes it")

    @unittest.skipUnless(has("mypy"), "mypy is not installed")
    def test_are_what_mypy_accepts(self):
        code = ("import kport\nr = kport.run('broadcast', on='ring:4', ports=1)\nx: bool = r.lawful\n"
                "kport.check([(1, 0, 1, 0)], operation='broadcast', on='ring:4').raise_if_broken()\n"
                "kport.bounds('scatter', on='ring:4', for_=1)\n")
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", "-c", code],
                              capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(root / "bindings/python")})
        self.assertRegex(done.stdout, r'^<string>:5: error: Unexpected keyword argument "for_" for "bounds"')
        self.assertEqual(done.stdout.count("error"), 2, done.stdout)  # and the line that counts them
