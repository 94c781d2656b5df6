#!/usr/bin/env python3
"""Compares times of MSCCL++ plans on DGX H100 with published ones.

usage: check_mscclpp.py BINDIR

The plans are an all-reduce of 8 ranks in which the switch adds and multicasts, written by hand and
chosen by -O3 among variants of the program allreduce_nvls, and an all-reduce of two nodes of 8 ranks
with packets and proxies. docs/machine-model.md has the table. The algorithms that -O3 compiles are
in the order of those that are published: packets for small buffers, then the switch before reads of
the memory of the peers. On two nodes 4 threadblocks are faster for large buffers.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SWITCH = {KIB: 6.4, 16 * KIB: 6.5, 32 * KIB: 6.5, 64 * KIB: 6.6, 128 * KIB: 6.8, 256 * KIB: 7.4,
          512 * KIB: 8.3, MIB: 10.3, 4 * MIB: 22, 16 * MIB: 68, 64 * MIB: 252, GIB: 3900}
NODES = {KIB: 15.3, 16 * KIB: 15.9, 32 * KIB: 16.2, 64 * KIB: 16.9, 128 * KIB: 18.2,
         256 * KIB: 20.4, 512 * KIB: 25.3, MIB: 32.7}
TOLERANCE = 0.25


def plan(name, gpus, **header):
    return {"name": name, "collective": "allreduce", "protocol": "Simple", "inplace": True,
            "reuse_resources": False, "use_double_scratch_buffer": False, "buffer_alignment": 16,
            "num_threads_per_block": 1024, "min_message_size": 0, **header, "gpus": gpus}


def through_switch(ranks=8):
    """Every threadblock of a rank lets the switch add one of its chunks."""
    def round_of(op):
        return [{"name": "nop"}, {"name": "rlx" + op, "channel_ids": list(range(ranks - 1)),
                                  "channel_type": "memory"}]

    def threadblock(rank, t):
        place = {"switch_channel_id": 0, "index": rank * ranks + t, "size": 1}
        sum_up = {"name": "glres", "src_buff": [place], "dst_buff": [place],
                  "channel_type": "switch", "reduce_op": "sum"}
        frame = round_of("signal") + round_of("wait") + [{"name": "nop"}]
        return {"id": t, "ops": frame + [sum_up] + frame,
                "channels": [{"channel_type": "memory",
                              "channel_ids": [p * ranks + t for p in range(ranks - 1)]},
                             {"channel_type": "switch", "channel_ids": [t]}],
                "remote_buffer_refs": []}

    gpus = []
    for r in range(ranks):
        peers = [p for p in range(ranks) if p != r for _ in range(ranks)]
        group = {"channel_type": "switch", "buffer_type": "i",
                 "rank_groups": [{"size": ranks, "ranks": list(range(ranks))}] * ranks}
        gpus.append({"id": r, "input_chunks": ranks * ranks, "output_chunks": ranks * ranks,
                     "scratch_chunks": 0, "channels": [{"channel_type": "memory",
                                                        "connected_to": peers}, group],
                     "remote_buffers": [], "semaphores": [],
                     "threadblocks": [threadblock(r, t) for t in range(ranks)]})
    return plan("switch", gpus)


def two_nodes(share, nodes=2, each=8):
    """Packets inside a node, then to the same rank of the other node, then inside again. `share`
    threadblocks share every operation, for each of the other ranks of the node."""
    ranks = nodes * each
    gpus = []
    for r in range(ranks):
        base, local = r - r % each, r % each
        peers = [base + p for p in range(each) if p != local]
        other = (r + each) % ranks
        mine = {"type": "i", "index": 2 * local, "size": 2}

        def scratch(index):
            return {"type": "s", "index": index, "size": 2}

        def part(op, number, parts):
            return {**op, "tbg_info": {"tb_id": number, "tbg_size": parts}} if parts > 1 else op

        blocks = []
        own = scratch(2 * local)
        total = share * len(peers)
        for t in range(total):
            p, s = divmod(t, share)
            peer = peers[p] - base
            send = {"name": "ppkt", "channel_type": "memory",
                    "src_buff": [{"type": "i", "index": 2 * peer, "size": 2}],
                    "dst_buff": [{"buffer_id": 0, "index": 2 * local, "size": 2}]}
            sum_up = {"name": "recpkt", "reduce_op": "sum",
                      "src_buff": [mine] + [scratch(2 * (q - base)) for q in peers],
                      "dst_buff": [mine, own]}
            barrier = {"name": "barrier", "barrier_id": 0, "num_threadblocks": total + 1}
            again = {"name": "recpkt", "reduce_op": "sum",
                     "src_buff": [mine, scratch(ranks + 2 * local)],
                     "dst_buff": [mine, scratch(2 * ranks)]}
            forward = {"name": "rppkt", "channel_type": "memory", "src_buff": [scratch(2 * ranks)],
                       "dst_buff": [{"buffer_id": 0, "index": ranks + 2 * local, "size": 2}]}
            unpack = {"name": "upkt", "src_buff": [scratch(ranks + 2 * peer)],
                      "dst_buff": [{"type": "i", "index": 2 * peer, "size": 2}]}
            blocks.append({"id": t + 1,
                           "ops": [part(send, s, share), part(sum_up, t, total), barrier,
                                   part(again, t, total), part(forward, s, share),
                                   part(unpack, s, share)],
                           "channels": [{"channel_type": "memory", "channel_ids": [p]}],
                           "remote_buffer_refs": [{"access_channel_type": "memory",
                                                   "remote_buffer_ids": [p]}]})
        proxy = {"id": 0, "ops": [{"name": "barrier", "barrier_id": 0,
                                   "num_threadblocks": total + 1},
                                  {"name": "ppkt", "channel_type": "port", "channel_ids": [0],
                                   "src_buff": [own],
                                   "dst_buff": [{"buffer_id": 0, "index": ranks + 2 * local,
                                                 "size": 2}]}],
                 "channels": [{"channel_type": "port", "channel_ids": [0]}],
                 "remote_buffer_refs": [{"access_channel_type": "port",
                                         "remote_buffer_ids": [len(peers)]}]}
        remotes = [{"rank": p, "type": "s", "access_channel_types": ["memory"]} for p in peers]
        remotes.append({"rank": other, "type": "s", "access_channel_types": ["port"]})
        gpus.append({"id": r, "input_chunks": 2 * each, "output_chunks": 2 * each,
                     "scratch_chunks": 2 * ranks + 2,
                     "channels": [{"channel_type": "memory", "connected_to": peers},
                                  {"channel_type": "port", "connected_to": [other]}],
                     "remote_buffers": remotes, "semaphores": [],
                     "threadblocks": [proxy] + blocks})
    return plan("nodes", gpus, protocol="LL", use_double_scratch_buffer=True)


def compiled(bindir, program, low, high, *options):
    """A plan that is chosen for sizes from low to high."""
    done = subprocess.run([pathlib.Path(bindir) / "cclc", program, "--target", "dgx-h100", "--ranks",
                           "8", "-O3", "--min-bytes", str(low), "--max-bytes", str(high), "--emit",
                           "mscclpp", *options], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def order_of_algorithms(bindir, folder):
    """Returns what is not in the order of the published algorithms of one node."""
    packets, direct, switch = (
        {size: times(bindir, folder, compiled(bindir, program, size, size, *options), [size])[size]
         for size in (4 * KIB, 16 * MIB)}
        for program, *options in [("allreduce_allpairs", "--protocol", "LL"),
                                  ("allreduce_allpairs", "--protocol", "Simple"),
                                  ("allreduce_nvls", "--protocol", "Simple")])
    small, large = 4 * KIB, 16 * MIB
    print(f"{small}: packets {packets[small]}, direct {direct[small]}, switch {switch[small]}")
    print(f"{large}: packets {packets[large]}, direct {direct[large]}, switch {switch[large]}")
    right = [packets[small] < min(direct[small], switch[small]),
             switch[large] < direct[large] < packets[large]]
    one, four = (times(bindir, folder, two_nodes(share), [MIB])[MIB] for share in (1, 4))
    print(f"two nodes {MIB}: 1 threadblock {one}, 4 threadblocks {four}")
    right.append(four < one)
    return [] if all(right) else ["the order of the algorithms"]


def times(bindir, folder, made, sizes):
    path = pathlib.Path(folder) / "plan.json"
    path.write_text(json.dumps(made))
    low, high = min(sizes), max(sizes)
    done = subprocess.run([pathlib.Path(bindir) / "ccl-sim", path, "--target", "dgx-h100",
                           "--sweep", f"{low}:{high}", "--json", "-"], capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return {row["bytes"]: row["time_ns"] / 1000 for row in json.loads(done.stdout)["results"]}


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        small = {size: time for size, time in NODES.items() if size <= 64 * KIB}
        large = {size: time for size, time in NODES.items() if size > 64 * KIB}
        middle = {size: time for size, time in SWITCH.items() if 128 * KIB <= size <= 16 * MIB}
        chosen = compiled(sys.argv[1], "allreduce_nvls", min(middle), max(middle))
        for name, made, published in [("switch", through_switch(), SWITCH),
                                      ("switch, chosen", chosen, middle),
                                      ("two nodes", two_nodes(1), small),
                                      ("two nodes, 4 threadblocks", two_nodes(4), large)]:
            simulated = times(sys.argv[1], folder, made, published)
            for size, want in published.items():
                print(f"{name} {size}: {want} / {simulated[size]:.1f}")
                if abs(simulated[size] / want - 1) > TOLERANCE:
                    problems.append(f"{name} at {size} bytes: {simulated[size]:.2f} us, "
                                    f"published {want} us")
        problems += order_of_algorithms(sys.argv[1], folder)
    sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
