/** Tests of unknown and invalid ids in paths. test/walk tests ids in upper case, and ids of archived experiences. */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { identified, type Operation, rows } from "../../support/operations.ts";
import { usePeople, useResort } from "../../support/use-resort.ts";
import { NOBODY, NOBODYS } from "../../support/values.ts";

const context = useResort({ shared: true });
const people = usePeople(context);

/** Returns unknown ids, many of which are similar to a known one. */
const wrong = (known: string) => [
	NOBODYS,
	NOBODY,
	`${NOBODYS}0`,
	"Tidepool-Float",
	`${known}0`,
	known.replaceAll("-", ""),
	`%20${known}`,
	`${known}%00`,
	"%zz",
	"__proto__",
	"'%20OR%201=1--",
	"x".repeat(4_000),
];

/** Returns the kind of resource in the path of an operation. */
function resourceOf({ path }: Operation) {
	if (path.includes("/agents/")) return "Agent";
	return path.includes("/activities/") ? "Activity" : "Experience";
}

/** The operations with an id in the path, except the one that unblocks an agent, which has another error. */
const ofResources = identified.filter(({ path }) => !path.includes("/blocked/"));

describe.each(rows(ofResources))("%s", (_, operation) => {
	const resource = resourceOf(operation);
	const ask = (id: string, { key } = people.guest) =>
		context.call(operation.method, operation.path.replace(":id", id), {
			...(operation.credential !== "none" && { key }),
			...(operation.body && { body: operation.body.good }),
		});
	const known = () =>
		({ Agent: people.guest.id, Activity: "tidepool-float", Experience: people.experience })[resource];

	test("returns 404 for unknown and invalid ids, to agents with and without a stay", async () => {
		const before = await context.dump();
		for (const agent of [people.guest, people.visitor]) {
			for (const id of wrong(known())) {
				expectRefusal(await ask(id, agent), 404, `${resource} not found`);
			}
		}
		expect(context.log).toEqual([]);
		expect(await context.dump()).toBe(before);
	});
});
