"""usage: check_per_channel.py FILE: counts the threadblocks on each channel of each rank."""

import collections
import sys
import xml.etree.ElementTree as tree

for gpu in tree.parse(sys.argv[1]).getroot():
    for side in ("send", "recv"):
        count = collections.Counter(tb.get("chan") for tb in gpu if tb.get(side) != "-1")
        assert max(count.values()) <= 32, (gpu.get("id"), side, count)
        assert sum(count.values()) == 63, (gpu.get("id"), side, count)
