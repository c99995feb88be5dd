"""Answers a message with a language model that remembers earlier sessions."""

import json
import os
import subprocess
import sys
import time
import urllib.request

ANNALS = os.environ.get("ANNALS", "annals")
NOT_FOUND = 3  # There is no database yet.


def annals(*args: str, text: str | None = None) -> str | None:
    """Runs annals and gives back what it says; nothing where there is no memory yet."""
    done = subprocess.run([ANNALS, "--quiet", *args], input=text, capture_output=True, encoding="utf-8")
    if done.returncode == NOT_FOUND:
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def context(session: str, message: str) -> str:
    """What of the memory belongs in a prompt, as quoted data."""
    return annals("context", "--session", session, "--", message) or ""


def append_turns(session: str, turns: list[tuple[str, str]]) -> None:
    """Keeps what was said, in the order in which it was said."""
    for role, text in turns:
        annals("remember", "--session", session, "--role", role, "-", text=text)


def complete(messages: list[dict[str, str]]) -> str:
    """Asks any server with the chat completions call of OpenAI."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    body = {"model": os.environ.get("OPENAI_MODEL", "gpt-4o-mini"), "messages": messages}
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def answer(session: str, message: str) -> str:
    """One round: remember, ask, keep."""
    remembered = context(session, message)
    messages = [{"role": "system", "content": f"You are a helpful assistant.\n\n{remembered}".strip()}]
    reply = complete([*messages, {"role": "user", "content": message}])
    append_turns(session, [("user", message), ("assistant", reply)])
    return reply


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: agent.py MESSAGE")
    print(answer(f"python-{time.time_ns()}", sys.argv[1]))
