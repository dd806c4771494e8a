/**
 * Records the examples in the OpenAPI document and in /docs. Agents visit a resort in memory, first without
 * and then with an identity provider, and the bodies of requests and responses are written to
 * src/features/documents/examples.json. Run the script again after each change of a response, because a test
 * compares the file with new examples:
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

/**
 * The examples without and with an identity provider. `provider` contains only those that differ from
 * `direct`.
 */
export interface AllRecorded {
	readonly direct: Recorded;
	readonly provider: Recorded;
}

/** The test controls. Few instances have them, so their responses do not decide which body is shared. */
const ofTests: ReadonlySet<string> = new Set(testOperations.map(({ id }) => id));

/** The name under which a body that most operations share is stored once. */
const ANY = "*";

/** Statuses whose body hardly depends on the operation. */
const SHARED = ["400", "401", "403", "413", "415", "422", "429", "500", "503"];

/** Records all examples. Every run returns the same examples. */
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
 * Stores, for each status, the most frequent body only once.
 * @param other the examples of the other mode. If they contain a body for an operation and a status, the body
 * of this mode is kept, because readers would otherwise find the one in `other` before the shared one
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

/** Returns the examples that differ from those of the other mode. */
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

/** Replaces a body by the id of the first operation that has the same body for the same status. */
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
	// Formats the file, because Biome writes short lists on one line.
	await Bun.$`node_modules/.bin/biome format --write ${file}`.cwd(root).quiet();
}
