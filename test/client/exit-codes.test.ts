import { describe, expect, test } from "bun:test";
import { clientHouse, fakeResort, wrappings } from "../support/client.ts";
import { useServing } from "../support/use-serving.ts";

const resort = useServing(["--ephemeral", "--rate-limits", "off"]);

const NOBODY = "00000000-0000-7000-8000-000000000000";

const OTHER = "00000000-0000-7000-8000-000000000001";

describe.each(wrappings)("%s", (name, program) => {
	const context = (env: Record<string, string> = {}) =>
		clientHouse(program, env);

	test.each([
		[2, ["nope"], "unknown command"],
		[2, ["nope"], "see `NAME --help`"],
		[2, ["chekin"], "checkin?"],
		[2, ["send"], "--message is required"],
		[
			2,
			["create", "--name", "x"],
			"--category, --description, --location and --duration-minutes are required",
		],
		[2, ["send"], "see `NAME send --help`"],
		[2, ["send", "--foo"], "see `NAME send --help`"],
		[2, ["call", "nothing"], "see `NAME call --help`"],
		[2, ["register"], "register needs --name TEXT"],
		[2, ["register"], `NAME call registerAgent '{"phase":"discover"}'`],
		[2, ["checkin", "--modo", "x"], "unknown flag"],
		[2, ["do"], "takes ID"],
		[2, ["lobby", "extra"], "unexpected word"],
		[2, ["rate", "exp-1", "5"], "rate takes ID"],
		[2, ["watch", ""], "a word is empty"],
		[2, ["status", NOBODY, ""], "a word is empty"],
		[2, ["wait", "", "--until", "available"], "a word is empty"],
		[2, ["create", "--duration-minutes", "soon"], "must be a number"],
		[2, ["send", "--message", "--json"], "needs a value"],
		[2, ["call", "getLoby"], "getLobby"],
		[2, ["call", "getAgent"], "needs id"],
		[2, ["call", "getAgent"], "see `NAME call getAgent --help`"],
		[2, ["call", "getAgent", "[]"], "JSON object"],
		[2, ["call", "createSession", '{"apiKey":"x"}'], "takes a key"],
		[2, ["call", "rotateApiKey"], "returns a key"],
		[2, ["key", "turn"], "rotate"],
		[2, ["completion", "tcsh"], "completion takes bash|zsh|fish"],
		[
			2,
			["wait", NOBODY, "--until", "soon"],
			'NAME: --until: must be available or relaxing, not "soon"\n',
		],
		[
			2,
			["experiences", "--sort", "price"],
			'NAME: --sort: must be rating, newest or popular, not "price"\n',
		],
		[2, ["experiences", "--sort", "price"], "see `NAME experiences --help`"],
		[
			2,
			["experiences", "--sort", ""],
			'must be rating, newest or popular, not ""',
		],
		[2, ["experiences", "--sort=Rating"], 'not "Rating"'],
		[
			2,
			["activities", "--view", "zz"],
			'NAME: --view: must be brief, not "zz"\n',
		],
		[
			2,
			["watch", "--types", "agent.gone,zz", "--types", "agent.did"],
			"--types: must be agent.relaxing, agent.available, ",
		],
		[
			2,
			["watch", "--types", "agent.gone,zz", "--types", "agent.did"],
			'or postcard.received, not "zz"\n',
		],
		[2, ["watch", "--types", ""], 'or postcard.received, not ""\n'],
		[2, ["watch", "--types=,"], 'or postcard.received, not ","\n'],
		[
			2,
			["wait", NOBODY, "--until", "available", "--timeout", "long"],
			"number",
		],
		[4, ["checkin"], "no key"],
		[4, ["experiences", "--creator-id", "me"], "register or login first"],
		[4, ["login"], 'echo "$KEY" | NAME login --url URL'],
		[4, [], "no key"],
		[5, ["status", NOBODY], "Agent not found"],
		[5, ["status", NOBODY, "x"], NOBODY],
		[5, ["watch", NOBODY], `NAME: not found: ${NOBODY}\n`],
		[
			5,
			["watch", NOBODY, OTHER, NOBODY],
			`NAME: not found: ${NOBODY}, ${OTHER}\n`,
		],
		[5, ["watch", "Ada"], "NAME: not found: Ada\n"],
		[5, ["watch", "Ada"], "`NAME profile` shows your own, `NAME lobby`"],
		[5, ["watch", `exp-${NOBODY}`], `not found: exp-${NOBODY}\n`],
		[5, ["watch", `${NOBODY},${OTHER}`], "not found: "],
		[2, ["watch", "Ada", "--types", "zz"], "postcard.received"],
		[5, ["wait", NOBODY, "--until", "available"], "Agent not found"],
		[5, ["wait", NOBODY], "Agent not found"],
		[5, ["wait", NOBODY], "  $ NAME profile\n  $ NAME lobby\n"],
		[5, ["call", "getAgent", '{"id":".."}'], "not found"],
		[5, ["call", "getAgent", '{"id":"\\ud800"}'], "not found"],
		[
			1,
			["call", "getAgentStatus", `{"id":"${NOBODY}","wait":-99}`],
			"wait must",
		],
		[
			1,
			["call", "getAgentStatus", `{"id":"${NOBODY}","wait":1e99}`],
			"wait must",
		],
		[
			1,
			["postcards", "--limit", "0"],
			"limit must be a whole number from 1 to 100",
		],
		[1, ["postcards", "--limit", "0"], "  flag: --limit\n"],
	] as const)("exit code %i: %j", async (code, args, words) => {
		using bare = context({ RESORT_API_URL: resort.url });
		const { exitCode, stderr } = await bare.run(args);
		expect({ exitCode, stderr }).toEqual({
			exitCode: code,
			stderr: expect.stringContaining(words.replaceAll("NAME", name)),
		});
	});

	test("a word that a flag does not take is refused before anything is asked", async () => {
		await using nobody = fakeResort(() => Response.json({ ok: true }));
		for (const env of [{ RESORT_API_URL: nobody.url }, {}]) {
			using bare = context(env);
			for (const args of [
				["experiences", "--view", "zz"],
				["watch", "--types", "zz"],
				["wait", NOBODY, "--until", "zz"],
			]) {
				expect((await bare.run(args)).exitCode).toBe(2);
			}
		}
		expect(nobody.asked).toEqual([]);
	});

	test("what the resort takes is not refused before", async () => {
		using bare = context({ RESORT_API_URL: resort.url });
		const { experiences } = await bare.ok("experiences", "--category", "zz");
		expect(experiences).toEqual([]);
		await bare.ok("experiences", "--sort", "zz", "--sort", "popular");
		await bare.ok("activities", "--view", "brief");
		await using stream = fakeResort(() => Response.json({ ok: true }));
		using watcher = context({ RESORT_API_URL: stream.url });
		for (const types of ["agent.gone, agent.did", "agent.gone,,"]) {
			await watcher.run(["watch", "--types", types]);
		}
		expect(stream.asked).toHaveLength(2);
	});

	test("exit code 4: nothing is known, or the key is not good", async () => {
		using bare = context();
		for (const args of [["lobby"], ["status"], [], ["login"], ["watch"]]) {
			expect(await bare.run(args)).toMatchObject({
				exitCode: 4,
				stderr: expect.stringContaining("or set RESORT_API_URL"),
			});
		}
		using wrong = context({
			RESORT_API_URL: resort.url,
			RESORT_API_KEY: "ar_x",
		});
		expect((await wrong.run(["overview"])).exitCode).toBe(4);
	});

	test("exit code 6, with the seconds", async () => {
		await using full = fakeResort(() =>
			Response.json(
				{ error: "Rate limit exceeded" },
				{ status: 429, headers: { "retry-after": "17" } },
			),
		);
		using bare = context({ RESORT_API_URL: full.url });
		const { exitCode, stderr } = await bare.run(["lobby"]);
		expect({ exitCode, stderr }).toEqual({
			exitCode: 6,
			stderr: expect.stringContaining("17 s"),
		});
	});

	test("the seconds of a limit are told once", async () => {
		await using full = fakeResort(() =>
			Response.json(
				{
					error: "Rate limit exceeded",
					hint: "Wait 17 seconds, then repeat the call.",
				},
				{ status: 429, headers: { "retry-after": "17" } },
			),
		);
		using bare = context({ RESORT_API_URL: full.url });
		const { stderr } = await bare.run(["lobby"]);
		expect(stderr.match(/17/g)).toHaveLength(1);
	});

	test("exit code 5: the resort does not have it, or it is none", async () => {
		using ada = context({ RESORT_API_URL: resort.url });
		await ada.ok("register", "--name", "Ada");
		using lost = context({ RESORT_API_URL: `${resort.url}/docs` });
		for (const [home, args, words] of [
			[ada, ["call", "listWebhooks"], "webhooks are off there"],
			[ada, ["call", "updateProfileSettings"], "identity provider"],
			[lost, ["lobby"], "what stands before /api"],
			[lost, ["register", "--name", "Eve"], "what stands before /api"],
			[lost, ["call", "getLobby"], "what stands before /api"],
			[lost, ["watch"], "what stands before /api"],
		] as const) {
			expect(await home.run(args)).toMatchObject({
				exitCode: 5,
				stderr: expect.stringContaining(words),
			});
		}
	});

	test("exit code 7: nobody answers", async () => {
		using bare = context({ RESORT_API_URL: "http://127.0.0.1:9" });
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
		using bare = context({ RESORT_API_URL: portal.url });
		for (const command of ["lobby", "watch"]) {
			const { exitCode, stderr } = await bare.run([command]);
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				stderr: expect.stringContaining("like a resort"),
			});
		}
	});
});
