import { rename } from "node:fs/promises";
import { DEEP_OFFSET, deepPageLimit } from "../../src/core/resort/operation.ts";
import { TemporaryFolder } from "../../test/support/folder.ts";
import { until } from "../../test/support/until.ts";
import { directHouse, type RecordedHouse } from "./houses.ts";
import type { Asked, Guest, Recorded, Recorder } from "./recorder.ts";
import type { Community } from "./visit.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";
const MAX_BODY_BYTES = 64 * 1024;
const json = { "content-type": "application/json" };
const foreign = { origin: "https://elsewhere.example" };

/**
 * Returns the wrong call whose refusal says most about an operation, by the id of the operation. Other
 * operations get a call that is wrong for any operation.
 */
function wrongCalls(
	{ juniper, halcyon, passerBy, experienceId }: Community,
	hasProvider: boolean,
): Readonly<Record<string, Asked>> {
	return {
		registerAgent: { body: { name: hasProvider ? "Juniper Drift" : "A" } },
		...(hasProvider && { rotateApiKey: { as: juniper } }),
		createSession: { body: { apiKey: "short" } },
		updateMe: { as: juniper, body: { name: "A" } },
		updateProfileSettings: { as: juniper, body: { app: {} } },
		checkIn: { as: halcyon },
		checkOut: { as: passerBy },
		doActivity: { as: passerBy, id: "tidepool-float" },
		createExperience: { as: halcyon, body: { name: "Naming the Clouds" } },
		doExperience: { as: passerBy, id: experienceId },
		voteExperience: { as: passerBy, id: experienceId, body: { rating: 5 } },
		sendPostcard: { as: halcyon, body: { message: "Are you there?", recipientId: "Juniper Drift" } },
		blockAgent: { as: juniper, body: { agentId: juniper.id } },
		createWebhook: { as: juniper, body: { url: "https://127.0.0.1/" } },
		moveClock: { body: {} },
		forgetEvents: { body: {} },
		cutStreams: { body: { cut: false } },
		armFault: { body: { operation: "getAgentState", status: 503 } },
		listCalls: { query: "?operation=getAgentState" },
		getAgentStatus: { id: halcyon.id, query: "?until=available" },
		getSkill: { query: "?format=full" },
		listActivities: { query: "?view=all" },
		listExperiences: { query: "?sort=price" },
		listAgentStatuses: { query: "?ids=" },
		listEvents: { query: "?types=sleep" },
		listOwnEvents: { as: juniper, query: "?since=x" },
		getOverview: { as: juniper, query: "?since=yesterday" },
	};
}

/** Records refusals: tries to get each documented error status from each operation. */
export async function refuse(
	{ recorder, loseProvider }: RecordedHouse,
	community: Community,
	statusesOf: (operationId: string) => readonly number[],
): Promise<void> {
	const wrong = wrongCalls(community, loseProvider !== null);
	const { juniper, halcyon, session, experienceId } = community;
	const body = { agentId: halcyon.id };
	await recorder.ask("blockAgent", { as: juniper, body });
	const forbidden: Readonly<Record<string, Asked>> = {
		archiveExperience: { as: juniper, id: experienceId },
		sendPostcard: { as: halcyon, body: { message: "Are you there?", recipientId: juniper.id } },
	};
	for (const { id, method, credential } of recorder.context.operations) {
		const own = wrong[id];
		const as = credential === "session" ? { session } : { as: juniper };
		const request = recorder.recorded[id]?.request;
		const body = request === undefined ? {} : { body: request };
		const calls: Readonly<Record<number, readonly Asked[]>> = {
			400: [
				...(own ? [own] : []),
				method === "GET"
					? { ...as, id: experienceId, query: "?limit=0" }
					: { ...as, id: experienceId, raw: "{", headers: json },
			],
			401: [{}, { body: { apiKey: "a key that nobody has" } }],
			403: [forbidden[id] ?? { headers: foreign, session }],
			404: [
				{ ...as, ...body, id: `exp-${NOBODY}` },
				{ ...as, ...body, id: NOBODY },
				{ ...as, body: { agentId: NOBODY } },
			],
			409: [{ id: halcyon.id, query: "?expect=available" }, { query: `?ids=${halcyon.id}&expect=available` }],
			413: [{ ...as, raw: "x".repeat(MAX_BODY_BYTES + 1) }],
			415: [{ ...as, raw: "x", headers: { "content-encoding": "gzip" } }],
		};
		for (const status of statusesOf(id)) {
			await tryEach(recorder, id, status, calls[status] ?? []);
		}
	}
	const headers = { "idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324" };
	const keyed = { as: halcyon, id: "tidepool-float", headers };
	await recorder.ask("doActivity", keyed);
	await recorder.take("doActivity", 422, { ...keyed, body: { notes: "another call" } });
}

/** Records the response of each operation whose rate limit is exceeded. */
export async function exceedLimits(
	{ recorder, arrive, loseProvider }: RecordedHouse,
	main: Recorded,
): Promise<void> {
	let as = await arrive("Juniper Drift", "198.51.100.1");
	recorder.stepMs = 0;
	await recorder.ask("checkIn", { as });
	const made = await recorder.ask("createExperience", { as, body: main.createExperience?.request });
	// A refused check-out does not count towards the limit, so each check-out needs a check-in before it.
	const limited = recorder.context.operations.filter(({ limit }) => limit);
	limited.sort((a) => (a.id === "checkOut" ? -1 : 0));
	for (const { id, credential, path, limit } of limited) {
		const calls = limit === undefined ? 0 : limit.limit + 1;
		for (let call = 0; call < calls && !recorder.has(id, 429); call++) {
			const request = main[id]?.request;
			const answered = await recorder.ask(id, {
				...(credential !== "none" && { as }),
				...(request !== undefined && { body: request }),
				id: path.includes("/activities/") ? "tidepool-float" : made.body.experience.id,
			});
			if (answered.status === 429) recorder.keep(id, answered);
			const { apiKey } = answered.body;
			if (id === "rotateApiKey" && apiKey) as = { ...as, key: apiKey };
			if (id === "checkOut") await recorder.ask("checkIn", { as });
		}
	}
	await exceedDeepPages(recorder, as, made.body.experience.id);
	await exceedPlaces(recorder, as);
	if (loseProvider !== null) await exceedUnknownKeys(recorder);
}

/** Exceeds the number of keys unknown to the identity provider that one network may send in a minute. */
async function exceedUnknownKeys(recorder: Recorder): Promise<void> {
	let keys = 0;
	const unknown = (): Asked => ({ as: { id: "", key: `ai_Unknown${keys++}` } });
	while (keys < 30) await recorder.ask("getMe", unknown());
	for (const { id, credential } of recorder.context.operations) {
		if (credential === "none") continue;
		await tryEach(recorder, id, 429, [unknown()]);
	}
}

/** Exceeds the number of calls of one address that may wait at the same time. */
async function exceedPlaces(recorder: Recorder, as: Guest): Promise<void> {
	const call = { as, id: as.id, query: `?ids=${as.id}&until=relaxing&wait=1` };
	const waiting = Array.from({ length: 30 }, () => recorder.ask("listEvents", { query: "?wait=1" }));
	// A call counts as waiting only after its first query has found nothing.
	await until(() => recorder.context.concurrency.open.call === 30);
	for (const { id, waits } of recorder.context.operations) {
		if (waits) await tryEach(recorder, id, 429, [call]);
	}
	await Promise.all(waiting);
}

/** Exceeds the rate limit of deep pages for every list. */
async function exceedDeepPages(recorder: Recorder, as: Guest, experienceId: string): Promise<void> {
	const call = { id: experienceId, query: `?offset=${DEEP_OFFSET + 1}` };
	for (const { id, credential, query } of recorder.context.operations) {
		if (!query?.properties.offset) continue;
		const known = credential === "none" ? call : { ...call, as };
		const calls = Array(deepPageLimit.limit + 1).fill(known);
		await tryEach(recorder, id, 429, calls);
	}
}

/** Records failures of the database, whose file is moved away while the resort runs. */
export async function loseStorage(
	community: (context: RecordedHouse) => Promise<Community>,
	main: Recorded,
): Promise<Recorded> {
	using folder = new TemporaryFolder();
	await using context = directHouse({ database: folder.file() });
	const { recorder } = context;
	const known = await community(context);
	await rename(folder.file(), folder.file("away"));
	await outage(recorder, known, main);
	await rename(folder.file("away"), folder.file());
	return recorder.recorded;
}

/** Records the 503 response of every operation that needs the missing database or identity provider. */
export async function outage(
	recorder: Recorder,
	{ juniper, session, experienceId }: Community,
	main: Recorded,
): Promise<void> {
	for (const { id, credential, path } of recorder.context.operations) {
		const request = main[id]?.request;
		await tryEach(recorder, id, 503, [
			{
				...(credential === "session" ? { session } : { as: juniper }),
				...(request !== undefined && { body: request }),
				id: path.includes("/activities/") ? "tidepool-float" : experienceId,
				query: id === "getHealth" ? "?deep=1" : "",
			},
		]);
	}
}

/** Makes the calls one after the other until a response has the status, and records this response. */
async function tryEach(
	recorder: Recorder,
	id: string,
	status: number,
	calls: readonly Asked[],
): Promise<void> {
	for (const call of calls) {
		if (recorder.has(id, status)) return;
		const answered = await recorder.ask(id, call);
		if (answered.status === status) recorder.keep(id, answered);
	}
}
