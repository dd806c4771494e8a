import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import type { CallOptions } from "../../../support/calls.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);
let session: string;

beforeEach(async () => {
	session = await resort.login(ada.key);
	resort.advance(10 * MINUTE_MS);
});

describe("lastActive", () => {
	const own = async (by: CallOptions): Promise<string | null> => (await resort.me(by)).body.agent.lastActive;
	const shown = async () => (await resort.call("GET", `/api/agents/${ada.id}`)).body.agent.lastActive;

	test("is the same for calls by key and by session after the clock was set back", async () => {
		const before = await own({ key: ada.key });
		await own({ session });
		resort.advance(50 * MINUTE_MS);
		await own({ session });
		resort.advance(-50 * MINUTE_MS);
		expect(await own({ key: ada.key })).toBe(before);
		expect(await shown()).toBe(before);
	});
});
