#!/usr/bin/env python3
"""Opens reports in a browser and does what their readers do.

usage: check_report.py BIN [--screenshots FOLDER]

BIN has cclc and ccl-sim. Exits with 77 where Chromium and its driver are not installed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import webdriver

SELECTED = "const view = cclReport.views[arguments[0]]; return view.selected"


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Check:
    def __init__(self, browser, screenshots):
        self.browser = browser
        self.screenshots = screenshots

    def open(self, page):
        self.browser.forget()
        self.page = pathlib.Path(page).absolute().as_uri()
        started = time.monotonic()
        self.browser.open(page)
        self.browser.wait("the report is drawn", "return document.documentElement.dataset.rendered")
        self.browser.run("document.documentElement.style.scrollBehavior = 'auto'")
        self.name = pathlib.Path(page).stem
        shown = self.browser.run("return performance.getEntriesByName('rendered')[0].startTime") / 1000
        print(f"{self.name}: drawn after {shown:.2f} s of the page, {time.monotonic() - started:.2f} s in all")
        return shown

    def screenshot(self, name):
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{self.name}-{name}.png")

    def show(self, section):
        self.browser.run("document.getElementById(arguments[0]).scrollIntoView()", section)

    def equal(self, what, got, expected):
        assert got == expected, f"{self.name}: {what}: expected {expected!r}, got {got!r}"

    def true(self, what, holds):
        assert holds, f"{self.name}: {what}"

    def point(self, view, span):
        """Where the middle of what is seen of a span is in the window."""
        return self.browser.run(
            """const view = cclReport.views[arguments[0]], span = arguments[1], {spans} = view;
               const box = view.node.getBoundingClientRect(), row = spans.tb[span];
               const begin = Math.max(spans.begin[span], view.range[0]);
               const end = Math.min(spans.end[span], view.range[1]);
               const [x, y] = view.pixelOf((begin + end) / 2, row + 0.5);
               return [box.left + x, box.top + y]""", view, span)

    def range(self, view=0):
        return self.browser.run("return cclReport.views[arguments[0]].range", view)

    def ends_silent(self):
        """No errors, and nothing was loaded but the page itself."""
        severe = [m["message"] for m in self.browser.messages("browser") if m["level"] in ("SEVERE", "WARNING")]
        self.equal("messages in the console", severe, [])
        urls = []
        for entry in self.browser.messages("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                urls.append(event["params"]["request"]["url"])
        self.equal("requests", [url for url in urls if not url.startswith("data:")], [self.page])

    # --- What readers do ---------------------------------------------------------------------

    def theme(self):
        colours = []
        for _ in range(2):
            colours.append(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
            self.screenshot(self.browser.run("return document.documentElement.dataset.theme"))
            self.browser.run("document.getElementById('theme').click()")
        self.true("the theme changes the page", colours[0] != colours[1])
        self.equal("the theme after two changes",
                   self.browser.run("return getComputedStyle(document.body).backgroundColor"), colours[0])

    def contrast(self):
        """Text is readable: 4.5 to 1, as WCAG asks."""
        for _ in range(2):
            low = self.browser.run(
                """const light = (c) => c.match(/[\\d.]+/g).slice(0, 3).map((v) => {
                     v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                   }).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                   const ground = (node) => {
                     for (; node; node = node.parentElement) {
                       const c = getComputedStyle(node).backgroundColor;
                       if (!c.endsWith(', 0)')) return c;
                     }
                   };
                   const bad = [];
                   for (const node of document.querySelectorAll('h1,h2,h3,p,li,dt,dd,th,td,a,button,label')) {
                     if (!node.textContent.trim() || !node.offsetParent || node.disabled) continue;
                     const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
                     const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                     if (ratio < 4.5) bad.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${ratio}`);
                   }
                   return bad""")
            self.equal("text with little contrast", low, [])
            self.browser.run("document.getElementById('theme').click()")

    def hover(self, plan, view=0):
        """The tooltip names the step that the plan has there."""
        self.show("timeline")
        spans = self.browser.run(
            """const {spans, range, area} = cclReport.views[arguments[0]], seen = [];
               const pixel = (range[1] - range[0]) / area.width;
               for (let i = 0; i < spans.count && seen.length < 400; ++i)
                 if (spans.cause[i] === 1 && spans.end[i] - spans.begin[i] > 8 * pixel)
                   seen.push([i, spans.tb[i], spans.step[i], spans.begin[i], spans.end[i]]);
               return seen""", view)
        self.true("some steps are wide enough to point at", spans)
        for span, tb, step, begin, end in spans[:: max(1, len(spans) // 4)]:
            self.browser.move(*self.point(view, span))
            name, text = plan[step]
            tooltip = self.browser.wait(
                f"the tooltip is about {name}",
                "const t = document.getElementById('tooltip');"
                "return !t.hidden && t.textContent.startsWith(arguments[0]) && t.textContent", name)
            for part in (text, f"{begin / 1000:,.3f} ns to {end / 1000:,.3f} ns"):
                self.true(f"the tooltip of {name} has '{part}': {tooltip}", part in tooltip)
        self.screenshot("hover")
        self.browser.move(5, 5)
        self.browser.wait("the tooltip is gone", "return document.getElementById('tooltip').hidden")
        return spans

    def waits(self, senders):
        """The tooltip of a wait for a message names the step that sends it."""
        spans = self.browser.run(
            """const {spans, run} = cclReport.views[0], seen = [], rows = new Set();
               const link = run.plan.causeNames.indexOf('link');
               for (let i = 0; i < spans.count && seen.length < 60; ++i)
                 if (spans.cause[i] === link && !rows.has(spans.step[i])) {
                   rows.add(spans.step[i]);
                   seen.push([spans.step[i], cclReport.describe(0, i)[2][1]]);
                 }
               return seen""")
        self.true("some threadblocks wait for messages", spans)
        for step, reason in spans:
            self.equal(f"what step {step} waits for", reason, f"the message of {senders[step]} is on its way")

    def zoom(self):
        self.show("timeline")
        whole = self.browser.wait("all of it is seen",
                                  "const {range: [a, b], whole} = cclReport.views[0];"
                                  "return Math.abs(a) < 1 && Math.abs(b - whole) < 1 && [a, b]")
        box = self.browser.run(
            """const {node, area} = cclReport.views[0], box = node.getBoundingClientRect();
               return [box.left + area.x, box.top + area.y, area.width, area.height]""")
        x, y = box[0] + box[2] / 2, box[1] + min(box[3], 200) / 2
        changed = "const [a, b] = cclReport.views[0].range; return arguments[1] * (b - a) < arguments[1] * arguments[0]"
        self.browser.wheel(x, y, -400)
        self.browser.wait("the wheel zooms in", changed, (whole[1] - whole[0]) * 0.9, 1)
        near = self.range()
        self.browser.drag(x, y, x - box[2] / 4, y)
        self.browser.wait("dragging goes to later times",
                          "return cclReport.views[0].range[0] > arguments[0] + 1", near[0])
        self.browser.run("cclReport.views[0].node.focus()")
        self.browser.press("+")
        self.browser.wait("+ zooms in", changed, (near[1] - near[0]) * 0.9, 1)
        self.browser.press("-", "-")
        self.browser.wait("- zooms out", changed, (near[1] - near[0]) * 0.9, -1)
        self.browser.press("Home")
        self.browser.wait("Home shows everything",
                          "const [a, b] = cclReport.views[0].range;"
                          "return Math.abs(a) < 1 && Math.abs(b - arguments[0]) < 1", whole[1])

    def click(self, plan, spans, view=0):
        self.show("timeline")
        span, _, step, *_ = spans[len(spans) // 2]
        self.browser.click(*self.point(view, span))
        self.browser.wait("the span is selected",
                          "return cclReport.views[arguments[0]].selected === arguments[1]", view, span)
        details = self.browser.run("return document.getElementById('details').textContent")
        self.true(f"the details are about {plan[step][0]}: {details}", details.startswith(plan[step][0]))

    def path(self, segments):
        """An entry of the list is highlighted in the timeline, and the other way round."""
        self.show("timeline")
        self.browser.run("document.getElementById('path-list').focus()")
        self.browser.press("Down", "Down", "Down")
        marked = self.browser.wait("the third segment is marked",
                                   "const {marked} = cclReport.views[0];"
                                   "return cclReport.pathList.active === 2 && marked")
        cause, length, begin = segments[2]
        self.equal("begin of the third segment", round(marked["begin"]), begin)
        self.equal("its length", round(marked["end"] - marked["begin"]), length)
        text = self.browser.run("return document.querySelector('.entry[aria-selected=true]').textContent")
        self.true(f"the entry says {cause}: {text}", cause in text)
        self.browser.wait("the timeline shows it",
                          "const {range, marked} = cclReport.views[0];"
                          "return range[0] <= marked.begin + 1 && range[1] >= marked.end - 1")
        self.screenshot("path")
        self.browser.press("Up")
        self.browser.wait("up goes back", "return cclReport.pathList.active === 1")
        span = self.browser.run(
            """const view = cclReport.views[0], {path, spans} = view.run;
               const last = path.count - 1, span = spans.at(path.tb[last], path.begin[last]);
               cclReport.select({view, span, reveal: true});
               return [span, last]""")
        if span[0] is not None:
            chosen = self.browser.wait(
                "the list goes to a segment of the selected span",
                """const {active, entries} = cclReport.pathList, {path, spans} = cclReport.views[0].run;
                   if (active < 3) return null;
                   const i = entries[active].segment;
                   return path.tb[i] === spans.tb[arguments[0]] && path.begin[i] < spans.end[arguments[0]] &&
                     path.begin[i + 1] > spans.begin[arguments[0]]""", span[0])
            self.true("the segment is that of the span", chosen)
        self.browser.run("document.getElementById('path-lines').click()")
        lines = self.browser.run("return cclReport.pathList.entries.map((entry) => entry.length)")
        self.equal("the lines add up to the path", round(sum(lines)), sum(s[1] for s in segments))
        self.equal("what costs most is first", lines, sorted(lines, reverse=True))
        self.browser.run("document.getElementById('path-order').click()")
        self.browser.run("cclReport.select(null); cclReport.views[0].zoom(0, cclReport.views[0].whole)")

    def slider(self):
        """Another slice, other colours of links; the bytes of all slices are those of the links."""
        self.show("machine")
        colours = """const {chart, drawn} = cclReport.machine;
                     const data = chart.getModel().getSeries().find((s) => s.id === 'links').getData();
                     return drawn.map((_, i) => data.getItemGraphicEl(i).childOfName('line').style.stroke).join()"""
        whole = self.browser.run(colours)
        self.browser.run("document.getElementById('slice').focus()")
        seen = {whole}
        for _ in range(3):
            self.browser.press("Right")
            seen.add(self.browser.run(colours))
        self.true("the slider changes the colours of links", len(seen) > 1)
        now = self.browser.run(colours)
        self.browser.run("cclReport.machine.chart.dispatchAction({type: 'dataZoom', dataZoomIndex: 0, start: 20, end: 60})")
        self.equal("colours after a zoom", self.browser.run(colours), now)
        self.browser.run("cclReport.machine.chart.dispatchAction({type: 'dataZoom', dataZoomIndex: 0, start: 0, end: 100})")
        self.true("its text says which time: " + self.browser.run("return document.getElementById('slice-text').textContent"),
                  self.browser.run("return / to /.test(document.getElementById('slice-text').textContent)"))
        self.screenshot("slice")
        self.equal("bytes in slices",
                   self.browser.run("""const {slices, run} = cclReport.machine;
                       return run.links.map((use) => slices.get(use.id).reduce((a, b) => a + b))"""),
                   self.browser.run("return cclReport.machine.run.links.map((use) => use.bytes * cclReport.plans[0].repeat)"))
        size = "const {chart} = cclReport.machine; return chart.convertToPixel('grid', [1, 0])[0] - chart.convertToPixel('grid', [0, 0])[0]"
        small = self.browser.run(size)
        self.browser.run("document.getElementById('machine-chart').focus()")
        self.browser.press("+", "+", "Right")
        self.true("+ makes the machine larger", self.browser.run(size) > 1.9 * small)
        self.browser.press("Home")
        self.true("Home shows all of it", abs(self.browser.run(size) - small) < 1e-6)
        self.browser.run("document.getElementById('slice').focus()")
        self.browser.run("document.getElementById('play').click()")
        now = self.browser.run("return cclReport.machine.slice")
        self.browser.wait("it plays", "return cclReport.machine.slice !== arguments[0]", now)
        self.browser.press("Home")
        self.browser.wait("Home shows the whole run", "return cclReport.machine.slice === null")

    def links(self, links):
        """The list, and the tooltip on the drawing."""
        shown = self.browser.run("return cclReport.machine.run.links.map((l) => [cclReport.machine.linkName(l.id), l.bytes])")
        self.equal("the links of the run", shown, [[link["link"], link["bytes"]] for link in links])
        self.show("machine")
        x, y, name = self.browser.run(
            """const {machine} = cclReport, box = machine.node.getBoundingClientRect();
               let best = null;
               for (const {coords: [a, b], link} of machine.links()) {
                 const [p, q] = [a, b].map((c) => machine.chart.convertToPixel('grid', c));
                 const at = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2], size = Math.hypot(p[0] - q[0], p[1] - q[1]);
                 if (box.top + at[1] < innerHeight - 20 && (!best || size > best.size)) best = {at, size, link};
               }
               return [box.left + best.at[0], box.top + best.at[1], machine.linkName(best.link)]""")
        self.browser.move(x, y)
        tooltip = self.browser.wait(
            "a tooltip names a link",
            "const text = [...document.querySelectorAll('#machine-chart div')].map((d) => d.innerText).join();"
            "return / -> /.test(text) && text")
        self.true(f"it says how busy: {tooltip}", re.search(r"busy [\d.]+ % of the run", tooltip))
        self.screenshot("links")
        self.browser.move(5, 5)

    def reduction(self, ranks):
        """A reduced chunk has a leaf for each rank; a click goes to the step."""
        self.show("reduction")
        result = self.browser.run(
            """const {origin} = cclReport.plans[0], {root} = cclReport.reduction, leaves = [];
               const walk = (node) => node.children?.length ? node.children.forEach(walk) : leaves.push(node.name);
               walk(root);
               return leaves""")
        self.equal("ranks at the leaves", sorted({leaf.split()[0] for leaf in result}, key=lambda r: int(r[1:])),
                   [f"r{r}" for r in range(ranks)])
        self.equal("leaves", len(result), ranks)
        self.screenshot("reduction")
        step = self.browser.run(
            "const {root} = cclReport.reduction; cclReport.reduction.reveal(root); return root.step ?? root.moved.at(-1)")
        self.browser.wait("the step is selected in the timeline",
                          "const v = cclReport.views[0]; return v.selected !== null && v.spans.step[v.selected] === arguments[0]", step)
        self.show("reduction")
        self.browser.run("document.getElementById('cell-index').focus(); document.getElementById('cell-index').select()")
        self.browser.press(*"999999", "Enter")
        self.browser.wait("a chunk that is not there is refused",
                          "return /^There is no /.test(document.getElementById('reduction-note').textContent)")

    def deep_tree(self, ranks):
        """A part of a large tree is drawn, which stands for all of it, and the rest is behind it."""
        self.show("reduction")
        parts = """const ends = [];
                   const walk = (n) => (n.children.length ? n.children.forEach(walk) : ends.push(n));
                   walk(cclReport.reduction.visible(arguments[0] ? cclReport.reduction.behind : cclReport.reduction.root));
                   cclReport.reduction.behind = ends.find((n) => n.behind)?.behind;
                   return ends.map((n) => n.chunks)"""
        first = self.browser.run(parts, False)
        self.equal("chunks that the drawing stands for", sum(first), ranks)
        self.true(f"{len(first)} nodes can be read", len(first) <= 48)
        self.equal("chunks behind it", sum(self.browser.run(parts, True)), max(first))
        self.screenshot("tree")

    def keyboard(self):
        """Everything can be reached with Tab, and where the focus is can be seen."""
        self.browser.run("scrollTo(0, 0); document.activeElement.blur()")
        seen = []
        for _ in range(80):
            self.browser.press("Tab")
            name, outline = self.browser.run(
                "const e = document.activeElement;"
                "return [e.className || e.id || e.tagName, getComputedStyle(e).outlineStyle]")
            if name == "BODY" or name in seen and name == seen[0]:
                break
            self.true(f"the focus on {name} can be seen", outline != "none")
            seen.append(name)
        self.equal("the first stop", seen[0], "skip")
        for name in ("theme", "by-cause", "show-path", "timeline", "list", "play", "slice", "machine", "cell-rank"):
            self.true(f"Tab reaches {name}: {seen}", name in seen)

    def arrows(self):
        """From span to span in the timeline."""
        self.browser.run("cclReport.select(null); cclReport.views[0].node.focus()")
        self.browser.press("Right")
        first = self.browser.wait("something is selected", "const s = cclReport.views[0].selected; return s !== null && [s]")
        self.browser.press("Right")
        self.browser.wait("the next span", "return cclReport.views[0].selected === arguments[0]", first[0] + 1)
        self.browser.press("Left")
        self.browser.wait("the one before", "return cclReport.views[0].selected === arguments[0]", first[0])
        self.browser.press("Down")
        self.browser.wait("the next row", "const v = cclReport.views[0]; return v.spans.tb[v.selected] === 1")
        self.browser.press("Escape")
        self.browser.wait("nothing is selected", "return cclReport.views[0].selected === null")

    def table(self, results):
        rows = self.browser.run("return [...document.querySelectorAll('#size-table tbody tr')].map((r) => r.cells[1].innerText)")
        self.equal("times in the table", rows, [f"{r['time_ns']:,.3f} ns" for r in results])


def steps_of(path):
    """Name and source line of every step, in the order of the plan."""
    plan = json.loads(path.read_text())
    steps = []
    for rank in plan["ranks"]:
        for tb in rank["threadblocks"]:
            for number, step in enumerate(tb["steps"]):
                file, line = plan["locations"][step["loc"]][:2]
                steps.append((f"r{rank['rank']} tb{tb['tb']} step {number} ({step['op']})",
                              f"{plan['files'][file]}:{line}"))
    return steps


def senders_of(path):
    """By step that receives, the name of the step that sends to it: the n-th of a connection to the n-th."""
    sends, receives, number = {}, {}, 0
    for rank in json.loads(path.read_text())["ranks"]:
        for tb in rank["threadblocks"]:
            for local, step in enumerate(tb["steps"]):
                name = f"r{rank['rank']} tb{tb['tb']} step {local} ({step['op']})"
                if step["op"] in ("s", "rcs", "rrs", "rrcs"):
                    sends.setdefault((rank["rank"], tb["send"], tb["channel"]), []).append(name)
                if step["op"] in ("r", "rcs", "rrc", "rrs", "rrcs"):
                    receives.setdefault((tb["recv"], rank["rank"], tb["channel"]), []).append(number)
                number += 1
    return {step: name for key in receives for step, name in zip(receives[key], sends[key])}


def segments_of(result):
    """(cause, length, begin) of the critical path, in picoseconds."""
    return [(s["cause"], round(s["length_ns"] * 1000), round(s["from_ns"] * 1000))
            for s in result["critical_path"]["segments"]]


def check_sweep(check, args, folder):
    """An all-reduce of 32 cubes on AHBM, over four sizes: everything there is in a report."""
    plan, page, numbers = folder / "ahbm.json", folder / "ahbm.html", folder / "numbers.json"
    run(args.bin / "cclc", "allreduce_lrab", "--target", "ahbm", "-o", plan)
    run(args.bin / "ccl-sim", plan, "--sweep", "4K:256K:4", "--dtype", "f16", "--report", page,
        "--critical-path", "--json", numbers)
    results = json.loads(numbers.read_text())["results"]
    steps = steps_of(plan)
    check.open(page)
    check.theme()
    check.contrast()
    check.keyboard()
    check.table(results)
    spans = check.hover(steps)
    check.waits(senders_of(plan))
    check.zoom()
    check.click(steps, spans)
    check.path(segments_of(results[-1]))
    check.arrows()
    check.slider()
    check.links(results[-1]["links"])
    check.reduction(32)
    check.browser.run("const s = document.getElementById('size'); s.value = '0'; s.dispatchEvent(new Event('change'))")
    check.browser.wait("the smallest size is shown",
                       "return document.documentElement.dataset.size === arguments[0]", str(results[0]["bytes"]))
    check.hover(steps)
    check.ends_silent()


def check_comparison(check, args, folder):
    """Two plans for the same, on two nodes of GPUs: one time axis, and what differs."""
    new, old, page = folder / "new.json", folder / "old.json", folder / "comparison.html"
    run(args.bin / "cclc", "allreduce_hierarchical", "--target", "ndv4", "-o", new)
    run(args.bin / "cclc", "allreduce_ring", "--ranks", "16", "--target", "ndv4", "-o", old)
    run(args.bin / "ccl-sim", new, "--baseline", old, "--target", "ndv4", "--sweep", "64K:4M:8", "--report", page)
    times = {}
    for name, plan in (("new", new), ("old", old)):
        numbers = folder / f"{name}-numbers.json"
        run(args.bin / "ccl-sim", plan, "--target", "ndv4", "--bytes", "4M", "--json", numbers)
        times[name] = json.loads(numbers.read_text())["results"][0]["time_ns"]
    check.open(page)
    check.screenshot("overview")
    row = check.browser.run("return [...document.querySelectorAll('#comparison-table tbody tr')[0].cells].map((c) => c.innerText)")
    part = times["new"] / times["old"] - 1
    check.equal("the row of times", row[:3], ["time", f"{times['new']:,.3f} ns", f"{times['old']:,.3f} ns"])
    check.true(f"the change is {part}: {row[3]}", abs(int(row[3].rstrip(" %")) - 100 * part) <= 0.51)
    check.equal("one time axis", check.range(0), check.range(1))
    check.hover(steps_of(new), 0)
    check.hover(steps_of(old), 1)
    check.browser.run("cclReport.views[0].zoom(1e8, 2e8)")
    check.browser.wait("the other timeline follows",
                       "const [a, b] = cclReport.views[1].range; return Math.abs(a - 1e8) < 1 && Math.abs(b - 2e8) < 1")
    check.screenshot("timelines")
    check.browser.run("const s = document.getElementById('path-plan'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    check.true("the list has the path of the baseline", check.browser.run("return cclReport.pathList.view === cclReport.views[1]"))
    check.theme()
    check.ends_silent()


def check_large(check, args, folder):
    """A plan of 100,000 steps opens in less than three seconds and is quick to the hand."""
    plan, page = folder / "large.json", folder / "large.html"
    run(args.bin / "cclc", "allreduce_ring", "--ranks", "225", "-o", plan)
    run(args.bin / "ccl-sim", plan, "--target", "ring", "--bytes", "1M", "--report", page)
    check.true(f"{page.stat().st_size} bytes are few", page.stat().st_size < 3_000_000)
    shown = min(check.open(page) for _ in range(3))
    check.true(f"drawn in {shown} s, less than 3 s", shown < 3)
    check.true("100,000 steps", check.browser.run("return cclReport.plans[0].step.op.length") > 100_000)
    frame = check.browser.run(
        """const view = cclReport.views[0], times = [];
           for (let i = 1; i <= 15; ++i) {
             const begin = performance.now();
             view.applyRange([i * 1e6, view.whole - i * 1e6]);
             view.chart.getZr().flush();
             times.push(performance.now() - begin);
           }
           return times.sort((a, b) => a - b)[7]""")
    print(f"{check.name}: a zoom takes {frame:.1f} ms")
    check.true(f"a zoom takes {frame} ms", frame < 150)  # on a machine that does other things as well
    check.browser.run("cclReport.views[0].zoom(0, cclReport.views[0].whole)")
    check.zoom()
    check.browser.run("cclReport.views[0].zoom(1e8, 1.5e8); cclReport.views[0].zoomRows(3, 20)")
    check.browser.wait("the rows are near", "return cclReport.views[0].rowRange[1] < 21")
    check.screenshot("near")
    check.deep_tree(225)
    check.ends_silent()


def check_all(args, folder):
    browser = webdriver.Browser()
    try:
        for part in (check_sweep, check_comparison, check_large):
            part(Check(browser, args.screenshots), args, folder)
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    args = parser.parse_args()
    if not webdriver.is_available():
        print("chromium and chromedriver are not installed")
        sys.exit(77)
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        check_all(args, pathlib.Path(folder))


if __name__ == "__main__":
    main()
