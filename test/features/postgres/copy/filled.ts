import { Database } from "bun:sqlite";
import { join } from "node:path";
import { gunzipSync } from "bun";
import { once } from "../../../../src/core/lib/once.ts";
import { openStore } from "../../../../src/core/store/sqlite/sqlite-store.ts";
import { TemporaryFolder } from "../../../support/folder.ts";

/** Texts that a copy could change by mistake. */
const TEXTS = [
	"",
	" ",
	'it\'s "so"; -- \\ \\\\ \\n $1 ? %s {} [] null',
	"line\nline\r\ntab\t\u{1}\u{1f}\u{7f}",
	"\\x41 \\u0000 \\000",
	"Möwe 海 🌴👩‍👩‍👧 e\u0301 \u{10ffff} \ufffd \ufeff\u2028",
	"z".repeat(70_000),
];

/** The number of rows in large tables. A copy reads the rows in portions, the last of which is not full. */
const MANY = 2_001;

/** The highest event id that was ever assigned. The event with this id has been deleted. */
export const LAST_EVENT_ID = 5_000_000_000;

/** Unpacks a database file that an earlier version of the resort wrote. */
export async function unpackFormer(path: string): Promise<void> {
	const packed = Bun.file(join(import.meta.dir, "../../../upgrade/4.sqlite.gz"));
	await Bun.write(path, gunzipSync(await packed.bytes()));
}

/**
 * Writes a database file with rows in every table, which an earlier version created and this version has
 * migrated.
 * @param statements are run at the end
 */
export async function fillFile(path: string, statements = ""): Promise<void> {
	await Bun.write(path, await filled());
	if (statements === "") return;
	using sqlite = new Database(path);
	sqlite.run(statements);
}

/** Statements that insert a row. Each one is run with each of the {@link TEXTS}. */
const inserts = [
	`INSERT INTO agents (id, name, bio, relaxation_style, comfort_objects, interests, created_at, deactivated_at, newest_stay)
		VALUES ($id, $text, $text, $json, '[]', '["a\\\\b"]', 9007199254740991, 2, 0)`,
	`INSERT INTO events (type, at, agent_id, recipient_id, details) VALUES ('postcard.sent', -1, 'a', 'b', $json)`,
	`INSERT INTO webhooks (id, agent_id, url, types, agent_ids, secret, state, created_at, failure, position)
		VALUES ($id, $id, $text, $json, NULL, $text, 'active', -1, $text, 9007199254740991)`,
	`INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, status, next_at)
		VALUES ($id, $id, 9007199254740991, 0, 1, 2147483647, NULL, -1)`,
	`INSERT INTO invites (code_hash, label, created_at, expires_at, uses, used)
		VALUES ($bytes, $text, -1, 9007199254740991, 2147483647, 0)`,
	"INSERT INTO admin_actions (at, command, agent_id, system_user) VALUES (-1, 'erase', $id, $text)",
	`INSERT INTO idempotency_keys (key_hash, scope, agent_id, sealed_answer, expires_at)
		VALUES ($bytes, $id, $id, $bytes, 9007199254740991)`,
	"INSERT INTO house_hours (hour, most_guests, check_ins, registrations, bytes) VALUES ($hour, 1, 2, 3, 4)",
	"INSERT INTO admin_tokens (hash, expires_at) VALUES ($bytes, 9007199254740991)",
	"INSERT INTO blocks (agent_id, blocked_id, created_at) VALUES ($id, $id, 1)",
];

const filled = once(async () => {
	using folder = new TemporaryFolder();
	await unpackFormer(folder.file());
	const store = openStore(folder.file());
	const { sqlite } = store;
	sqlite.transaction(() => {
		for (const [hour, text] of TEXTS.entries()) {
			const values = {
				$hour: hour,
				$id: `id of ${text}`,
				$text: text,
				$json: JSON.stringify([text]),
				$bytes: Buffer.from(`bytes ${text}`),
			};
			for (const insert of inserts) sqlite.query(insert).run(values);
		}
		const agent = "(SELECT min(id) FROM agents)";
		const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY - 1})`;
		sqlite.run(`${numbers} INSERT INTO nonces SELECT 'nonce ' || n || char(955), n FROM numbers`);
		sqlite.run(
			`${numbers} INSERT INTO sessions (token_hash, agent_id, created_at, expires_at, sealed_key)
			SELECT unhex(printf('%06x00ff5c27', n)), ${agent}, n, n, CASE n % 2 WHEN 0 THEN unhex(substr('5c275c00785c', 1, n % 7 * 2)) END FROM numbers`,
		);
		sqlite.run("UPDATE experiences SET archived_at = 9 WHERE seq % 3 = 0");
		sqlite.run("INSERT INTO events (id, type, at, agent_id) VALUES (?, 'agent.joined', 1, 'a')", [
			LAST_EVENT_ID,
		]);
		sqlite.run("DELETE FROM events WHERE id = ?", [LAST_EVENT_ID]);
	})();
	const path = folder.file("filled.sqlite");
	sqlite.run("VACUUM INTO ?", [path]);
	await store.close();
	return await Bun.file(path).bytes();
});
