"""Each notebook of docs/notebooks runs from its first cell to its last, and shows what stands in it.

KPORT_DOCS=update writes what the cells show into them."""

import ast
import contextlib
import io
import json
import os
import pathlib
import unittest


folder = pathlib.Path(os.environ["KPORT_SOURCE_DIR"]) / "docs/notebooks"


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """What a notebook shows of the value of a cell's last line."""
    data = {}
    picture = value._repr_svg_() if hasattr(value, "_repr_svg_") else None
    if picture:
        data["image/svg+xml"] = lines(picture)
    data["text/plain"] = lines("a picture" if picture else repr(value))
    return {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def outputs_of(source, names):
    """What a cell prints, and the value of its last line."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        value = eval(compile(last, "cell", "eval"), names) if last else None  # noqa: S307
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    return outputs + ([shown(value)] if value is not None else [])


class ANotebook(unittest.TestCase):
    def check(self, path):
        notebook = json.loads(path.read_text())
        names = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            source = "".join(cell["source"])
            outputs = outputs_of(source, names)
            if os.environ.get("KPORT_DOCS") == "update":
                cell["outputs"] = outputs
            self.assertEqual(cell["outputs"], outputs, f"{path.name}: {source}")
        if os.environ.get("KPORT_DOCS") == "update":
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")

    def test_shows_what_its_cells_make(self):
        paths = sorted(folder.glob("*.ipynb"))
        self.assertGreaterEqual(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                try:
                    self.check(path)
                except ImportError as error:
                    self.skipTest(str(error))


if __name__ == "__main__":
    unittest.main()
