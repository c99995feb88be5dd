// Makes npm packages: one with the program for a system, and the launcher that depends on all of them.
//
//   node packaging/npm/build.mjs --binary target/dist/annals --out dist/npm [--system linux-x64] [--launcher no]
//
// Without --system it is that of this machine. Each package is packed into a tarball in the folder of --out.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const SCOPE = "@annals-memory";

/** Every system that has a package. `libc` keeps npm from taking a program that the system cannot run. */
const SYSTEMS = {
  "linux-x64": { os: "linux", cpu: "x64", libc: "glibc" },
  "linux-arm64": { os: "linux", cpu: "arm64", libc: "glibc" },
  "darwin-x64": { os: "darwin", cpu: "x64" },
  "darwin-arm64": { os: "darwin", cpu: "arm64" },
  "win32-x64": { os: "win32", cpu: "x64" },
};

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    out: { type: "string" },
    system: { type: "string", default: `${process.platform}-${process.arch}` },
    launcher: { type: "string", default: "yes" },
  },
});
const system = SYSTEMS[values.system];
if (!values.out || !system) {
  console.error(`usage: build.mjs --binary FILE --out FOLDER [--system ${Object.keys(SYSTEMS).join("|")}] [--launcher no]`);
  process.exit(2);
}

/** The version of the workspace. */
function version() {
  const manifest = readFileSync(join(ROOT, "Cargo.toml"), "utf8");
  const found = /\[workspace\.package\][^[]*?\nversion = "([^"]+)"/.exec(manifest);
  if (!found) throw new Error("Cargo.toml names no version in [workspace.package]");
  return found[1];
}

function pack(folder, manifest) {
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(ROOT, name), join(folder, name));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const windows = process.platform === "win32";
  const out = execFileSync(windows ? "npm.cmd" : "npm", ["pack", "--pack-destination", resolve(values.out), folder], {
    encoding: "utf8",
    shell: windows,
  });
  console.log(join(values.out, out.trim().split("\n").pop()));
}

const launcher = JSON.parse(readFileSync(join(HERE, "annals/package.json"), "utf8"));
const shared = { version: version(), license: launcher.license, repository: launcher.repository };
const work = mkdtempSync(join(tmpdir(), "annals-npm-"));
mkdirSync(values.out, { recursive: true });
try {
  if (values.binary) {
    const folder = join(work, values.system);
    const program = join(folder, "bin", system.os === "win32" ? "annals.exe" : "annals");
    mkdirSync(dirname(program), { recursive: true });
    copyFileSync(values.binary, program);
    chmodSync(program, 0o755);
    pack(folder, {
      name: `${SCOPE}/annals-${values.system}`,
      description: `The program annals for ${values.system}; install ${launcher.name}`,
      ...shared,
      os: [system.os],
      cpu: [system.cpu],
      ...(system.libc ? { libc: [system.libc] } : {}),
      files: launcher.files,
      preferUnplugged: true,
    });
  }
  if (values.launcher !== "no") {
    const folder = join(work, "annals");
    cpSync(join(HERE, "annals"), folder, { recursive: true });
    const programs = Object.keys(SYSTEMS).map((name) => [`${SCOPE}/annals-${name}`, shared.version]);
    pack(folder, { ...launcher, ...shared, optionalDependencies: Object.fromEntries(programs) });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
