"""Properties of the steps of a JSON plan, computed independently of the tools."""


def messages(step):
    """Whether a step receives and whether it sends."""
    return step["op"].startswith("r") and step["op"] != "re", step["op"].endswith("s")


def longest_path(plan):
    """Steps on the longest path, without `nop`, with unlimited slots and equal step times."""
    blocks = [(rank["rank"], tb) for rank in plan["ranks"] for tb in rank["threadblocks"]]
    done = {(rank, tb["tb"]): [] for rank, tb in blocks}
    queues = {}
    progress = True
    while progress:
        progress = False
        for rank, tb in blocks:
            ends = done[rank, tb["tb"]]
            for step in tb["steps"][len(ends):]:
                start = ends[-1] if ends else 0
                receives, sends = messages(step)
                if "wait" in step:
                    other = done[rank, step["wait"][0]]
                    if len(other) <= step["wait"][1]:
                        break
                    start = max(start, other[step["wait"][1]])
                if receives:
                    queue = queues.get((tb["recv"], rank, tb["channel"]))
                    if not queue:
                        break
                    start = max(start, queue.pop(0))
                ends.append(start + (step["op"] != "nop"))
                if sends:
                    queues.setdefault((rank, tb["send"], tb["channel"]), []).append(ends[-1])
                progress = True
    assert all(len(done[rank, tb["tb"]]) == len(tb["steps"]) for rank, tb in blocks)
    return max((ends[-1] for ends in done.values() if ends), default=0)
