import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { useServer } from "../support/use-resort.ts";
import { clientHouse, useClientProcess, useHouse, wrappings } from "./client.ts";

const creation = [
	"create",
	"--name=Fog Bathing",
	"--category=water",
	"--description=Stand in the fog until it is bored.",
	"--location=The pier",
	"--duration-minutes=20",
];

const resort = useServer(["--ephemeral", "--rate-limits", "off"]);

const withKey = (key: string) => ({ RESORT_API_URL: resort.url, RESORT_API_KEY: key });

test("agent-resort and resort guest share a configuration file, and complete a stay in alternating calls", async () => {
	const [[, node], [, guest]] = wrappings;
	using ada = clientHouse(node, { RESORT_API_URL: resort.url });
	using same = clientHouse(guest, { RESORT_API_URL: resort.url, HOME: ada.home });
	let turn = 0;
	const ok = (...args: string[]) => (turn++ % 2 === 0 ? ada : same).ok(...args);
	const interests = ["--interests=tides", "--interests=fog"];
	const registered = await ok("register", `--url=${resort.url}/`, "--name=Ada", ...interests);
	expect(registered.agent).toMatchObject({ interests: ["tides", "fog"] });
	const { id } = registered.agent;
	const { stay } = await ok("checkin", "--mood-on-arrival", "frayed");
	expect(stay.moodOnArrival).toBe("frayed");
	expect((await ok("activities", "--view", "brief")).activities).not.toBeEmpty();
	expect((await ok("do", "tidepool-float", "--notes", "calm")).log.notes).toBe("calm");
	const { experience } = await ok(...creation);
	expect(experience.durationMinutes).toBe(20);
	expect((await ok("do", experience.id)).experience.id).toBe(experience.id);
	expect((await ok("rate", experience.id, "--rating", "5")).vote.rating).toBe(5);
	expect((await ok("experiences", "--creator-id", "me")).experiences).toHaveLength(1);
	await ok("send", "--message", "The tide came in.");
	await ok("send", "--message=--json", "--recipient-id", id);
	expect((await ok("postcards", "--limit", "1")).postcards).toHaveLength(1);
	expect((await ok("inbox")).postcards[0].message).toBe("--json");
	const { guests } = await ok("lobby");
	expect(guests.map((guest: { id: string }) => guest.id)).toContain(id);
	expect((await ok("status")).status).toBe("relaxing");
	expect((await ok()).stay.id).toBe(stay.id);
	expect((await ok("overview")).log).toHaveLength(2);
	const bio = "Counts waves.";
	expect((await ok("profile", "--bio", bio)).agent.bio).toBe(bio);
	expect((await ok("profile", "--interests", "")).agent.interests).toEqual([]);
	expect((await ok("profile")).agent.bio).toBe(bio);
	const archived = await ok("call", "archiveExperience", `{"id":"${experience.id}"}`);
	expect(archived.experience.status).toBe("archived");
	expect((await ok("checkout")).summary.activitiesCompleted).toBe(2);
});

describe.each(wrappings)("%s", (name, program) => {
	const ada = useHouse(program, resort);

	test("`key rotate` does not lose the new key if stdout is closed, full or /dev/null", async () => {
		await ada.ok("register", "--name", "Ada");
		let { apiKey } = JSON.parse(readFileSync(ada.file, "utf8"));
		const rotate = async (stdout: string) => {
			const command = [...program, "key", "rotate"].join(" ");
			using bash = clientHouse(["bash", "-c"], withKey(apiKey));
			// If the redirection `stdout` is a pipe, its reader closes the pipe during the pause.
			return await bash.run([`(sleep 0.3; ${command}) ${stdout}`]);
		};
		// The client notices that stdout would lose a new key, and requests none, so the old key stays valid.
		for (const stdout of [">&-", ">/dev/null"]) {
			expect(await rotate(stdout)).toMatchObject({
				exitCode: 1,
				stderr: expect.stringContaining("stdout is discarded"),
			});
		}
		// Here the client already has the new key when it cannot write to stdout, so it prints the key on stderr.
		for (const stdout of [">/dev/full", "> >(exec <&-; sleep 1)"]) {
			const { exitCode, stderr } = await rotate(stdout);
			expect(exitCode).toBe(1);
			[apiKey] = /ar_[\w-]+/.exec(stderr) ?? [""];
			expect(stderr).toContain("the new key is");
			const [, hint = ""] = /to store it: (.*)/.exec(stderr) ?? [];
			using bash = clientHouse(["bash", "-c"], { ...withKey("ar_old"), KEY: apiKey });
			const { exitCode: stored } = await bash.run([hint.replace(name, program.join(" "))]);
			expect({ hint, stored }).toEqual({ hint: expect.stringContaining(name), stored: 0 });
		}
		using bare = clientHouse(program, withKey(apiKey));
		const { stdout } = await bare.run(["key", "rotate"]);
		expect(JSON.parse(stdout).apiKey).toStartWith("ar_");
		expect(existsSync(bare.file)).toBe(false);
	});

	test("writes everything to a slow pipe, and exits with 0 if the reader of a pipe closes it early", async () => {
		const document = await (await fetch(`${resort.url}/openapi.json`)).text();
		const command = [...program, "call", "getOpenApiJson"].join(" ");
		const pipe = (reader: string) =>
			$`bash -c ${`${command} | ${reader}; echo " \${PIPESTATUS[0]}"`}`
				.env({ ...process.env, HOME: ada.home, RESORT_API_URL: resort.url })
				.text();
		const bytes = Buffer.byteLength(document);
		expect(await pipe("(sleep 0.3; wc -c)")).toBe(`${bytes}\n 0\n`);
		expect(await pipe("head -c 1")).toBe("{ 0\n");
		using bash = clientHouse(["bash", "-c"], { RESORT_API_URL: resort.url });
		await bash.fails(1, [`${command} >/dev/full`]);
	});
});

describe("the client", () => {
	const program = useClientProcess();
	const ada = useHouse(program, resort);

	test("blocks and unblocks agents", async () => {
		using bob = clientHouse(program, { RESORT_API_URL: resort.url });
		await ada.ok("register", "--name", "Ada");
		const { id } = (await bob.ok("register", "--name", "Bob")).agent;
		expect((await ada.ok("block", id)).blocked.agentName).toBe("Bob");
		expect((await ada.ok("blocked", "--limit", "1")).total).toBe(1);
		expect((await ada.ok("unblock", id)).ok).toBe(true);
		await ada.fails(5, ["unblock", id]);
		await ada.fails(2, ["block"]);
	});

	test("accepts `--json`, `--config` and `--insecure` also before the command", async () => {
		const file = join(ada.home, "other.json");
		const at = ["--json", "--config", file];
		await ada.ok(...at, "register", "--name", "Ada");
		await ada.fails(4, ["overview"]);
		expect((await ada.ok("--insecure", `--config=${file}`, "lobby", "--json")).guests).toEqual([]);
		expect((await ada.ok("--config", file, "key", "rotate")).ok).toBe(true);
		expect((await ada.ok(...at)).agent.name).toBe("Ada");
		expect((await ada.run(["--json", "help", "send"])).stdout).toContain("--message");
	});

	test("rotates the key, logs out and in, and deactivates the agent", async () => {
		await ada.ok("register", "--name", "Ada");
		const before = JSON.parse(readFileSync(ada.file, "utf8"));
		await ada.ok("key", "rotate");
		const after = JSON.parse(readFileSync(ada.file, "utf8"));
		expect(after).toEqual({ ...before, apiKey: expect.any(String) });
		expect(after.apiKey).not.toBe(before.apiKey);
		expect(await ada.ok("logout")).toEqual({ ok: true, removed: ada.file });
		expect((await ada.ok("logout")).removed).toBeNull();
		await ada.fails(4, ["login"], "", before.apiKey);
		expect(existsSync(ada.file)).toBe(false);
		expect((await ada.run(["login"], `${after.apiKey}\n`)).exitCode).toBe(0);
		expect(JSON.parse(readFileSync(ada.file, "utf8"))).toEqual(after);
		await ada.fails(2, ["deactivate"]);
		await ada.ok("deactivate", "--yes");
		expect(existsSync(ada.file)).toBe(false);
		await ada.fails(4, ["overview"]);
	});

	test('`call registerAgent` with the phase "discover" prints name seeds, and stores nothing', async () => {
		const discover = ["call", "registerAgent", '{"phase":"discover"}'];
		expect((await ada.ok(...discover)).brief.nameSeeds).toHaveLength(4);
		expect((await ada.run(["register"])).stdout).toBe("");
		expect(existsSync(ada.file)).toBe(false);
	});

	test("prints help and version without a configuration", async () => {
		using bare = clientHouse(program);
		for (const [line, part] of [
			["--help", "\nCommands:"],
			["help", "\nCommands:"],
			["-h", "\nCommands:"],
			["send --help", "--recipient-id TEXT"],
			["help send", "--recipient-id TEXT"],
			["call voteExperience --help", "rating"],
		] as const) {
			const { exitCode, stdout } = await bare.run(line.split(" "));
			expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(part) });
		}
		expect((await bare.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});
});
