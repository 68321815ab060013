"""python -m kport: the program, which the package carries."""

import os
import sys

from ._requests import program_path


def main():
    try:
        os.execvp(program_path(), ["kport", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kport: the program is not installed: {error}")


if __name__ == "__main__":
    main()
