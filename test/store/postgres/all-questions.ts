/**
 * A program that writes the SQL of every question of the resort to stdout, as a JSON list. It is one of its own because it replaces the module that makes questions, so that it also finds those that no
 * module exports.
 */
import { join } from "node:path";
import type { Store } from "../../../src/store/store.ts";

const src = join(import.meta.dir, "../../../src");

const questions: ((store: Store) => unknown)[] = [];
Object.assign(globalThis, { questions });

Bun.plugin({
	name: "questions",
	setup(build) {
		build.onLoad({ filter: /src\/store\/question\.ts$/ }, async ({ path }) => ({
			loader: "ts",
			contents: `${(await Bun.file(path).text()).replace("export function question<", "function one<")}
				export function question(fields, build) {
					const asked = one(fields, build);
					questions.push(asked);
					return asked;
				}`,
		}));
	},
});

for (const file of [...new Bun.Glob("**/*.ts").scanSync(src)].sort()) {
	const text = await Bun.file(join(src, file)).text();
	if (!/\bquestion\(/.test(text)) continue;
	await import(join(src, file));
}

const texts: string[] = [];
const noting = { prepare: (text: string) => texts.push(text) };
for (const prepare of questions) prepare(noting as never);
await Bun.write(Bun.stdout, JSON.stringify(texts));
