"""pip install . builds the module and the program by CMake. KPORT_BUILD=FOLDER uses a build that is there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent


class ByCMake(build_ext):
    def build_extension(self, extension):
        build = Path(os.environ.get("KPORT_BUILD", root / "build" / f"pip-{sys.version_info[0]}.{sys.version_info[1]}"))
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.check_call(["cmake", "-S", root, "-B", build, "-DKPORT_PYTHON=ON", "-DKPORT_TESTS=OFF",
                               "-DKPORT_EXAMPLES=OFF", f"-DPython_EXECUTABLE={sys.executable}"])
        subprocess.check_call(["cmake", "--build", build, "--parallel", jobs, "--target", "kport_python_package"])
        place = Path(self.get_ext_fullpath(extension.name)).parent
        place.mkdir(parents=True, exist_ok=True)
        for file in [*(build / "python" / "kport").glob("_kport*.so"), build / "kport"]:
            shutil.copy2(file, place)
            subprocess.call(["strip", "--strip-debug", place / file.name])


version = re.search(r"project\(kport VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
setup(version=version, ext_modules=[Extension("kport._kport", [])], cmdclass={"build_ext": ByCMake})
