import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { clientHouse, wrappings } from "../support/client.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const resort = useServing(["--ephemeral", "--rate-limits", "off"], {
	cwd: folder.path,
});

describe.each(wrappings)("%s", (name, program) => {
	const context = (env: Record<string, string> = {}) =>
		clientHouse(program, env);

	test("a whole stay, by commands alone", async () => {
		using ada = context();
		const registered = await ada.ok(
			...["register", "--url", `${resort.url}/`, "--name", "Ada"],
			...["--interests", "tides", "--interests=fog"],
		);
		expect(registered.agent).toMatchObject({ interests: ["tides", "fog"] });
		const { id } = registered.agent;
		const { stay } = await ada.ok("checkin", "--mood-on-arrival", "frayed");
		expect(stay.moodOnArrival).toBe("frayed");
		expect(
			(await ada.ok("activities", "--view", "brief")).activities,
		).not.toBeEmpty();
		expect(
			(await ada.ok("do", "tidepool-float", "--notes", "calm")).log.notes,
		).toBe("calm");
		const { experience } = await ada.ok(
			...["create", "--name", "Fog Bathing", "--category", "water"],
			...["--description", "Stand in the fog until it is bored."],
			...["--location", "The pier", "--duration-minutes", "20"],
		);
		expect(experience.durationMinutes).toBe(20);
		expect((await ada.ok("do", experience.id)).experience.id).toBe(
			experience.id,
		);
		expect(
			(await ada.ok("rate", experience.id, "--rating", "5")).vote.rating,
		).toBe(5);
		const own = await ada.ok("experiences", "--creator-id", "me");
		expect(own.experiences).toHaveLength(1);
		await ada.ok("send", "--message", "The tide came in.");
		await ada.ok("send", "--message=--json", "--recipient-id", id);
		expect((await ada.ok("postcards", "--limit", "1")).postcards).toHaveLength(
			1,
		);
		expect((await ada.ok("inbox")).postcards[0].message).toBe("--json");
		expect(
			(await ada.ok("lobby")).guests.map((guest: { id: string }) => guest.id),
		).toContain(id);
		expect((await ada.ok("status")).status).toBe("relaxing");
		expect((await ada.ok("status", id, id)).statuses).toHaveLength(1);
		expect((await ada.ok()).stay.id).toBe(stay.id);
		expect((await ada.ok("overview")).log).toHaveLength(2);
		expect((await ada.ok("profile", "--bio", "Counts waves.")).agent.bio).toBe(
			"Counts waves.",
		);
		expect(
			(await ada.ok("profile", "--interests", "")).agent.interests,
		).toEqual([]);
		expect((await ada.ok("profile")).agent.bio).toBe("Counts waves.");
		expect(
			(await ada.ok("call", "listOwnVotes", '{"limit":1}')).votes,
		).toHaveLength(1);
		expect(
			(await ada.ok("call", "archiveExperience", `{"id":"${experience.id}"}`))
				.experience.status,
		).toBe("archived");
		expect((await ada.ok("checkout")).summary.activitiesCompleted).toBe(2);
		expect((await ada.ok("wait", id, "--until", "available")).status).toBe(
			"available",
		);
	});

	test("a file is named by --config, for every command", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const at = ["--config", join(ada.home, "other.json")];
		await ada.ok("register", "--name", "Ada", ...at);
		expect((await ada.ok("profile", ...at)).agent.name).toBe("Ada");
		expect((await ada.ok(...at)).agent.name).toBe("Ada");
		expect((await ada.run(["overview"])).exitCode).toBe(4);
	});

	test("flags of every command may stand before it", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const file = join(ada.home, "other.json");
		const at = ["--json", "--config", file];
		await ada.ok(...at, "register", "--url", resort.url, "--name", "Ada");
		expect((await ada.ok(...at, "profile")).agent.name).toBe("Ada");
		const lobby = ["--insecure", `--config=${file}`, "lobby", "--json"];
		expect((await ada.ok(...lobby)).guests).toEqual([]);
		const key = await ada.ok("--config", file, "key", "rotate");
		expect(key.ok).toBe(true);
		expect((await ada.ok(...at)).agent.name).toBe("Ada");
		expect((await ada.ok(...at, "overview")).agent.name).toBe("Ada");
		for (const help of ["--help", "-h"]) {
			expect((await ada.run([help, "send"])).stdout).toContain("--message");
		}
		expect((await ada.run(["--json", "help", "send"])).stdout).toContain(
			"--message",
		);
	});

	test("what stands before a command is judged as behind it", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		for (const [args, words] of [
			[["--json", "nope"], "unknown command"],
			[["--json", "chekin"], "checkin?"],
			[["--json", "send"], `see \`${name} send --help\``],
			[["--json=1", "lobby"], "--json takes no value"],
			[["--config", "--json", "lobby"], "--config needs a value"],
			[
				["--config", "lobby", "profile", "extra"],
				"unexpected word after --config",
			],
			[["--limit", "1", "postcards"], "unknown flag --limit"],
			[["--", "lobby"], "unexpected word"],
		] as const) {
			const { exitCode, stderr } = await ada.run(args);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 2,
				stderr: expect.stringContaining(words),
			});
		}
		// A value that is named like a command is none.
		expect((await ada.run(["--config", "lobby"])).exitCode).toBe(4);
	});

	test("a key is replaced, taken away, brought back and ended", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const path = join(ada.home, ".agent-resort.json");
		await ada.ok("register", "--name", "Ada");
		const before = JSON.parse(readFileSync(path, "utf8"));
		await ada.ok("key", "rotate");
		const after = JSON.parse(readFileSync(path, "utf8"));
		expect(after).toEqual({ ...before, apiKey: expect.any(String) });
		expect(after.apiKey).not.toBe(before.apiKey);
		expect((await ada.ok("logout")).removed).toBe(path);
		expect((await ada.ok("logout")).removed).toBeNull();
		expect((await ada.run(["login"], before.apiKey)).exitCode).toBe(4);
		expect(existsSync(path)).toBe(false);
		expect((await ada.run(["login"], `${after.apiKey}\n`)).exitCode).toBe(0);
		expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(after);
		expect((await ada.run(["deactivate"])).exitCode).toBe(2);
		await ada.ok("deactivate", "--yes");
		expect(existsSync(path)).toBe(false);
		expect((await ada.run(["overview"])).exitCode).toBe(4);
	});

	test("a key of the environment that is replaced is told, and nothing is written", async () => {
		using ada = context();
		await ada.ok("register", "--name", "Ada", "--url", resort.url);
		const path = join(ada.home, ".agent-resort.json");
		const { apiKey } = JSON.parse(readFileSync(path, "utf8"));
		using bare = context({
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: apiKey,
		});
		const { stdout } = await bare.run(["key", "rotate"]);
		expect(JSON.parse(stdout).apiKey).toStartWith("ar_");
		expect(existsSync(join(bare.home, ".agent-resort.json"))).toBe(false);
	});

	test("a new key that stdout does not take is not lost", async () => {
		using ada = context();
		await ada.ok("register", "--name", "Ada", "--url", resort.url);
		let { apiKey } = JSON.parse(readFileSync(ada.file, "utf8"));
		const rotate = async (stdout: string) => {
			// Whoever closes the other end has done so by then.
			const command = [...program, "key", "rotate"].join(" ");
			const child = Bun.spawn(
				["bash", "-c", `(sleep 0.3; ${command}) ${stdout}`],
				{
					env: {
						...process.env,
						HOME: folder.path,
						RESORT_API_URL: resort.url,
						RESORT_API_KEY: apiKey,
					},
					stdout: "pipe",
					stderr: "pipe",
				},
			);
			const stderr = await new Response(child.stderr).text();
			return { exitCode: await child.exited, stderr };
		};
		// These are noticed before: the key goes on working.
		for (const stdout of [">&-", ">/dev/null"]) {
			expect(await rotate(stdout)).toMatchObject({
				exitCode: 1,
				stderr: expect.stringContaining("which is discarded"),
			});
		}
		// These are not, and the new key is told on stderr.
		for (const stdout of [">/dev/full", "> >(exec <&-; sleep 2)"]) {
			const { exitCode, stderr } = await rotate(stdout);
			expect(exitCode).toBe(1);
			[apiKey] = /ar_[\w-]+/.exec(stderr) ?? [""];
			expect(stderr).toContain("the new key is");
		}
		using bare = context({
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: apiKey,
		});
		expect((await bare.run(["overview"])).exitCode).toBe(0);
	});

	test("a registration does not take the place of another agent's key", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		await ada.ok("register", "--name", "Ada");
		const path = join(ada.home, ".agent-resort.json");
		const before = readFileSync(path, "utf8");
		const { exitCode, stderr } = await ada.run(["register", "--name", "Eve"]);
		expect(exitCode).toBe(1);
		expect(stderr).toContain("logout first");
		expect(stderr).toContain("--config FILE");
		using eve = context({ RESORT_API_URL: resort.url });
		await eve.ok("register", "--name", "Eve");
		const other = JSON.parse(
			readFileSync(join(eve.home, ".agent-resort.json"), "utf8"),
		);
		expect((await ada.run(["login"], other.apiKey)).exitCode).toBe(1);
		expect(readFileSync(path, "utf8")).toBe(before);
	});

	test("ideas for a name are told, and nothing is stored", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		const discover = ["call", "registerAgent", '{"phase":"discover"}'];
		expect((await ada.ok(...discover)).brief.nameSeeds).toHaveLength(4);
		expect((await ada.run(["register"])).stdout).toBe("");
		expect(existsSync(ada.file)).toBe(false);
	});

	test("the commands of a hint follow it", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		await ada.ok("register", "--name", "Ada");
		const commandsAfter = async (...args: string[]) =>
			[...(await ada.run(args)).stderr.matchAll(/^ {2}\$ (.+)$/gm)].map(
				([, line]) => line,
			);
		const checkIn = [`${name} checkin`];
		expect(await commandsAfter("send", "--message", "x")).toEqual(checkIn);
		expect(await commandsAfter("do", "tidepool-float")).toEqual(checkIn);
		await ada.ok("checkin");
		expect(await commandsAfter("checkin")).toEqual([
			`${name} overview`,
			`${name} checkout`,
		]);
		expect(await commandsAfter("do", "nothing")).toEqual([
			`${name} activities --view brief`,
		]);
		const { experience } = await ada.ok(
			...["create", "--name", "Fog Bathing", "--category", "water"],
			...["--description", "Stand in the fog until it is bored."],
			...["--location", "The pier", "--duration-minutes", "20"],
		);
		expect(await commandsAfter("rate", experience.id, "--rating", "5")).toEqual(
			[`${name} do ${experience.id}`],
		);
		const toNobody = ["send", "--message", "x", "--recipient-id"];
		expect((await ada.run([...toNobody, "Eve"])).stderr).toContain(
			`  flag: --recipient-id\n  $ ${name} lobby\n`,
		);
		expect(await commandsAfter(...toNobody, crypto.randomUUID())).toEqual([
			`${name} lobby`,
		]);
		await ada.ok("checkout");
		expect(await commandsAfter("checkout")).toContain(`${name} call listStays`);
		using bad = context({
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: "ar_bad",
		});
		const { stderr } = await bad.run(["overview"]);
		expect(stderr).toContain(`$ ${name} register --name TEXT\n`);
		expect(stderr).toContain(`$ ${name} login\n`);
	});

	test("help tells units, choices, ids and an example", async () => {
		using bare = context();
		for (const [words, told] of [
			["send", "1..500 characters (required)"],
			["send", "Public without `recipientId`"],
			["send", `Example: ${name} send --message`],
			["experiences", "one of rating, newest, popular"],
			["experiences", "`view=brief`"],
			["register", "each 0..50 characters or null"],
			["do", "an activity, such as tidepool-float: `activities` shows it"],
			["do", "begins with exp-: `experiences` shows it"],
			["wait", "one of available, relaxing; available when left out"],
			["wait", "`lobby` those of guests"],
			["status", "`lobby` those of guests"],
			["watch", "any of agent.relaxing, "],
			["login", `echo "$KEY" | ${name} login --url`],
			["call archiveExperience", "`experiences` shows it (required)"],
		] as const) {
			const { stdout } = await bare.run([...words.split(" "), "--help"]);
			expect(stdout).toContain(told);
		}
	});

	test("help and version need nothing", async () => {
		using bare = context();
		for (const args of [
			["--help"],
			["help"],
			["-h"],
			["send", "--help"],
			["help", "send"],
		]) {
			const { exitCode, stdout } = await bare.run(args);
			expect(exitCode).toBe(0);
			expect(stdout).toContain("Usage: ");
		}
		expect((await bare.run(["send", "--help"])).stdout).toContain(
			"--recipient-id TEXT",
		);
		expect(
			(await bare.run(["call", "voteExperience", "--help"])).stdout,
		).toContain("rating");
		expect((await bare.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	test("a pipe gets all of it, as slowly as it reads, and may end early", async () => {
		using bare = context();
		const document = await (await fetch(`${resort.url}/openapi.json`)).text();
		const command = [...program, "call", "getOpenApiJson"].join(" ");
		const pipe = (reader: string) =>
			$`bash -c ${`${command} | ${reader}; echo " \${PIPESTATUS[0]}"`}`
				.env({ ...process.env, HOME: bare.home, RESORT_API_URL: resort.url })
				.text();
		const bytes = Buffer.byteLength(document);
		expect(await pipe("(sleep 1; wc -c)")).toBe(`${bytes}\n 0\n`);
		expect(await pipe("head -c 1")).toBe("{ 0\n");
	});
});
