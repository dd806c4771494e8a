/** Ids in paths: those that nothing has, those of another shape, and those in upper case. */
import { beforeAll, describe, expect, test } from "bun:test";
import { expectRefusal } from "../support/answers.ts";
import { NOBODYS } from "../support/community.ts";
import type { Registered } from "../support/resort.ts";
import { useSharedCommunity } from "../support/use-resort.ts";

const context = useSharedCommunity();
let guest: Registered;
let visitor: Registered;
let experience: string;

beforeAll(async () => {
	guest = await context.guest();
	visitor = await context.register();
	({ id: experience } = await context.create(guest));
	await context.complete(guest, experience);
	for (const agent of [guest, visitor])
		await context.ask("GET", "/api/me", agent);
});

type Resource = "Agent" | "Activity" | "Experience";

const calls: [method: string, path: string, Resource, body?: object][] = [
	["GET", "/api/agents/{id}", "Agent"],
	["GET", "/api/agents/{id}/status", "Agent"],
	["POST", "/api/activities/{id}/do", "Activity"],
	["GET", "/api/experiences/{id}", "Experience"],
	["POST", "/api/experiences/{id}/do", "Experience"],
	["POST", "/api/experiences/{id}/vote", "Experience", { rating: 5 }],
	["GET", "/api/experiences/{id}/votes", "Experience"],
	["DELETE", "/api/experiences/{id}", "Experience"],
];

const UUID = NOBODYS.slice("exp-".length);

/** Ids that nothing has, of which many are nearly the id of something. */
const wrong = (known: string) => [
	...[NOBODYS, UUID, "00000000-0000-0000-0000-000000000000", "exp-", "exp"],
	...[`${known}0`, known.slice(1), `{${known}}`, known.replaceAll("-", "")],
	...[known.replace("-", "_"), `${known}%20`, `%20${known}`, `${known}%00`],
	...[`${known}%`, "%", "%20", "%00", "%zz", "%ff", "%E0%A4%A", "%F0%9F%8C%B4"],
	...["-", "1", "ada", "none", "null", "log", "a%2Fb", "__proto__"],
	...["constructor", "'%20OR%201=1--", "x".repeat(4_000)],
];

describe.each(calls)("%s %s", (method, path, resource, body) => {
	const ask = (id: string, { key } = guest) =>
		context.ask(method, path.replace("{id}", id), { key, body });
	const known = () =>
		({ Agent: guest.id, Activity: "tidepool-float", Experience: experience })[
			resource
		];

	test("is 404 for an id that nothing has, also without a stay", async () => {
		const before = await context.dump();
		for (const agent of [guest, visitor]) {
			for (const id of wrong(known())) {
				expectRefusal(await ask(id, agent), 404, `${resource} not found`);
			}
		}
		expect(context.log).toEqual([]);
		expect(await context.dump()).toBe(before);
	});

	if (resource === "Activity") return;

	test("takes the id in upper case", async () => {
		const answer = await ask(known().toUpperCase());
		expect(answer.status, answer.text).toBeLessThan(300);
		expect(answer.text).not.toContain(known().toUpperCase());
	});

	if (resource === "Agent") return;

	test("is 404 once the experience is archived, for its creator too", async () => {
		const { id } = await context.create(guest);
		await context.complete(guest, id);
		await context.archive(guest, id);
		for (const agent of [guest, visitor]) {
			expectRefusal(await ask(id, agent), 404, "Experience not found");
		}
	});
});
