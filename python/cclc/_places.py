"""How files are named in plans and messages."""

import os
import sys


def _cell(path):
    """The number of the notebook's cell whose code has this name; None if there is none."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(getattr(shell, "compile", None), "_filename_map", {}).get(path)


def shown(path):
    """The cell of a notebook as In[5]; a path below the current folder without the name of the folder; others as
    they are."""
    cell = _cell(path)
    if cell is not None:
        return f"In[{cell}]"
    folder = os.getcwd() + os.sep
    return path[len(folder):] if path.startswith(folder) else path
