"""Headless Chromium for tests, controlled by the DevTools protocol through two pipes.

With --remote-debugging-pipe, Chromium reads commands from descriptor 3 and writes responses and
events to descriptor 4, each a JSON text terminated by a zero byte.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time


def program():
    """The name of the installed browser, or None."""
    return next((name for name in ("chromium", "chromium-browser", "google-chrome")
                 if shutil.which(name)), None)


class Browser:
    """One browser process with one open page. Not thread-safe. close() ends the process."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        read_commands, self.commands = os.pipe()
        self.responses, write_responses = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
                   # No other host resolves, so the page cannot use a network.
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                   f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{read_commands} 4>&{write_responses}', "sh", program(),
             *options], pass_fds=(read_commands, write_responses), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read_commands)
        os.close(write_responses)
        self.buffer = b""
        self.next_id = 0
        self.session = None
        self.errors = []    # JavaScript exceptions, console errors and warnings
        self.requests = []  # URLs
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        # The whole process group: child processes may still write to the profile.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.responses)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        """Waits for the next response or event; collects errors and requests."""
        while b"\0" not in self.buffer:
            part = os.read(self.responses, 1 << 16)
            if not part:
                raise RuntimeError("the browser has terminated")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(parameters["args"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        return message

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        self.next_id += 1
        command = {"id": self.next_id, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.next_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    # ---- operations of tests

    def open(self, path, width=1200, height=900, dark=False, phone=False):
        self.errors, self.requests = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        url = str(path) if str(path).startswith("http:") else "file://" + os.path.abspath(path)
        self.call("Page.navigate", url="about:blank")  # a new fragment alone would not load the page
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
        self.settle()

    def wait_for(self, expression):
        """Waits until a JavaScript expression is true; fails after half a minute."""
        for _ in range(600):
            if self.evaluate(expression):
                return
            time.sleep(0.05)
        raise AssertionError(f"not true: {expression}")

    def settle(self):
        """Waits until pending changes are drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def center(self, expression):
        """Scrolls an element into view; returns its center and size: x, y, width, height."""
        return self.evaluate(
            f"(() => {{ const node = {expression}; node.scrollIntoView({{block: 'center'}});"
            "const box = node.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]; })()")

    def click(self, expression, count=1):
        x, y, *_ = self.center(expression)
        for n in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, x, y, button="left", buttons=1, clickCount=n)
        self.settle()

    def drag(self, start, end):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", *end, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", buttons=1, clickCount=1)
        self.settle()

    def screenshot(self, path):
        size = self.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))
