"""The program, which the module must agree with."""

import os
import subprocess

PROGRAM = os.environ["KPORT_PROGRAM"]


def program(*words, text=""):
    """Exit status, standard output and standard error of the program."""
    done = subprocess.run([PROGRAM, *words], input=text.encode(), capture_output=True, timeout=120,
                          env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"})
    return done.returncode, done.stdout.decode(), done.stderr.decode()
