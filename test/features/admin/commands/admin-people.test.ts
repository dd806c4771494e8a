/** The output of `resort admin` for people, without `--json`. */

import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { register } from "../../../support/guests.ts";
import { useServing } from "../../../support/use-serving.ts";
import { useTemporaryFolder } from "../../../support/use-temporary-folder.ts";
import { arrive, ask } from "../../../support/visit.ts";

const LONG = "The fog comes in on its own feet and stays for tea. ".repeat(8);
const ESCAPES = "\u001b[31mRed\u0007 \u009b5m words\u200f\u007f";
const TIME = /20\d\d-\d\d-\d\d \d\d:\d\d/;

const folder = useTemporaryFolder();
const empty = useTemporaryFolder();
const instance = useServing(["--port", "0", "--rate-limits", "off"], {
	cwd: folder.path,
});

const admin = (args: readonly string[], place = {}) => folder.run(["admin", ...args], place);

async function says(...args: string[]) {
	const { exitCode, stdout, stderr } = await admin(args);
	expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 });
	return { stdout, stderr };
}

async function guest(name: string, message: string) {
	const { url } = instance;
	const profile = { name, bio: message };
	const { id, key } = await arrive(url, profile);
	const path = "/api/postcards";
	const { postcard } = await ask(url, "POST", path, { key, body: { message } });
	const names = { [id]: "ID", [postcard.id]: "POSTCARD" };
	return { id, postcardId: postcard.id, names };
}

/** What commands print, one after the other, with names in place of ids, keys and times. */
async function shown(lines: readonly string[], names: Readonly<Record<string, string>>) {
	let stdout = "";
	let stderr = "";
	for (const line of lines) {
		const told = await says(...line.split(" "));
		stdout += `> ${line}\n${told.stdout}`;
		stderr += told.stderr;
	}
	for (const [id, name] of Object.entries(names)) {
		stdout = stdout.replaceAll(id, name);
	}
	// The width of columns depends on names.
	stdout = stdout.replaceAll(/(?<=\S) {2,}/g, "  ");
	stdout = stdout.replaceAll(new RegExp(TIME, "g"), "TIME");
	return { stdout: stdout.replaceAll(/ar_\w+/g, "KEY"), stderr };
}

describe("where nothing is found", () => {
	beforeAll(async () => {
		await (await empty.serve(["--port", "0"])).stop();
	});

	test.each([
		[["agents"], "No agents found.\n"],
		[["agents", "--search", "Ada"], "No agents found.\n"],
		[["agents", "--relaxing"], "No agents found.\n"],
		[["postcards"], "No postcards found.\n"],
		[["hidden"], "No hidden texts found.\n"],
		[["invites"], "No invitations found.\n"],
		[["history"], "No actions found.\n"],
	])("%j says so", async (args, expected) => {
		expect(await empty.succeed(["admin", ...args])).toBe(expected);
	});
});

// To record the lists again, add --update-snapshots.
describe("a list", () => {
	test("of agents has a head, times to the minute, and their number", async () => {
		const first = await register(instance.url, "Lister");
		const line = "agents --search Lister";
		const alone = await shown([line], { [first]: "FIRST" });
		const { names } = await guest("Lister too", "hello");
		const both = await shown([line], { [first]: "FIRST", ...names });
		expect([alone.stdout, both.stdout]).toMatchSnapshot();
	});

	test("of what is hidden has the whole texts and their authors", async () => {
		const { postcardId, names } = await guest("Writer", LONG.slice(0, 280));
		const card = `postcard ${postcardId}`;
		const lines = [`hide ${card}`, "hidden", `show ${card}`];
		expect((await shown(lines, names)).stdout).toMatchSnapshot();
	});

	test("of texts has their ids, their authors and how to get the next ones", async () => {
		const { postcardId, names } = await guest("Poster", "Buy sand cheaply");
		const other = await guest("Poster too", "SAND at night");
		const { stdout } = await shown(
			[
				`hide postcard ${postcardId}`,
				"postcards --search sand --offset 1 --limit 1",
				"postcards --search sand --limit 1",
				"postcards --search sand --offset 2",
			],
			{ ...names, [other.id]: "OTHER", [other.postcardId]: "NEWER" },
		);
		expect(stdout).toMatchSnapshot();
	});

	test("of invitations shows the first word that revoke-invite takes", async () => {
		const { stdout, stderr } = await says("invite", "--uses", "3");
		expect(stderr).toContain("The code is shown only once.\n");
		const [, label = ""] = /^code: ([a-z]+)(-[a-z]+){4}$/m.exec(stdout) ?? [];
		const lines = ["invites", `revoke-invite ${label}`];
		const told = await shown(lines, { [label]: "WORD" });
		expect(told.stdout).toMatchSnapshot();
	});
});

/** Stores texts with escapes, as earlier versions did. */
function storeEscapes(id: string, name: string): void {
	using database = new Database(`${folder.path}/resort.sqlite`);
	database.run("update agents set name = ?, bio = ? where id = ?", [`${name} ${ESCAPES}`, ESCAPES, id]);
	database.run("update postcards set message = ? where sender_id = ?", [ESCAPES, id]);
}

test("an agent is shown with its status and last call, and texts of guests without terminal escapes", async () => {
	const { id, postcardId } = await guest("Escape", "words");
	storeEscapes(id, "Escape");
	await says("hide", "postcard", postcardId);
	for (const args of ["agents", `agent ${id}`, "hidden", "postcards"]) {
		const { stdout } = await says(...args.split(" "));
		expect(stdout).toContain("words");
		expect(stdout).not.toMatch(/[^\P{C}\n]/u);
	}
	await says("show", "postcard", postcardId);
	const { stdout } = await says("agent", id);
	expect(stdout).toMatch(/^status: relaxing$/m);
	expect(stdout).toMatch(new RegExp(`^last call: ${TIME.source} UTC$`, "m"));
	const other = await guest("Digit", "Room 7");
	expect((await says("agent", other.id)).stdout).toMatch(/^bio: Room 7$/m);
	const exported = (await says("export", id)).stdout;
	expect(exported).not.toMatch(/[^\P{C}\n]/u);
	expect(JSON.parse(exported).agent).toMatchObject({ id, bio: ESCAPES });
});

test("each change names whom it was about, and what came of it", async () => {
	const { id, postcardId, names } = await guest("Ada", "hello");
	storeEscapes(id, "Ada");
	const lines = [
		`check-out ${id}`,
		`hide postcard ${postcardId}`,
		`show postcard ${postcardId}`,
		`hide agent ${id}`,
		`show agent ${id}`,
		`rename ${id} Bee`,
		`reset-key ${id}`,
		`deactivate ${id}`,
		`reactivate ${id}`,
		`history --limit 8 --agent ${id}`,
	];
	const { stdout, stderr } = await shown(lines, names);
	expect(stdout.replaceAll(/^TIME {2}\S+/gm, "TIME  USER")).toMatchSnapshot();
	expect(stderr).toMatch(/changed by the host.*reset-key/);
	expect(stderr).toContain("The key is shown only once.\n");
});

describe("erase", () => {
	test("checks whether the agent exists before it prompts for the id", async () => {
		const nobody = "01a2009b-c5a9-7641-bd08-fbfeda4eb9f1";
		for (const json of [[], ["--json"]]) {
			const { exitCode, stdout, stderr } = await admin(["erase", nobody, ...json], { stdin: "another\n" });
			expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
			expect(stderr).toContain("Agent not found");
			expect(stderr).not.toContain("again");
		}
	});

	test("names the agent on stderr, and prompts for nothing with --json and a pipe", async () => {
		const id = await register(instance.url, "Forgotten");
		const stdin = `${id.toUpperCase()}\n`;
		for (const other of ["another\n", ""]) {
			const wrong = await admin(["erase", id], { stdin: other });
			expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
			expect(wrong.stderr).toContain(`This erases Forgotten (${id})`);
			expect(wrong.stderr).toContain("the ids differ: nothing was changed");
		}
		const erased = await admin(["erase", id], { stdin });
		expect(erased.stdout).toBe(`Erased: Forgotten (${id}).\n`);
		const again = await admin(["erase", id], { stdin });
		expect(again.stderr).toContain(`${id} is already erased.`);
		expect(again.stdout).toBe(`Erased again: ${id}.\n`);
		const json = await admin(["erase", id, "--json"], { stdin });
		expect(json.stderr).not.toContain("again");
		expect(JSON.parse(json.stdout)).toMatchObject({ id, wasErased: true });
	});
});
