import { beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenBound, expectFailure } from "../../support/answers.ts";
import { Caller, nameOf, type Operation, operations, parameterized, rows } from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";
import { first } from "../../support/values.ts";

/** Matches parts of a JSON schema. An error message must not contain any of them. */
const SCHEMA_DUMP =
	/[{}[\]<>$^]|\b(type|schema|expected|received|property|validat|undefined|anyOf|minLength|maxLength|Kind)\b/i;

/** Queries for lists. Those with `offset` are sent only to lists that have this parameter. */
const valid = [
	["the minimum `limit=1`", "limit=1"],
	["the maximum `limit=100`", "limit=100"],
	["an invalid `limit` if a valid one follows", "limit=0&limit=5"],
	["a `limit` of 10 digits", "limit=0000000001"],
	["the minimum `offset=0`", "offset=0"],
	["the maximum `offset=2147483647`", "offset=2147483647"],
	["an unknown parameter that begins with `_`", "limit=1&offset=1&_page=-1"],
] as const;
const invalid = `limit=0 limit=101 limit= limit=1e1 limit=%zz limit=00000000001
	offset=-1 offset=2147483648 offset= offset=1.0`;

const resort = useResort({ shared: true });

let caller: Caller;
/** The ids that replace `:id` in paths, each with the start of these paths. */
let existing: [path: string, id: string][];
beforeAll(async () => {
	caller = await Caller.create(resort);
	const creator = await resort.guest();
	const { id } = await resort.create(creator);
	existing = [
		["/api/experiences/", id],
		["/api/activities/", "tidepool-float"],
		["", caller.id],
	];
});

/** Returns an existing id for the path of an operation, so that the call does not fail with 404. */
function idFor({ path }: Operation): string {
	const [, id = ""] = existing.find(([start]) => path.startsWith(start)) ?? [];
	return id;
}

function call(operation: Operation, query: string) {
	const path = `${operation.path.replace(":id", idFor(operation))}${query}`;
	return caller.call({ ...operation, path });
}

test.each(
	parameterized.flatMap((operation) =>
		Object.entries(operation.parameters).map(
			([name, bad]) => [name, nameOf(operation), operation, bad] as const,
		),
	),
)(
	'the parameter "%s" of %s is named in the error if its value is out of bounds',
	async (name, _, operation, bad) => {
		const refused = await call(operation, `?${name}=${bad}`);
		expectBrokenBound(refused, name);
		expect(refused.body.error).toStartWith(`${name} `);
		const sentence = refused.body.error.replace("postcard.received", "");
		expect(sentence).not.toMatch(SCHEMA_DUMP);
	},
);

test("if a query repeats a parameter, its last value is used", async () => {
	const agents = first(operations.filter(({ path, method }) => path === "/api/agents" && method === "GET"));
	expect((await call(agents, "?status=gone&status=relaxing")).status).toBe(200);
	expectBrokenBound(await call(agents, "?status=relaxing&status=gone"), "status");
});

describe.each(rows(parameterized.filter(({ parameters }) => "limit" in parameters)))("%s", (_, operation) => {
	const isForList = (query: string) => "offset" in operation.parameters || !query.includes("offset");

	test.each(valid.filter(([, query]) => isForList(query)))("accepts %s", async (_, query) => {
		expect((await call(operation, `?${query}`)).status).toBe(200);
	});

	test.each(invalid.split(/\s+/).filter(isForList))("refuses the invalid query `?%s`", async (query) => {
		expectBrokenBound(await call(operation, `?${query}`), query.replace(/=.*/, ""));
	});
});

/** Returns the status of a call, and the names of the fields of its response. */
async function shapeOf(operation: Operation, more: string) {
	const { status, body } = await call(operation, `?${more}`);
	return { status, names: Object.keys(body) };
}

/**
 * Whether an operation ignores unknown parameters. Documents do, and so does `/api/health`, because
 * monitoring tools add parameters of their own.
 */
const isDocument = ({ document, path }: Operation) => document === true || path === "/api/health";

const UNKNOWN = ["x=1&x=2", "constructor=2", "limit%5B%5D=0"];
const UNUSED = "_=1&__proto__=1&utm_source=x&=1&&&";

test.each(rows(operations.filter((one) => !isDocument(one))))(
	"%s refuses unknown parameters, but ignores those whose names are empty or begin with `_` or `utm_`",
	async (_, operation) => {
		const agent = await Caller.create(resort);
		const { method, path } = operation;
		const isOfSession = operation.credential === "session";
		const credential = isOfSession ? { session: await resort.login(agent.key) } : { key: agent.key };
		for (const query of UNKNOWN) {
			const name = decodeURIComponent(query.replace(/=.*/, ""));
			const target = `${path.replace(":id", idFor(operation))}?${UNUSED}&${query}`;
			const body = operation.body && { body: operation.body.good };
			const refused = await resort.call(method, target, { ...body, ...credential, peer: agent.address });
			expectFailure(refused, 400);
			expect(refused.body).toMatchObject({ error: `Unknown parameter ${name}`, field: name });
		}
		expect((await resort.me({ key: agent.key })).status).toBe(200);
	},
);

test.each(rows(operations.filter(isDocument)))("%s ignores every unknown parameter", async (_, operation) => {
	const plain = await shapeOf(operation, "");
	expect(plain.status).toBeOneOf([200, 404]);
	for (const more of [UNUSED, ...UNKNOWN, "&Limit=0&%zz=%zz&%00=%00"]) {
		expect(await shapeOf(operation, `&${more}`)).toEqual(plain);
	}
});
