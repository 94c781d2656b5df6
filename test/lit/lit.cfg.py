# Golden tests: RUN lines in .ccl, .cpp, .xml and .test files, checked by FileCheck.
import glob
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "cclc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ccl", ".cpp", ".xml", ".json", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["output"]
os.makedirs(config.test_exec_root, exist_ok=True)

config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["bin"], lit_config.params["llvm_tools"], config.environment["PATH"]])
# Programs that tests compile are cached with the other outputs of the tests.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.environment["NO_COLOR"] = "1"
config.environment["LC_ALL"] = "C.UTF-8"
# Every run of ccl-opt checks that the printed program is parsed again as the same program.
config.substitutions.append(("%ccl_opt", "ccl-opt --verify-roundtrip"))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%utils", os.path.join(config.test_source_root, "..", "..", "utils")))
config.substitutions.append(("%bin", lit_config.params["bin"]))
config.substitutions.append(
    ("%include", os.path.join(os.path.dirname(lit_config.params["bin"]), "include")))
# Tests that take long, and of which other suites run the same code, do without sanitizers.
if "sanitized" in lit_config.params:
    config.available_features.add("sanitizers")
if shutil.which("dot"):
    config.available_features.add("graphviz")
if shutil.which("clang++-14"):
    config.available_features.add("clang-14")
if os.path.exists(os.path.join(os.environ.get("CCLC_CORPUS", ""), "topology", "index.tsv")):
    config.environment["CCLC_CORPUS"] = os.environ["CCLC_CORPUS"]
    config.available_features.add("topologies")
# Jobs of MPI start several processes on few cores, also as root in a container.
config.environment["OMPI_ALLOW_RUN_AS_ROOT"] = config.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
config.environment["HOME"] = config.test_exec_root
modules = os.path.join(os.path.dirname(lit_config.params["bin"]), "lib", "cclc")
config.substitutions.append(("%modules", modules))
# Only processes of this machine are started, without ssh.
config.environment["OMPI_MCA_plm"] = "isolated"


def starts_jobs(library):
    """Whether the launcher works here: a container may lack what it needs."""
    try:
        return subprocess.run(["mpirun." + library, "-n", "2", "true"], timeout=60,
                              env={**os.environ, **config.environment, "OMPI_MCA_rmaps_base_oversubscribe": "1"},
                              capture_output=True).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if shutil.which("gfortran"):
    config.available_features.add("fortran")
if shutil.which("hpcc"):
    config.available_features.add("hpcc")
for folder in glob.glob("/usr/lib/*/scalapack/openmpi-tests"):
    config.available_features.add("scalapack")
    config.substitutions.append(("%scalapack", os.path.dirname(folder)))
for library in ("openmpi", "mpich"):
    if "sanitized" in lit_config.params or not os.path.exists(os.path.join(modules, library, "transport.so")):
        continue
    if starts_jobs(library):
        config.available_features.add(library)
    else:
        lit_config.note(f"mpirun.{library} does not start jobs here: its tests are skipped")
# Nodes of a test are network namespaces, which the superuser can make where the kernel permits it.
trial = subprocess.run([sys.executable, os.path.join(config.test_source_root, "Run", "Inputs", "namespaces.py"), "--try"],
                       capture_output=True, check=False)
if trial.returncode == 0:
    config.available_features.add("namespaces")
elif "openmpi" in config.available_features:
    lit_config.note("network namespaces cannot be made here: tests of several nodes are skipped")
