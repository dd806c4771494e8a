/**
 * Writes the SQL of every prepared query to stdout, as a JSON list. This program replaces the
 * module that prepares queries, to find also queries that no module exports.
 */
import { join } from "node:path";
import type { Store } from "../../../src/core/store/store.ts";

const src = join(import.meta.dir, "../../../src");

const queries: ((store: Store) => unknown)[] = [];
// readMigrations and newestSchema replace macros, which Bun does not run once a plugin is registered.
Object.assign(globalThis, { queries, readMigrations: () => [], newestSchema: () => [] });

Bun.plugin({
	name: "queries",
	setup(build) {
		build.onLoad({ filter: /src\/core\/store\/query\.ts$/ }, async ({ path }) => ({
			loader: "ts",
			contents: `${(await Bun.file(path).text()).replace("export function query<", "function one<")}
				export function query(fields, build) {
					const prepared = one(fields, build);
					queries.push(prepared);
					return prepared;
				}`,
		}));
	},
});

for (const file of [...new Bun.Glob("**/*.ts").scanSync(src)].sort()) {
	const text = await Bun.file(join(src, file)).text();
	if (!/^import \{[^}]*\} from "[^"]*store\/(?:list-|table-)?quer(?:y|ies)\.ts"/m.test(text)) continue;
	await import(join(src, file));
}

const texts: string[] = [];
const noting = { prepare: (text: string) => texts.push(text) };
for (const prepare of queries) prepare(noting as never);
await Bun.write(Bun.stdout, JSON.stringify(texts));
