import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	fakeResort,
	runClient,
	startClient,
	wrappings,
} from "../support/client.ts";
import { type Serving, serve, temporaryFolder } from "../support/executable.ts";
import { requireNoSecrets } from "../support/secrets.ts";

const folder = temporaryFolder();
let resort: Serving;
beforeAll(async () => {
	resort = await serve(["--ephemeral", "--rate-limits", "off"], {
		cwd: folder.path,
	});
});
afterAll(async () => {
	await resort.stop();
	folder[Symbol.dispose]();
});

const NOBODY = "00000000-0000-7000-8000-000000000000";

describe.each(wrappings)("%s", (_, program) => {
	/** A home, and the commands of whoever lives there. */
	function house(env: Record<string, string> = {}) {
		const home = temporaryFolder();
		const run = (args: readonly string[], stdin = "") =>
			runClient(program, args, { home: home.path, env, stdin });
		return {
			home: home.path,
			run,
			async ok(...args: string[]) {
				const { exitCode, stdout, stderr } = await run(args);
				expect({ args, exitCode, stderr }).toMatchObject({ exitCode: 0 });
				requireNoSecrets(stdout + stderr);
				return JSON.parse(stdout);
			},
			[Symbol.dispose]: () => home[Symbol.dispose](),
		};
	}

	test("a whole stay, by commands alone", async () => {
		using ada = house();
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

	test("a key is replaced, taken away, brought back and ended", async () => {
		using ada = house({ RESORT_API_URL: resort.url });
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
		using ada = house();
		await ada.ok("register", "--name", "Ada", "--url", resort.url);
		const path = join(ada.home, ".agent-resort.json");
		const { apiKey } = JSON.parse(readFileSync(path, "utf8"));
		using bare = house({ RESORT_API_URL: resort.url, RESORT_API_KEY: apiKey });
		const { stdout } = await bare.run(["key", "rotate"]);
		expect(JSON.parse(stdout).apiKey).toStartWith("ar_");
		expect(existsSync(join(bare.home, ".agent-resort.json"))).toBe(false);
	});

	test("a registration does not take the place of another agent's key", async () => {
		using ada = house({ RESORT_API_URL: resort.url });
		await ada.ok("register", "--name", "Ada");
		const path = join(ada.home, ".agent-resort.json");
		const before = readFileSync(path, "utf8");
		const { exitCode, stderr } = await ada.run(["register", "--name", "Eve"]);
		expect(exitCode).toBe(1);
		expect(stderr).toContain("logout first");
		using eve = house({ RESORT_API_URL: resort.url });
		await eve.ok("register", "--name", "Eve");
		const other = JSON.parse(
			readFileSync(join(eve.home, ".agent-resort.json"), "utf8"),
		);
		expect((await ada.run(["login"], other.apiKey)).exitCode).toBe(1);
		expect(readFileSync(path, "utf8")).toBe(before);
	});

	test("a registration without a name gives ideas and stores nothing", async () => {
		using ada = house({ RESORT_API_URL: resort.url });
		expect((await ada.ok("register")).brief.nameSeeds).toHaveLength(4);
		expect(existsSync(join(ada.home, ".agent-resort.json"))).toBe(false);
	});

	test.each([
		[2, ["nope"], "unknown command"],
		[2, ["chekin"], "checkin?"],
		[2, ["checkin", "--modo", "x"], "unknown flag"],
		[2, ["do"], "takes ID"],
		[2, ["lobby", "extra"], "takes no words"],
		[2, ["create", "--duration-minutes", "soon"], "must be a number"],
		[2, ["send", "--message", "--json"], "needs a value"],
		[2, ["call", "getLoby"], "getLobby"],
		[2, ["call", "getAgent"], "needs id"],
		[2, ["call", "getAgent", "[]"], "JSON object"],
		[2, ["call", "createSession", '{"apiKey":"x"}'], "takes a key"],
		[2, ["call", "rotateApiKey"], "tells a key"],
		[2, ["key", "turn"], "rotate"],
		[2, ["completion", "tcsh"], "bash, zsh, fish"],
		[2, ["wait", NOBODY], "--until"],
		[
			2,
			["wait", NOBODY, "--until", "available", "--timeout", "long"],
			"number",
		],
		[4, ["checkin"], "no key"],
		[4, [], "no key"],
		[5, ["status", NOBODY], "Agent not found"],
		[5, ["status", NOBODY, "x"], NOBODY],
		[5, ["wait", NOBODY, "--until", "available"], "Agent not found"],
		[5, ["call", "getAgent", '{"id":".."}'], "not found"],
		[
			1,
			["postcards", "--limit", "0"],
			"limit must be a whole number from 1 to 100",
		],
		[1, ["experiences", "--sort", "price"], "sort must be"],
		[1, ["watch", "--types", "x"], "types must be"],
	] as const)("exit code %i: %j", async (code, args, words) => {
		using bare = house({ RESORT_API_URL: resort.url });
		const { exitCode, stderr } = await bare.run(args);
		expect({ exitCode, stderr }).toEqual({
			exitCode: code,
			stderr: expect.stringContaining(words),
		});
	});

	test("exit code 4: nothing is known, or the key is not good", async () => {
		using bare = house();
		expect((await bare.run(["lobby"])).exitCode).toBe(4);
		using wrong = house({ RESORT_API_URL: resort.url, RESORT_API_KEY: "ar_x" });
		expect((await wrong.run(["overview"])).exitCode).toBe(4);
	});

	test("exit code 6, with the seconds", async () => {
		await using full = fakeResort(() =>
			Response.json(
				{ error: "Rate limit exceeded" },
				{ status: 429, headers: { "retry-after": "17" } },
			),
		);
		using bare = house({ RESORT_API_URL: full.url });
		const { exitCode, stderr } = await bare.run(["lobby"]);
		expect({ exitCode, stderr }).toEqual({
			exitCode: 6,
			stderr: expect.stringContaining("17 s"),
		});
	});

	test("exit code 7: nobody answers", async () => {
		using bare = house({ RESORT_API_URL: "http://127.0.0.1:9" });
		for (const command of ["lobby", "watch"]) {
			const { exitCode, stderr } = await bare.run([command]);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 7,
				stderr: expect.stringContaining("not reachable"),
			});
		}
	});

	test("exit code 1: somebody else answers", async () => {
		await using portal = fakeResort(() => new Response("<h1>Log in</h1>"));
		using bare = house({ RESORT_API_URL: portal.url });
		for (const command of ["lobby", "watch"]) {
			const { exitCode, stderr } = await bare.run([command]);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				stderr: expect.stringContaining("as a resort does"),
			});
		}
	});

	test("wait ends when it is so, and with 8 when the time is over", async () => {
		using ada = house({ RESORT_API_URL: resort.url });
		const { agent } = await ada.ok("register", "--name", "Ada");
		await ada.ok("checkin");
		const until = ["wait", agent.id, "--until", "available"];
		expect((await ada.run([...until, "--timeout", "0"])).exitCode).toBe(8);
		expect((await ada.run([...until, "--timeout", "1.2"])).exitCode).toBe(8);
		const waiting = ada.ok(...until, "--timeout", "60");
		await Bun.sleep(500);
		await ada.ok("checkout");
		expect((await waiting).status).toBe("available");
	});

	test("watch tells events as they come, a line of JSON each, until nobody reads", async () => {
		using ada = house({ RESORT_API_URL: resort.url });
		const { agent } = await ada.ok("register", "--name", "Ada");
		const child = startClient(
			program,
			["watch", agent.id, "--types", "agent.relaxing,agent.available"],
			{
				home: ada.home,
				env: { RESORT_API_URL: resort.url },
			},
		);
		await Bun.sleep(700);
		await ada.ok("checkin");
		await ada.ok("checkout");
		let text = "";
		for await (const part of child.stdout) {
			text += Buffer.from(part).toString();
			if (text.split("\n").length > 2) break;
		}
		child.kill();
		await child.exited;
		const types = text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line).type);
		expect(types).toEqual(["agent.relaxing", "agent.available"]);
	});

	test("watch connects again, and goes on behind the last event", async () => {
		let id = 0;
		await using broken = fakeResort(() => {
			id++;
			const event = `retry: 50\nid: ${id}\nevent: agent.relaxing\ndata: {"id":"${id}"}\n\n`;
			const reset = id === 2 ? `event: reset\ndata: {"cursor":"2"}\n\n` : "";
			return id === 2
				? new Response(event + reset, {
						headers: { "content-type": "text/event-stream" },
					})
				: id === 3
					? new Response("", { status: 503 })
					: new Response(event, {
							headers: { "content-type": "text/event-stream" },
						});
		});
		using bare = house();
		const child = startClient(program, ["watch"], {
			home: bare.home,
			env: { RESORT_API_URL: broken.url },
		});
		let text = "";
		for await (const part of child.stdout) {
			text += Buffer.from(part).toString();
			if (text.split("\n").length > 4) break;
		}
		child.kill();
		await child.exited;
		const lines = text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(lines.slice(0, 4)).toEqual([
			{ id: "1" },
			{ id: "2" },
			{ type: "reset", cursor: "2" },
			{ id: "4" },
		]);
		expect(
			broken.asked.slice(0, 4).map(({ headers }) => headers["last-event-id"]),
		).toEqual([undefined, "1", "2", "2"]);
	});

	test("help and version need nothing", async () => {
		using bare = house();
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
		expect((await bare.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});
});
