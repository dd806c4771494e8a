import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { clientHouse, wrappings } from "../support/client.ts";
import { run } from "../support/executable.ts";
import { useServing } from "../support/use-serving.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const place = { cwd: useTemporaryFolder().path };
const instance = useServing(["--port", "0", "--registration", "invite"], place);

test("--invite-code registers, and without a good one nobody is and no file is written", async () => {
	const [, [, program] = ["", []]] = wrappings;
	using ada = clientHouse(program, { RESORT_API_URL: instance.url });
	const register = ["register", "--name", "Ada"];
	const { stderr } = await ada.fails(1, register, "inviteCode is required");
	expect(stderr).toContain("  flag: --invite-code\n");
	const wrong = [...register, "--invite-code", "wrong"];
	await ada.fails(1, wrong, "The invitation is not valid");
	expect(existsSync(ada.file)).toBe(false);
	const made = await run(["admin", "invite", "--json"], place);
	const { code } = JSON.parse(made.stdout);
	await ada.ok(...register, "--invite-code", code.replaceAll("-", " "));
});
