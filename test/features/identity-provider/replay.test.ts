/** A signed call is accepted once, also after a restart and after an outage of the database. */
import { expect, test } from "bun:test";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { onPostgres } from "../../support/engine.ts";
import { serve } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { SECRETS, sign } from "./calls.ts";
import { House } from "./house.ts";

const BASE_URL = "http://resort.test";

test("a signed call cannot be repeated after the executable was killed and restarted", async () => {
	using folder = new TemporaryFolder();
	const args = ["serve", "--port", "0", "--base-url", BASE_URL];
	const place = {
		cwd: folder.path,
		env: { RESORT_IDENTITY_URL: "http://127.0.0.1:1", RESORT_IDENTITY_SECRET: SECRETS[0] },
	};
	const signAt = (offsetSeconds: number) =>
		sign({
			method: "GET",
			url: `${BASE_URL}/api/me`,
			capability: "getMe",
			nowMs: Date.now() + offsetSeconds * SECOND_MS,
		});
	const send = async (url: string, headers: Record<string, string>) =>
		(await fetch(`${url}/api/me`, { headers })).status;
	// The clock of the provider is 28 s ahead, so that the call does not expire during the test.
	const used = signAt(28);
	const unused = signAt(0);
	const first = await serve(args, place);
	expect(await send(first.url, used)).toBe(200);
	await first.stop("SIGKILL");
	const second = await serve(args, place);
	expect(await send(second.url, used)).toBe(401);
	// This call was signed before the process started, and has not been used yet.
	expect(await send(second.url, unused)).toBe(200);
	expect(await send(second.url, unused)).toBe(401);
	await second.stop();
});

test("a signed call whose nonce cannot be stored returns 503, and is accepted later", async () => {
	await using context = new House();
	const { resort } = context;
	const me = () => context.proxied("GET", "/api/me", "getMe");
	expect((await resort.me(me())).status).toBe(200);
	const call = context.proxied("POST", "/api/checkin", "checkIn");
	if (onPostgres) await resort.server.cut();
	else resort.sqlite.run("PRAGMA query_only = ON");
	for (let times = 0; times < 3; times++) {
		const refused = await resort.call("POST", "/api/checkin", call);
		expectRefusal(refused, 503, "Storage unavailable");
		expect(refused.headers.get("retry-after")).toBe("5");
		const unread = await resort.me(me());
		expectRefusal(unread, 503, "Storage unavailable");
	}
	if (onPostgres) await resort.server.heal();
	else resort.sqlite.run("PRAGMA query_only = OFF");
	const lobby = await resort.call("GET", "/api/lobby");
	expect(lobby.body.guests).toEqual([]);
	expect((await resort.call("POST", "/api/checkin", call)).status).toBe(201);
	expect((await resort.call("POST", "/api/checkin", call)).status).toBe(401);
});
