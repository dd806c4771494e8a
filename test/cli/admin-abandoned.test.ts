/** Sockets that killed instances left in the folder of the user's own: the next start removes them, and nothing else. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	mkdirSync,
	readdirSync,
	renameSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
	MOST_TRIED,
	removeAbandoned,
	YOUNGEST_MS,
} from "../../src/server/admin/abandoned.ts";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { until } from "../support/until.ts";

let folder: ReturnType<typeof temporaryFolder>;
let own: string;
beforeEach(() => {
	folder = temporaryFolder();
	own = join(folder.path, "resort");
	mkdirSync(own, { mode: 0o700 });
});
afterEach(() => folder[Symbol.dispose]());

const nameOf = (number: number) => `${`${number}`.padStart(20, "0")}-admin`;

/** Lets a file be so old, in milliseconds. */
function age(path: string, ms: number): void {
	const at = new Date(Date.now() - ms);
	utimesSync(path, at, at);
}

const listen = (path: string) =>
	Bun.serve({ unix: path, fetch: () => new Response("here") });

/** Leaves a socket to which nobody listens. */
async function abandon(name: string, ms = 2 * YOUNGEST_MS): Promise<void> {
	const path = join(own, name);
	const server = listen(`${path}.made`);
	renameSync(`${path}.made`, path);
	await server.stop(true);
	age(path, ms);
}

test("a killed instance's socket is removed by the next instance, whose own stays", async () => {
	const place = { cwd: folder.path, env: { XDG_RUNTIME_DIR: folder.path } };
	const args = ["--port", "0", "--database", ":memory:"];
	await (await serve(args, place)).stop("SIGKILL");
	const [left = ""] = readdirSync(own);
	expect(left).not.toBe("");
	age(join(own, left), 2 * YOUNGEST_MS);
	const instance = await serve(args, place);
	await until(() => !readdirSync(own).includes(left));
	const { port } = new URL(instance.url);
	const asked = await run(["admin", "stats", "--port", port], place);
	expect(asked.exitCode).toBe(0);
	await instance.stop();
	expect(readdirSync(own)).toEqual([]);
}, 60_000);

describe("what stays", () => {
	test("is a socket that somebody listens to", async () => {
		const path = join(own, nameOf(1));
		const server = listen(path);
		age(path, 2 * YOUNGEST_MS);
		await removeAbandoned(own);
		const answer = await fetch("http://localhost/", { unix: path });
		expect(await answer.text()).toBe("here");
		await server.stop(true);
	});

	test.each([
		["a young socket", () => abandon(nameOf(1), -60_000)],
		["a socket of another name", () => abandon("mine")],
		["a plain file", () => writeFileSync(join(own, nameOf(1)), "mine")],
		["a folder", () => mkdirSync(join(own, nameOf(1)))],
	])("is %s", async (what, make) => {
		await make();
		const before = readdirSync(own);
		expect(before).toHaveLength(1);
		const [name = ""] = before;
		if (what !== "a young socket") age(join(own, name), 2 * YOUNGEST_MS);
		await removeAbandoned(own);
		expect(readdirSync(own)).toEqual(before);
	});

	test("is a link to a socket, and the socket that is meant", async () => {
		await abandon("mine");
		symlinkSync(join(own, "mine"), join(own, nameOf(1)));
		await removeAbandoned(own);
		expect(readdirSync(own)).toHaveLength(2);
	});
});

test.each([
	[MOST_TRIED - 1, 0],
	[MOST_TRIED, 0],
	[MOST_TRIED + 1, 1],
])(
	"of %i abandoned sockets %i are left for the next start",
	async (count, left) => {
		for (let number = 0; number < count; number++)
			await abandon(nameOf(number));
		await removeAbandoned(own);
		expect(readdirSync(own)).toHaveLength(left);
		await removeAbandoned(own);
		expect(readdirSync(own)).toEqual([]);
	},
);

test("a folder that is gone is no failure", async () => {
	folder[Symbol.dispose]();
	await removeAbandoned(own);
});
