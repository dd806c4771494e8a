/** Tests of the output of `resort admin` without `--json`. `--update-snapshots` records the output again. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { ProgramFolder, useTemporaryFolder } from "../../../support/folder.ts";
import { useServer } from "../../../support/use-resort.ts";

const LONG = "The fog comes in on its own feet and stays for tea. ".repeat(8).slice(0, 280);
const ESCAPES = "\u001b[31mRed\u0007 \u009b5m words\u200f\u007f";
const TIME = /20\d\d-\d\d-\d\d \d\d:\d\d/;

const folder = useTemporaryFolder();
const instance = useServer(["--port", "0", "--rate-limits", "off"], { cwd: folder.path });

const admin = (args: readonly string[], place = {}) => folder.run(["admin", ...args], place);

async function run(...args: string[]) {
	const { exitCode, stdout, stderr } = await admin(args);
	expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 });
	return { stdout, stderr };
}

/** Creates an agent and a postcard by it. The returned `names` maps the ids of both to placeholders. */
async function guest(name: string, message: string) {
	const agent = await instance.guest({ name, bio: message });
	const { id: postcardId } = await instance.sendPostcard(agent, { message });
	return { id: agent.id, postcardId, names: { [agent.id]: "ID", [postcardId]: "POSTCARD" } };
}

/**
 * Runs commands. Returns their output with placeholders for ids, keys and times, and with two spaces between
 * columns.
 */
async function outputOf(lines: readonly string[], names: Readonly<Record<string, string>>) {
	let stdout = "";
	let stderr = "";
	for (const line of lines) {
		const output = await run(...line.split(" "));
		stdout += `> ${line}\n${output.stdout}`;
		stderr += output.stderr;
	}
	for (const [id, name] of Object.entries(names)) stdout = stdout.replaceAll(id, name);
	stdout = stdout.replaceAll(/(?<=\S) {2,}/g, "  ").replaceAll(new RegExp(TIME, "g"), "TIME");
	return { stdout: stdout.replaceAll(/ar_\w+/g, "KEY"), stderr };
}

test("`resort admin` prints an empty list as one line", async () => {
	using empty = new ProgramFolder();
	await (await empty.serve(["--port", "0"])).stop();
	// Tests both forms of lists: invitations are printed as a table, and hidden texts as blocks of lines.
	expect(await empty.succeed(["admin", "invites"])).toBe("No invitations found.\n");
	expect(await empty.succeed(["admin", "hidden"])).toBe("No hidden texts found.\n");
});

test("`resort admin agents` prints column headings, times without seconds, and the number of agents", async () => {
	const first = (await instance.register({ name: "Lister" })).id;
	const line = "agents --search Lister";
	const alone = await outputOf([line], { [first]: "FIRST" });
	const { names } = await guest("Lister too", "hello");
	const both = await outputOf([line], { [first]: "FIRST", ...names });
	expect([alone.stdout, both.stdout]).toMatchSnapshot();
});

test("`resort admin hidden` prints each hidden text completely, with its author", async () => {
	const { postcardId, names } = await guest("Writer", LONG);
	const lines = [`hide postcard ${postcardId}`, "hidden"];
	expect((await outputOf(lines, names)).stdout).toMatchSnapshot();
});

test("`resort admin postcards` prints the ids and authors of texts, and the offset of the next page", async () => {
	const { postcardId, names } = await guest("Poster", "Buy sand cheaply");
	const other = await guest("Poster too", "SAND at night");
	const lines = [
		`hide postcard ${postcardId}`,
		"postcards --search sand --offset 1 --limit 1",
		"postcards --search sand --limit 1",
		"postcards --search sand --offset 2",
	];
	const both = { ...names, [other.id]: "OTHER", [other.postcardId]: "NEWER" };
	expect((await outputOf(lines, both)).stdout).toMatchSnapshot();
});

test("`resort admin invites` prints the first word of each code, which `revoke-invite` accepts", async () => {
	const { stdout, stderr } = await run("invite", "--uses", "3");
	expect(stderr).toContain("The code is shown only once. An agent registers with it as inviteCode.\n");
	const [, label = ""] = /^code: ([a-z]+)(-[a-z]+){4}$/m.exec(stdout) ?? [];
	const output = await outputOf(["invites", `revoke-invite ${label}`], { [label]: "WORD" });
	expect(output.stdout).toMatchSnapshot();
});

/** Stores texts with terminal escapes. Earlier versions accepted such texts. */
function storeEscapes(id: string, name: string): void {
	using database = new Database(`${folder.path}/resort.sqlite`);
	database.run("update agents set name = ?, bio = ? where id = ?", [`${name} ${ESCAPES}`, ESCAPES, id]);
	database.run("update postcards set message = ? where sender_id = ?", [ESCAPES, id]);
}

test("`resort admin` prints no terminal escapes, even if texts of agents contain some", async () => {
	const { id, postcardId } = await guest("Escape", "words");
	storeEscapes(id, "Escape");
	await run("hide", "postcard", postcardId);
	for (const args of ["agents", `agent ${id}`, "hidden", "postcards"]) {
		const { stdout } = await run(...args.split(" "));
		expect(stdout).toContain("words");
		expect(stdout).not.toMatch(/[^\P{C}\n]/u);
	}
	const exported = (await run("export", id)).stdout;
	expect(exported).not.toMatch(/[^\P{C}\n]/u);
	expect(JSON.parse(exported).agent).toMatchObject({ id, bio: ESCAPES });
});

test("`resort admin agent` prints the status, and formats timestamps as UTC, but leaves times inside texts unchanged", async () => {
	const { id } = await guest("Digit", "2026-03-10T12:00:00.000Z");
	const { stdout } = await run("agent", id);
	expect(stdout).toMatch(/^status: relaxing$/m);
	expect(stdout).toMatch(/^bio: 2026-03-10T12:00:00.000Z$/m);
	expect(stdout).toMatch(/message: 2026-03-10T12:00:00.000Z$/m);
	for (const label of ["created at", "last call", " {2}checked in at", " {4}created at"]) {
		expect(stdout).toMatch(new RegExp(`^${label}: ${TIME.source} UTC$`, "m"));
	}
});

test("each command of `resort admin` that changes an agent or its texts prints the agent and the result", async () => {
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
	const { stdout, stderr } = await outputOf(lines, names);
	expect(stdout.replaceAll(/^TIME {2}\S+/gm, "TIME  USER")).toMatchSnapshot();
	expect(stderr).toMatch(/changed by the host.*reset-key/);
	expect(stderr).toContain("The key is shown only once.\n");
});

describe("`resort admin erase`", () => {
	test("reports an unknown agent at once, without asking for the id again", async () => {
		const unknown = ["erase", "01a2009b-c5a9-7641-bd08-fbfeda4eb9f1"];
		const { exitCode, stdout, stderr } = await admin(unknown, { stdin: "another\n" });
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		expect(stderr).toContain("Agent not found");
		expect(stderr).not.toContain("again");
	});

	test("changes nothing unless the id is repeated on stdin", async () => {
		const { id } = await instance.register({ name: "Forgotten" });
		const stdin = `${id.toUpperCase()}\n`;
		for (const other of ["another\n", ""]) {
			const wrong = await admin(["erase", id], { stdin: other });
			expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
			expect(wrong.stderr).toContain(`This erases Forgotten (${id})`);
			expect(wrong.stderr).toContain("the ids differ: nothing was changed");
		}
		expect((await admin(["erase", id], { stdin })).stdout).toBe(`Erased: Forgotten (${id}).\n`);
		const again = await admin(["erase", id], { stdin });
		expect(again.stderr).toContain(`${id} is already erased.`);
		expect(again.stdout).toBe(`Erased again: ${id}.\n`);
		const json = await admin(["erase", id, "--json"], { stdin });
		expect(json.stderr).not.toContain("again");
		expect(JSON.parse(json.stdout)).toMatchObject({ id, wasErased: true });
	});
});
