#!/usr/bin/env python3
"""Makes the site and opens it in a browser.

usage: check_site.py BIN [--site DIR] [--screenshots DIR]

Every link leads to a page and a heading that exist. In Chromium every page is as wide as the window,
narrow and wide, the first ones in both themes, the console has no errors, nothing is requested from
elsewhere, and the search finds. With --site a site that exists is opened. Exits with 77 if MkDocs or
Chromium is not installed.
"""

import argparse
import functools
import html.parser
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "test/report"), str(ROOT / "utils")]
import webdriver  # noqa: E402

# What a page of each kind has; all pages would take a minute.
PAGES = ("index.html", "docs/Tutorial/Ch-1.html", "docs/Cookbook/TuneARing.html", "algorithms/allreduce.html",
         "docs/CommandGuide/cclc.html", "docs/LangRef.html", "docs/Architecture.html", "docs/Algorithms/Library.html",
         "docs/NotThere.html", "api.html")
CHAPTERS = ("docs/Tutorial/Ch-8.html", "docs/Glossary.html", "docs/Rationale.html", "docs/machine-model.html",
            "docs/Cookbook/BrokenLink.html", "algorithms/index.html")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.links.append(value)
            if key in ("id", "name") and value:
                self.anchors.add(value)


def check_links(site):
    """Returns the number of links inside the site."""
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    wrong, count = [], 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            known = pages.get(target)
            if not target.is_file() or (anchor and known and anchor not in known.anchors and anchor != "__skip"):
                wrong.append(f"{path.relative_to(site)}: {link}")
    if wrong:
        sys.exit("broken links:\n" + "\n".join(sorted(set(wrong))))
    return count


class Reader:
    def __init__(self, browser, base, screenshots):
        self.browser, self.base, self.screenshots = browser, base, screenshots

    def open(self, page, width):
        self.browser.view(width, 900, 1)
        self.browser.call("POST", "/url", {"url": self.base + page})
        wide = self.browser.run("return document.scrollingElement.scrollWidth")
        if wide > width:
            sys.exit(f"{page} is {wide} px wide in a window of {width} px")
        self.shoot(f"{page.replace('/', '-')}-{width}")

    def shoot(self, name):
        if self.screenshots:
            self.browser.screenshot(self.screenshots / f"{name}.png")

    def background(self):
        return self.browser.run("return getComputedStyle(document.body).backgroundColor")

    def change_theme(self):
        """The other theme stays when the next page is opened."""
        before = self.background()
        self.browser.run("document.querySelector('label[for^=__palette]:not([hidden])').click()")
        self.browser.wait("the theme changes",
                          "return getComputedStyle(document.body).backgroundColor !== arguments[0]", before)
        after = self.background()
        self.open("docs/NotThere.html", 1600)
        if self.background() != after:
            sys.exit("the theme is not kept")

    def search(self):
        self.open("index.html", 1600)
        self.browser.run("document.querySelector('[data-md-toggle=search]').click()")
        self.browser.run("let q = document.querySelector('[data-md-component=search-query]'); q.focus();"
                         "q.value = 'deadlock'; q.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));"
                         "q.dispatchEvent(new Event('input', {bubbles: true}))")
        self.browser.wait("the search finds pages about deadlocks",
                          "return document.querySelectorAll('.md-search-result__item').length > 3")
        self.shoot("search")

    def check_console(self):
        errors = [entry["message"] for entry in self.browser.messages("browser") if entry["level"] == "SEVERE"]
        elsewhere = [entry["message"] for entry in self.browser.messages("performance")
                     if "Network.requestWillBeSent\"" in entry["message"]
                     and f'"url":"{self.base}' not in entry["message"]
                     and '"url":"http' in entry["message"]]
        if errors or elsewhere:
            sys.exit("\n".join(["the console and the network have", *errors, *elsewhere[:5]]))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def look(site, screenshots):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = webdriver.Browser(1600, 900)
    try:
        reader = Reader(browser, f"http://127.0.0.1:{server.server_port}/", screenshots)
        for page in PAGES:
            for width in (1600, 390):
                reader.open(page, width)
        for page in CHAPTERS:
            reader.open(page, 390)
        reader.search()
        reader.open("index.html", 1600)
        reader.change_theme()
        for page in PAGES[:4]:
            reader.open(page, 390)
        reader.check_console()
    finally:
        browser.close()
        server.shutdown()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--site", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    args = parser.parse_args()
    if not webdriver.is_available():
        print("chromium or chromium-driver is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        site = args.site or pathlib.Path(name) / "site"
        if not args.site:
            done = subprocess.run([sys.executable, ROOT / "utils/make_site.py", "--bin", args.bin, "--output", site],
                                  check=False)
            if done.returncode != 0:
                sys.exit(done.returncode)
        site = site.resolve()
        count = check_links(site)
        look(site, args.screenshots)
        print(f"{count} links hold; {len(PAGES) + len(CHAPTERS)} pages are readable")


if __name__ == "__main__":
    main()
