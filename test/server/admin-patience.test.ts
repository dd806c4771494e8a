import { expect, test } from "bun:test";
import { join } from "node:path";
import { listenForHost } from "../../src/server/admin/socket.ts";
import { temporaryFolder } from "../support/executable.ts";

/** Longer than the runtime keeps a connection that says nothing, when it is not told otherwise: 12 s. */
const LONG_MS = 14_000;

test("the socket of the administration waits for what takes long", async () => {
	using folder = temporaryFolder();
	const path = join(folder.path, "admin");
	const socket = await listenForHost(
		{ path, isGiven: true, isInOwnFolder: false },
		async () => {
			await Bun.sleep(LONG_MS);
			return new Response("done");
		},
	);
	try {
		const answer = await fetch("http://localhost/", { unix: path });
		expect(await answer.text()).toBe("done");
	} finally {
		await socket.stop();
	}
}, 60_000);
