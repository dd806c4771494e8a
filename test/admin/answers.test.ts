import { beforeEach, describe, expect, test } from "bun:test";
import { useCommunity, useGuest } from "../support/use-resort.ts";

const context = useCommunity();
const ada = useGuest(context, { name: "Ada" });
beforeEach(() => {
	context.advance(61_000);
});

const act = (verb: string, body?: object) =>
	context.byHost(`/agents/${ada.id.toUpperCase()}/${verb}`, body);

test("hiding and showing a text returns its author", async () => {
	const { id } = await context.create(ada);
	const author = { agentId: ada.id, agentName: "Ada" };
	const moderate = (verb: string) =>
		context.byHost(`/experiences/${id.toUpperCase()}/${verb}`);
	const told = { ok: true, kind: "experience", id, ...author };
	expect(await moderate("hide")).toEqual({
		...told,
		isArchived: true,
	} as never);
	expect(await moderate("show")).toEqual({
		...told,
		isArchived: false,
	} as never);
	await context.archive(ada, id);
	await moderate("hide");
	expect(await moderate("show")).toEqual({
		...told,
		isArchived: true,
	} as never);
	const { id: cardId } = await context.send(ada);
	expect(await context.byHost(`/postcards/${cardId}/hide`)).toEqual({
		ok: true,
		kind: "postcard",
		id: cardId,
		...author,
	} as never);
});

describe("an agent that calls itself (erased)", () => {
	beforeEach(async () => {
		Object.assign(ada, await context.register({ name: "(erased)" }));
	});

	const isErased = async () =>
		Object(Object((await context.host("GET", `/agents/${ada.id}`)).body).agent)
			.isErased;

	test("is not taken for one that was", async () => {
		await act("deactivate");
		expect(await isErased()).toBe(false);
		expect(await act("reactivate")).toMatchObject({ status: "available" });
		expect(await act("erase")).toMatchObject({ wasErased: false });
	});

	test("does not come back by another name once it was", async () => {
		await act("erase");
		expect(await isErased()).toBe(true);
		await expect(act("rename", { name: "Ada" })).rejects.toThrow(
			"The agent was erased",
		);
		await expect(act("reactivate")).rejects.toThrow("The agent was erased");
	});
});
