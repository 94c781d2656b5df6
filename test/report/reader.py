"""A reader of a report in a browser, who checks it for errors."""

import json
import pathlib
import re
import time

PAGE = (pathlib.Path(__file__).parent / "page.js").read_text()


class Reader:
    def __init__(self, browser, screenshots):
        self.browser = browser
        self.screenshots = screenshots

    def open(self, page):
        """Returns how long the page took until it was drawn, in seconds."""
        self.browser.forget()
        self.page = pathlib.Path(page).absolute().as_uri()
        self.name = pathlib.Path(page).stem
        started = time.monotonic()
        self.browser.open(page)
        self.browser.wait("the report is drawn", "return document.documentElement.dataset.rendered")
        elapsed = time.monotonic() - started
        self.browser.run(PAGE + "document.documentElement.style.scrollBehavior = 'auto'")
        shown = self.ask("drawnAfter")
        print(f"{self.name}: drawn after {shown:.2f} s of the page, {elapsed:.2f} s in all")
        return shown

    def ask(self, question, *arguments):
        """Returns the result of a function of page.js."""
        return self.browser.run(f"return ask.{question}(...arguments)", *arguments)

    def wait(self, what, condition, *arguments):
        """Waits until a condition on functions of page.js holds: "length() < arguments[0]"."""
        return self.browser.wait(f"{self.name}: {what}", f"return ask.{condition}", *arguments)

    def screenshot(self, name):
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{self.name}-{name}.png")

    def equal(self, what, got, expected):
        assert got == expected, f"{self.name}: {what}: expected {expected!r}, got {got!r}"

    def true(self, what, holds):
        assert holds, f"{self.name}: {what}"

    def ends_silent(self):
        """There are no errors, and the only request was that of the page itself. The browser's own
        pages do not count."""
        severe = [message["message"] for message in self.browser.messages("browser")
                  if message["level"] in ("SEVERE", "WARNING")]
        self.equal("messages in the console", severe, [])
        urls = []
        for entry in self.browser.messages("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                urls.append(event["params"]["request"]["url"])
        own = ("data:", "chrome:")
        self.equal("requests", [url for url in urls if not url.startswith(own)], [self.page])

    # --- The whole page ----------------------------------------------------------------------

    def looks_at_both_themes(self):
        first = self.ask("background")
        for _ in range(2):
            self.screenshot(self.ask("theme"))
            self.equal("text with little contrast", self.ask("littleContrast", 4.5), [])
            self.ask("click", "theme")
            second, now = self.ask("background"), first
            first = second
            self.true("the theme changes the page", second != now)

    def goes_through_with_tab(self):
        """All controls can be reached by keyboard, and the focus is visible."""
        self.browser.run("scrollTo(0, 0); document.activeElement.blur()")
        seen = []
        for _ in range(80):
            self.browser.press("Tab")
            name, outline = self.ask("focused")
            if name == "BODY" or seen and name == seen[0]:
                break
            self.true(f"the focus on {name} can be seen", outline != "none")
            seen.append(name)
        self.equal("the first stop", seen[0], "skip")
        for name in ("theme", "by-cause", "show-path", "toggle", "timeline", "list", "play", "slice",
                     "machine", "cell-rank"):
            self.true(f"Tab reaches {name}: {seen}", name in seen)

    def changes_screens(self):
        """No text is cut off, and drawings fill their space, also if only the pixel ratio changes."""
        for width, scale in ((1920, 2), (1280, 1), (1440, 1), (1440, 2), (1440, 1)):
            self.browser.view(width, 1000, scale)
            try:
                self.wait(f"drawings fit {width} pixels", "drawingsFit(arguments[0])", scale)
            except AssertionError as error:
                raise AssertionError(f"{error}; there is {self.ask('drawings')}") from None
            self.equal("what is wider than the screen", self.ask("tooWide"), [])
            self.screenshot(str(width))

    def narrows_the_window(self):
        """In half a screen and on a phone, all of the page can be read and all controls be operated."""
        for width in (700, 420):
            self.browser.view(width, 1000, 1)
            self.wait(f"drawings fit {width} pixels", "drawingsFit(1)")
            self.equal(f"what is wider than {width} pixels", self.ask("tooWide"), [])
            self.equal(f"a page of {width} pixels scrolls sideways", self.ask("scrollsSideways"), False)
            self.equal(f"what overlaps with {width} pixels", self.ask("overlapping"), [])
            self.equal(f"what is out of reach with {width} pixels", self.ask("outOfReach"), [])
            for section in self.ask("sections"):
                self.ask("show", section)
                self.screenshot(f"{width}-{section}")
        self.browser.view(1440, 1000, 1)
        self.wait("drawings fit again", "drawingsFit(1)")

    def compares_times(self, results):
        times = self.ask("cells", "#size-table tbody tr td:nth-child(2)")
        self.equal("times in the table", times, [f"{row['time_ns']:,.3f} ns" for row in results])

    @staticmethod
    def options(settings):
        """The options that reproduce a search variant are shown if there are only a few."""
        settings = [settings] if isinstance(settings, str) else settings or []
        return " ".join(f"--set {one}" for one in settings) if len(settings) <= 3 else ""

    def asks_what_if(self, rows):
        self.true("something would help", rows)
        for column, texts in ((1, [row["what"] for row in rows]),
                              (2, [f"{row['time_ns']:,.3f} ns" for row in rows]),
                              (8, [self.options(row["set"]) for row in rows])):
            cells = self.ask("cells", f"#what-if-table tbody tr > :nth-child({column})")
            self.equal(f"column {column} of what would help", cells, texts)

    # --- Timeline ----------------------------------------------------------------------------

    def hovers(self, steps, view=0):
        """The tooltip names the step at its position. Returns spans: (span, step, ...)."""
        self.ask("show", "legend")
        spans = self.ask("wideSteps", view)
        self.true("some steps are wide enough to point at", spans)
        for span, step, begin, end in spans[:: max(1, len(spans) // 4)]:
            self.browser.move(*self.ask("placeOf", view, span))
            name, line = steps[step]
            tooltip = self.wait(f"the tooltip is about {name}",
                                "tooltip()?.startsWith(arguments[0]) && ask.tooltip()", name)
            for part in (line, f"{begin / 1000:,.3f} ns to {end / 1000:,.3f} ns"):
                self.true(f"the tooltip of {name} has '{part}': {tooltip}", part in tooltip)
        self.screenshot("hover")
        self.browser.move(5, 5)
        self.wait("the tooltip is gone", "tooltip() === null")
        return spans

    def asks_what_waits_are_for(self, senders):
        waits = self.ask("waitsForMessages", 60)
        self.true("some threadblocks wait for messages", waits)
        for step, reason in waits:
            self.equal(f"what step {step} waits for", reason,
                       f"the message of {senders[step]} is in flight")

    def zooms(self):
        self.ask("show", "legend")
        self.wait("all of it is seen", "showsAll()")
        x, y, width, height = self.ask("area")
        x, y = x + width / 2, y + min(height, 200) / 2
        whole = self.ask("length")
        self.browser.wheel(x, y, -400)
        self.wait("the wheel zooms in", "length() < arguments[0]", 0.9 * whole)
        near, begin = self.ask("length"), self.ask("range", 0)[0]
        self.browser.drag(x, y, x - width / 4, y)
        self.wait("dragging goes to later times", "range(0)[0] > arguments[0] + 1", begin)
        self.ask("focusTimeline")
        self.browser.press("+")
        self.wait("+ zooms in", "length() < arguments[0]", 0.9 * near)
        self.browser.press("-", "-")
        self.wait("- zooms out", "length() > arguments[0]", 0.9 * near)
        self.browser.press("Home")
        self.wait("Home shows everything", "showsAll()")

    def clicks(self, steps, spans, view=0):
        self.ask("show", "legend")
        span, step, *_ = spans[len(spans) // 2]
        self.browser.click(*self.ask("placeOf", view, span))
        self.wait("the span is selected", "selected(arguments[0]) === arguments[1]", view, span)
        details, name = self.ask("text", "details"), steps[step][0]
        self.true(f"the details are about {name}: {details}", details.startswith(name))

    def walks(self):
        """The arrow keys move from span to span."""
        self.ask("deselect")
        self.ask("focusTimeline")
        self.browser.press("Right")
        self.wait("something is selected", "selected(0) !== null")
        first = self.ask("selected", 0)
        self.browser.press("Right")
        self.wait("the next span", "selected(0) === arguments[0]", first + 1)
        self.browser.press("Left")
        self.wait("the one before", "selected(0) === arguments[0]", first)
        self.browser.press("Down")
        self.wait("the next row", "selectedRow() === 1")
        self.browser.press("Escape")
        self.wait("nothing is selected", "selected(0) === null")

    def folds_ranks(self, segments):
        """A timeline of many ranks opens with a row for each rank, at the busiest on the critical path."""
        times = {}
        for rank, length in segments:
            times[rank] = times.get(rank, 0) + length
        most = max(times.values())
        self.ask("show", "legend")
        ranks = self.ask("ranks")
        top, bottom = self.ask("rowRange")
        shown = [rank for rank, row, *_ in ranks if top <= row < bottom]
        self.screenshot("folded")
        self.true(f"a busiest rank is shown: {times}, {shown}",
                  any(times.get(rank) == most for rank in shown))
        self.equal("open ranks", [rank for rank, _, folded, count in ranks
                                  if not folded and count > 1 and times.get(rank) != most], [])
        rows = self.ask("rows")
        self.true(f"{rows} rows for {len(ranks)} ranks", rows <= len(ranks) + 16)
        threadblocks = sum(count for *_, count in ranks)
        self.equal("the button", self.ask("pressed", "fold-ranks"), rows == len(ranks))
        compared, painted, faults = self.ask("foldedPixels")
        self.equal("wrong pixels of folded rows", faults, [])
        self.true(f"{painted} of {compared} pixels are painted", 0.1 * compared < painted < compared)
        rank, _, folded, count = next(one for one in ranks if one[0] in shown and one[2])
        self.browser.click(*self.ask("placeOfRank", rank))
        self.wait("a click unfolds a rank", "rows() === arguments[0]", rows + count - 1)
        self.screenshot("unfolded")
        self.browser.click(*self.ask("placeOfRank", rank))
        self.wait("a click folds it", "rows() === arguments[0]", rows)
        self.ask("focusTimeline")
        self.browser.press("Right")
        self.wait("something is selected", "selected(0) !== null")
        self.browser.press("Enter")
        self.wait("Enter changes a rank", "rows() !== arguments[0]", rows)
        self.browser.press("Enter", "Escape")
        self.wait("Enter changes it back", "rows() === arguments[0]", rows)
        self.ask("foldAll", True)
        self.equal("rows of folded ranks", self.ask("rows"), len(ranks))
        self.ask("click", "fold-ranks")
        self.equal("all rows", self.ask("rows"), threadblocks)
        self.equal("the button", self.ask("pressed", "fold-ranks"), False)
        self.ask("click", "fold-ranks")
        self.equal("folded again", self.ask("rows"), len(ranks))

    # --- Critical path -----------------------------------------------------------------------

    def follows_path(self, segments, view=0):
        """An entry of the list is highlighted in the timeline, and vice versa."""
        self.ask("show", "legend")
        self.ask("focus", "path-list")
        # From no entry, or from that of a span of the path that was clicked before.
        third = self.ask("activeEntry") + 3
        self.browser.press("Down", "Down", "Down")
        self.wait("three entries on", "activeEntry() === arguments[0]", third)
        cause, length, begin = segments[third]
        marked = self.ask("marked", view)
        self.equal("begin of the segment", round(marked["begin"]), begin)
        self.equal("its length", round(marked["end"] - marked["begin"]), length)
        [entry] = self.ask("cells", ".entry[aria-selected=true]")
        self.true(f"the entry says {cause}: {entry}", cause in entry)
        self.wait("the timeline shows it", "showsMarked(arguments[0])", view)
        self.screenshot("path")
        self.browser.press("Up")
        self.wait("up goes back", "activeEntry() === arguments[0]", third - 1)
        self.ask("selectEnd", view)
        self.wait("the list goes to a segment of the selected span", "entryIsSelected(arguments[0])", view)
        self.ask("click", "path-lines")
        lengths = self.ask("lengthsOfLines")
        self.equal("sum of the lines", round(sum(lengths)), sum(length for _, length, _ in segments))
        self.equal("what costs most is first", lengths, sorted(lengths, reverse=True))
        self.ask("click", "path-order")
        self.ask("deselect")
        self.ask("zoomOut")

    def reads_phases(self, result):
        """The figures of the summary; a click selects the segments of one phase, in the path and in
        the visible part of the timeline."""
        segments = result["critical_path"]["segments"]
        whole = sum(phase["time_ns"] for phase in result["phases"])
        text = lambda ns: f"{ns:,.3f} ns"
        rows = []
        for phase in result["phases"]:
            own = [s for s in segments if s["phase"] == phase["phase"]]
            begin, last = own[0]["from_ns"], own[-1]
            rows.append([phase["phase"] or "(outside phases)", text(begin),
                         text(last["from_ns"] + last["length_ns"]), text(phase["time_ns"])])
            share = 100 * phase["time_ns"] / whole
            shown = self.ask("cells", f"#phase-table tbody tr:nth-child({len(rows)}) > :last-child")[0]
            self.true(f"the share is {share}: {shown}", abs(float(shown.rstrip(" %")) - share) <= 0.51)
        shown = self.ask("cells", "#phase-table tbody tr > :not(:last-child)")
        self.equal("the phases", [shown[i:i + 4] for i in range(0, len(shown), 4)], rows)
        number = len(rows) // 2
        begin, end = (float(rows[number][i].rstrip(" ns").replace(",", "")) * 1000 for i in (1, 2))
        own = [i for i, s in enumerate(segments) if s["phase"] == result["phases"][number]["phase"]]
        self.ask("show", "phases")
        self.screenshot("phases")
        self.ask("clickPhase", number)
        self.equal("segments of the phase", self.ask("segmentsInList"), own)
        self.equal("pressed", self.ask("phasesPressed"), [i == number for i in range(len(rows))])
        self.wait("the timeline shows the phase", "shows(arguments[0], arguments[1])", begin, end)
        self.screenshot("phase")
        self.ask("clickPhase", number)
        self.equal("segments of all", self.ask("segmentsInList"), list(range(len(segments))))
        self.equal("none is pressed", self.ask("phasesPressed"), [False] * len(rows))
        self.wait("the timeline shows everything", "showsAll()")

    # --- Machine -----------------------------------------------------------------------------

    def slides(self):
        """The colours depend on the slice; the slices add up to the bytes of the links."""
        self.ask("show", "machine")
        self.ask("focus", "slice")
        seen = {self.ask("colours")}
        for _ in range(3):
            self.browser.press("Right")
            seen.add(self.ask("colours"))
        self.true("the slider changes the colours of links", len(seen) > 1)
        text = self.ask("text", "slice-text")
        self.true(f"its text says which time: {text}", re.search(r"\d \w+ to \d", text))
        self.screenshot("slice")
        self.equal("bytes in slices", self.ask("bytesInSlices"), self.ask("bytesOfLinks"))
        now = self.ask("colours")
        self.ask("zoomMachine", 20, 60)
        self.equal("colours after a zoom", self.ask("colours"), now)
        self.ask("zoomMachine", 0, 100)
        self.ask("click", "play")
        now = self.ask("slice")
        self.wait("it plays", "slice() !== arguments[0]", now)
        self.browser.press("Home")
        self.wait("Home shows the whole run", "slice() === null")

    def moves_about_the_machine(self):
        small = self.ask("unit")
        self.ask("focus", "machine-chart")
        self.browser.press("+", "+", "Right")
        self.true("+ makes it larger", self.ask("unit") > 1.9 * small)
        self.browser.press("Home")
        self.true("Home shows all of it", abs(self.ask("unit") - small) < 1e-6)

    def points_at_a_link(self, links):
        expected = [[link["link"], link["bytes"]] for link in links]
        self.equal("the links of the run", self.ask("links"), expected)
        self.ask("show", "machine")
        self.browser.move(*self.ask("placeOfLink"))
        tooltip = self.wait("a tooltip names a link", "linkTooltip()")
        name, size = tooltip.splitlines()[:2]
        self.true(f"with its bytes: {tooltip}", [name, int(re.sub(r" B.*|,", "", size))] in expected)
        self.true(f"and how busy: {tooltip}", re.search(r"busy [\d.]+ % of the run", tooltip))
        self.screenshot("links")
        self.browser.move(5, 5)

    def follows_a_link_beside_a_row(self, row):
        """The link that closes a row of nodes is the only busy one, and is drawn beside the row."""
        first, last = row[0], row[-1]
        name = f"{first} -> {last}"
        self.equal("busy links", [link for link, _ in self.ask("links")], [name])
        self.ask("show", "machine")
        self.screenshot("row")
        colours = self.ask("colours")
        x, y = self.ask("placeOfLink")
        unit = self.ask("unit")
        for what in ("in the whole run", "in a slice", "marked"):
            for a, b in zip(row, row[1:]):
                self.true(f"{what}, no link is busy between {a} and {b}",
                          not self.ask("linkIsPaintedNear", *self.ask("placeBetween", a, b), 0.4 * unit))
            self.true(f"{what}, {name} is painted", self.ask("linkIsPaintedNear", x, y, 3))
            if what == "in the whole run":
                self.ask("focus", "slice")
                self.browser.press("Right")
                self.equal("the slice", self.ask("slice"), 0)
            elif what == "in a slice":
                self.ask("clickLink", 0)
                self.wait("the mark has another colour", "colours() !== arguments[0]", colours)
        self.browser.move(*self.ask("placeBetween", row[1], row[2]))
        self.browser.move(x, y)
        tooltip = self.wait("a tooltip names a link", "linkTooltip()")
        self.true(f"it is {name}: {tooltip}", tooltip.startswith(name))
        self.screenshot("row-marked")

    def sees_a_tidy_machine(self, smallest=7):
        """Nothing overlaps, no line leads over an item, and every text is legible."""
        self.ask("show", "machine")
        self.screenshot("machine")
        self.equal("faults of the drawing", self.ask("faultsOfDrawing"), [])
        small = [text for text, _, size in self.ask("textsDrawn") if size < smallest]
        self.equal("small texts", small, [])

    def sees_tiers(self):
        """Each tier is a row, the higher tiers above."""
        rows = [row for _, row in sorted(self.ask("tiers").items())]
        self.true(f"tiers are rows: {rows}", all(high[1] < low[0] for low, high in zip(rows, rows[1:])))

    def sees_names(self, *names):
        shown = [text for text, *_ in self.ask("textsDrawn")]
        self.equal("switches without a name", [name for name in names if name not in shown], [])

    def sees_links_of(self, node, all_links, busy):
        """The pointer over a node of a bundle shows its links, a click keeps them."""
        away = self.ask("placeOfTitle", self.ask("frames")[0]) if self.ask("frames") else (5, 5)
        own = sorted({link for link in all_links if node in link.split(" -> ")} | set(busy))
        self.equal("lines before", self.ask("linksDrawn"), sorted(busy))
        place = self.ask("placeOfItem", node)
        self.browser.move(*place)
        self.wait(f"the links of {node} appear", "numberDrawn() === arguments[0]", len(own))
        self.equal(f"links of {node}", self.ask("linksDrawn"), own)
        self.screenshot("node")
        self.browser.move(*away)
        self.wait("they disappear", "numberDrawn() === arguments[0]", len(busy))
        self.browser.click(*place)
        self.browser.move(*away)
        self.wait("a click keeps them", "chosenNode().includes(arguments[0])", node)
        self.equal(f"links of {node}", self.ask("linksDrawn"), own)
        self.browser.click(*place)
        self.browser.move(*away)
        self.wait("a second click hides them", "numberDrawn() === arguments[0]", len(busy))

    def sees_both_directions(self, names):
        """Two strokes side by side, each with its own colour: those of names, the busier first."""
        self.ask("show", "machine")
        strokes = self.ask("strokes")
        (x0, y0, busy), (x1, y1, other) = (strokes[name] for name in names)
        self.true(f"the strokes are apart: {strokes}", 3 < abs(x0 - x1) + abs(y0 - y1) < 16)
        self.true(f"they have different colours: {strokes}", busy != other)
        channels = lambda colour: [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
        for x, y, colour in ((x0, y0, busy), (x1, y1, other)):
            pixel = self.ask("pixelOfLines", x, y)
            self.true(f"a pixel has the colour {colour}: {pixel}", pixel and max(
                abs(a - b) for a, b in zip(channels(pixel), channels(colour))) < 8)
        self.screenshot("directions")

    def opens_groups(self, busiest, inside, closed, members):
        """A large machine opens at an end of the busiest link; clicks and keys open and close groups."""
        self.ask("show", "machine")
        items = {name: around for _, name, around in self.ask("items")}
        self.equal(f"groups around {busiest}", items.get(busiest), inside)
        self.true(f"{len(items)} items can be read", len(items) <= 80)
        self.true(f"{closed} is closed", not items.get(closed))
        frames = self.ask("frames")
        self.browser.click(*self.ask("placeOfItem", closed))
        self.wait(f"a click opens {closed}", "frames().includes(arguments[0])", closed)
        items = [name for _, name, around in self.ask("items") if closed in around]
        self.equal(f"members of {closed}", sorted(items), sorted(members))
        self.sees_a_tidy_machine(5)
        self.ask("focusPart", closed)
        self.browser.press("Enter")
        self.wait("Enter closes it", "frames().join() === arguments[0]", ",".join(frames))
        self.equal("the focus stays", self.ask("focusedPart"), closed)
        self.browser.press("Enter")
        self.wait("Enter opens it", "frames().includes(arguments[0])", closed)
        self.browser.press("Space")
        self.wait("Space closes it", "frames().includes(arguments[0]) === false", closed)

    def folds_sips(self, busiest, others):
        """Only the SIP of the busiest link is open; a click opens another one."""
        self.ask("show", "machine")
        self.screenshot("sips")
        cubes = [f"cube{c}" for c in range(16)]
        self.equal("open", self.ask("frames"), [busiest, *cubes])
        closed = lambda: [name for kind, name, _ in self.ask("items") if kind == "group"]
        self.equal("closed", closed(), others)
        faults = [fault for fault in self.ask("faultsOfDrawing") if re.search(r" is over sip\d$", fault)]
        self.equal("lines over closed SIPs", faults, [])
        self.browser.click(*self.ask("placeOfItem", others[1]))
        self.wait("a click opens a SIP", "frames().includes(arguments[0])", others[1])
        self.equal("still closed", closed(), others[:1] + others[2:])
        self.browser.click(*self.ask("placeOfTitle", others[1]))
        self.wait("a click closes it", "frames().includes(arguments[0]) === false", others[1])
        self.screenshot("sips-closed")

    # --- Reduction ---------------------------------------------------------------------------

    def looks_into_a_chunk(self, ranks):
        """A reduced chunk has a leaf for each rank; its steps are shown in the timeline."""
        self.ask("show", "reduction")
        leaves = self.ask("leaves")
        self.equal("leaves", sorted(int(leaf.split()[0][1:]) for leaf in leaves), list(range(ranks)))
        self.screenshot("reduction")
        step = self.ask("revealRoot")
        self.wait("the step is selected in the timeline", "selectedStep() === arguments[0]", step)
        self.ask("show", "reduction")
        self.ask("focus", "cell-index")
        self.browser.press(*"999999", "Enter")
        self.wait("a chunk that is not there is refused",
                  "text('reduction-note').startsWith('There is no ')")

    def looks_into_a_deep_tree(self, ranks):
        """A summarised tree is drawn; the subtrees behind its ends can be opened."""
        self.ask("show", "reduction")
        ends = self.ask("chunksDrawn", False)
        self.equal("chunks that the drawing stands for", sum(ends), ranks)
        self.true(f"{len(ends)} ends can be read", len(ends) <= 48)
        self.equal("chunks behind it", sum(self.ask("chunksDrawn", True)), max(ends))
        self.ask("drawBehind")
        self.ask("choose", "cell-index", "1")
        self.screenshot("tree")
