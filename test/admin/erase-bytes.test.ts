import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Community } from "../support/community.ts";
import { useFreshFolder } from "../support/program-folder.ts";
import { testSqlite } from "../support/requirements.ts";
import type { Registered } from "../support/resort.ts";
import {
	FILLING,
	filesWith,
	leaveTraces,
	MARK,
	marked,
	type Traced,
	traceable,
} from "../support/traces.ts";

/** A file keeps what was deleted until it is overwritten; where a server keeps it, that is the server's. */
describe.skipIf(testSqlite.isMissing)(
	`the files of a database, after an erasure${testSqlite.note}`,
	() => {
		const folder = useFreshFolder();
		const setup = () => ({ ...traceable, database: folder.file() });
		let context: Community;
		let other: Registered;

		beforeEach(async () => {
			context = new Community(setup());
			other = await context.guest({ name: "Other" });
		});
		afterEach(() => context.close());

		const erase = ({ id }: { id: string }) =>
			context.byHost(`/agents/${id}/erase`);

		/** The marked texts are there before, and nothing of the agent is afterwards. */
		async function expectErased(agent: Traced): Promise<void> {
			expect(filesWith(folder.file(), MARK)).not.toEqual([]);
			expect(filesWith(folder.file(), FILLING)).not.toEqual([]);
			await erase(agent);
			for (const text of [MARK, FILLING, ...agent.secrets]) {
				expect({ text, files: filesWith(folder.file(), text) }).toEqual({
					text,
					files: [],
				});
			}
		}

		test("hold none after pages were split, filled and freed again", async () => {
			const agent = await leaveTraces(context, other);
			for (let at = 0; at < 300; at++) {
				const message = marked(`postcard ${at}`, 500);
				await context.send(agent, { message });
				const body = { bio: marked(`bio ${at}`, 500) };
				await context.ask("PATCH", "/api/me", { key: agent.key, body });
				const plain = `Of another ${at} `.padEnd(480, "x");
				await context.send(other, { message: plain });
			}
			context.sqlite.run("DELETE FROM postcards WHERE seq % 3 = 0");
			await expectErased(agent);
			const left = await context.rows("select id from postcards");
			expect(left.length).toBeGreaterThan(300);
		}, 60_000);

		test("hold none that stood in an earlier version of the file", async () => {
			const agent = await leaveTraces(context, other);
			await context.close();
			context = new Community(setup());
			expect(filesWith(folder.file(), MARK)).toEqual([folder.file()]);
			await expectErased(agent);
		});

		test("are sound and hold others' things", async () => {
			const agent = await leaveTraces(context, other);
			await erase(agent);
			expect(context.sqlite.query("PRAGMA integrity_check").get()).toEqual({
				integrity_check: "ok",
			});
			expect(context.sqlite.query("PRAGMA foreign_key_check").all()).toEqual(
				[],
			);
			expect(filesWith(folder.file(), "Nice.")).not.toEqual([]);
			await context.send(other);
		});
	},
);
