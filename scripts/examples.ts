/**
 * Records the examples of the OpenAPI document and of /docs: a community visits a resort in memory, in both
 * modes, and what is sent and answered is written to src/features/documents/examples.json. Run it again
 * whenever an answer changes, for a test compares:
 *
 *     npx bun scripts/examples.ts
 */
import { join } from "node:path";
import { mapValues } from "../src/core/lib/record.ts";
import { createDocument } from "../src/features/documents/openapi.ts";
import { testOperations } from "../src/features/testing/operations.ts";
import { directHouse, providerHouse, type RecordedHouse } from "./examples/houses.ts";
import type { Recorded } from "./examples/recorder.ts";
import { exceedLimits, loseStorage, outage, refuse } from "./examples/refusals.ts";
import { finish, visit } from "./examples/visit.ts";

/** The examples of both modes; of the second one those that differ. */
export interface AllRecorded {
	readonly direct: Recorded;
	readonly provider: Recorded;
}

/** Few instances have these: what they answer alike is not what most operations do. */
const ofTests: ReadonlySet<string> = new Set(testOperations.map(({ id }) => id));

/** What is the same for most operations is kept once, under this name. */
const ANY = "*";

/** Statuses whose body hardly depends on the operation. */
const SHARED = ["400", "401", "403", "413", "415", "422", "429", "500", "503"];

/** Records everything anew; the same at each run. */
export async function record(): Promise<AllRecorded> {
	const direct = share(await recordMode(directHouse), {});
	const provider = share(await recordMode(providerHouse), direct);
	const own = differing(provider, direct);
	return { direct: withReferences(direct), provider: withReferences(own) };
}

async function recordMode(create: (setup?: { rateLimits: boolean }) => RecordedHouse): Promise<Recorded> {
	await using resort = create();
	await using busy = create({ rateLimits: true });
	const { recorder } = resort;
	const { recorded } = recorder;
	const community = await visit(resort);
	const { operations, context } = recorder.context;
	const { paths } = createDocument(operations, "", context.provider);
	const documented = new Map(
		Object.values(paths)
			.flatMap((methods) => Object.values(methods))
			.map(({ operationId, responses }) => [operationId, Object.keys(responses).map(Number)]),
	);
	await refuse(resort, community, (id) => documented.get(id) ?? []);
	await exceedLimits(busy, recorded);
	merge(recorded, busy.recorder.recorded, "429");
	if (resort.loseProvider === null) {
		merge(recorded, await loseStorage(visit, recorded), "503");
		resort.isBroken = true;
		await recorder.take("sendPostcard", 500, { as: community.halcyon, body: recorded.sendPostcard?.request });
		resort.isBroken = false;
	}
	await finish(resort, community);
	if (resort.loseProvider !== null) {
		await resort.loseProvider();
		await outage(recorder, community, recorded);
	}
	return recorded;
}

function merge(into: Recorded, from: Recorded, status: string): void {
	for (const [id, answers] of Object.entries(from)) {
		if (answers[status]) into[id] = { ...into[id], [status]: answers[status] };
	}
}

/**
 * Keeps the body that most operations have at a status once.
 * @param other of the other mode: what an operation has there would be found before what is shared here
 */
function share(recorded: Recorded, other: Recorded): Recorded {
	const shared: Record<string, unknown> = {};
	for (const status of SHARED) {
		const bodies = Object.entries(recorded)
			.filter(([id, answers]) => status in answers && !ofTests.has(id))
			.map(([, answers]) => JSON.stringify(answers[status]));
		const times = (text: string) => bodies.filter((one) => one === text).length;
		const [most] = bodies.toSorted((a, b) => times(b) - times(a));
		if (most === undefined) continue;
		shared[status] = JSON.parse(most);
		for (const [id, answers] of Object.entries(recorded)) {
			if (other[id]?.[status] !== undefined) continue;
			if (JSON.stringify(answers[status]) === most) delete answers[status];
		}
	}
	return { [ANY]: shared, ...recorded };
}

/** Leaves out what is the same in the other mode. */
function differing(recorded: Recorded, other: Recorded): Recorded {
	return Object.fromEntries(
		Object.entries(recorded)
			.map(([id, answers]): [string, Record<string, unknown>] => [
				id,
				Object.fromEntries(
					Object.entries(answers).filter(
						([name, body]) => JSON.stringify(body) !== JSON.stringify(other[id]?.[name]),
					),
				),
			])
			.filter(([, answers]) => Object.keys(answers).length > 0),
	);
}

/** Replaces each body that an earlier operation has at the same status by the id of that operation. */
function withReferences(recorded: Recorded): Recorded {
	const first = new Map<string, string>();
	return mapValues(recorded, (answers, id) =>
		mapValues(answers, (body, status) => {
			const key = `${status} ${JSON.stringify(body)}`;
			const known = first.get(key);
			first.set(key, known ?? id);
			return known ?? body;
		}),
	);
}

if (import.meta.main) {
	const root = join(import.meta.dir, "..");
	const file = join(root, "src/features/documents/examples.json");
	await Bun.write(file, JSON.stringify(await record(), null, "\t"));
	// Biome writes short lists on one line.
	await Bun.$`node_modules/.bin/biome format --write ${file}`.cwd(root).quiet();
}
