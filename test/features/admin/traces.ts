import { existsSync, readFileSync } from "node:fs";
import type { Registered } from "../../support/calls.ts";
import { testFeatures } from "../../support/features.ts";
import type { TestResort } from "../../support/resort.ts";
import { Receiver, subscribe, toLoopback } from "../webhooks/receiver.ts";

/** The beginning of every text of the traced agent. It occurs nowhere else. */
export const MARK = "Zqxj";

/** Fills long texts, so that tests find even a remaining part that does not contain {@link MARK}. */
export const FILLING = "yodelyodel";

/** Returns a text that begins with {@link MARK} and has at least the given length. */
export const marked = (what: string, length = 0): string => `${MARK} ${what} `.padEnd(length, FILLING).trim();

/** The options of a resort in which an agent can leave texts in every table. */
export const traceable = { webhooks: toLoopback } as const;

/** An agent that has left texts in every table. */
export interface Traced extends Registered {
	readonly experienceId: string;
	/** Values that do not contain {@link MARK}: the id of the key, and the secret of the webhook. */
	readonly secrets: readonly string[];
}

const profile = (time: string) => ({
	name: marked(`name ${time}`),
	bio: marked(`bio ${time}`, 500),
	relaxationStyle: [marked(`style ${time}`)],
	comfortObjects: [marked(`comfort ${time}`)],
	interests: [marked(`interest ${time}`)],
	roomPreference: marked(`room ${time}`, 200),
	avatarUrl: `https://pictures.test/${MARK}/${encodeURIComponent(time)}`,
});

/** Registers an agent that writes a text in every field, more than once. */
export async function leaveTraces(context: TestResort, other: Registered): Promise<Traced> {
	const headers = { "idempotency-key": "0".repeat(32) };
	const registration = { headers, body: profile("first") };
	const registered = await context.call("POST", "/api/agents", registration);
	const { id } = registered.body.agent;
	const key = registered.body.apiKey;
	const agent = { id, key };
	const post = (path: string, body: object) => context.send("POST", path, { key, body });
	await context.call("PATCH", "/api/me", { key, body: profile("second") });
	await post("/api/checkin", { moodOnArrival: marked("arrival", 300) });
	const { id: experienceId } = await context.create(agent, {
		name: marked("experience"),
		category: marked("category"),
		description: marked("description", 500),
		location: marked("location"),
	});
	await context.complete(agent, experienceId, { notes: marked("notes", 500) });
	await context.complete(other, experienceId, { notes: "Nice." });
	await context.vote(agent, experienceId, 5, marked("review first", 500));
	await context.vote(agent, experienceId, 4, marked("review second", 500));
	await context.vote(other, experienceId, 3, "Fine.");
	await post("/api/activities/tidepool-float/do", { notes: marked("did") });
	const card = { message: marked("postcard", 500), mood: marked("mood"), location: marked("place") };
	await context.sendPostcard(agent, card);
	const body = { ...card, recipientId: other.id };
	await context.call("POST", "/api/postcards", { key, headers, body });
	await using receiver = new Receiver();
	const { secret } = await subscribe(context, agent, {
		url: `${receiver.url()}/${MARK}`,
		types: ["agent.gone"],
	});
	await post("/api/checkout", { moodOnDeparture: marked("departure", 300) });
	await post("/api/checkin", { moodOnArrival: marked("again") });
	await context.login(key);
	await context.rows(
		`insert into identities (issuer, subject, agent_id, created_at) values ('https://id.test', '${MARK}-subject', '${id}', 1)`,
	);
	await context.rows(
		`insert into blocks (agent_id, blocked_id, created_at) values ('${id}', '${other.id}', 1)`,
	);
	await context.rows(
		`insert into admin_actions (at, command, agent_id, system_user) values (1, 'show', '${id}', 'root')`,
	);
	for (const feature of testFeatures) await feature.leaveTraces?.(context, agent, marked);
	const keyId = key.split("_")[1] ?? "";
	return { ...agent, experienceId, secrets: [keyId, secret] };
}

/** Returns those files of a database in which a text occurs, ignoring case. */
export function filesWith(file: string, text: string): string[] {
	return [file, `${file}-wal`, `${file}-shm`].filter((name) => {
		if (!existsSync(name)) return false;
		const bytes = readFileSync(name).toString("latin1").toLowerCase();
		return bytes.includes(text.toLowerCase());
	});
}
