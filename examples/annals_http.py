"""A client of `annals serve` in one file, without any package.

    $ export ANNALS_TOKEN=$(annals token create bot -q)
    $ python3 examples/annals_http.py add "My sister lives in Lyon."
    $ python3 examples/annals_http.py search "Where does my sister live?"
    $ python3 examples/annals_http.py list

The address is http://127.0.0.1:19876, or $ANNALS_URL; the namespace is `user`, or $ANNALS_NAMESPACE.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any


class AnnalsError(Exception):
    """A problem as the server tells it; `code` is for programs."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem['title']}: {problem.get('detail', '')} {problem['action']}")
        self.code: str = problem["code"]
        self.status: int = problem["status"]
        self.errors: list[dict[str, str]] = problem.get("errors", [])


class Annals:
    """The memories of a namespace."""

    def __init__(self, url: str, token: str, namespace: str = "user", timeout: float = 60) -> None:
        self.base = f"{url.rstrip('/')}/v1/namespaces/{urllib.parse.quote(namespace, safe='')}"
        self.token, self.timeout = token, timeout

    def call(
        self, method: str, path: str, body: Any = None, *, query: dict[str, Any] | None = None, match: str | None = None
    ) -> tuple[Any, str | None]:
        """The JSON of an answer, and its ETag. A write gets a key, so that sending it again stores nothing twice."""
        given = {key: value for key, value in (query or {}).items() if value is not None}
        url = f"{self.base}{path}" + (f"?{urllib.parse.urlencode(given, doseq=True)}" if given else "")
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        if match is not None:
            headers["If-Match"] = match
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        for attempt in (1, 2):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    return json.loads(answer.read() or b"null"), answer.headers.get("ETag")
            except urllib.error.HTTPError as error:
                raise AnnalsError(json.loads(error.read())) from None
            except (urllib.error.URLError, ConnectionError):
                # Whether it arrived is not known: the key makes it safe to send it again.
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def add(self, text: str, **fields: Any) -> dict[str, Any]:
        """Stores a memory; `admission` says whether it was new."""
        return self.call("POST", "/memories", {"text": text, **fields})[0]

    def search(self, query: str, **options: Any) -> dict[str, Any]:
        """The hits with their reasons, and whether anything answers (`answered`)."""
        return self.call("POST", "/memories/search", {"query": query, **options})[0]

    def list(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """All memories that pass the filters, page by page."""
        while True:
            page = self.call("GET", "/memories", query=filters)[0]
            yield from page["memories"]
            if "next" not in page:
                return
            filters["after"] = page["next"]

    def get(self, memory: str) -> tuple[dict[str, Any], str | None]:
        """A memory, and the ETag for an edit."""
        return self.call("GET", f"/memories/{memory}")

    def edit(self, memory: str, match: str | None = None, **changes: Any) -> dict[str, Any]:
        """Changes a memory, with `match` only if nobody else did since it was read."""
        return self.call("PATCH", f"/memories/{memory}", changes, match=match)[0]

    def history(self, memory: str) -> list[dict[str, Any]]:
        """Every text that it had."""
        return self.call("GET", f"/memories/{memory}/history")[0]["revisions"]

    def forget(self, memory: str) -> dict[str, Any]:
        """Hides it."""
        return self.call("POST", f"/memories/{memory}/forget")[0]

    def restore(self, memory: str) -> dict[str, Any]:
        """Brings it back."""
        return self.call("POST", f"/memories/{memory}/restore")[0]

    def delete(self, memory: str, dry_run: bool = False) -> dict[str, Any]:
        """Deletes it for good, or tells what would go."""
        return self.call("DELETE", f"/memories/{memory}", query={"dry_run": str(dry_run).lower()})[0]

    def events(self, last: int | None = None) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """What happens from now on, or after the event `last`: number, name, data."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        request = urllib.request.Request(f"{self.base}/events", headers=headers)
        with urllib.request.urlopen(request, timeout=self.timeout) as stream:
            fields: dict[str, str] = {}
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name and value:
                    fields[name] = value
                elif "data" in fields:
                    yield int(fields.get("id", -1)), fields["event"], json.loads(fields["data"])
                    fields = {}


def main() -> None:
    url = os.environ.get("ANNALS_URL", "http://127.0.0.1:19876")
    memory = Annals(url, os.environ["ANNALS_TOKEN"], os.environ.get("ANNALS_NAMESPACE", "user"))
    match sys.argv[1:]:
        case ["add", text]:
            added = memory.add(text)
            print(added["memory"]["id"], added["admission"])
        case ["search", query]:
            for hit in memory.search(query, top_k=5)["hits"]:
                print(f"{hit['score']:.2f}  {hit['memory']['text']}")
        case ["list"]:
            for one in memory.list(limit=100):
                print(one["id"], one["text"])
        case _:
            print(__doc__)


if __name__ == "__main__":
    main()
