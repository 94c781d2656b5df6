"""How files are named in plans and messages."""

import os


def shown(path):
    """A path below the current folder without the name of the folder; others as they are."""
    folder = os.getcwd() + os.sep
    return path[len(folder):] if path.startswith(folder) else path
