import { expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { Caller } from "../../support/operations.ts";
import { useResort } from "../../support/use-resort.ts";

const NAME = "__Host-resort_session";

const resort = useResort({ shared: true });

/** Requests `/api/me` with a Cookie field, after replacing `SESSION` in it by the token of a session. */
async function readWith(cookie: string) {
	const { key } = await Caller.create(resort);
	const session = await resort.login(key);
	return resort.call("GET", "/api/me", { headers: { cookie: cookie.replaceAll("SESSION", session) } });
}

test.each([
	"",
	";;;=;=",
	"__proto__=1",
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
])("the Cookie field %j is refused with 401", async (cookie) => {
	expectFailure(await readWith(cookie), 401);
});

test.each([
	`a=1; ${NAME}=SESSION; b=2`,
	`a=%ff; ${NAME}=SESSION`,
	`a={; ${NAME}=SESSION; =`,
	`__proto__=1; ${NAME}=SESSION`,
	`${NAME}=SESSION; ${NAME}=wrong`,
	`${NAME}; ${NAME}=SESSION`,
	`a=1;\t${NAME} = SESSION \t;b`,
])("the Cookie field %j is accepted with 200", async (cookie) => {
	const { status, text } = await readWith(cookie);
	expect(status, text).toBe(200);
});
