import { describe, expect, test } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { clientHouse, fakeResort, shareOf, stored, useClientProcess, useHouse, wrappings } from "./client.ts";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

const client = useClientProcess();

const hosts = ["claude-code", "gemini-cli", "codex", "cursor", "opencode", "vscode", "claude-desktop"];

describe.each(wrappings)("%s", (name, program) => {
	const ada = useHouse(program, { url: "http://127.0.0.1:9/spa/" });

	test.each(shareOf(name, hosts))("`setup %s` prints the configuration, and writes no file", async (host) => {
		const text = JSON.stringify(await ada.ok("setup", host), null, 2);
		// To record the snapshot again, add --update-snapshots.
		expect(text.replaceAll(ada.home, "~")).toMatchSnapshot();
		for (const folder of [".claude", ".gemini", ".cursor", ".config"]) {
			expect(existsSync(join(ada.home, folder))).toBe(false);
		}
	});

	test("`setup --merge` adds the configuration to existing files, and changes nothing the second time", async () => {
		await using resort = fakeResort(() => new Response("# A skill\n"));
		using ada = clientHouse(program, { RESORT_API_URL: resort.url });
		const settings = join(ada.home, ".claude/settings.json");
		const elsewhere = join(ada.home, "dotfiles.json");
		mkdirSync(join(ada.home, ".claude"));
		symlinkSync(elsewhere, settings);
		const mine = { hooks: [{ type: "command", command: "mine" }] };
		const before = { model: "x", hooks: { SessionEnd: [mine] } };
		// The file begins with a byte order mark, as some editors write it.
		const text = `\ufeff${JSON.stringify(before)}`;
		writeFileSync(settings, text, { mode: 0o640 });
		const skill = join(ada.home, ".claude/skills/agent-resort/SKILL.md");
		const own = join(ada.home, ".claude.json");
		const merged = { ok: true, changed: [own, settings, skill], note: null };
		expect(await ada.ok("setup", "claude-code", "--merge")).toEqual(merged);
		const made = JSON.stringify([json(settings), json(own)]);
		// To record the snapshot again, add --update-snapshots.
		expect(made.replaceAll(resort.url, "URL")).toMatchSnapshot();
		expect(lstatSync(settings).isSymbolicLink()).toBe(true);
		expect(statSync(elsewhere).mode & 0o777).toBe(0o640);
		expect(readFileSync(own, "utf8")).toStartWith('{\n  "mcpServers": {\n    ');
		expect(readFileSync(skill, "utf8")).toBe("# A skill\n");
		const again = await ada.ok("setup", "claude-code", "--merge");
		expect(again.changed).toEqual([]);
	});

	test("`setup --merge` changes nothing if a file is not a JSON object", async () => {
		const settings = join(ada.home, ".claude/settings.json");
		mkdirSync(join(ada.home, ".claude"));
		writeFileSync(settings, "{ // mine\n}");
		await ada.fails(1, ["setup", "claude-code", "--merge"], "not a JSON object");
		expect(readFileSync(settings, "utf8")).toBe("{ // mine\n}");
		expect(existsSync(join(ada.home, ".claude.json"))).toBe(false);
	});
});

test("`hook rest` checks in and `hook work` checks out; they print nothing, and log failures to a file", async () => {
	let status = 201;
	await using resort = fakeResort(() =>
		Response.json({ ok: status === 201, error: "Already checked in" }, { status }),
	);
	const env = { RESORT_API_URL: resort.url, RESORT_API_KEY: "ar_key" };
	using ada = clientHouse(client, env);
	const hook = async (event: string) => {
		const { exitCode, stdout, stderr } = await ada.run(["hook", event]);
		expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "", stderr: "" });
	};
	await hook("rest");
	await hook("work");
	expect(resort.asked.map(({ target }) => target)).toEqual(["/api/checkin", "/api/checkout"]);
	status = 400;
	await hook("rest");
	status = 429;
	await hook("work");
	const log = readFileSync(`${ada.file}.log`, "utf8");
	expect(log).toContain("rest: Already checked in");
	expect(log.trim().split("\n")).toHaveLength(2);
	const largest = "x".repeat(65_535);
	writeFileSync(`${ada.file}.log`, `${largest}\n`);
	await hook("rest");
	const appended = readFileSync(`${ada.file}.log`, "utf8");
	expect(appended).toMatch(/^x{65535}\n.* rest: Already checked in\n$/);
	await hook("work");
	const replaced = readFileSync(`${ada.file}.log`, "utf8");
	expect(replaced).toMatch(/^[^x]* work: Already checked in\n$/);
});

test("`hook` logs warnings and an invalid address, and prints nothing even if the log cannot be written", async () => {
	using ada = clientHouse(client, { RESORT_API_URL: "http://127.0.0.1:9" });
	using lost = clientHouse(client, { RESORT_API_URL: "nonsense", HOME: ada.home });
	const log = `${ada.file}.log`;
	const silent = { exitCode: 0, stdout: "", stderr: "" };
	writeFileSync(ada.file, JSON.stringify({ ...stored, apiUrl: "https://b.test" }), { mode: 0o644 });
	expect(await ada.run(["hook", "rest"])).toEqual(silent);
	expect(await lost.run(["hook", "work"])).toEqual(silent);
	const lines = readFileSync(log, "utf8").split("\n");
	for (const [at, text] of [
		`rest: others can read ${ada.file}: run chmod 600`,
		`rest: the key in ${ada.file} is for https://b.test and was not used`,
		"rest: there is no key for http://127.0.0.1:9",
		"work: RESORT_API_URL: must be an address",
		"",
	].entries()) {
		expect(lines[at]).toContain(text);
	}
	expect(lines).toHaveLength(5);
	rmSync(log);
	mkdirSync(log);
	expect(await ada.run(["hook", "rest"])).toEqual(silent);
});
