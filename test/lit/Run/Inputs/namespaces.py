"""Executes plans by an Open MPI job on two nodes: network namespaces of this machine, joined by a wire.

usage: namespaces.py RANKS COMMAND...

Each namespace has its own host name and address, and half of the ranks. Prints what the job prints, and
the number of bytes that have passed the wire. Nothing remains: the namespaces end with the processes that
hold them. With --try alone, only tells by the exit code whether such namespaces can be made.
"""

import os
import re
import subprocess
import sys
import tempfile

NODES = ["ccl-a", "ccl-b"]


def inside(holder, *command):
    return ["nsenter", "-t", str(holder.pid), "-n", "-u", *command]


def hold(name):
    """Starts a process in namespaces of its own, which ends with this one."""
    script = f"hostname {name} && ip link set lo up && echo ready && exec cat"
    holder = subprocess.Popen(["unshare", "-n", "-u", "sh", "-c", script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    if holder.stdout.readline() != "ready\n":
        sys.exit("no namespaces can be made here")
    return holder


def connect(holders):
    first, second = holders
    run = lambda *command: subprocess.run(command, check=True, capture_output=True)
    run(*inside(first, "ip", "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", str(second.pid)))
    for number, holder in enumerate(holders, 1):
        run(*inside(holder, "ip", "address", "add", f"10.99.0.{number}/24", "dev", "wire"))
        run(*inside(holder, "ip", "link", "set", "wire", "up"))


def passed(holder):
    text = subprocess.run(inside(holder, "cat", "/proc/net/dev"), capture_output=True, text=True, check=True).stdout
    return int(re.search(r"wire: *(\d+)", text)[1])


def main():
    holders = [hold(name) for name in NODES]
    try:
        connect(holders)
        if sys.argv[1] == "--try":
            return 0
        ranks, command = int(sys.argv[1]), sys.argv[2:]
        with tempfile.TemporaryDirectory() as folder:
            agent = os.path.join(folder, "agent")
            with open(agent, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nshift\nexec {" ".join(inside(holders[1]))} sh -c "$*"\n')
            os.chmod(agent, 0o755)
            hosts = ",".join(f"{name}:{ranks // len(NODES)}" for name in NODES)
            settings = {"OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": agent, "OMPI_MCA_oob_tcp_if_include": "wire",
                        "OMPI_MCA_btl_tcp_if_include": "wire", "OMPI_MCA_orte_keep_fqdn_hostnames": "1"}
            launcher = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--host", hosts, "-n", str(ranks)]
            code = subprocess.run(inside(holders[0], *launcher, *command), env={**os.environ, **settings},
                                  timeout=100, check=False).returncode
        print(passed(holders[1]), "bytes have passed", flush=True)
        return code
    finally:
        for holder in holders:
            holder.stdin.close()
            holder.wait()


if __name__ == "__main__":
    sys.exit(main())
