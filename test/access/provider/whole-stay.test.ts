/** The executable behind a real provider: everything that an agent can do, by capabilities and by its key. */
import { expect, test } from "bun:test";
import { serve, temporaryFolder } from "../../support/executable.ts";
import { ProtocolAgent } from "../../support/provider/agent.ts";
import { Provider } from "../../support/provider/provider.ts";
import { ask } from "../../support/visit.ts";
import { meetByCentralKey, visitByCapabilities } from "./end-to-end.ts";

const SECRET = "the-new-secret-of-the-resort-0123456789";

test("an agent that never saw the resort spends a whole stay by capabilities", async () => {
	using folder = temporaryFolder();
	await using provider = await Provider.start({ secret: SECRET });
	const resort = await serve(["serve", "--ephemeral"], {
		cwd: folder.path,
		env: {
			RESORT_IDENTITY_URL: `${provider.url}/`,
			RESORT_IDENTITY_SECRET: SECRET,
		},
	});
	await provider.gateway.offer(resort.url);
	const pair = { resortUrl: resort.url, provider };
	const visitor = await visitByCapabilities(pair);
	await meetByCentralKey(pair, visitor);
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(stderr).not.toContain(SECRET);
	expect(stderr).not.toContain("ai_");
});

test("a call that was taken before a restart is not taken again after it", async () => {
	using folder = temporaryFolder();
	await using provider = await Provider.start({ secret: SECRET });
	const args = ["serve", "--port", "0", "--base-url", "http://resort.test"];
	const place = {
		cwd: folder.path,
		env: {
			RESORT_IDENTITY_URL: provider.url,
			RESORT_IDENTITY_SECRET: SECRET,
		},
	};
	const first = await serve(args, place);
	const send = (url: string) => (request: Request) =>
		fetch(url + new URL(request.url).pathname, request);
	await provider.gateway.offer("http://resort.test", send(first.url));
	const agent = await ProtocolAgent.register(provider.url);
	await agent.execute("checkIn");
	const [call] = provider.gateway.sent.slice(-1);
	if (call === undefined) throw new Error("nothing was sent");
	expect(call.status).toBe(201);
	await first.stop("SIGKILL");
	const second = await serve(args, place);
	const replay = await fetch(`${second.url}/api/checkin`, {
		method: "POST",
		headers: call.headers,
		body: call.body ?? null,
	});
	expect(replay.status).toBe(401);
	const { guests } = await ask(second.url, "GET", "/api/lobby");
	expect(guests).toHaveLength(1);
	await second.stop();
});
