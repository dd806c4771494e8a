import { describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { Caller } from "../../support/caller.ts";
import { useSharedResort } from "../../support/use-resort.ts";

const NAME = "__Host-resort_session";

const resort = useSharedResort();

async function wallet() {
	const { key } = await Caller.create(resort);
	return { key, session: await resort.login(key) };
}

describe("an odd cookie is no session, and nothing else", () => {
	test.each([
		'{"a":1}',
		"%",
		"%zz",
		"%ff",
		"%E0%A4%A",
		"%00",
		"",
		'""',
		"__proto__",
		"s:signed.value",
		"ÿ",
		"a b",
		"a".repeat(100_000),
	])("%.20s", async (value) => {
		const { key } = await wallet();
		expectFailure(await resort.ask("GET", "/api/me", { session: value }), 401);
		const ask = { session: value, key };
		const { status } = await resort.ask("GET", "/api/me", ask);
		expect(status).toBe(200);
	});

	test.each([
		"",
		";",
		"=",
		";;;=;=",
		"__proto__=1",
		"constructor=1; toString=2",
		NAME,
		`${NAME};`,
		`${NAME.toLowerCase()}=SESSION`,
		`resort_session=SESSION`,
		`x${NAME}=SESSION`,
		`\u00a0${NAME}=SESSION`,
		`a=1; \u00a0${NAME}=SESSION`,
		`${NAME}\u00a0=SESSION`,
		`a=1, ${NAME}=SESSION`,
		`${NAME}=wrong; ${NAME}=SESSION`,
		`${NAME}=; ${NAME}=SESSION`,
		`${NAME}=wrong; ${NAME}=wrong`,
	])("Cookie: %s", async (cookie) => {
		const { session } = await wallet();
		const headers = { cookie: cookie.replace("SESSION", session) };
		expectFailure(await resort.ask("GET", "/api/me", { headers }), 401);
	});

	test.each([
		`a=1; ${NAME}=SESSION; b=2`,
		`a=%ff; ${NAME}=SESSION`,
		`a={; ${NAME}=SESSION; =`,
		`__proto__=1; ${NAME}=SESSION`,
		`${NAME}=SESSION; ${NAME}=SESSION`,
		`${NAME}=SESSION; ${NAME}=wrong`,
		`${NAME}; ${NAME}=SESSION`,
		`a=1;\t${NAME} = SESSION \t;b`,
	])("beside others a good one counts: %s", async (cookie) => {
		const { session } = await wallet();
		const headers = { cookie: cookie.replaceAll("SESSION", session) };
		const { status, text } = await resort.ask("GET", "/api/me", { headers });
		expect(status, text).toBe(200);
	});
});
