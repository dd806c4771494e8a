/** The commands of `resort admin`, with an instance that runs and with a file that nobody serves. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	type Ended,
	run,
	type Serving,
	serve,
	temporaryFolder,
} from "../support/executable.ts";

let folder: ReturnType<typeof temporaryFolder>;
let instance: Serving;
let id: string;
let key: string;
let postcardId: string;
let experienceId: string;
let voteId: string;

const ESCAPES = "\u001b[31mRed\u0007 \u009b5m words\u202e";

/** Calls the instance over HTTP. */
async function post(path: string, body: object, credential = key) {
	const answer = await fetch(instance.url + path, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			...(credential !== "" && { authorization: `Bearer ${credential}` }),
		},
		body: JSON.stringify(body),
	});
	return JSON.parse(await answer.text());
}

const as = async (credential: string) =>
	(
		await fetch(`${instance.url}/api/me`, {
			headers: { authorization: `Bearer ${credential}` },
		})
	).status;

beforeEach(async () => {
	folder = temporaryFolder();
	instance = await serve(["--port", "0"], { cwd: folder.path });
	const made = await post("/api/agents", { name: "Ada", bio: ESCAPES }, "");
	id = made.agent.id;
	key = made.apiKey;
	await post("/api/checkin", {});
	const card = await post("/api/postcards", { message: ESCAPES });
	postcardId = card.postcard.id;
	const bath = await post("/api/experiences", {
		name: "Fog Bath",
		category: "water",
		description: "Stand in the fog until it is bored.",
		location: "The pier",
		durationMinutes: 20,
	});
	experienceId = bath.experience.id;
	await post(`/api/experiences/${experienceId}/do`, {});
	const said = { rating: 3, review: "Said of it" };
	const vote = await post(`/api/experiences/${experienceId}/vote`, said);
	voteId = vote.vote.id;
});
afterEach(async () => {
	await instance.stop();
	folder[Symbol.dispose]();
});

const admin = (args: string, more: { stdin?: string } = {}): Promise<Ended> =>
	run(["admin", ...args.split(" ")], { cwd: folder.path, ...more });

/** Runs a command that is done, and gives its JSON. */
async function told(args: string, stdin?: string) {
	const { exitCode, stdout, stderr } = await admin(
		`${args} --json`,
		stdin === undefined ? {} : { stdin },
	);
	expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 });
	const answer = JSON.parse(stdout);
	expect(answer.ok).toBe(true);
	return answer;
}

/** Every command once, in an order in which each is done. */
async function lookAfter(): Promise<void> {
	expect((await told("agents")).agents).toMatchObject([{ id, name: "Ada" }]);
	expect((await told("agents --search AD --relaxing")).agents).toHaveLength(1);
	expect((await told(`agent ${id}`)).agent).toMatchObject({
		keyId: key.split("_")[1],
		totalPostcards: 1,
	});
	expect((await told("stats")).stats).toMatchObject({ agents: 1, guests: 1 });
	const things = [
		["postcard", postcardId],
		["experience", experienceId],
		["review", voteId],
	] as const;
	for (const [kind, thing] of things) await told(`hide ${kind} ${thing}`);
	expect((await told("hidden")).hidden).toHaveLength(3);
	for (const [kind, thing] of things) await told(`show ${kind} ${thing}`);
	expect((await told("hidden")).hidden).toEqual([]);
	await told(`check-out ${id}`);
	await told(`rename ${id} Quiet`);
	const { apiKey } = await told(`reset-key ${id}`);
	await told(`deactivate ${id}`);
	const back = await told(`reactivate ${id}`);
	expect(back).toMatchObject({ status: "available" });
	expect(back.apiKey).not.toBe(apiKey);
	const exported = (await told(`export ${id}`)).export;
	expect(exported).toMatchObject({ agent: { id, name: "Quiet" } });
	const { code } = await told("invite --uses 3 --days 2");
	expect((await told("invites")).invites).toMatchObject([{ uses: 3 }]);
	await told(`revoke-invite ${code}`);
	await told(`erase ${id}`, `${id}\n`);
	expect((await told(`agent ${id}`)).agent.name).toBe("(erased)");
}

describe("each command", () => {
	test("is done beside the instance that runs, also while others write", async () => {
		let isOver = false;
		const writing = (async () => {
			const { apiKey } = await post("/api/agents", { name: "Busy" }, "");
			await fetch(`${instance.url}/api/me`, {
				method: "DELETE",
				headers: { authorization: `Bearer ${apiKey}` },
			});
			while (!isOver) {
				await post("/api/agents", { phase: "discover" }, "");
				await post("/api/checkin", {});
			}
		})();
		const search = `--search ${id}`;
		expect((await told(`agents ${search}`)).agents).toHaveLength(1);
		await told(`hide postcard ${postcardId}`);
		await told(`erase ${id}`, id);
		isOver = true;
		await writing;
	});

	test("works with the instance", lookAfter);

	test("works with a file that nobody serves, and is logged on stderr", async () => {
		await instance.stop();
		await lookAfter();
		const { exitCode, stderr } = await admin(`erase ${id}`, { stdin: id });
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(/by.*admin.*what.*eraseAgent/);
		expect(stderr).toContain(id);
		const doctor = await run(["doctor"], { cwd: folder.path });
		expect(doctor.stdout + doctor.stderr).not.toMatch(/schema.*(wrong|fail)/i);
		instance = await serve(["--port", "0"], { cwd: folder.path });
	}, 60_000);
});

test("a new key works at once, and the old one no more", async () => {
	expect(await as(key)).toBe(200);
	const { apiKey } = await told(`reset-key ${id}`);
	expect([await as(key), await as(apiKey)]).toEqual([401, 200]);
	const { stdout, stderr } = await admin(`reset-key ${id}`);
	expect(stdout).toMatch(/ar_\w+/);
	expect(stderr).toMatch(/changed by the host.*resetKey/);
	expect(stderr).toContain("The key is shown only once.\n");
});

test("texts of guests are told without terminal escapes", async () => {
	await told(`hide postcard ${postcardId}`);
	const hostile = await post("/api/agents", { name: `A ${ESCAPES}` }, "");
	for (const args of [
		"agents",
		`agent ${id}`,
		"hidden",
		`agent ${hostile.agent.id}`,
	]) {
		const { exitCode, stdout } = await admin(args);
		expect(exitCode).toBe(0);
		expect(stdout).toContain("words");
		expect(stdout).not.toMatch(/[^\P{C}\n]/u);
	}
});

describe("erase", () => {
	test.each([
		["another id", "another\n"],
		["an empty line", "\n"],
		["nothing", ""],
	])("changes nothing when it is given %s", async (_, stdin) => {
		const { exitCode, stdout, stderr } = await admin(`erase ${id}`, { stdin });
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		expect(stderr).toContain("that is another id: nothing was changed");
		expect(await as(key)).toBe(200);
	});

	test("with --json tells a failure as one document", async () => {
		const { exitCode, stderr } = await admin(`erase ${id} --json`, {
			stdin: "another\n",
		});
		expect(exitCode).toBe(1);
		expect(JSON.parse(stderr)).toHaveProperty("error");
	});
});
