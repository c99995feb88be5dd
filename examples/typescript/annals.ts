// A typed client of `annals serve`, without any package: Node, Deno, Bun and browsers have what it needs.
//
//     const annals = new Annals("http://127.0.0.1:19876", process.env.ANNALS_TOKEN!);
//     const path = { ns: "user" };
//     await annals.call("POST /v1/namespaces/{ns}/memories", { path, body: { text: "Ada lives in Lyon." } });
//     const found = await annals.call("POST /v1/namespaces/{ns}/memories/search",
//       { path, body: { query: "Where does Ada live?" } });

import type { Event, Problem, Routes } from "./routes.ts";

export type Route = keyof Routes;

/** What a route is asked with. */
export type Request<R extends Route> = Omit<Routes[R], "answer">;

/** An answer, and the tag of its state where it has one: `If-Match` of an edit. */
export type Reply<R extends Route> = { answer: Routes[R]["answer"]; etag: string | null; status: number };

/** Of routes that need nothing the request may be left out. */
type Arguments<R extends Route> = Record<string, never> extends Request<R> ? [request?: Request<R>] : [request: Request<R>];

/** A request as the client sends it, whatever its route. */
type Parts = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
};

/** A problem as the server tells it; `code` is for programs. */
export class AnnalsError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.title}: ${problem.detail ?? ""} ${problem.action}`);
    this.name = "AnnalsError";
    this.problem = problem;
  }

  get code(): string {
    return this.problem.code;
  }
}

export class Annals {
  readonly #base: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#base = url.replace(/\/+$/, "");
    this.#token = token;
  }

  /**
   * The answer of a route. Each call of a write gets an `Idempotency-Key` of its own: two calls are two writes. To
   * send one again after its answer was lost, give both calls the same key in `headers`.
   */
  async call<R extends Route>(route: R, ...[request]: Arguments<R>): Promise<Routes[R]["answer"]> {
    return (await this.#ask(route, request ?? {})).answer as Routes[R]["answer"];
  }

  /** The answer with its ETag. */
  async exchange<R extends Route>(route: R, ...[request]: Arguments<R>): Promise<Reply<R>> {
    return (await this.#ask(route, request ?? {})) as Reply<R>;
  }

  /** What happens in a namespace from now on, or after the event `last`. */
  async *events(ns: string, last?: number): AsyncGenerator<{ name: string } & Event> {
    const headers = last === undefined ? {} : { "Last-Event-ID": String(last) };
    const response = await this.#send("GET /v1/namespaces/{ns}/events", { path: { ns }, headers });
    let rest = "";
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
        const data = fields.get("data");
        if (data) yield { name: fields.get("event") ?? "message", ...(JSON.parse(data) as Event) };
      }
    }
  }

  async #ask(route: string, parts: Parts): Promise<{ answer: unknown; etag: string | null; status: number }> {
    const response = await this.#send(route, parts);
    const { status } = response;
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const answer = status === 204 ? undefined : isJson ? await response.json() : response;
    return { answer, etag: response.headers.get("ETag"), status };
  }

  async #send(route: string, { path, query, headers, body }: Parts): Promise<Response> {
    const [method, template] = route.split(" ") as [string, string];
    const url = new URL(this.#base + template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path![name]!)));
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined) url.searchParams.append(name, String(one));
      }
    }
    const sent = new Headers({ Authorization: `Bearer ${this.#token}` });
    if (method !== "GET") sent.set("Idempotency-Key", crypto.randomUUID());
    for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) sent.set(name, value);
    // These say themselves of what type they are.
    const isTyped = body instanceof Blob || body instanceof FormData;
    if (body !== undefined && !isTyped) sent.set("Content-Type", "application/json");
    const response = await fetch(url, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: isTyped ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new AnnalsError((await response.json()) as Problem);
    return response;
  }
}
