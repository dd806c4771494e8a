/** The executable behind a real provider: everything that an agent can do, by capabilities and by its key. */
import { expect, test } from "bun:test";
import { serve, temporaryFolder } from "../../support/executable.ts";
import { Provider } from "../../support/provider/provider.ts";
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
