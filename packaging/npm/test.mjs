// Installs the packages of build.mjs from their tarballs and runs the program through the launcher.
//
//   node --test packaging/npm/test.mjs
//
// ANNALS_BINARY names the program; without it a script stands in, which shows what reaches it.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const STAND_IN = '#!/bin/sh\nif [ "$1" = wait ]; then trap "exit 7" TERM; echo up; while :; do sleep 0.1; done; fi\n'
  + 'for word in "$@"; do printf "[%s]" "$word"; done\ncat\nexit 3\n';
const work = mkdtempSync(join(tmpdir(), "annals npm "));
const launcher = join(work, "node_modules/.bin/annals");

before(() => {
  const binary = process.env.ANNALS_BINARY ?? join(work, "stand-in");
  if (!process.env.ANNALS_BINARY) writeFileSync(binary, STAND_IN, { mode: 0o755 });
  const out = join(work, "out");
  execFileSync(process.execPath, [join(HERE, "build.mjs"), "--binary", binary, "--out", out], { stdio: "pipe" });
  const tarballs = readdirSync(out).map((name) => `file:${join(out, name)}`);
  assert.equal(tarballs.length, 2);
  mkdirSync(join(work, "node_modules"), { recursive: true });
  writeFileSync(join(work, "package.json"), "{}");
  // The packages of other systems are not to be had from here, and not needed.
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", ...tarballs], {
    cwd: work,
    stdio: "pipe",
  });
});

after(() => rmSync(work, { recursive: true, force: true }));

test("every package has the version of the workspace and its licences", () => {
  const manifest = JSON.parse(readFileSync(join(work, "node_modules/@annals-memory/annals/package.json"), "utf8"));
  const cargo = readFileSync(join(HERE, "../../Cargo.toml"), "utf8");
  assert.match(cargo, new RegExp(`\nversion = "${manifest.version.replaceAll(".", "\\.")}"`));
  assert.equal(Object.keys(manifest.optionalDependencies).length, 5);
  assert.ok(readdirSync(join(work, "node_modules/@annals-memory/annals")).includes("LICENSE-MIT"));
});

test("words, input and exit code pass through the launcher", { skip: !!process.env.ANNALS_BINARY }, () => {
  const said = spawnSync(launcher, ["remember", "two words", ""], { input: "text\n", encoding: "utf8" });
  assert.equal(said.stdout, "[remember][two words][]text\n");
  assert.equal(said.status, 3);
});

test("a signal ends the program and then the launcher", { skip: !!process.env.ANNALS_BINARY }, async () => {
  const child = spawn(launcher, ["wait"], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((up) => child.stdout.once("data", up));
  child.kill("SIGTERM");
  assert.equal(await new Promise((done) => child.once("exit", done)), 7);
});

test("the program runs", { skip: !process.env.ANNALS_BINARY }, () => {
  const said = spawnSync(launcher, ["--version"], { encoding: "utf8" });
  assert.match(said.stdout, /^annals \d+\.\d+\.\d+/);
  const missing = spawnSync(launcher, ["show", "17"], { encoding: "utf8" });
  assert.equal(missing.status, 2);
});

test("without the package of the system the launcher says what to do", () => {
  rmSync(join(work, `node_modules/@annals-memory/annals-${process.platform}-${process.arch}`), { recursive: true });
  const said = spawnSync(launcher, ["mcp"], { encoding: "utf8" });
  assert.equal(said.status, 1);
  assert.match(said.stderr, /there is no program in @annals-memory\/annals-.*\n {2}try: /);
});
