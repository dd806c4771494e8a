import { LONGEST_TIMER_MS, SECOND_MS } from "../../lib/clock.ts";
import { isRecord } from "../../lib/record.ts";
import { isUuid } from "../../lib/uuid.ts";
import {
	messageOf,
	objectIn,
	Refusal,
	requireSuccess,
	type Told,
} from "../call.ts";
import { operationAt } from "../catalogue.ts";
import type { Command, Context } from "../command.ts";
import type { Configuration } from "../configuration.ts";
import { Failure, ReaderGone } from "../failure.ts";
import { flagsOf, valuesOf } from "../flags.ts";
import {
	type Answer,
	type Message,
	notReachable,
	open,
	readWhole,
} from "../send.ts";
import { EventReader, type StreamEvent } from "../sse.ts";
import { clean, toJson } from "../text.ts";
import { ANY, notFound, statusesOf, unknownIn } from "./status.ts";
import { isPassing, pause } from "./wait.ts";

const operation = operationAt("GET /api/events");

/** How long to pause before connecting again when the service does not say, and at most. */
const PAUSE_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = 30 * SECOND_MS;

/** What of the query makes sense for a stream. */
const flags = flagsOf(
	operation.fields.filter(({ name }) => ["since", "types"].includes(name)),
);

/** `watch [ID...]`: events as they come, until it is ended. */
export const watch: Command = {
	summary: "Tell what happens, as it happens",
	words: "[ID...]",
	count: [0, ANY],
	flags,
	routes: ["GET /api/events"],
	example: "--types agent.available",
	async run(context) {
		const { line, configuration, world } = context;
		const values = valuesOf(line, flags);
		const configured = configuration();
		const message = messageOf(configured, operation, {
			...values,
			...(line.words.length > 0 && { ids: line.words.join(",") }),
		});
		await requireAgents(context, configured);
		const reader = new EventReader();
		let failures = 0;
		for (;;) {
			let leastMs = 0;
			try {
				await follow(context, {
					message,
					reader,
					judge: (answer) => requireSuccess(configured, operation, answer),
					began() {
						if (failures > 0)
							world.tell(`${world.name}: ${message.url.origin} is back`);
						failures = 0;
					},
				});
			} catch (error) {
				// A stream that never began is told; one that has begun goes on.
				if (reader.lastId === null && reader.retryMs === null) throw error;
				if (error instanceof ReaderGone || !isPassing(error)) throw error;
				if (error instanceof Refusal) {
					leastMs = error.retryAfterSeconds * SECOND_MS;
				}
				if (failures++ === 0)
					world.tell(`${world.name}: ${error.message}; trying again`);
			}
			const pauseMs = (reader.retryMs ?? PAUSE_MS) * 2 ** failures;
			await pause(
				Math.min(
					Math.max(Math.min(pauseMs, MAX_PAUSE_MS), leastMs),
					LONGEST_TIMER_MS,
				),
			);
		}
	},
};

/**
 * Makes sure that somebody is watched, because of ids that nobody has no event ever comes. Those that the resort does
 * not know are told when it knows others.
 * @throws Failure with exit code 5 for an id that is no UUID, and when the resort knows none of them
 */
async function requireAgents(
	{ line: { words }, world }: Context,
	configured: Configuration,
): Promise<void> {
	if (words.length === 0) return;
	const wrong = words.filter((word) => !isUuid(word));
	if (wrong.length > 0) {
		const { name } = world;
		throw notFound(
			wrong,
			`An id is a UUID: \`${name} profile\` tells your own, \`${name} lobby\` those of the guests.`,
		);
	}
	const told = await statusesOf(configured, words);
	const unknown = unknownIn(told);
	if (unknown.length === 0) return;
	const failure = notFound(unknown);
	const { statuses } = told;
	const isAnybody = Array.isArray(statuses) && statuses.length > 0;
	if (!isAnybody) throw failure;
	world.tell(`${world.name}: ${failure.message}; watching the others`);
}

/** What is followed. */
interface Stream {
	readonly message: Message;
	readonly reader: EventReader;
	/** Throws when an answer is no success. */
	readonly judge: (answer: Answer) => void;
	/** Called with each part that comes. */
	readonly began: () => void;
}

/** Follows one stream to its end. */
async function follow(
	context: Context,
	{ message, reader, judge, began }: Stream,
): Promise<void> {
	reader.restart();
	const answer = await open({
		...message,
		headers: {
			accept: "text/event-stream",
			...(reader.lastId !== null && { "last-event-id": reader.lastId }),
		},
	});
	const { statusCode, headers } = answer;
	if (statusCode !== 200) {
		judge(await readWhole(message.url, answer));
	}
	if (!headers["content-type"]?.startsWith("text/event-stream")) {
		answer.destroy();
		throw new Failure(
			`${message.url.origin} does not answer as a resort does`,
			1,
		);
	}
	try {
		for await (const part of answer) {
			began();
			for (const event of reader.read(part)) show(context, event);
		}
	} catch (error) {
		if (error instanceof ReaderGone) throw error;
		throw notReachable(message.url, error);
	}
}

function show({ isJson, world }: Context, { type, data }: StreamEvent): void {
	const told = objectIn(Buffer.from(data));
	if (told === null) return;
	if (type === "reset") {
		world.tell("some events have been forgotten: ask for statuses");
		if (isJson) world.print(`${toJson({ type, ...told })}\n`);
		return;
	}
	world.print(isJson ? `${toJson(told)}\n` : `${lineOf(told)}\n`);
}

/** An event in one line: when, what, who, and what it was about. */
function lineOf(told: Told): string {
	const { at, type, agent, stay, experience, postcard, name } = told;
	const who = textOf(agent, "name") || textOf(agent, "id");
	const about =
		textOf(stay, "roomName") ||
		textOf(postcard, "message") ||
		textOf(experience, "name") ||
		(typeof name === "string" ? name : "");
	return [at, type, who, about]
		.map((part) => clean(typeof part === "string" ? part : ""))
		.filter(Boolean)
		.join("  ");
}

function textOf(value: unknown, name: string): string {
	const found = isRecord(value) ? value[name] : undefined;
	return typeof found === "string" ? found : "";
}
