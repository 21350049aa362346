#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at reports in headless Chromium, over the DevTools protocol.

usage: check_report.py REPORT_PAGE [SCREENSHOT_DIR]

REPORT_PAGE is the program that writes the reports of made-up results. Exit code 77: there is no Chromium.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 60  # seconds for one answer of the browser
SKIPPED = 77
SCREENS = (("desktop", 1280, 900, False, "screen"), ("phone", 390, 844, False, "screen"),
           ("dark", 1280, 900, True, "screen"), ("phone-dark", 390, 844, True, "screen"),
           ("print", 720, 1018, True, "print"))


class Browser:
    """Chromium with its protocol on file descriptors 3 and 4: JSON texts that end with a zero byte."""

    def __init__(self, executable, profile):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        command = [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        # The shell puts the pipes where the protocol wants them.
        plumbing = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", plumbing, "bash", *command], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last_id, self.events = b"", 0, []

    def close(self):
        self.call("Browser.close")
        self.process.wait(PATIENCE)

    def receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inp], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self.inp, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **params):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)


class Page:
    """A tab: what it requests, and what it says on its console."""

    def __init__(self, browser, width, height, dark=False, medium="screen"):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=medium,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def open(self, path):
        self.browser.events.clear()
        self.call("Page.navigate", url=Path(path).as_uri())
        deadline = time.monotonic() + PATIENCE
        while not self.named("Page.loadEventFired"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path} does not load")
            self.browser.events.append(self.browser.receive())

    def named(self, *methods):
        return [e["params"] for e in self.browser.events if e.get("sessionId") == self.session and e["method"] in methods]

    def complaints(self):
        """What a console would show as an error or a warning."""
        self.run("new Promise(done => setTimeout(done, 100))")  # what comes late
        said = [e["exceptionDetails"]["text"] for e in self.named("Runtime.exceptionThrown")]
        said += [str(e["args"]) for e in self.named("Runtime.consoleAPICalled")]
        said += [e["entry"]["text"] for e in self.named("Log.entryAdded")]
        return said

    def requests(self):
        return [e["request"]["url"] for e in self.named("Network.requestWillBeSent")]

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def hover(self, selector, across=0.5, down=0.5):
        """Moves the pointer into an element, to the middle if not told; what the tip says then."""
        x, y = self.run(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width * {across}, box.y + box.height * {down}];
        }})()""")
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # scrolled
        for _ in range(20):  # what is left of scrolling hides the tip
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            tip = self.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
            if tip:
                break
            self.run("new Promise(done => setTimeout(done, 100))")
        return tip

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        Path(path).write_bytes(base64.b64decode(data))


def check_the_check(browser, folder):
    """A page that does what reports must not: if this is not noticed, nothing is."""
    bad = folder / "bad.html"
    bad.write_text("<!DOCTYPE html><title>bad</title><div style='width:2000px'>wide</div>"
                   "<img src='http://127.0.0.1:9/picture.png'><script>console.error('bad'); undefined.x;</script>")
    page = Page(browser, 390, 844)
    page.open(bad)
    assert len(page.complaints()) >= 2, page.complaints()
    assert "http://127.0.0.1:9/picture.png" in page.requests()
    assert page.run("document.documentElement.scrollWidth") > 390


def check_quiet(page, path):
    assert page.complaints() == [], page.complaints()
    assert page.requests() == [Path(path).as_uri()], page.requests()


def check_elements(page):
    for section in ("glance", "results", "cells", "baseline", "help", "known", "ranking", "pareto", "convergence", "solvers",
                    "prior", "examples", "provenance"):
        assert page.run(f"!!document.querySelector('section#{section} > h2')"), section
        assert page.run(f"!!document.querySelector('nav a[href=\"#{section}\"]')"), section
    count = lambda selector: page.run(f"document.querySelectorAll({json.dumps(selector)}).length")
    assert count("#results [data-metric]:not([hidden]) table.main > tbody > tr") == 4
    assert count("#results [data-metric]:not([hidden]) td.best .star") >= 4
    assert count("#cells tbody tr") == 36
    assert count("#pareto figure svg[role=img] > title") == 4
    assert count("#convergence figure svg path.curve") > 20
    # Nine methods on four datasets, but for two cells without an answer: a band, a curve and ten marks each.
    assert count("#known figure svg path.band") == count("#known figure svg path.curve") == 34
    assert count("#known figure svg .dot") == 340
    told_apart = page.run("""[...document.querySelectorAll('#known figure svg')].every(svg => {
        const drawn = [...svg.querySelectorAll('path.curve')].map((curve, c) => getComputedStyle(curve).strokeDasharray +
            svg.querySelectorAll('g[data-s]')[c].firstChild.getAttribute('d').replace(/^M[^m]*/, '') +
            svg.querySelectorAll('g[data-s]')[c].firstChild.classList);
        return new Set(drawn).size === drawn.length;
      })""")
    assert told_apart  # without a colour
    assert count("#ranking table.main") == 4 and count("#ranking td.best .star") >= 12
    assert count("#ranking figure svg circle") == 8 * 14 == count("#ranking figure svg .bar")
    assert count("#ranking figure svg circle:not(.on-front)") == 8 * 6  # few labels
    assert count("#solvers figure svg") == 6
    assert count("#prior .heatmap svg") == 4 and count("#prior .graph svg .edge.attract") > 0
    assert count("#prior .graph svg .edge.repel") > 0
    assert count("#examples table.example") == 3 * 4 and count("#examples td.failed") == 4 * 4
    assert "<script>alert(3)</script>" in page.run("document.querySelector('#examples').textContent")
    assert count("th:not([scope])") == 0
    assert count("svg[role=img]:not(:has(> title))") == 0
    # Every picture has something in it, and its texts lie inside.
    check_texts_inside(page)
    # Hostile names are there as text, and only as text.
    assert "<script>alert(1)</script>" in page.run("document.querySelector('#prior').textContent")
    assert count("script") == 1 and count("img") == 0
    assert page.run("document.querySelectorAll('[onerror],[onclick],[onmouseover]').length") == 0


def check_trainings(page):
    """A strip for each method with two trainings or more; the head says what the intervals are."""
    assert "trained 5 times" in page.run("document.querySelector('header').textContent")
    strips = page.run("document.querySelectorAll('#trainings figure svg .strip').length")
    assert strips == page.run("document.querySelectorAll('#trainings figure svg .quartiles').length") == 27, strips
    assert page.run("document.querySelectorAll('#trainings tbody tr').length") == 27
    for section in ("results", "cells", "baseline"):
        text = page.run(f"document.querySelector('#{section}').textContent")
        assert "over trainings" in text and "bootstrap" not in text, section


def column(page, index):
    return page.run(f"[...document.querySelectorAll('#cells tbody tr')].map(row => row.cells[{index}].dataset.v)")


def check_sorting(page):
    click = "document.querySelectorAll('#cells thead button')[2].click()"
    for ascending in (True, False):
        page.run(click)
        values = column(page, 2)
        numbers = [float(v) for v in values if v]
        assert len(numbers) == 34 and values[-2:] == ["", ""], values
        assert numbers == sorted(numbers, reverse=not ascending), numbers
        state = page.run("document.querySelectorAll('#cells thead th')[2].getAttribute('aria-sort')")
        assert state == ("ascending" if ascending else "descending"), state
    page.run("document.querySelectorAll('#cells thead button')[1].click()")
    names = page.run("[...document.querySelectorAll('#cells tbody tr')].map(row => row.cells[1].textContent)")
    assert names == page.run(f"{json.dumps(names)}.sort((a, b) => a.localeCompare(b))"), names
    assert page.run("document.querySelectorAll('#cells thead [aria-sort]').length") == 1


def check_texts_inside(page):
    outside = page.run("""[...document.querySelectorAll('figure svg')].flatMap(svg => {
        const frame = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter(text => {
          const box = text.getBoundingClientRect();
          return box.left < frame.left - 3 || box.right > frame.right + 3 || box.top < frame.top - 3 || box.bottom > frame.bottom + 3;
        }).map(text => svg.querySelector('title').textContent + ': ' + text.textContent);
      })""")
    assert outside == [], outside


def check_switch(page):
    shown = "[...document.querySelectorAll('#results [data-metric]:not([hidden])')].map(table => table.dataset.metric)"
    names = page.run("[...document.querySelectorAll('#results select option')].map(option => option.value)")
    assert len(names) == len(set(names)) == 3, names
    for name in reversed(names):
        page.run(f"""(() => {{ const select = document.querySelector('#results select');
            select.value = {json.dumps(name)}; select.dispatchEvent(new Event('change')); }})()""")
        assert page.run(shown) == [name]
        assert name in page.run("document.querySelector('#results [data-metric]:not([hidden]) .caption').textContent")


def check_saving(page):
    """Each figure as a file of its own: well-formed, with the style of the page."""
    page.run("""URL.createObjectURL = blob => { saved.push(blob); return '#'; };
        HTMLAnchorElement.prototype.click = function () { names.push(this.download); }; var saved = [], names = [];
        document.querySelectorAll('figure .save').forEach(button => button.click());""")
    names = page.run("names")
    assert len(names) == page.run("document.querySelectorAll('figure svg').length") > 20, names
    assert all(name.endswith(".svg") and name == name.strip("-") for name in names), names
    wrong = page.run("""Promise.all(saved.map(blob => blob.text())).then(texts => texts.filter(text => {
        const svg = new DOMParser().parseFromString(text, 'image/svg+xml');
        return svg.querySelector('parsererror') || svg.documentElement.tagName !== 'svg' ||
            !svg.querySelector('style').textContent.includes('--paper') || svg.querySelectorAll('path, rect').length === 0;
      }).length)""")
    assert wrong == 0, wrong


def check_hovering(page):
    tip = page.hover("#pareto circle.on-front")
    assert tip.startswith("ovr: 0.386 [") and tip.endswith("s"), tip
    tip = page.hover("#known svg g[data-s=ovr] .dot:nth-child(6)")
    assert tip.startswith("ovr, 50 % known: 0.391 ["), tip
    tip = page.hover("#ranking svg .bar")
    assert tip.startswith("20000 labels of probability 0.033"), tip
    tip = page.hover("#baseline g.better .mark")
    assert "better" in tip, tip
    for down in (0.7, 0.8, 0.9):
        tip = page.hover("#prior .heatmap .heat", 0.3, down)
        assert "attracts" in tip or "repels" in tip or "neutral" in tip, tip
    # What the tip says of a pair is what the strongest pairs say.
    names, value = page.run("""(() => {
        const heat = document.querySelector('#prior .heat'), names = heat.dataset.names.split('\\n');
        const values = heat.dataset.values.split(' ').map(Number);
        let best = [0, 1, 0];
        for (let i = 1, k = 1; i < names.length - 1; ++k, ++i)
          for (let j = 0; j < i; ++j, ++k) if (Math.abs(values[k]) > Math.abs(best[2])) best = [i, j, values[k]];
        return [[names[best[0]], names[best[1]]], best[2]];
      })()""")
    first = page.run("""[...document.querySelectorAll('#prior .prior')[0].querySelectorAll('.lists div')]
        .map(list => list.querySelector('li').textContent)""")
    assert any(all(name in text for name in names) and f"{abs(value):.3f}"[:5] in text for text in first), (names, value, first)


def check_layout(page, width):
    wide = page.run("document.documentElement.scrollWidth")
    assert wide <= width, f"{wide} px wide on a screen of {width}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not executable:
        print("skipped: there is no chromium (scripts/test --full installs it)")
        return SKIPPED
    pictures = Path(sys.argv[2]) if len(sys.argv) == 3 else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what in ("sample", "large", "ranks", "repeats"):
            subprocess.run([sys.argv[1], folder / what, what], check=True, stdout=subprocess.DEVNULL)
        sample, large = folder / "sample/report.html", folder / "large/report.html"
        browser = Browser(executable, folder / "profile")
        try:
            check_the_check(browser, folder)
            backgrounds = {}
            for label, width, height, dark, medium in SCREENS:
                page = Page(browser, width, height, dark, medium)
                page.open(sample)
                check_elements(page)
                check_layout(page, width)
                backgrounds[label] = page.run("getComputedStyle(document.body).backgroundColor")
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    page.screenshot(pictures / f"{label}.png")
                if label == "desktop":
                    check_hovering(page)
                    check_sorting(page)
                    check_switch(page)
                    check_saving(page)
                check_quiet(page, sample)
            assert backgrounds["desktop"] == backgrounds["phone"] == backgrounds["print"], backgrounds
            assert backgrounds["desktop"] != backgrounds["dark"] == backgrounds["phone-dark"], backgrounds
            for width in (1280, 390):  # fifty columns stay in their box
                page = Page(browser, width, 900)
                page.open(large)
                check_layout(page, width)
                assert page.run("""(() => { const box = document.querySelector('#results .box');
                    return box.scrollWidth > box.clientWidth; })()""")
                if pictures:
                    page.screenshot(pictures / f"large-{width}.png")
                check_quiet(page, large)
            for label, width, height, dark, medium in SCREENS:
                page = Page(browser, width, height, dark, medium)
                page.open(folder / "repeats/report.html")
                check_layout(page, width)
                check_trainings(page)
                check_texts_inside(page)
                if pictures:
                    page.screenshot(pictures / f"repeats-{label}.png")
                check_quiet(page, folder / "repeats/report.html")
            page = Page(browser, 1280, 900)
            page.open(folder / "ranks/report.html")
            assert page.run("document.querySelectorAll('#ranks svg .stem').length") == 7
            check_texts_inside(page)
            if pictures:
                page.screenshot(pictures / "ranks.png")
        finally:
            browser.close()
    print("the reports are fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
