import { expect, test } from "bun:test";
import fc from "fast-check";
import { Caller } from "../support/caller.ts";
import { LEAK } from "../support/leak.ts";
import { malformedRequest, placeholder } from "../support/malformed.ts";
import { TestResort } from "../support/resort.ts";

const REQUESTS = 10_000;
const TIMEOUT_MS = 60_000;

test(
	`${REQUESTS} malformed requests break nothing and tell nothing`,
	async () => {
		const resort = new TestResort();
		const statuses = new Set<number>();
		let caller = await Caller.create(resort);
		let token = await resort.login(caller.key);
		const fill = (text: string) =>
			text
				.replaceAll(placeholder.session, token)
				.replaceAll(placeholder.key, caller.key)
				.replaceAll(placeholder.id, caller.id);

		const isHandled = fc.asyncProperty(malformedRequest, async (drawn) => {
			const { method, headers } = drawn;
			const url = `http://resort.test${fill(drawn.target)}?${drawn.query}`;
			const response = await resort.fetch(
				new Request(url, {
					method,
					headers: Object.entries(headers).map(([name, text]) => [
						name,
						fill(text),
					]),
					body: method === "GET" || method === "HEAD" ? null : drawn.body,
				}),
			);
			const text = await response.text();
			statuses.add(response.status);
			expect(response.status).toBeLessThan(500);
			expect(text).not.toMatch(LEAK);
			const type = response.headers.get("content-type");
			// HTML, or any coding, may have been asked for by chance.
			const isPage = type === "text/html; charset=utf-8";
			if (!isPage) expect(type).toBe("application/json");
			const isPlain = !isPage && !response.headers.has("content-encoding");
			if (method !== "HEAD" && isPlain) {
				const answer = JSON.parse(text);
				const { ok, error } = answer;
				if (response.ok) expect(ok).toBe(true);
				else expect(typeof error).toBe("string");
			}
			if (response.ok && method !== "GET") {
				caller = await Caller.create(resort);
				token = await resort.login(caller.key);
			}
		});
		await fc.assert(isHandled, { numRuns: REQUESTS });

		expect([...statuses].sort()).toEqual(
			expect.arrayContaining([200, 201, 400, 401, 403, 404, 413]),
		);
		expect(resort.log.filter(({ level }) => level === "error")).toEqual([]);
		const guest = await resort.guest();
		const { body } = await resort.ask("GET", `/api/agents/${guest.id}/status`);
		expect(body.status).toBe("relaxing");
		await resort.close();
	},
	TIMEOUT_MS,
);
