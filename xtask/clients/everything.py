"""Runs every tool, resource and prompt of `annals mcp` with the Python client of the protocol.

Usage: everything.py ANNALS FOLDER

Both transports are tried, each with the handshake of earlier versions and with the stateless
protocol of 2026-07-28. A design with tools of its own is asked by three routes. The first thing
that is missing or wrong ends the run with its reason.
"""

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters

ANNALS, FOLDER = sys.argv[1], Path(sys.argv[2])
MODES = {"legacy": "2025-", "2026-07-28": "2026-07-28", "auto": "2026-07-28"}


def check(holds, what):
    if not holds:
        sys.exit(f"the Python client: {what}")


def annals(db, *args):
    done = subprocess.run([ANNALS, "--db", str(db), *args], capture_output=True, text=True)
    check(done.returncode == 0, f"annals {' '.join(args)}: {done.stderr}")
    return done.stdout


def arguments(db, namespace):
    return ["--db", str(db), "--namespace", namespace, "mcp"]


@asynccontextmanager
async def over_stdio(db, namespace, mode):
    server = StdioServerParameters(command=ANNALS, args=arguments(db, namespace))
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        yield client


@asynccontextmanager
async def over_http(db, namespace, mode):
    command = [ANNALS, *arguments(db, namespace), "--http", "127.0.0.1:0", "--no-token"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        check(line.startswith("serving "), f"the server did not begin: {line}{server.stderr}")
        async with Client(line.split()[1], mode=mode, read_timeout_seconds=60) as client:
            yield client
    finally:
        server.terminate()
        server.wait(timeout=20)


TRANSPORTS = {"stdio": over_stdio, "HTTP": over_http}


async def call(client, called, tool, **given):
    called.add(tool)
    result = await client.call_tool(tool, given)
    check(not result.is_error, f"{tool} {given}: {result.content}")
    check(result.content[0].text and result.structured_content is not None, f"{tool} answers with text and data")
    return result.structured_content


async def tools(client):
    called = set()
    cat = (await call(client, called, "remember", text="The cat of the user is called Momo.", tags=["pet"]))["id"]
    fish = (await call(client, called, "remember", text="Momo eats only fish.", date="2026-01-03"))["id"]
    hits = (await call(client, called, "recall", query="What is the cat called?", limit=3, budget=500))["hits"]
    check(cat in [hit["id"] for hit in hits], f"recall finds what was stored: {hits}")
    whole = (await call(client, called, "get", ids=[cat, fish]))["memories"]
    check([memory["id"] for memory in whole] == [cat, fish], f"get returns both: {whole}")
    cat = (await call(client, called, "update", id=cat, text="The cat of the user is called Mimi."))["id"]
    await call(client, called, "link", **{"from": cat, "relation": "related", "to": fish})
    await call(client, called, "forget", ids=[fish])
    hits = (await call(client, called, "recall", query="What does Momo eat?"))["hits"]
    check(fish not in [hit["id"] for hit in hits], "what is forgotten is not recalled")
    await call(client, called, "forget", ids=[fish], restore=True)
    context = (await call(client, called, "context", message="What is the cat called?"))["text"]
    check("Mimi" in context, f"the context speaks of the cat: {context}")
    chinese = (await call(client, called, "remember", text="用户住在里斯本。"))["id"]
    hits = (await call(client, called, "recall", query="用户住在哪里？"))["hits"]
    check(chinese in [hit["id"] for hit in hits], f"a Chinese question is answered: {hits}")
    wrong = await client.call_tool("get", {"ids": ["0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e"]})
    check(wrong.is_error and "recall" in wrong.content[0].text, f"a wrong id is a result: {wrong}")
    listed = {tool.name for tool in (await client.list_tools()).tools}
    check(called == listed, f"every tool was called: {listed ^ called}")
    return len(listed)


async def resources(client):
    listed = (await client.list_resources()).resources
    check(len(listed) == 3, f"three resources: {listed}")
    for resource in listed:
        content = (await client.read_resource(resource.uri)).contents[0]
        check(content.text, f"{resource.uri} has a content")
        if resource.mime_type == "application/json":
            check(json.loads(content.text)["memories"] >= 3, f"statistics count: {content.text}")
    return len(listed)


async def prompts(client):
    listed = (await client.list_prompts()).prompts
    check(len(listed) == 3, f"three prompts: {listed}")
    for prompt in listed:
        given = {argument.name: "What is the cat called?" for argument in prompt.arguments or []}
        text = (await client.get_prompt(prompt.name, given)).messages[0].content.text
        check(text and ("Mimi" in text or not given), f"{prompt.name} shows memories: {text}")
    return len(listed)


async def everything(name, transport, mode):
    db = FOLDER / f"{name}-{mode}.annals"
    async with TRANSPORTS[transport](db, "user:42", mode) as client:
        version = client.protocol_version
        check(version.startswith(MODES[mode]), f"{mode} speaks {version}")
        # A client that names its version asks for no instructions.
        check(mode == "2026-07-28" or "recall" in client.instructions, "the instructions say when to call")
        counts = [await tools(client), await resources(client), await prompts(client)]
    check(annals(db, "db", "verify"), "the database is sound")
    print(f"Python client, {transport}, {version}: {counts[0]} tools, {counts[1]} resources, {counts[2]} prompts")


async def own_tools():
    db = FOLDER / "agent.annals"
    annals(db, "remember", "The deployment of the shop runs on Fridays.", "--namespace", "seed")
    annals(db, "namespace", "create", "agent", "--profile", "agent")
    for text in ["The deployment of the shop runs on Fridays.", "The database of the shop is PostgreSQL 17."]:
        annals(db, "--namespace", "agent", "remember", text, "--kind", "FACT")
    turn = ["remember", "The deployment failed with error 502.", "--session", "s1", "--role", "user"]
    annals(db, "--namespace", "agent", *turn)
    questions = [
        ("search_memory", {"query": "When does the shop deploy?"}),
        ("search_conversation_traces", {"keyword": "deployment"}),
    ]
    answers = []
    for transport in TRANSPORTS.values():
        async with transport(db, "agent", "auto") as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            check(listed == [tool for tool, _ in questions], f"the tools of the design: {listed}")
            answers.append([(await client.call_tool(*question)).structured_content for question in questions])
    by_program = ["--namespace", "agent", "model", "call"]
    answers.append([json.loads(annals(db, *by_program, tool, json.dumps(given))) for tool, given in questions])
    found = [[[hit["id"] for hit in memories["results"]], traces["traces"]] for memories, traces in answers]
    check(found[0] == found[1] == found[2] and all(found[0]), f"three routes, the same answer: {found}")
    print("Python client, tools of the design agent: the same answers by stdio, HTTP and the program")


async def main():
    for transport in TRANSPORTS:
        for mode in MODES:
            await everything(f"python-{transport}", transport, mode)
    await own_tools()


asyncio.run(main())
