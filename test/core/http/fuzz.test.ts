/**
 * Random valid and invalid requests. `HTTP_REQUESTS=1000000 npx bun test test/core/http/fuzz.test.ts --timeout 3600000`
 * sends more.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { OpenApiDocument } from "../../../src/features/documents/openapi.ts";
import { checksumOf } from "../../support/api-key.ts";
import type { Body } from "../../support/body.ts";
import { fogBathing } from "../../support/community.ts";
import { requireDocumented } from "../../support/conformance.ts";
import { Connection } from "../../support/connection.ts";
import { LEAK } from "../../support/leak.ts";
import { useServing } from "../../support/use-serving.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";
import { ask, send, signUp } from "../../support/visit.ts";
import { type Credential, type Drawn, EXPERIENCE, hasDots, pathOf, requestsOf } from "./fuzz-requests.ts";
import { AGENT, KEY } from "./fuzz-values.ts";

const REQUESTS = Number(process.env.HTTP_REQUESTS ?? 4_000);
/** The number of clients that send at the same time, each with its own agent. */
const CLIENTS = 40;
const TIMEOUT_MS = 60_000 + REQUESTS * 10;
const COOKIE = "__Host-resort_session";
/** The runtime refuses longer request targets, and closes the connection while they are sent. */
const MAX_TARGET = 8 * 1024;

const server = useServing(
	["serve", "--ephemeral", "--port", "0", "--rate-limits", "off"],
	{ cwd: useTemporaryFolder().path, env: { RESORT_LOG_LEVEL: "warning" } },
	({ exitCode, stderr }) => {
		const others = stderr.replace(/^.*"X-Forwarded-For ignored.*\n/, "");
		expect({ exitCode, others }).toEqual({ exitCode: 0, others: "" });
	},
);

/** A client with an agent. The agent is replaced when its key, session or experience has ended. */
class Client {
	readonly #connection: Connection;
	#id = "";
	#key = "";
	#session = "";
	#experience = "";
	#revokedKey = "ar_nobody_nothing";
	#revokedSession = "0".repeat(64);

	constructor(
		readonly document: OpenApiDocument,
		readonly statuses: Set<number>,
	) {
		this.#connection = new Connection(Number(new URL(server.url).port));
	}

	async renew(): Promise<void> {
		const { id, key } = await signUp(server.url);
		this.#id = id;
		this.#key = key;
		const apiKey = { apiKey: key };
		const login = await send(server.url, "POST", "/api/session", { key: "", body: apiKey });
		this.#session = sessionIn(login.headers.get("set-cookie"));
		await ask(server.url, "POST", "/api/checkin", { key });
		const path = "/api/experiences";
		const made = await ask(server.url, "POST", path, { key, body: fogBathing });
		this.#experience = made.experience.id;
	}

	async check(drawn: Drawn): Promise<void> {
		const { method, credential } = drawn;
		const target = this.#fill(drawn.target);
		const isLong = target.length > MAX_TARGET;
		const body = typeof drawn.body === "string" ? this.#fill(drawn.body) : drawn.body;
		const headers: Record<string, string | number> = {
			Host: "resort.test",
			"content-length": Buffer.byteLength(body ?? ""),
			...(body !== null && { "content-type": "application/json" }),
			...drawn.headers,
			...this.#credential(credential),
		};
		const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
		const head = `${method} ${target} HTTP/1.1\r\n${fields.join("")}\r\n`;
		const answer = await this.#connection.ask(head, body).catch((error) => {
			if (!isLong) throw error;
			return null;
		});
		if (answer === null) return;
		const { status } = answer;
		const coding = answer.field("content-encoding");
		const text = decode(answer.body, coding);
		this.statuses.add(status);
		expect(status, text).toBeLessThan(500);
		if (status >= 400) expect(text).not.toMatch(LEAK);
		if (method === "HEAD" || (status === 431 && isLong)) return;
		const path = pathOf(target);
		// Paths with dot segments are refused.
		if (status === 400 && hasDots(target) && isError(text)) return;
		const contentType = answer.field("content-type") ?? "";
		const isKnown = requireDocumented(this.document, method, path, { status, contentType, text });
		// Pages are not in the document. A 304 of a page has no Content-Type.
		const isPage = contentType.startsWith("text/html") || status === 304;
		if (!isKnown && !isPage) {
			expect({ status, isError: isError(text) }, text).toEqual({ status: 404, isError: true });
		}
		const schemes = this.#schemesOf(drawn);
		const isRevoked = credential.startsWith("revoked");
		const isOk = status < 300;
		if (schemes.length > 0 && isRevoked) expect(isOk, text).toBe(false);
		if (schemes.includes("bearerKey") && credential === "key") {
			expect(status, text).not.toBe(401);
		}
		if (isOk && method !== "GET") await this.#learn(drawn);
	}

	close(): void {
		this.#connection.destroy();
	}

	/** Prepares the agent again if a call has ended its key, session or experience. */
	async #learn({ method, template }: Drawn): Promise<void> {
		const call = `${method} ${template}`;
		const endsKey = ["DELETE /api/me", "POST /api/me/api-key"].includes(call);
		const endsSession = ["DELETE /api/me", "DELETE /api/session"].includes(call);
		if (endsKey) this.#revokedKey = this.#key;
		if (endsSession) this.#revokedSession = this.#session;
		const isGone = call === "DELETE /api/experiences/{id}";
		if (endsKey || endsSession || isGone) await this.renew();
	}

	/** The credentials that the document names for the operation of a request. */
	#schemesOf({ method, template }: Drawn): string[] {
		const methods = this.document.paths[template ?? ""];
		const { security = [] } = methods?.[method.toLowerCase()] ?? {};
		const isOptional = security.some((one) => Object.keys(one).length === 0);
		return isOptional ? [] : security.flatMap(Object.keys);
	}

	#fill(text: string): string {
		return text
			.replaceAll(AGENT, this.#id)
			.replaceAll(KEY, this.#key)
			.replaceAll(EXPERIENCE, this.#experience);
	}

	#credential(credential: Credential): Record<string, string> {
		const key = { authorization: `Bearer ${this.#key}` };
		const session = { cookie: `${COOKIE}=${this.#session}` };
		const mistyped = this.#key.slice(0, -6) + checksumOf(this.#key);
		const all: Readonly<Record<Credential, Record<string, string>>> = {
			none: {},
			key,
			session,
			both: { ...key, ...session },
			"other scheme": { authorization: `Basic ${btoa(this.#key)}`, ...session },
			"revoked key": { authorization: `Bearer ${this.#revokedKey}` },
			"revoked session": { cookie: `${COOKIE}=${this.#revokedSession}` },
			"mistyped key": { authorization: `Bearer ${mistyped}` },
			"central key": { authorization: key.authorization.replace("ar_", "ai_") },
			garbage: { authorization: "Bearer \u00ff", cookie: `;=; a; ${COOKIE}; ${COOKIE}=%ff; ${COOKIE}={}` },
		};
		return all[credential];
	}
}

function sessionIn(cookie: string | null): string {
	return new RegExp(`${COOKIE}=([^;]+)`).exec(cookie ?? "")?.[1] ?? "";
}

function isError(text: string): boolean {
	return typeof (JSON.parse(text) as Body).error === "string";
}

function decode(bytes: Buffer<ArrayBuffer>, coding: string | null): string {
	if (bytes.length === 0 || coding === null) return bytes.toString();
	return new TextDecoder().decode(Bun.gunzipSync(bytes));
}

test(
	`the responses to ${REQUESTS} random requests match the OpenAPI document`,
	async () => {
		const response = await fetch(`${server.url}/openapi.json`);
		const document = (await response.json()) as OpenApiDocument;
		const requests = requestsOf(document);
		const statuses = new Set<number>();
		const play = async () => {
			const client = new Client(document, statuses);
			await client.renew();
			await fc.assert(
				fc.asyncProperty(requests, (drawn) => client.check(drawn)),
				{ numRuns: REQUESTS / CLIENTS },
			);
			client.close();
		};
		await Promise.all(Array.from({ length: CLIENTS }, play));
		expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 201, 304, 400, 401, 403, 404]));
	},
	TIMEOUT_MS,
);
