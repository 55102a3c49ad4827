"""Debian's Chromium through chromedriver: the WebDriver protocol over urllib."""

import base64
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("whole", "cluster")]

from process import die_with_parent, free_port  # noqa: E402
from troupe import LIMIT, wait_until  # noqa: E402

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # Of the W3C's specification.
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c",
        "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Shift": "\ue008"}


class WebDriverError(Exception):
    pass


class Browser:
    """A browser window of its own, in a profile of its own."""

    def __init__(self, folder, dark=False, size=(1200, 800)):
        self.folder, self.dark, self.size = folder, dark, size
        self.port = free_port()
        self.session = None

    def __enter__(self):
        profile = os.path.join(self.folder, f"profile-{self.port}")
        self.log = open(os.path.join(self.folder, "chromedriver.log"), "ab")
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, preexec_fn=die_with_parent)
        wait_until("chromedriver to listen", self.listens)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking",
                     f"--user-data-dir={profile}",
                     "--window-size=%d,%d" % self.size]
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "acceptInsecureCerts": True,
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": arguments}}}})
        self.session = answer["sessionId"]
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if self.dark else "light"}])
        self.resize(*self.size)
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.ask("DELETE", f"/session/{self.session}")
        except (OSError, WebDriverError):
            pass
        self.driver.terminate()
        self.driver.wait(20)
        self.log.close()

    def listens(self):
        try:
            return self.ask("GET", "/status").get("ready")
        except OSError:
            return False

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, method=method,
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode(errors="replace")
            raise WebDriverError(f"{path}: {text[:600]}") from None

    def call(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def command(self, name, **parameters):
        """One of Chrome's own."""
        return self.call("POST", "/goog/cdp/execute",
                         {"cmd": name, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def resize(self, width, height):
        self.command("Emulation.setDeviceMetricsOverride", width=width,
                     height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync",
                         {"script": script, "args": list(arguments)})

    def text(self, selector="body"):
        """What a person can read there; "" if there is no such element."""
        return self.run("return document.querySelector(arguments[0])"
                        "?.innerText ?? ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])]"
                        ".filter((e) => e.checkVisibility())"
                        ".map((e) => e.innerText)", selector)

    def await_text(self, part, selector="body", seconds=LIMIT):
        until = time.monotonic() + seconds
        while part not in (text := self.text(selector)):
            if time.monotonic() > until:
                raise AssertionError(f"waited in vain for {part!r} in "
                                     f"{selector}, which has:\n{text}")
            time.sleep(0.05)
        return text

    def focused(self):
        """The text, or else the id, of what has the focus."""
        return self.run("const e = document.activeElement;"
                        "return e.innerText || e.id || e.tagName")

    def press(self, *keys):
        """Each is a text to type or the name of a key; "Shift+Tab" is two."""
        actions = []
        for key in keys:
            pressed = [KEYS.get(k, k) for k in key.split("+")]
            if len(pressed) == 1 and key not in KEYS:
                pressed = []
                for letter in key:
                    actions += [{"type": "keyDown", "value": letter},
                                {"type": "keyUp", "value": letter}]
            actions += [{"type": "keyDown", "value": k} for k in pressed]
            actions += [{"type": "keyUp", "value": k}
                        for k in reversed(pressed)]
        self.call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector):
        found = self.call("POST", "/element",
                          {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{found[ELEMENT]}/click", {})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """What the console has of errors: refused by the policy, scripts."""
        return [f"{e['level']}: {e['message']}"
                for e in self.call("POST", "/se/log", {"type": "browser"})
                if e["level"] in ("SEVERE", "WARNING")]
