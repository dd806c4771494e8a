import { expect, test } from "bun:test";

import { executable } from "../support/executable.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";

const folder = useTemporaryFolder();
const cwd = folder.path;

const flags = ["--ephemeral", "--exit-with-parent", "--log-level", "warning"];

async function firstLine(stream: ReadableStream<Uint8Array>) {
	for await (const chunk of stream) {
		return JSON.parse(new TextDecoder().decode(chunk).split("\n")[0] ?? "");
	}
}

test("ends in order, with exit code 0, when stdin closes, whatever came over it", async () => {
	const child = Bun.spawn([executable, "serve", ...flags], {
		cwd,
		env: {},
		stdio: ["pipe", "pipe", "pipe"],
	});
	const { url } = await firstLine(child.stdout);
	child.stdin.write("hello\n");
	await child.stdin.flush();
	expect((await fetch(`${url}/api/health`)).status).toBe(200);
	child.stdin.end();
	expect(await child.exited).toBe(0);
	expect(await new Response(child.stderr).text()).toBe("");
});

test.each(["< /dev/null", "<&-", "< resort.json"])(
	"refuses a stdin that ends at once: %s",
	async (stdin) => {
		await Bun.write(`${cwd}/resort.json`, "{}");
		const line = `exec ${executable} serve ${flags.join(" ")} ${stdin}`;
		const child = Bun.spawn(["sh", "-c", line], {
			cwd,
			env: {},
			stderr: "pipe",
		});
		expect(await child.exited).toBe(2);
		expect(await new Response(child.stderr).text()).toMatch(
			/^resort: --exit-with-parent: stdin must be a pipe/,
		);
	},
);
