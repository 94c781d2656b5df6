"""A browser for tests: the necessary part of the WebDriver protocol, using the standard library only.

Chromium runs without a window and with a separate profile; its console and its network requests
are recorded.
"""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Home": "\ue011", "Left": "\ue012",
        "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Space": "\ue00d"}
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--force-device-scale-factor=1"]


def is_available():
    return bool(shutil.which("chromedriver") and shutil.which("chromium"))


def start_driver(tries=5):
    """A driver and its port. It looks for a port that is free for IPv4 and then takes the same one for IPv6,
    where another program may have it: then it ends, and the next one finds other ports."""
    said = []
    for _ in range(tries):
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        for line in driver.stdout:
            if "successfully on port" in line:
                return driver, int(line.rsplit(" ", 1)[1].strip().rstrip("."))
            said.append(line)
        driver.stdout.close()
        driver.wait()
    raise RuntimeError("chromedriver does not start:\n" + "".join(said))


class Browser:
    def __init__(self, width=1440, height=1000):
        self.profile = tempfile.mkdtemp(prefix="cclc-report-")
        self.driver, port = start_driver()
        self.base = f"http://127.0.0.1:{port}"
        options = {"binary": shutil.which("chromium"),
                   "args": [*FLAGS, f"--user-data-dir={self.profile}",
                            f"--window-size={width},{height}"]}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.base += "/session/" + session["sessionId"]
        self.log = {"browser": [], "performance": []}

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data,
                                         {"Content-Type": "application/json"}, method=method)
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, path):
        self.call("POST", "/url", {"url": pathlib.Path(path).absolute().as_uri()})

    def run(self, script, *arguments):
        """The value of a function body in the page."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def view(self, width, height, scale):
        """Sets the size of the viewport, and the number of screen pixels per CSS pixel."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
        self.call("POST", "/goog/cdp/execute", command)
        # Unlike a screen, the emulation does not notify the page of a changed pixel ratio.
        self.run("dispatchEvent(new Event('resize'))")

    def wait(self, what, script, *arguments, seconds=60):
        """Waits until a function body in the page returns a true value, and returns it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"waited {seconds} s in vain until {what}")

    def act(self, kind, actions):
        source = {"type": kind, "id": kind, "actions": actions}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self.call("POST", "/actions", {"actions": [source]})

    def move(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}])

    def click(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                             {"type": "pointerDown", "button": 0},
                             {"type": "pointerUp", "button": 0}])

    def drag(self, x0, y0, x1, y1):
        moves = [{"type": "pointerMove", "duration": 30, "x": round(x0 + (x1 - x0) * i / 5),
                  "y": round(y0 + (y1 - y0) * i / 5)} for i in range(6)]
        self.act("pointer", [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:],
                             {"type": "pointerUp", "button": 0}])

    def wheel(self, x, y, amount):
        self.act("wheel", [{"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0,
                            "deltaY": amount, "duration": 0}])

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.act("key", actions)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def forget(self):
        """Reads the entries of the logs."""
        for kind, log in self.log.items():
            self.messages(kind)
            log.clear()

    def messages(self, kind):
        """All entries of the log "browser" or "performance" until now."""
        self.log[kind] += self.call("POST", "/se/log", {"type": kind})
        return self.log[kind]
