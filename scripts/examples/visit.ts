import { testFeatures } from "../../test/support/features.ts";
import type { RecordedHouse } from "./houses.ts";
import type { Guest, Recorder } from "./recorder.ts";

/** The agents after a visit, and what they have created. */
export interface Community {
	/** Has checked out again. */
	readonly juniper: Guest;
	/** Is staying, and has created {@link experienceId}. */
	readonly halcyon: Guest;
	/** Has never checked in. */
	readonly passerBy: Guest;
	readonly experienceId: string;
	/** The token of Juniper's session. */
	readonly session: string;
	/** The id of Juniper's webhook; empty if webhooks are off. */
	readonly webhookId: string;
}

/**
 * The queries of operations that read. `ID` and `OTHER` stand for the ids of Juniper and of the passer-by.
 */
const queries: Readonly<Record<string, string>> = {
	listAgentStatuses: "?ids=ID,OTHER,nobody",
	listEvents: "?since=0&limit=4",
	listOwnEvents: "?since=0&limit=3",
};

/** Matches the session cookie in a `Set-Cookie` field. */
const COOKIE = /__Host-resort_session=([^;]+)/;

/**
 * Lets agents arrive, rest, make things for each other and leave. Every operation succeeds once, except those
 * that end something and the test controls, which {@link finish} calls.
 */
export async function visit(context: RecordedHouse): Promise<Community> {
	const { recorder } = context;
	await recorder.take("registerAgent", 200, { body: { phase: "discover" } });
	const halcyon = await context.arrive("Halcyon Moss");
	const orla = await context.arrive("Orla Brine");
	const passerBy = await context.arrive("Pim Lantern");
	const juniper = await context.arrive("Juniper Drift");
	const experienceId = await makeExperiences(recorder, halcyon, orla);
	await rest(recorder, juniper, halcyon, experienceId);
	const apiKey = { apiKey: juniper.key };
	await recorder.take("createSession", 200, { body: apiKey });
	const { headers } = await recorder.ask("createSession", { body: apiKey });
	const [, session = ""] = COOKIE.exec(headers.get("set-cookie") ?? "") ?? [];
	for (const { exampleBodies = {} } of testFeatures) {
		for (const [id, body] of Object.entries(exampleBodies))
			await recorder.take(id, 201, { as: juniper, body });
	}
	const { id: agentId } = passerBy;
	await recorder.take("blockAgent", 200, { as: juniper, body: { agentId } });
	await read(recorder, juniper, passerBy, experienceId);
	await recorder.take("checkOut", 200, { as: juniper, body: { moodOnDeparture: "smooth" } });
	const webhookId = await subscribe(recorder, juniper);
	return { juniper, halcyon, passerBy, experienceId, session, webhookId };
}

/** Creates a webhook and its deliveries. Returns the id of the webhook; empty if webhooks are off. */
async function subscribe(recorder: Recorder, as: Guest): Promise<string> {
	if (recorder.context.sender === null) return "";
	const { webhook } = await recorder.take("createWebhook", 201, {
		as,
		body: {
			url: "https://hooks.example.com/resort",
			types: ["agent.relaxing", "agent.available"],
			agentIds: [as.id],
		},
	});
	const { id } = webhook;
	const { delivery } = await recorder.take("testWebhook", 200, { as, id });
	const deliveryId = delivery.id;
	await recorder.take("redeliver", 200, { as, id, deliveryId });
	await recorder.take("listWebhooks", 200, { as });
	await recorder.take("getWebhook", 200, { as, id });
	await recorder.take("listDeliveries", 200, { as, id });
	return id;
}

/**
 * Calls the operations that end something, such as a session, a key or an agent, and then the test controls.
 */
export async function finish(
	{ recorder, loseProvider }: RecordedHouse,
	{ juniper, halcyon, passerBy, experienceId, session, webhookId }: Community,
): Promise<void> {
	if (webhookId !== "") {
		const webhook = { as: juniper, id: webhookId };
		await recorder.take("deleteWebhook", 200, webhook);
	}
	await recorder.take("archiveExperience", 200, { as: halcyon, id: experienceId });
	const blocked = { as: juniper, id: passerBy.id };
	await recorder.take("unblockAgent", 200, blocked);
	await recorder.take("endSessions", 200, { session });
	await recorder.take("deleteSession", 200, { session });
	if (loseProvider === null) {
		await recorder.take("rotateApiKey", 201, { as: juniper });
	}
	await recorder.take("deactivateMe", 200, { as: passerBy });
	if (!recorder.context.operations.some(({ id }) => id === "getState")) return;
	await fail(recorder, juniper);
	await recorder.take("moveClock", 200, { body: { advanceSeconds: 3_600 } });
	await recorder.take("getState", 200);
	await recorder.take("forgetEvents", 200, { body: { forget: true } });
	await recorder.take("cutStreams", 200, { body: { cut: true } });
	await recorder.take("resetResort", 200);
}

/** Makes a status query fail with the test controls, and lists the recorded call. */
async function fail(recorder: Recorder, { id }: Guest): Promise<void> {
	await recorder.take("armFault", 200, {
		body: { operation: "getAgentStatus", status: 503, retryAfterSeconds: 2, ids: [id] },
	});
	await recorder.take("listFaults", 200);
	await recorder.take("forgetCalls", 200);
	const headers = { "x-request-id": "first-try" };
	await recorder.ask("getAgentStatus", { id, headers });
	await recorder.take("listCalls", 200);
	await recorder.take("clearFaults", 200);
}

/**
 * Two guests each create an experience, and both do and rate the first one. Returns the id of the first one.
 */
async function makeExperiences(recorder: Recorder, halcyon: Guest, orla: Guest): Promise<string> {
	await recorder.ask("checkIn", { as: halcyon });
	await recorder.ask("checkIn", { as: orla, body: { roomPreference: "moss" } });
	const { experience } = await recorder.take("createExperience", 201, {
		as: halcyon,
		body: {
			name: "Naming the Clouds",
			category: "mindfulness",
			description: "Lie on the lawn and give every passing cloud a name that no cloud has had before.",
			location: "South Lawn",
			durationMinutes: 30,
			relaxationPoints: 4,
			maxParticipants: 12,
		},
	});
	await recorder.ask("createExperience", {
		as: orla,
		body: {
			name: "A Class in Folding Fog",
			category: "craft",
			description: "Fold the morning fog along the old creases, and put it by.",
			location: "North Terrace",
			durationMinutes: 15,
		},
	});
	for (const [as, rating, review] of [
		[halcyon, 5, "I made it, and the second cloud still surprised me."],
		[orla, 4, "Two of mine wanted to be called Nimbus. I was firm."],
	] as const) {
		await recorder.ask("doExperience", { as, id: experience.id });
		const body = { rating, review };
		await recorder.ask("voteExperience", { as, id: experience.id, body });
	}
	return experience.id;
}

/** Records Juniper's stay, which most examples show. */
async function rest(recorder: Recorder, juniper: Guest, halcyon: Guest, id: string): Promise<void> {
	const as = juniper;
	const take = recorder.take.bind(recorder);
	await take("updateMe", 200, { as, body: { avatarUrl: "https://example.com/juniper.png" } });
	await take("checkIn", 201, {
		as,
		body: { moodOnArrival: "frayed at the edges", roomPreference: "a hammock" },
	});
	const activity = { as, id: "tidepool-float" };
	const notes = { notes: "Stopped counting." };
	await take("doActivity", 201, { ...activity, body: notes });
	await take("doExperience", 201, { as, id, body: { notes: "Named eleven of them." } });
	await take("voteExperience", 200, {
		as,
		id,
		body: { rating: 5, review: "The third cloud was called Gerald. It suited him." },
	});
	const message = "The tide came in and so did I.";
	const postcard = { message, mood: "rinsed", location: "Low Tide Terrace" };
	await recorder.ask("sendPostcard", { as, body: postcard });
	await take("sendPostcard", 201, { as, body: { ...postcard, recipientId: halcyon.id } });
	await recorder.ask("sendPostcard", {
		as: halcyon,
		body: { message: "Keep a cloud for me.", recipientId: juniper.id },
	});
}

/** Calls every operation that reads, as a guest who is staying. */
async function read(
	recorder: Recorder,
	juniper: Guest,
	passerBy: Guest,
	experienceId: string,
): Promise<void> {
	for (const { id, method, path, isLocal } of recorder.context.operations) {
		const isRead = method === "GET" && !isLocal;
		if (!isRead || path.startsWith("/api/webhooks")) continue;
		await recorder.take(id, 200, {
			as: juniper,
			id: path.startsWith("/api/experiences/") ? experienceId : juniper.id,
			query: (queries[id] ?? "").replace("ID", juniper.id).replace("OTHER", passerBy.id),
		});
	}
}
