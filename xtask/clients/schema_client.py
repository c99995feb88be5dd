"""Sends what the description of the routes allows, and what it does not, to `annals serve`: schemathesis, with a seed.

Usage: schema_client.py ANNALS FOLDER [SEED]

No request may end in an error of the server, and each answer is one that the description has. Left out are streams of
events and lines, which have no end or no form here, and what would end the session or the token of this run.
"""

import os
import subprocess
import sys
from pathlib import Path

ANNALS, FOLDER = sys.argv[1], Path(sys.argv[2])
SEED = sys.argv[3] if len(sys.argv) > 3 else "7"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
LEFT_OUT = "/events$|/login|/logout|/tokens|/import$|/export$"


def main():
    env = {**os.environ, "ANNALS_DB": str(FOLDER / "schema.annals")}
    with subprocess.Popen([ANNALS, "serve", "--listen", "127.0.0.1:0"], env=env, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            lines = (line for line in server.stdout if "http://" in line)
            url = next(word.rstrip(";") for word in next(lines).split() if word.startswith("http://"))
            create = [ANNALS, "token", "create", "schema", "-q", "--all-namespaces"]
            rights = [f"--right={right}" for right in ("read", "write", "delete", "admin")]
            token = subprocess.check_output([*create, *rights], env=env, encoding="utf-8").strip()
            run = [Path(sys.executable).parent / "schemathesis", "run", f"{url}/openapi.json", "--seed", SEED]
            run += ["--header", f"Authorization: Bearer {token}", "--checks", CHECKS, "--exclude-path-regex", LEFT_OUT]
            run += ["--phases", "examples,fuzzing", "--mode", "all", "--max-examples", "10", "--request-timeout", "30"]
            done = subprocess.run(run, cwd=FOLDER, capture_output=True, encoding="utf-8")
        finally:
            server.terminate()
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{done.stderr}"[-8000:])
    print(f"schemathesis, seed {SEED}: ok")


main()
