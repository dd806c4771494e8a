import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import type { Ask } from "../../../support/resort.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);
let session: string;

beforeEach(async () => {
	session = await resort.login(ada.key);
	resort.advance(10 * MINUTE_MS);
});

describe("lastActive is one, whether the key or the session is used", () => {
	const own = async (by: Ask): Promise<string | null> => (await resort.me(by)).body.agent.lastActive;
	const shown = async () => (await resort.ask("GET", `/api/agents/${ada.id}`)).body.agent.lastActive;

	test("after one that the other has not seen", async () => {
		await own({ key: ada.key });
		await own({ session });
		resort.advance(MINUTE_MS + 1);
		const noted = await own({ session });
		resort.advance(MINUTE_MS - 1);
		expect(await own({ key: ada.key })).toBe(noted);
		expect(await shown()).toBe(noted);
	});

	test("on a clock that went far ahead and was set back", async () => {
		const before = await own({ key: ada.key });
		await own({ session });
		resort.advance(50 * MINUTE_MS);
		await own({ session });
		resort.advance(-50 * MINUTE_MS);
		expect(await own({ key: ada.key })).toBe(before);
		expect(await shown()).toBe(before);
	});
});
