// Runs the client against the server that ANNALS_URL and ANNALS_TOKEN name: the namespace `typescript` is made and
// deleted. `examples/test.py` starts one.

import assert from "node:assert/strict";
import { env } from "node:process";

import { Annals, AnnalsError } from "./annals.ts";

const annals = new Annals(env["ANNALS_URL"]!, env["ANNALS_TOKEN"]!);
const path = { ns: "typescript" };

const added = await annals.call("POST /v1/namespaces/{ns}/memories", {
  path,
  body: { text: "My sister Ada lives in Lyon.", tags: ["family"] },
});
assert.equal(added.admission, "new");
await annals.call("POST /v1/namespaces/{ns}/memories", { path, body: { text: "Ben likes coffee." } });

const found = await annals.call("POST /v1/namespaces/{ns}/memories/search", {
  path,
  body: { query: "Where does my sister live?" },
});
assert.ok(found.answered.likely);
assert.match(found.hits[0]!.memory.text, /Lyon/);

const page = await annals.call("GET /v1/namespaces/{ns}/memories", { path, query: { limit: 1, tag: ["family"] } });
assert.deepEqual([page.total, page.memories.map((memory) => memory.id)], [1, [added.memory.id]]);

const one = { ...path, id: added.memory.id };
const { etag } = await annals.exchange("GET /v1/namespaces/{ns}/memories/{id}", { path: one });
const edit = (text: string) =>
  annals.call("PATCH /v1/namespaces/{ns}/memories/{id}", { path: one, headers: { "If-Match": etag! }, body: { text } });
assert.equal((await edit("My sister Ada lives in Paris.")).text, "My sister Ada lives in Paris.");
await assert.rejects(edit("My sister Ada lives in Nice."), (error) => error instanceof AnnalsError && error.code === "changed");

const { revisions } = await annals.call("GET /v1/namespaces/{ns}/memories/{id}/history", { path: one });
assert.deepEqual(revisions.map((revision) => revision.memory.text.slice(-6, -1)), [" Lyon", "Paris"]);

for await (const event of annals.events("typescript", 0)) {
  assert.deepEqual([event.name, event.memory?.text], ["memory.created", "Ben likes coffee."]);
  break;
}

const exported = await annals.call("GET /v1/namespaces/{ns}/export", { path });
const lines = await exported.text();
const again = await annals.call("POST /v1/namespaces/{ns}/import", {
  path,
  body: new Blob([lines], { type: "application/x-ndjson" }),
});
assert.equal(again.stored, 0, "what an export wrote is there already");

const receipt = await annals.call("DELETE /v1/namespaces/{ns}/memories/{id}", { path: one, query: { dry_run: true } });
assert.ok(receipt.dry_run);
await annals.call("DELETE /v1/namespaces/{ns}", { path });

// What the types refuse; `tsc` fails where one of these would pass.
// @ts-expect-error a route that is not there
void (() => annals.call("GET /v1/nothing"));
// @ts-expect-error a body without its text
void (() => annals.call("POST /v1/namespaces/{ns}/memories", { path, body: { tag: "x" } }));
// @ts-expect-error a namespace is needed
void (() => annals.call("GET /v1/namespaces/{ns}/memories"));
