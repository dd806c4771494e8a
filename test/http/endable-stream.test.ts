import { expect, test } from "bun:test";
import { endableStream } from "../../src/http/endable-stream.ts";
import { silentReader } from "../support/silent-reader.ts";
import { until } from "../support/until.ts";

const PIECES = 768;
const body = new Blob([Buffer.alloc(PIECES * 64 * 1024)]);

test.each(["its reader leaves", "it is ended"])(
	"makes no more pieces once %s, and tells of the end once",
	async (how) => {
		let pieces = 0;
		let ends = 0;
		let end = () => {};
		await using server = Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			development: false,
			fetch(): Response {
				const made = endableStream(body, {
					progressed: () => pieces++,
					finished: () => ends++,
				});
				end = made.end;
				return new Response(made.stream);
			},
		});
		const reader = silentReader(server.port ?? 0, "/");
		await until(() => pieces > 0);
		if (how === "it is ended") end();
		else reader.leave();
		await until(() => ends > 0);
		// Twice the turns that all pieces need.
		for (let turn = 0; turn < 2 * PIECES; turn++) await Bun.sleep(0);
		expect(pieces).toBeLessThan(PIECES);
		expect(ends).toBe(1);
		reader.leave();
	},
);
