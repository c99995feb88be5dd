"""Runs both examples against a stand-in for a model: what one session says, the next one knows. Then the clients over
HTTP against `annals serve`.

ANNALS names the program, NODE that of Node. Nothing outside of a temporary folder is read or written.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from annals_http import Annals, AnnalsError

HERE = Path(__file__).parent
asked: list[list[dict[str, str]]] = []


class Model(BaseHTTPRequestHandler):
    """Answers every request with the same words, and keeps what was asked."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/chat/completions" and body["model"] == "stand-in", self.path
        asked.append(body["messages"])
        answer = json.dumps({"choices": [{"message": {"content": "Noted."}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def over_http(annals: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "HOME": folder, "ANNALS_DB": str(Path(folder) / "agent.annals")}
        serve = [annals, "serve", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(serve, env=env, stdout=subprocess.PIPE, encoding="utf-8") as server:
            try:
                assert server.stdout is not None
                lines = (line for line in server.stdout if "http://" in line)
                url = next(word.rstrip(";") for word in next(lines).split() if word.startswith("http://"))
                rights = [f"--right={right}" for right in ("read", "write", "delete")]
                token = subprocess.check_output([annals, "token", "create", "test", "-q", *rights], env=env, encoding="utf-8")
                check(Annals(url, token.strip()))
                print("annals_http.py: ok")
                typescript(annals, url, env)
            finally:
                server.terminate()


def typescript(annals: str, url: str, env: dict[str, str]) -> None:
    rights = [f"--right={right}" for right in ("read", "write", "delete", "admin")]
    create = [annals, "token", "create", "typescript", "-q", "--namespace", "typescript", *rights]
    token = subprocess.check_output(create, env=env, encoding="utf-8").strip()
    node = [os.environ.get("NODE", "node"), str(HERE / "typescript" / "test.ts")]
    subprocess.run(node, env={**env, "ANNALS_URL": url, "ANNALS_TOKEN": token}, check=True)
    print("typescript: ok")


def check(memory: Annals) -> None:
    added = memory.add("My sister Ada lives in Lyon.", tags=["family"])
    assert added["admission"] == "new", added
    memory.add("Ben likes coffee.")
    found = memory.search("Where does my sister live?")
    assert found["answered"]["likely"] and "Lyon" in found["hits"][0]["memory"]["text"], found
    assert len(list(memory.list(limit=1))) == 2
    one, tag = memory.get(added["memory"]["id"])
    memory.edit(one["id"], tag, text="My sister Ada lives in Paris.")
    try:
        memory.edit(one["id"], tag, text="My sister Ada lives in Nice.")
        raise AssertionError("an edit of an old state was made")
    except AnnalsError as error:
        assert error.code == "changed", error
    assert [revision["memory"]["text"][-6:-1] for revision in memory.history(one["id"])] == [" Lyon", "Paris"]
    assert memory.forget(one["id"])["status"] == "forgotten"
    assert memory.restore(one["id"])["status"] == "active"
    number, name, data = next(memory.events(last=0))
    assert (number, name) == (1, "memory.created") and data["memory"]["text"] == "Ben likes coffee.", data
    assert memory.delete(one["id"], dry_run=True)["rows"] == 2
    assert memory.delete(one["id"])["dry_run"] is False
    assert len(list(memory.list())) == 1


def main() -> None:
    annals = str(Path(os.environ.get("ANNALS", "target/debug/annals")).resolve())
    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for command in ([sys.executable, str(HERE / "agent.py")], [os.environ.get("NODE", "node"), str(HERE / "agent.ts")]):
        with tempfile.TemporaryDirectory() as folder:
            env = {
                "PATH": os.environ["PATH"],
                "HOME": folder,
                "ANNALS": annals,
                "ANNALS_DB": str(Path(folder) / "agent.annals"),
                "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1/",
                "OPENAI_MODEL": "stand-in",
            }
            say = lambda text: subprocess.check_output([*command, text], env=env, encoding="utf-8", stderr=subprocess.PIPE)
            assert say("My sister Ada lives in Lyon.") == "Noted.\n"
            assert "Lyon" not in asked[-1][0]["content"], asked[-1]
            assert say("Where does my sister Ada live?") == "Noted.\n"
            system, user = asked[-1]
            assert user == {"role": "user", "content": "Where does my sister Ada live?"}, user
            assert "Ada lives in Lyon" in system["content"], system
            kept = json.loads(subprocess.check_output([annals, "list", "--json"], env=env))
            roles = sorted(memory["turn"]["role"] for memory in kept["memories"])
            assert roles == ["assistant", "assistant", "user", "user"], roles
            print(f"{Path(command[1]).name}: ok")
    over_http(annals)


if __name__ == "__main__":
    main()
