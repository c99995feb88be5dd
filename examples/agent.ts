// Answers a message with a language model that remembers earlier sessions.

import { spawnSync } from "node:child_process";

const ANNALS = process.env.ANNALS ?? "annals";
const NOT_FOUND = 3; // There is no database yet.

type Role = "system" | "user" | "assistant";
type Message = { role: Role; content: string };

/** Runs annals and gives back what it says; nothing where there is no memory yet. */
function annals(args: string[], input = ""): string | undefined {
  const done = spawnSync(ANNALS, ["--quiet", ...args], { input, encoding: "utf8", windowsHide: true });
  if (done.error) throw done.error;
  if (done.status === NOT_FOUND) return undefined;
  if (done.status !== 0) throw new Error(done.stderr.trim());
  return done.stdout;
}

/** What of the memory belongs in a prompt, as quoted data. */
export function context(session: string, message: string): string {
  return annals(["context", "--session", session, "--", message]) ?? "";
}

/** Keeps what was said, in the order in which it was said. */
export function appendTurns(session: string, turns: Message[]): void {
  for (const { role, content } of turns) {
    annals(["remember", "--session", session, "--role", role, "-"], content);
  }
}

/** Asks any server with the chat completions call of OpenAI. */
async function complete(messages: Message[]): Promise<string> {
  const base = (process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1").replace(/\/+$/, "");
  const key = process.env.OPENAI_API_KEY;
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model: process.env.OPENAI_MODEL ?? "gpt-4o-mini", messages }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const answer = (await response.json()) as { choices: { message: { content: string } }[] };
  return answer.choices[0].message.content;
}

/** One round: remember, ask, keep. */
export async function answer(session: string, message: string): Promise<string> {
  const remembered = context(session, message);
  const system: Message = { role: "system", content: `You are a helpful assistant.\n\n${remembered}`.trim() };
  const reply = await complete([system, { role: "user", content: message }]);
  appendTurns(session, [
    { role: "user", content: message },
    { role: "assistant", content: reply },
  ]);
  return reply;
}

if (import.meta.main ?? process.argv[1]?.endsWith("agent.ts")) {
  const [message, ...more] = process.argv.slice(2);
  if (message === undefined || more.length > 0) {
    console.error("usage: agent.ts MESSAGE");
    process.exit(2);
  }
  console.log(await answer(`typescript-${Date.now()}`, message));
}
