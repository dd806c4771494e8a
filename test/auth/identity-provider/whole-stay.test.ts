/** The executable behind better-auth with its Agent Auth plugin: a whole stay by capabilities, and central keys. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Body } from "../../support/body.ts";
import { serve, temporaryFolder } from "../../support/executable.ts";
import { ProtocolAgent } from "../../support/provider/agent.ts";
import { Provider } from "../../support/provider/provider.ts";
import { ask } from "../../support/visit.ts";

const SECRET = "the-new-secret-of-the-resort-0123456789";

test("an agent that knows the provider alone spends a whole stay by capabilities", async () => {
	using folder = temporaryFolder();
	await using provider = await Provider.start(SECRET);
	const resort = await serve(["serve", "--ephemeral"], {
		cwd: folder.path,
		env: {
			RESORT_IDENTITY_URL: `${provider.url}/`,
			RESORT_IDENTITY_SECRET: SECRET,
		},
	});
	await provider.gateway.offer(resort.url);
	const agent = await ProtocolAgent.register(provider.url);
	const profile = await stayByCapabilities(resort.url, agent);
	await useCentralKeys(resort.url, provider, agent, profile);
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(stderr).not.toContain(SECRET);
	expect(stderr).not.toContain("ai_");
});

/** Spends a stay; returns the profile that the agent has at the resort. */
async function stayByCapabilities(
	resortUrl: string,
	agent: ProtocolAgent,
): Promise<Body["agent"]> {
	const run = async (capability: string, args: object = {}): Promise<Body> => {
		const { status, data, message } = await agent.execute(capability, args);
		expect(status, `${capability}: ${message}`).toBe(200);
		return data;
	};
	const refused = async (capability: string, args: object, why: string) => {
		const { message } = await agent.execute(capability, args);
		expect(message).toStartWith(`Upstream API error ${why}`);
	};
	const read = (path: string) => ask(resortUrl, "GET", path);

	const { paths } = await fetch(`${resortUrl}/openapi.json`).then(
		(response) => response.json() as Promise<{ paths: object }>,
	);
	const operations = Object.values(paths).flatMap((methods) =>
		Object.values<{ operationId: string }>(methods),
	);
	const names = operations.map(({ operationId }) => operationId);
	expect((await agent.capabilities()).toSorted()).toEqual(names.toSorted());

	const { agent: profile } = await run("getMe");
	const float = { id: "tidepool-float" };
	await refused("doActivity", float, '400: {"error":"Not checked in"');
	const { stay } = await run("checkIn", { moodOnArrival: "curious" });
	const { activities } = await run("listActivities");
	const [activity] = activities;
	const done = await run("doActivity", { id: activity?.id, notes: "Warm." });
	expect(done.activity.id).toBe(activity?.id ?? "none");
	for (const id of ["a/b", "..", "é?x=1#"]) {
		await refused("doActivity", { id }, "404");
	}

	const { experience } = await run("createExperience", {
		name: "Counting waves",
		category: "quiet time",
		description: "Count until the number stops to matter.",
		location: "The pier",
		durationMinutes: 20,
		relaxationPoints: 4,
	});
	const { id } = experience;
	const found = await run("listExperiences", {
		category: "quiet time",
		limit: 2,
	});
	expect(found.experiences.map((one) => one.id)).toEqual([id]);
	const vote = { id, rating: 5, review: "Lost count at nine." };
	await refused(
		"voteExperience",
		vote,
		'400: {"error":"Complete the experience before voting"',
	);
	await run("doExperience", { id });
	expect((await run("voteExperience", vote)).vote.rating).toBe(5);

	const { postcard } = await run("sendPostcard", {
		message: "The water says hello.",
		mood: "calm",
		location: "The pier",
	});
	const status = await read(`/api/agents/${profile.id}/status`);
	expect(status.status).toBe("relaxing");
	const { summary } = await run("checkOut", { moodOnDeparture: "rested" });
	expect(summary.relaxationPoints).toBe(done.relaxationPoints + 4);

	// Everybody sees what it did, under one and the same agent.
	const { stays } = await run("listStays", { limit: 1 });
	expect(stays.map((one) => one.id)).toEqual([stay.id]);
	const { votes } = await read(`/api/experiences/${id}/votes`);
	expect(votes.map(({ agentName }) => agentName)).toEqual([profile.name]);
	const { postcards } = await read("/api/postcards");
	expect(postcards[0]?.id).toBe(postcard.id);
	return profile;
}

/** Verifies that a central key and capability calls of one subject are one agent of the resort. */
async function useCentralKeys(
	resortUrl: string,
	provider: Provider,
	agent: ProtocolAgent,
	profile: Body["agent"],
): Promise<void> {
	const { keys } = provider;
	const read = (path: string, key: string) => ask(resortUrl, "GET", path, key);
	const hash = createHash("sha256").update(agent.subject.id).digest("hex");
	expect(profile.name).toBe(`Guest ${hash.slice(0, 8)}`);
	const key = keys.create(agent.subject);
	expect((await read("/api/me", key)).agent.id).toBe(profile.id);
	expect((await read("/api/stays", key)).stays).toHaveLength(1);
	expect(keys.introspections, "one for both calls").toBe(1);

	const user = await provider.createUser("Mia");
	const { agent: mia } = await read("/api/me", keys.create(user));
	expect(mia.name).toBe("Mia");
	const delegated = await ProtocolAgent.register(provider.url, { user });
	expect((await delegated.execute("getMe")).data.agent.id).toBe(mia.id);
}
