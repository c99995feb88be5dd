"""Runs both examples against a stand-in for a model: what one session says, the next one knows.

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


if __name__ == "__main__":
    main()
