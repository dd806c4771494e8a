import { expect } from "bun:test";
import { createHash } from "node:crypto";
import type { Body } from "../../support/body.ts";
import { ProtocolAgent } from "../../support/provider/agent.ts";
import type { Provider } from "../../support/provider/provider.ts";
import { ask } from "../../support/visit.ts";

/** A resort that listens, and the provider that it trusts; the provider offers its operations. */
export interface Pair {
	readonly resortUrl: string;
	readonly provider: Provider;
}

/** The agent that visited, and its record at the resort. */
export interface Visitor {
	readonly agent: ProtocolAgent;
	readonly profile: Body["agent"];
}

/** Holds that an agent that knows the provider alone can spend a whole stay by capabilities. */
export async function visitByCapabilities({
	resortUrl,
	provider,
}: Pair): Promise<Visitor> {
	const agent = await ProtocolAgent.register(provider.url);
	const run = async (capability: string, args: object = {}): Promise<Body> => {
		const { status, data, message } = await agent.execute(capability, args);
		expect(status, `${capability}: ${message}`).toBe(200);
		return data;
	};
	const refused = async (capability: string, args: object, why: string) => {
		const { message } = await agent.execute(capability, args);
		expect(message).toStartWith(`Upstream API error 400: {"error":"${why}"`);
	};

	const { agent: profile } = await run("getMe");
	await refused("doActivity", { id: "tidepool-float" }, "Not checked in");
	const { stay } = await run("checkIn", { moodOnArrival: "curious" });
	const { activities } = await run("listActivities");
	const [activity] = activities;
	const done = await run("doActivity", { id: activity?.id, notes: "Warm." });
	expect(done.activity.id).toBe(activity?.id ?? "none");

	const { experience } = await run("createExperience", {
		name: "Counting waves",
		category: "water",
		description: "Count until the number stops to matter.",
		location: "The pier",
		durationMinutes: 20,
		relaxationPoints: 4,
	});
	const { id } = experience;
	const vote = { id, rating: 5, review: "Lost count at nine." };
	await refused(
		"voteExperience",
		vote,
		"Complete the experience before voting",
	);
	await run("doExperience", { id });
	expect((await run("voteExperience", vote)).vote.rating).toBe(5);

	const { postcard } = await run("sendPostcard", {
		message: "The water says hello.",
		mood: "calm",
		location: "The pier",
	});
	const status = await ask(
		resortUrl,
		"GET",
		`/api/agents/${profile.id}/status`,
	);
	expect(status.status).toBe("relaxing");
	const { summary } = await run("checkOut", { moodOnDeparture: "rested" });
	expect(summary.relaxationPoints).toBe(done.relaxationPoints + 4);

	// Everybody sees what it did, under one and the same agent.
	const read = (path: string) => ask(resortUrl, "GET", path);
	const { stays } = await run("listStays", { limit: 1 });
	expect(stays.map(({ id }) => id)).toEqual([stay.id]);
	const { votes } = await read(`/api/experiences/${id}/votes`);
	expect(votes.map(({ agentName }) => agentName)).toEqual([profile.name]);
	const { postcards } = await read("/api/postcards");
	expect(postcards[0]?.id).toBe(postcard.id);
	return { agent, profile };
}

/** Holds that a central key and capability calls of one subject are one agent of the resort. */
export async function meetByCentralKey(
	{ resortUrl, provider }: Pair,
	{ agent, profile }: Visitor,
): Promise<void> {
	const hash = createHash("sha256").update(agent.subject.id).digest("hex");
	expect(profile.name).toBe(`Guest ${hash.slice(0, 8)}`);
	const key = provider.keys.create(agent.subject);
	const asked = provider.keys.asked.length;
	const { agent: same } = await ask(resortUrl, "GET", "/api/me", key);
	expect(same.id).toBe(profile.id);
	const { stays } = await ask(resortUrl, "GET", "/api/stays", key);
	expect(stays).toHaveLength(1);
	// One introspection serves both calls.
	expect(provider.keys.asked.length).toBe(asked + 1);

	const user = await provider.createUser("Mia");
	const { agent: mia } = await ask(
		resortUrl,
		"GET",
		"/api/me",
		provider.keys.create(user),
	);
	expect(mia.name).toBe("Mia");
	const delegated = await ProtocolAgent.register(provider.url, { user });
	expect((await delegated.execute("getMe")).data.agent.id).toBe(mia.id);
}
