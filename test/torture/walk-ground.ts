import { createDocument } from "../../src/guide/openapi.ts";
import { once } from "../../src/lib/once.ts";
import { requireDocumented } from "../support/conformance.ts";
import { type Answered, type Ask, TestResort } from "../support/resort.ts";
import type { CutGround } from "../walk/cut-off.ts";
import type { SeededRandom } from "../walk/random.ts";
import type { Ground } from "../walk/walk.ts";

/** The header field by which a request sets the clock of {@link Killable}. */
export const NOW_HEADER = "x-walk-now";

/** The header field that makes a request the host's. */
export const HOST_HEADER = "x-walk-host";

/** The longest wait between a request and the kill. */
const MAX_WAIT_MS = 5;

/** What every answer must fit. */
const document = once(() =>
	createDocument(new TestResort().operations, "http://resort.test", null),
);

/** A resort in a process of its own, which is killed and started again on the same file. */
export class Killable implements Ground, CutGround {
	nowMs = Date.UTC(2026, 2, 10, 12);
	readonly #command: readonly string[];
	readonly #dice: SeededRandom;
	#child: Bun.Subprocess<"ignore", "pipe", "inherit"> | null = null;
	#url = "";

	/** @param command the compiled `walk-child.ts` with its arguments */
	constructor(command: readonly string[], dice: SeededRandom) {
		this.#command = command;
		this.#dice = dice;
	}

	/** Starts it and waits until it listens. */
	async start(): Promise<void> {
		const child = Bun.spawn([...this.#command], {
			stdin: "ignore",
			stdout: "pipe",
			stderr: "inherit",
			detached: true,
		});
		this.#child = child;
		for await (const chunk of child.stdout) {
			this.#url = new TextDecoder().decode(chunk).trim();
			return;
		}
		throw new Error("the resort ended before it listened");
	}

	/** Kills it with SIGKILL. */
	async kill(): Promise<void> {
		this.#child?.kill("SIGKILL");
		await this.#child?.exited;
	}

	advance(durationMs: number): void {
		this.nowMs += durationMs;
	}

	async ask(method: string, path: string, ask: Ask = {}): Promise<Answered> {
		const headers = new Headers(ask.headers);
		headers.set(NOW_HEADER, String(this.nowMs));
		if (ask.body !== undefined) headers.set("content-type", "application/json");
		if (ask.key !== undefined) {
			headers.set("authorization", `Bearer ${ask.key}`);
		}
		if (ask.session !== undefined) {
			headers.set("cookie", `__Host-resort_session=${ask.session}`);
		}
		if (ask.peer !== undefined) headers.set("x-forwarded-for", ask.peer);
		const response = await fetch(this.#url + path, {
			method,
			headers,
			body:
				ask.body === undefined ? (ask.raw ?? null) : JSON.stringify(ask.body),
		});
		const text = await response.text();
		requireDocumented(document(), method, path, {
			status: response.status,
			contentType: response.headers.get("content-type") ?? "",
			text,
		});
		return {
			status: response.status,
			headers: response.headers,
			text,
			body: text === "" ? {} : JSON.parse(text),
		};
	}

	async host(method: string, path: string, body?: object): Promise<Answered> {
		const response = await fetch(this.#url + path, {
			method,
			headers: { [NOW_HEADER]: String(this.nowMs), [HOST_HEADER]: "1" },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const { status, headers } = response;
		const text = await response.text();
		return { status, headers, text, body: text === "" ? {} : JSON.parse(text) };
	}

	async cut(method: string, path: string, ask: Ask): Promise<Answered | null> {
		const answer = this.ask(method, path, ask).catch(() => null);
		await Bun.sleep(this.#dice.below(MAX_WAIT_MS + 1));
		await this.kill();
		const answered = await answer;
		await this.start();
		return answered;
	}
}
