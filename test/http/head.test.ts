import { describe, expect, test } from "bun:test";
import { Caller } from "../support/caller.ts";
import { operations, pathOf, rows } from "../support/operations.ts";
import { useSharedResort } from "../support/use-resort.ts";

const resort = useSharedResort();

const reads = operations.filter(({ method }) => method === "GET");

describe.each(rows(reads))("HEAD of %s", (_, operation) => {
	test.each(["identity", "gzip", "zstd"])(
		"returns the header fields of GET with Accept-Encoding: %s",
		async (coding) => {
			const { key } = await Caller.create(resort);
			const ask = (method: string) => {
				const headers = {
					"accept-encoding": coding,
					...(operation.credential !== "none" && {
						authorization: `Bearer ${key}`,
					}),
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
		},
	);
});
