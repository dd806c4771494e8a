import { SECOND_MS } from "../core/lib/clock.ts";
import { messageOf } from "../core/lib/error-reason.ts";
import { clean, toJson } from "../core/lib/readable-text.ts";
import { parseObject, textIn } from "../core/lib/record.ts";
import { operationAt } from "./catalogue.ts";
import type { Command, Context } from "./client-command.ts";
import type { Configuration } from "./configuration.ts";
import { type Block, readBlocks } from "./event-stream.ts";
import { flagsOf, valuesOf } from "./field-flags.ts";
import { type Body, messageFor, notAResort, requireSuccess } from "./operation-call.ts";
import { type Message, notReachable, open, readWhole } from "./send-message.ts";
import { notFound, pause, requestStatuses, retryAfterMs } from "./status-commands.ts";
import { print, report } from "./terminal.ts";

const operation = operationAt("GET /api/events");

/** The reconnection time if the resort has not sent one. */
const PAUSE_MS = 2 * SECOND_MS;
/** The maximum reconnection time. */
const MAX_PAUSE_MS = 30 * SECOND_MS;

/**
 * The fields that become flags. The positional arguments are the `ids`, and the other fields do not apply to
 * streams.
 */
const fields = operation.fields.filter(({ name }) => ["since", "types"].includes(name));

/** `watch [ID...]`: prints events until it is stopped. */
export const watch: Command = {
	summary: "Show events as they happen",
	words: "[ID...]",
	flags: flagsOf(fields),
	routes: ["GET /api/events"],
	example: "--types agent.available",
	async run(context) {
		const { line, configuration, name } = context;
		const values = valuesOf(line, fields);
		const configured = configuration();
		if (line.words.length > 0) values.ids = (await findKnown(context, configured)).join(",");
		const message = messageFor(configured, operation, values);
		let lastId: string | null = null;
		let retryMs: number | null = null;
		let failures = 0;
		for (;;) {
			let leastMs = 0;
			try {
				for await (const block of openStream(configured, message, lastId)) {
					if (failures > 0) report(`${name}: ${message.url.origin} is back`);
					failures = 0;
					lastId = block.id ?? lastId;
					retryMs = block.retryMs ?? retryMs;
					show(context, block);
				}
			} catch (error) {
				// The first stream must succeed. Only later streams are retried.
				if (lastId === null && retryMs === null) throw error;
				leastMs = retryAfterMs(error);
				if (failures++ === 0) {
					report(`${name}: ${messageOf(error)}; retrying`);
				}
			}
			const pauseMs = (retryMs ?? PAUSE_MS) * 2 ** failures;
			await pause(Math.max(Math.min(pauseMs, MAX_PAUSE_MS), leastMs));
		}
	},
};

/**
 * Returns the ids that the resort knows, and reports the others. Fails if the resort knows none of the ids,
 * because then no event would ever arrive.
 */
async function findKnown({ line, name }: Context, configured: Configuration): Promise<readonly string[]> {
	const { body, unknown } = await requestStatuses(configured, line.words);
	if (unknown.length === 0) return line.words;
	const hint = "An id is a UUID: `profile` shows your own, `lobby` those of guests.";
	const failure = notFound(unknown, hint);
	const { statuses } = body;
	if (!Array.isArray(statuses) || statuses.length === 0) throw failure;
	report(`${name}: ${failure.message}; still watching the others`);
	return line.words.filter((word) => !unknown.includes(word));
}

/** Yields the blocks of a new stream. It begins after the event `lastId`, or now if `lastId` is null. */
async function* openStream(
	configured: Configuration,
	message: Message,
	lastId: string | null,
): AsyncGenerator<Block> {
	const answer = await open({
		...message,
		headers: { accept: "text/event-stream", ...(lastId !== null && { "last-event-id": lastId }) },
	});
	const { statusCode, headers } = answer;
	if (statusCode !== 200) {
		const whole = await readWhole(message.url, answer);
		requireSuccess(configured, operation, whole);
	}
	if (!headers["content-type"]?.startsWith("text/event-stream")) {
		answer.destroy();
		throw notAResort(message.url);
	}
	try {
		yield* readBlocks(answer);
	} catch (error) {
		throw notReachable(message.url, error);
	}
}

function show({ isJson }: Context, { type, data }: Block): void {
	const event = parseObject(data);
	if (event === null) return;
	if (type === "reset") {
		report("some events have been deleted: fetch the current statuses");
		if (isJson) print(`${toJson({ type, ...event })}\n`);
		return;
	}
	print(`${isJson ? toJson(event) : describeEvent(event)}\n`);
}

function describeEvent(event: Body): string {
	const { agent, stay, experience, postcard } = event;
	const who = textIn(agent, "name") || textIn(agent, "id");
	const title = textIn(experience, "name") || textIn(event, "name");
	const subject = textIn(stay, "roomName") || textIn(postcard, "message") || title;
	const parts = [textIn(event, "at"), textIn(event, "type"), who, subject];
	return parts.map(clean).filter(Boolean).join("  ");
}
