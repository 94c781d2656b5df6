"""Compiles copies of chunks.cpp with unusual names in folders with unusual names, before and after an edit of the
header beside them; and once each with names that look like options."""
import os
import re
import shutil
import subprocess


def compiled(folder, name, chunks, path):
    with open(os.path.join(folder, "here.h"), "w") as header:
        header.write(f"#define CHUNKS {chunks}\n")
    run = subprocess.run(["cclc", "--emit=text", "--", path], cwd=folder, stdout=subprocess.PIPE, text=True)
    return re.search(r"chunks \d+", run.stdout).group()


for name in ("a#$b: c.cpp", "a\\b\tc\nd%'\".cpp"):
    folder = os.path.abspath(name + ".d")
    os.makedirs(folder)
    shutil.copy("chunks.cpp", os.path.join(folder, name))
    print(compiled(folder, name, 4, folder + "/" + name) + ", then " + compiled(folder, name, 5, folder + "/" + name))
for name in ("-x.cpp", "@file.cpp"):
    shutil.copy("chunks.cpp", name)
    print(compiled(".", name, 4, name))
