"""A server of its own for each class of tests, a browser for all, and the calls by which tests prepare memories."""
import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from playwright.sync_api import expect, sync_playwright

ANNALS = os.environ.get("ANNALS", "target/debug/annals")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
STATUSES = "status=active&status=forgotten&status=archived"

_playwright = None
_browser = None


def _close():
    _browser.close()
    _playwright.stop()


def browser():
    """The browser of all tests."""
    global _playwright, _browser
    if _browser is None:
        _playwright = sync_playwright().start()
        _browser = _playwright.chromium.launch(executable_path=CHROMIUM or None, args=["--no-sandbox"])
        atexit.register(_close)
    return _browser


class Server:
    """`annals serve` in a folder of its own."""

    def __init__(self, *arguments):
        self.home, self.arguments = tempfile.mkdtemp(), arguments
        self.token, self.touched = None, set()
        self.start()

    def start(self):
        """Starts it on its folder."""
        arguments = self.arguments
        environment = {**os.environ, "HOME": self.home}
        command = [ANNALS, "--db", f"{self.home}/page.annals", "serve", "--listen", "0", "--json", *arguments]
        if "--demo" in arguments:
            command = [ANNALS, "serve", "--listen", "0", "--json", *arguments]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        text = ""
        for line in self.process.stdout:
            text += line
            if line.startswith("}"):
                break
        told = json.loads(text)
        self.url, self.link = told["url"], told["link"]
        self.token = self.token or told.get("token")
        if self.token is None:
            created = subprocess.run(
                [ANNALS, "--db", f"{self.home}/page.annals", "token", "create", "tests", "--all-namespaces",
                 "--right", "read", "--right", "write", "--right", "delete", "--right", "admin", "-q"],
                env=environment, capture_output=True, text=True, check=True)
            self.token = created.stdout.strip()

    def touch(self, namespace):
        """Notes that the test that runs works with a namespace."""
        self.touched.add(urllib.parse.unquote(namespace))

    def profiles(self):
        """The profiles of the namespaces that the test worked with, and whether its vectors are the program's own."""
        shipped = self.call("GET", "/v1/stats")["embedder"].startswith("builtin/")
        there = {one["name"]: one["profile"] for one in self.call("GET", "/v1/namespaces")["namespaces"]}
        return {(there[name], "shipped" if shipped else "other") for name in self.touched if name in there}

    def call(self, method, path, body=None):
        """Calls a route as a program does."""
        if path.startswith("/v1/namespaces/"):
            self.touch(path.split("/")[3].split("?")[0])
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def run(self, *arguments):
        """Runs a command of the program on the same database; it goes through the server."""
        if "-n" in arguments:
            self.touch(arguments[arguments.index("-n") + 1])
        command = [ANNALS, "--db", f"{self.home}/page.annals", "-q", *arguments]
        environment = {**os.environ, "HOME": self.home}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    def add(self, namespace, text, **fields):
        """Stores a memory and gives back its id."""
        return self.call("POST", f"/v1/namespaces/{namespace}/memories", {"text": text, **fields})["memory"]["id"]

    def texts(self, namespace, query=STATUSES):
        """The texts of a namespace."""
        found = self.call("GET", f"/v1/namespaces/{namespace}/memories?limit=500&{query}")
        return [memory["text"] for memory in found["memories"]]

    def get(self, namespace, memory):
        """A memory as it is stored."""
        return self.call("GET", f"/v1/namespaces/{namespace}/memories/{memory}")

    def restart(self):
        """Ends it and starts it again on the same database."""
        self.end()
        self.start()

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)


class PageTest(unittest.TestCase):
    """A server for the class and a tab that came in by its link."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        # Whoever overrides this makes what its tests work with: it is counted as theirs.
        self.server.touched.clear()

    def tearDown(self):
        """Tells under which profiles the test worked, for `cargo xtask specs`."""
        if "WITNESS" in os.environ:
            name = self.id().removeprefix("__main__.")
            with open(os.environ["WITNESS"], "a", encoding="utf-8") as lines:
                for profile, embedder in sorted(self.server.profiles()):
                    lines.write(f"page {name}\t{profile}\t{embedder}\n")

    def open(self, language="en", width=1280, theme="light", fresh=False):
        """A tab of a browser of its own, with a session."""
        context = browser().new_context(
            viewport={"width": width, "height": 860}, color_scheme=theme, timezone_id="UTC",
            locale="zh-CN" if language == "zh" else "en-GB", accept_downloads=True,
        )
        self.addCleanup(context.close)
        if not fresh:
            context.add_init_script("localStorage.setItem('annals-hints-seen', 'yes')")
        context.set_default_timeout(10_000)
        page = context.new_page()
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.addCleanup(lambda: self.assertEqual(self.errors, []))
        context.add_init_script(f"sessionStorage.setItem('annals-token', '{self.server.token}')")
        return page

    def go(self, page, route):
        """Goes to a screen, and waits until it is there."""
        named = re.search(r"[?&]ns=([^&]*)", route)
        if named:
            self.server.touch(named[1])
        page.goto(f"{self.server.url}/{route}")
        expect(page.locator("h1")).to_be_visible()
        return page
