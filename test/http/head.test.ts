import { describe, expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { operations, pathOf, rows } from "../support/operations.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort();

const reads = operations.filter(({ method }) => method === "GET");

describe.each(rows(reads))("HEAD of %s", (_, operation) => {
	test.each(["identity", "gzip", "zstd"])(
		"tells what GET tells with Accept-Encoding: %s, and 304 to who has it",
		async (coding) => {
			const { key } = await Caller.create(resort);
			const ask = (method: string, more: Record<string, string> = {}) => {
				const headers = {
					"accept-encoding": coding,
					...(operation.credential !== "none" && {
						authorization: `Bearer ${key}`,
					}),
					...more,
				};
				const url = `http://resort.test${pathOf(operation)}`;
				return resort.fetch(new Request(url, { method, headers }));
			};
			const get = await ask("GET");
			const head = await ask("HEAD");
			const fields = ({ headers }: Response) =>
				[...headers].filter(
					([name]) => name !== "x-request-id" && name !== "content-length",
				);
			expect(head.status).toBe(get.status);
			expect(fields(head)).toEqual(fields(get));
			const etag = get.headers.get("etag");
			if (etag === null) return;
			const known = await ask("GET", { "if-none-match": `"x", W/${etag}` });
			expect([known.status, await known.text()]).toEqual([304, ""]);
			expect(known.headers.get("vary")).toBe(get.headers.get("vary"));
			expect(known.headers.get("etag")).toBe(etag);
			expect(known.headers.get("content-encoding")).toBeNull();
			const other = { "if-none-match": `"x", ${etag.slice(0, -1)}` };
			expect((await ask("GET", other)).status).toBe(200);
		},
	);
});
