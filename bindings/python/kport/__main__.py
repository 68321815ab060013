"""python -m kport: the program, which the package carries."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kport")
    if not os.path.exists(program):
        program = "kport"  # of the Debian package
    try:
        os.execvp(program, ["kport", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kport: the program is not installed: {error}")


if __name__ == "__main__":
    main()
