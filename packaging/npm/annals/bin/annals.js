#!/usr/bin/env node
// Starts the program of the package for this system with the same arguments and streams.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const SCOPE = "@annals-memory";

/** The name of the package that holds the program for a system. */
function packageOf(platform, arch) {
  return `${SCOPE}/annals-${platform}-${arch}`;
}

/** The path of the program; an error that says what to do where there is none. */
function program() {
  const name = packageOf(process.platform, process.arch);
  const file = process.platform === "win32" ? "annals.exe" : "annals";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw new Error(
      `there is no program in ${name}\n` +
        "  try: npm install without --omit=optional, or `cargo install annals-cli` where the system has no package",
    );
  }
}

function main() {
  let path;
  try {
    path = program();
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  // The program decides what a signal means; the launcher ends when it does.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`error: cannot start ${path}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}

main();
