"""Runs mem0's own Python client against `annals serve --compat mem0`.

Usage: mem0_client.py ANNALS FOLDER

The first thing that is missing or wrong ends the run with its reason.
"""

import os
import subprocess
import sys
from pathlib import Path

# The client tells its maker of every call otherwise.
os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import MemoryClient  # noqa: E402
from mem0.exceptions import MemoryError as Mem0Error  # noqa: E402

ANNALS, FOLDER = sys.argv[1], Path(sys.argv[2])


def check(holds, what):
    if not holds:
        sys.exit(f"mem0's client: {what}")


def refused(call, what):
    try:
        call()
    except (Mem0Error, ValueError):
        return
    sys.exit(f"mem0's client: {what} is not refused")


def texts(found):
    return [item["memory"] for item in found["results"]]


def everything(client):
    added = client.add("My sister Ada lives in Lyon.", user_id="ben", metadata={"topic": "family"})
    check([item["event"] for item in added["results"]] == ["ADD"], added)
    one = added["results"][0]["id"]
    talk = [{"role": "user", "content": "I drink tea."}, {"role": "assistant", "content": "Noted: Ben drinks tea."}]
    check(len(client.add(talk, user_id="ben", run_id="talk", infer=False)["results"]) == 2, "a talk has two messages")
    client.add("I drink coffee.", user_id="cleo")

    mine = {"user_id": "ben"}
    found = client.search("Where does my sister live?", filters=mine)
    check(found["results"][0]["id"] == one and found["results"][0]["score"] > 0, found)
    check(all("coffee" not in text for text in texts(client.search("coffee", filters=mine))), "another user's memory")
    whole = client.get_all(filters=mine)
    check(whole["count"] == 3 and whole["next"] is None, whole)
    check(len(texts(client.get_all(filters={"AND": [mine, {"run_id": "talk"}]}))) == 2, "a run is not found")
    check(len(texts(client.get_all(filters=mine, page=2, page_size=2))) == 1, "no second page")

    got = client.get(one)
    check((got["user_id"], got["metadata"]) == ("ben", {"topic": "family"}), got)
    check(client.update(one, text="My sister Ada lives in Paris.")["memory"].endswith("Paris."), "no other text")
    check([row["event"] for row in client.history(one)] == ["ADD", "UPDATE"], client.history(one))
    client.delete(one)
    refused(lambda: client.get(one), "a memory that is gone")
    client.delete_all(user_id="ben")
    check(client.get_all(filters=mine)["count"] == 0, "not all were deleted")
    check(client.get_all(filters={"user_id": "cleo"})["count"] == 1, "another user's memory went, too")


def main():
    env = {**os.environ, "ANNALS_DB": str(FOLDER / "mem0.annals")}
    serve = [ANNALS, "serve", "--listen", "127.0.0.1:0", "--compat", "mem0"]
    with subprocess.Popen(serve, env=env, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            lines = (line for line in server.stdout if "http://" in line)
            url = next(word.rstrip(";") for word in next(lines).split() if word.startswith("http://"))
            create = [ANNALS, "token", "create", "mem0", "-q", "--namespace", "user:*"]
            rights = [f"--right={right}" for right in ("read", "write", "delete")]
            key = subprocess.check_output([*create, *rights], env=env, encoding="utf-8").strip()
            refused(lambda: MemoryClient(api_key="wrong", host=url), "a wrong key")
            everything(MemoryClient(api_key=key, host=url))
        finally:
            server.terminate()
    print("mem0's client: ok")


main()
