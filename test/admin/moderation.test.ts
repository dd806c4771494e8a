import { beforeEach, expect, test } from "bun:test";
import { recounts } from "../support/recounts.ts";
import type { Registered } from "../support/resort.ts";
import { useCommunityOnFile, useGuest } from "../support/use-resort.ts";

const context = useCommunityOnFile();
const ada = useGuest(context, { name: "Ada" });
const bob = useGuest(context, { name: "Bob" });
let bath: string;
beforeEach(async () => {
	bath = (await context.create(ada)).id;
	context.advance(1000);
});

const hide = (kind: string, id: string) =>
	context.byHost(`/${kind}s/${id}/hide`);
const show = (kind: string, id: string) =>
	context.byHost(`/${kind}s/${id}/show`);
async function send(
	{ key }: Registered,
	message: string,
	recipientId: string | null = null,
): Promise<string> {
	const body = { message, recipientId };
	const answer = await context.ask("POST", "/api/postcards", { key, body });
	return answer.body.postcard.id;
}

test("counts are as counted again after all of it", async () => {
	const carol = await context.guest({ name: "Carol" });
	const guests = [ada, bob, carol];
	const ids: string[] = [bath];
	for (const guest of guests) ids.push((await context.create(guest)).id);
	for (const guest of guests) {
		for (const id of ids) {
			await context.complete(guest, id);
			const vote = await context.vote(guest, id, 3, "Said");
			if (id === bath) await hide("review", vote.id);
		}
		await hide("postcard", await send(guest, "A message"));
		await send(guest, "Another", ada.id);
	}
	for (const id of ids) await hide("experience", id);
	await show("experience", bath);
	await context.byHost(`/agents/${carol.id}/erase`);
	for (const [kept, counted] of Object.values(recounts)) {
		expect(await context.rows(kept)).toEqual(await context.rows(counted));
	}
	const { stats } = (await context.host("GET", "/stats"))
		.body as unknown as Record<string, object>;
	expect(stats).toMatchObject({
		agents: 3,
		deactivated: 1,
		experiences: 1,
		votes: 12,
		postcards: 6,
		publicPostcards: 3,
	});
});
