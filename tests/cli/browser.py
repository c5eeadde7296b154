"""Headless Chromium over its DevTools protocol, through a pipe: nothing but the standard library, and no network."""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium")
PATIENCE = 60  # seconds for an answer; a busy machine starts slowly
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--remote-debugging-pipe"]


class Browser:
    """One page. `requests` and `complaints` gather what it asked for and what it was unhappy with."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="scant-browser-")
        inner_in, self.to = os.pipe()
        self.answers, inner_out = os.pipe()
        # The protocol wants descriptors 3 and 4; from 10 on they cannot be in each other's way.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (inner_in, inner_out)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen([PROGRAM, *FLAGS, f"--user-data-dir={self.home}"], preexec_fn=place,
                                        pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for end in (inner_in, inner_out, *high):
            os.close(end)
        self.buffer, self.session, self.last = b"", None, 0
        self.requests, self.complaints, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        """The next message; they end with a zero byte."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("Chromium is gone")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        name, what = event.get("method"), event.get("params", {})
        self.events.append(name)
        if name == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif name == "Runtime.exceptionThrown":
            self.complaints.append(str(what["exceptionDetails"]))
        elif name == "Runtime.consoleAPICalled":
            self.complaints.append(str(what["args"]))
        elif name == "Log.entryAdded":
            self.complaints.append(what["entry"]["text"])

    def call(self, method, **parameters):
        self.last += 1
        asked = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                assert "error" not in answer, answer
                return answer["result"]
            self.note(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while "Page.loadEventFired" not in self.events:
            self.note(self.message())

    def ask(self, expression):
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def click(self, element):
        """A mouse click in the middle of the element that a JavaScript expression names."""
        x, y = self.ask(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); "
                        "const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path):
        """All of the page as a PNG."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.home, ignore_errors=True)
