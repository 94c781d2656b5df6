"""Targets that have every key of the format, by family and shape."""

LINK = {"bandwidth": 1e9, "propagation": 1e-6}

COMMON = {
    "version": 1, "description": "every key", "network": "cut-through", "launch": 1e-6, "launch_interval": 1e-6,
    "flit_size": 128, "routing_seed": 1,
    "pe": {"streams": 4, "dispatch": 1e-9, "local_dispatch": 1e-9, "wait": 1e-9, "nop": 1e-9,
           "threadblock_bandwidth": 1e9, "dma_bandwidth": 1e9,
           "math": {"latency": 1e-9, "cycle": 1e-9, "bytes_per_cycle": 64, "operands": 3},
           "copy": {"latency": 1e-9, "cycle": 1e-9, "bytes_per_cycle": 64}},
    "processors": {"count": 4, "copy_bandwidth": 1e9, "latency": 1e-9, "fetch_bandwidth": 1e9,
                   "direct": 4096, "cache": 1048576, "memory_factor": 2},
    "mscclpp": {"launch": 1e-6, "dispatch": 1e-9, "nop": 1e-9, "barrier": 1e-9, "semaphore": 1e-9,
                "signal": 1e-9, "wait": 1e-9, "slice": 4096,
                "memory": {"latency": 1e-9, "bandwidth": 1e9},
                "packet": {"latency": 1e-9, "bandwidth": 1e9},
                "port": {"trigger": 1e-9, "transfer": 1e-9, "signal": 1e-9}},
    "switch": {"multicast": "on", "reduction": "off", "latency": 1e-9, "payload_efficiency": 0.5},
    "limits": {"channels": 8, "threadblocks": 8, "steps_per_threadblock": 64, "count": 64,
               "queue_pairs": 64},
}

PROTOCOL = {"launch": 1e-6, "step_latency": 1e-9, "slots": 4, "slot_size": 65536, "chunks": 4,
            "slices": 2, "slice_latency": 1e-9, "slice_minimum": 1024, "streaming": "on",
            "trip": 4096, "trip_time": 1e-9, "payload_efficiency": 0.5}

QUEUE = {"slots": 4, "slot_size": 65536, "slot_memory": "sram", "slot_access": "off",
         "send_overhead": 1e-9, "receive_overhead": 1e-9, "credit_size": 16,
         "credit_blocks_receiver": "on",
         "access": {memory: {"latency": 1e-9, "bandwidth": 1e9, "second_bandwidth": 1e9}
                    for memory in ("tcm", "sram", "hbm")}}

TIERS = [{"radix": 4, "links": 2, "oversubscription": 1, "bandwidth": 1e9, "propagation": 1e-6,
          "overhead": 1e-9, "name": "leaf"},
         {"down": 2, "up": 1, "links": 2, "bandwidth": 1e9, "propagation": 1e-6, "overhead": 1e-9,
          "name": "spine"},
         {"down": 2, "bandwidth": 1e9, "propagation": 1e-6, "overhead": 1e-9, "name": "top"}]

DRAGONFLY = {"groups": 2, "routers": 2, "endpoints": 2, "global_links": 1, "overhead": 1e-9,
             "local": LINK, "global": LINK}


def change(links):
    return [{"links": links, "bandwidth": 1e9, "propagation": 1e-6, "present": "on"}]


def graph(shape, **keys):
    return {**COMMON, "name": shape, "family": "graph", "shape": shape,
            "queue": {**QUEUE, "one_sided_reads": "off"},
            "routing": "shortest", "memory": {"capacity": 1 << 30}, "link_changes": change("*->*"),
            "protocols": {name: PROTOCOL for name in ("Simple", "LL", "LL128")}, **keys}


def switched(shape, **keys):
    return {**COMMON, "name": shape, "family": "switched",
            "queue": {**QUEUE, "one_sided_reads": "off"}, "routing": "shortest",
            "memory": {"capacity": 1 << 30}, "link_changes": change("node0.*->*"),
            "protocols": {name: PROTOCOL for name in ("Simple", "LL", "LL128")},
            "gpus_per_node": 2, "nodes": 2, "node_link": {**LINK, "switch_overhead": 1e-9},
            "nic": {"gpus_per_nic": 1, **LINK, "overhead": 1e-9, "fabric_overhead": 1e-9,
                    "host_bandwidth": 1e9, "host_propagation": 1e-9},
            "fabric": {"shape": shape, **keys}}


AHBM = {**COMMON, "name": "ahbm", "family": "ahbm", "routing": "dimension-order",
        "ipcq": {**QUEUE, "queues": {"intra": 4, "cube": 4, "global": 4}, "multiplex": "on",
                 "switch_time": 1e-9},
        "link_changes": change("*.io0.io_noc->*"),
        "protocols": {name: PROTOCOL for name in ("Simple", "LL", "LL128")},
        "sips": {"count": 2, "topology": "torus_2d", "width": 2, "height": 1, "links": "direct",
                 "link_bandwidth": 1e9, "link_length": 1e-2},
        "cubes": {"width": 2, "height": 1, "pes": 8}, "seconds_per_metre": 1e-8,
        "noc": {"bandwidth": 1e9, "pe_bandwidth": 1e9, "router_pitch": 1e-3, "hop_latency": 1e-9,
                "router_overhead": 1e-9},
        "ucie": {"connection_bandwidth": 1e9, "port_overhead": 1e-9, "connection_overhead": 1e-9,
                 "length": 1e-3, "connection_of_pe": [0, 1, 2, 3, 0, 1, 2, 3]},
        "io": {"phys": 2, "bandwidth": 1e9, "noc_overhead": 1e-9, "cpu_overhead": 1e-9,
               "pcie_overhead": 1e-9, "switch_overhead": 1e-9, "length": 1e-3},
        "memory": {"hbm_bandwidth": 1e9, "sram_bandwidth": 1e9, "tcm_bandwidth": 1e9,
                   "tcm_capacity": 1 << 24, "sram_capacity": 1 << 24, "hbm_capacity": 1 << 30,
                   "scratch": "hbm", "buffers": "hbm", "load_store": "on", "dma_overhead": 1e-9,
                   "completion": 1e-9, "hbm_channels": 2, "hbm_burst": 128}}

DIMENSION = {"size": 2, "name": "x", **LINK}

SAMPLES = [
    AHBM,
    switched("switch"), switched("rails"),
    switched("fat_tree", rails="on", tiers=TIERS),
    switched("dragonfly", rails="off", dragonfly=DRAGONFLY),
    graph("list",
          nodes=[{"name": "a", "overhead": 1e-9, "endpoint": "on", "tier": 0},
                 {"name": "b", "overhead": 1e-9, "endpoint": "on", "tier": 0}],
          links=[{"from": "a", "to": "b", "duplex": "on", "links": 1, **LINK}],
          levels=[{"name": "rank", "width": 2, "height": 1, "kind": "flat"}]),
    graph("ring", ranks=4, link=LINK), graph("line", ranks=4, link=LINK),
    graph("fully_connected", ranks=4, link=LINK),
    graph("mesh_2d", ranks=4, width=2, height=2, link=LINK),
    graph("torus_2d", ranks=4, width=2, height=2, link=LINK),
    graph("torus", ranks=3, link=LINK, absent=[1], dimensions=[DIMENSION, DIMENSION]),
    graph("mesh", ranks=3, link=LINK, absent=[1],
          dimensions=[{**DIMENSION, "links": 2}, {**DIMENSION, "block": 1, "border": LINK}]),
    graph("composed", ranks=3, link=LINK, absent=[1],
          dimensions=[{**DIMENSION, "kind": "ring"},
                      {**DIMENSION, "kind": "switch", "switch_overhead": 1e-9}]),
    graph("hypercube", ranks=4, link=LINK), graph("star", ranks=4, link=LINK, switch_overhead=1e-9),
    graph("fat_tree", ranks=4, link=LINK, tiers=TIERS),
    graph("dragonfly", ranks=8, link=LINK, dragonfly=DRAGONFLY),
]
