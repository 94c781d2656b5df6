"""The notebooks of examples/notebooks run, and what they show can be shown."""

import ast
import json
import os
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent.parent.parent / "examples" / "notebooks"


def run(path):
    """Executes the cells of a notebook. Returns the values of their last expressions."""
    names, shown = {"__name__": "__main__"}, []
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"]), f"{path.name}[{number}]")
        last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, f"{path.name}[{number}]", "exec"), names)  # pylint: disable=exec-used
        if last:
            value = eval(compile(ast.Expression(last.value), f"{path.name}[{number}]", "eval"),  # pylint: disable=eval-used
                         names)
            shown.append(value)
    return shown


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    monkeypatch.setenv("PATH", os.environ["CCLC_BIN"], prepend=os.pathsep)
    monkeypatch.setenv("MPLBACKEND", "agg")
    forms = ("_repr_html_", "_repr_svg_")
    rich = [[getattr(value, form)() for form in forms if hasattr(value, form)] for value in run(path)]
    rich = [next(filter(None, forms)) for forms in rich if forms]
    assert len(rich) >= 2 and all(text.startswith("<") for text in rich)
