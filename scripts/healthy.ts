/** Starts the program from its sources once, and fails if it does not answer: `bun scripts/healthy.ts`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./compile.ts";

if (import.meta.main) await requireHealthy([process.execPath, join(root, "src/main.ts")]);

/**
 * Starts an ephemeral instance in an empty folder, and stops it.
 * @param program the command to which `serve` is appended
 * @throws Error if it does not start, or does not answer `GET /api/health` with success
 */
export async function requireHealthy(program: readonly string[]): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "resort-healthy-"));
	const resort = Bun.spawn([...program, "serve", "--ephemeral"], {
		cwd: folder,
		env: {},
		stdout: "pipe",
		stderr: "pipe",
	});
	try {
		const { url } = await readyLine(resort);
		const response = await fetch(`${url}/api/health`, { proxy: false });
		if (!response.ok) throw new Error(`health: ${response.status}`);
	} finally {
		resort.kill();
		await resort.exited;
		rmSync(folder, { recursive: true });
	}
}

async function readyLine({
	stdout,
	stderr,
}: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<{ url: string }> {
	for await (const chunk of stdout) {
		return JSON.parse(new TextDecoder().decode(chunk));
	}
	throw new Error(`the program ended before it was ready: ${await new Response(stderr).text()}`);
}
