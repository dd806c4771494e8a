import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../../src/cli/operations.ts";
import { call, hint, toHttpCall } from "../../src/core/lib/hint.ts";
import { testOperations } from "../../src/features/testing/operations.ts";

test("the text of a hint contains its calls as HTTP calls, or as a given function writes them", () => {
	const text = hint`${1} of ${"them"}: ${call("GET /api/agents", { search: "A B" })} or ${call("GET /api/agents/:id")}.`;
	expect(String(text)).toBe("1 of them: GET /api/agents?search=A+B or GET /api/agents/{id}.");
	expect(text.write(({ operation }) => operation.length.toString())).toBe("1 of them: 15 or 19.");
	expect(text.calls).toHaveLength(2);
});

test("toHttpCall puts the parameters of a call into the path, the query or the body", () => {
	const parameters = { id: "a/b", notes: "calm" };
	const path = "/api/activities/a%2Fb/do";
	expect(toHttpCall(call("POST /api/activities/:id/do", parameters))).toEqual({
		method: "POST",
		path,
		body: { notes: "calm" },
	});
	expect(toHttpCall(call("GET /api/activities/:id/do", parameters)).path).toBe(`${path}?notes=calm`);
});

test("every call that a hint in `src/` suggests is an existing operation", () => {
	const routes = [...operations, ...testOperations].map(({ method, path }) => `${method} ${path}`);
	const src = join(import.meta.dir, "../../src");
	const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
		file.endsWith(".ts"),
	);
	const named = files.flatMap((file) =>
		Array.from(readFileSync(join(src, file), "utf8").matchAll(/\$\{call\("([^"]+)"/g), ([, route]) => route),
	);
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter((route) => !routes.includes(route ?? ""))).toEqual([]);
});
