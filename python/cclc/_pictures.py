"""What notebooks show of objects: tables in HTML, and pictures in SVG."""

import html
import json
import os
import shutil
import subprocess

from cclc._errors import UsageError

# Steps of a picture, above which it has the first ranks only.
_MOST_STEPS = 600
_COLOURS = {"s": "#4477aa", "r": "#66ccee", "cpy": "#bbbbbb", "re": "#ccbb44", "nop": "#dddddd", "rcs": "#228833",
            "rrc": "#ee6677", "rrs": "#aa3377", "rrcs": "#cc6600"}
_WAITS = {"link": "#bbccee", "contention": "#ffcccc", "slot": "#ccddaa", "dependence": "#eeeebb"}


class _Document:
    """A text that is shown as it is; str() is the text."""

    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text

    def save(self, path):
        """Writes the text to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)


class Picture(_Document):
    """An SVG picture, which notebooks show; str() is its text."""

    def _repr_svg_(self):
        return self._text


class Page(_Document):
    """A page in HTML, which notebooks show in a frame of its own; str() is its text."""

    def _repr_html_(self):
        return ('<iframe width="100%" height="700" sandbox="allow-scripts" '
                f'srcdoc="{html.escape(self._text)}"></iframe>')


class Graph:
    """A graph, which Graphviz draws if it is installed; str() is its text in the language DOT."""

    def __init__(self, dot):
        self._dot = dot

    def __str__(self):
        return self._dot

    def drawn(self, form="svg"):
        """The bytes of the picture: svg, pdf or png."""
        tool = shutil.which("dot")
        if not tool:
            raise UsageError("graphviz is not installed: there is no 'dot' on the PATH; str() is the text of the graph")
        # Some versions of Graphviz crash on splines between many nodes.
        for options in ([], ["-Gsplines=line"]):
            done = subprocess.run([tool, f"-T{form}", *options], input=self._dot.encode(), capture_output=True,
                                  check=False)
            if done.returncode == 0 and done.stdout:
                return done.stdout
        raise UsageError("graphviz reports: " + done.stderr.decode(errors="replace").partition("\n")[0])

    def _repr_svg_(self):
        return self.drawn().decode() if shutil.which("dot") else None

    def _repr_html_(self):
        return None if shutil.which("dot") else f"<pre>{html.escape(self._dot)}</pre>"

    def save(self, path):
        """Writes a picture to a file that ends in .svg, .pdf or .png, and the text to another one."""
        form = os.path.splitext(path)[1][1:]
        content = self.drawn(form) if form in ("svg", "pdf", "png") else self._dot.encode()
        with open(path, "wb") as file:
            file.write(content)


def table(columns, most=50):
    """Columns by name as an HTML table, of at most `most` rows."""
    rows = list(zip(*columns.values()))
    cells = lambda tag, values: "".join(f"<{tag}>{html.escape(_shown(each))}</{tag}>" for each in values)
    text = f"<table><thead><tr>{cells('th', columns)}</tr></thead><tbody>"
    text += "".join(f"<tr>{cells('td', row)}</tr>" for row in rows[:most])
    return text + "</tbody></table>" + (f"<p>{len(rows) - most} more rows</p>" if len(rows) > most else "")


def _shown(value):
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


class _Rows:
    """Rows of boxes with a label on the left."""

    LEFT, HEIGHT = 180, 18

    def __init__(self):
        self.parts, self.number, self.width = [], 0, 0

    def begin(self, label):
        self.number += 1
        self.parts.append(f'<text x="4" y="{self._top() + 13}" font-size="11">{html.escape(label)}</text>')

    def box(self, x, width, colour, title, text=""):
        """A box from x on; title is shown by the pointer."""
        self.width = max(self.width, x + width)
        left = self.LEFT + x
        self.parts.append(f'<rect x="{left:.2f}" y="{self._top() + 2}" width="{max(width, 0.5):.2f}" '
                          f'height="{self.HEIGHT - 4}" fill="{colour}"><title>{html.escape(title)}</title></rect>')
        if text:
            self.parts.append(f'<text x="{left + width / 2:.2f}" y="{self._top() + 13}" font-size="9" fill="#fff" '
                              f'text-anchor="middle" pointer-events="none">{html.escape(text)}</text>')

    def _top(self):
        return (self.number - 1) * self.HEIGHT

    def picture(self, note=""):
        height = self.number * self.HEIGHT + (self.HEIGHT if note else 0)
        if note:
            self.parts.append(f'<text x="4" y="{height - 5}" font-size="11">{html.escape(note)}</text>')
        return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.LEFT + self.width + 8:.0f}" '
                       f'height="{height}" font-family="sans-serif">{"".join(self.parts)}</svg>')


def _operand(step, name):
    place = step.get(name)
    return f" {place[0]}[{place[1]}]" if place else ""


def schedule(plan):
    """The threadblocks of a plan of steps, each a row with its steps; large plans have the first ranks only."""
    document, rows, steps, shown = json.loads(plan.write("json")), _Rows(), 0, 0
    for rank in document["ranks"]:
        if steps > _MOST_STEPS:
            break
        shown += 1
        for block in rank["threadblocks"]:
            peers = "".join(f" {word} {block[key]}" for key, word in (("recv", "from"), ("send", "to")) if key in block)
            rows.begin(f"r{rank['rank']} tb{block['tb']}{peers}")
            for number, step in enumerate(block["steps"]):
                steps += 1
                place = document["locations"][step["loc"]] if "loc" in step else ()
                where = f"\n{document['files'][place[0]]}:{place[1]}" if place else ""
                wait = f"\nwaits for tb{step['wait'][0]} step {step['wait'][1]}" if "wait" in step else ""
                rows.box(number * 34, 32, _COLOURS.get(step["op"], "#888888"),
                         f"step {number}: {step['op']}{_operand(step, 'src')}{_operand(step, 'dst')}{wait}{where}",
                         step["op"])
    rest = len(document["ranks"]) - shown
    return rows.picture(f"{rest} more ranks" if rest else "")


def _colour(event):
    kind, _, cause = event["cat"].partition(",")
    return _COLOURS.get(event["name"].split()[0], "#888888") if kind == "step" else _WAITS.get(cause, "#eeeeee")


def timeline(simulation):
    """When the steps of the last size were executed, of a simulation with trace=True: a row for each threadblock."""
    if not simulation.trace:
        raise ValueError("the simulation has no trace: simulate with trace=True")
    events = json.loads(simulation.trace)["traceEvents"]
    names = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    spans = {}
    for each in events:
        if each["ph"] == "X" and each["cat"].partition(",")[0] in ("step", "wait"):
            spans.setdefault((each["pid"], each["tid"]), []).append(each)
    end = max((each["ts"] + each["dur"] for row in spans.values() for each in row), default=1)
    rows, shown = _Rows(), 0
    for key in sorted(spans):
        if shown > _MOST_STEPS:
            break
        rows.begin(f"r{key[0] - 1} {names[key]}")
        for each in spans[key]:
            shown += 1
            rows.box(each["ts"] / end * 800, each["dur"] / end * 800,
                     _colour(each), f"{each['name']}: {each['ts']:g} to {each['ts'] + each['dur']:g} us")
    return rows.picture(f"0 to {end:g} us")


def graph_of_machine(machine):
    """The nodes and links of a machine."""
    return Graph(machine.dot)


def svg_of_machine(machine):
    """A machine in a notebook."""
    return Graph(machine.dot)._repr_svg_()  # pylint: disable=protected-access


def html_of_machine(machine):
    """A machine in a notebook without Graphviz."""
    return None if shutil.which("dot") else f"<pre>{html.escape(machine.text)}</pre>"


def report(simulation):
    """The performance report of a simulation with report=True."""
    if not simulation.page:
        raise ValueError("the simulation has no report: simulate with report=True")
    return Page(simulation.page)


def of_plan(plan):
    """A plan in a notebook."""
    return f"<p>{html.escape(repr(plan)[1:-1])}</p>" + (str(schedule(plan)) if plan.steps else "")


def of_rows(rows):
    """Results in a notebook."""
    return table(rows.columns())
