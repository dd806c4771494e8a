/**
 * What of a request reaches the verifier: a call with any part of it changed is 401 and changes nothing. The rules of
 * signatures themselves are in call-verifier.test.ts.
 */
import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { BODY, handSigned, NOW_MS, type Pieces } from "./calls.ts";
import { House, keyOf } from "./house.ts";

const PATH = "/api/checkin?dry=1&x=%20";
const OTHER_BODY = '{"roomPreference":"forest"}';

/** A call as it is sent. */
interface Sent {
	readonly method: string;
	readonly path: string;
	readonly body: string | null;
	readonly headers: Record<string, string>;
}

/** The call that {@link handSigned} signs. */
function sent(changes: Partial<Pieces> = {}): Sent {
	const { headers } = handSigned(changes);
	return {
		method: "POST",
		path: PATH,
		body: BODY,
		headers: {
			"content-type": "application/json",
			...Object.fromEntries(headers),
		},
	};
}

/** A resort whose guest was last active two minutes ago, at the time of the signed call. */
async function openResort(): Promise<House> {
	const context = new House({
		baseUrl: "https://resort.example/base",
		nowMs: NOW_MS - 2 * MINUTE_MS,
	});
	await context.resort.me({ key: keyOf("user-1") });
	context.resort.advance(2 * MINUTE_MS);
	return context;
}

const ask = ({ resort }: House, { method, path, body, headers }: Sent) =>
	resort.ask(method, path, { headers, ...(body !== null && { raw: body }) });

const withHeaders = (headers: Record<string, string>): Sent => {
	const good = sent();
	return { ...good, headers: { ...good.headers, ...headers } };
};

const authorization = `Bearer ${keyOf("user-1")}`;
const signedFor = (targetUri: string) => sent({ request: { targetUri } });

describe("a call is refused and changes nothing, and the good one is accepted after it:", () => {
	test.each<[what: string, bad: () => Sent]>([
		["another operation", () => ({ ...sent(), path: "/api/checkout?dry=1" })],
		["another body", () => ({ ...sent(), body: OTHER_BODY })],
		[
			"a good central key beside another subject",
			() => withHeaders({ "x-agent-subject": "user-2", authorization }),
		],
		[
			"a good central key beside a signature that is none",
			() => ({ ...sent(), headers: { signature: "x", authorization } }),
		],
		[
			"a good central key beside an empty signature",
			() => ({ ...sent(), headers: { signature: "", authorization } }),
		],
		[
			"signed for the host that it is sent to",
			() => signedFor(`http://resort.test${PATH}`),
		],
		[
			"signed for the address without the base URL's path",
			() => signedFor(`https://resort.example${PATH}`),
		],
	])("%s", async (_what, bad) => {
		await using context = await openResort();
		const before = await context.resort.dump();
		expectRefusal(await ask(context, bad()), 401, "Unauthorized");
		expect(await context.resort.dump()).toBe(before);
		expect((await ask(context, sent())).status).toBe(201);
		expect(await context.resort.dump()).not.toBe(before);
	});
});
