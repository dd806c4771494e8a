import { describe, expect, test } from "bun:test";
import { exchange, expectServing, useServer } from "../support/wire.ts";

const server = useServer();

const host = "Host: resort.test\r\n";
const post = `POST /api/agents HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;

const chunked = "Transfer-Encoding: chunked\r\n";

/** A request that two servers in a row may read in two ways, and a second one that must not be answered. */
const smuggling = (head: string, body: string) =>
	`${post}${head}\r\n${body}GET /api/health HTTP/1.1\r\n${host}\r\n`;

/** What is no HTTP gets a 4xx or nothing; 505 is HTTP's word for a version nobody speaks. */
describe("what is no HTTP/1.1 is refused", () => {
	expectServing(server);

	test.each([
		["bare line feeds", "GET /api/health HTTP/1.1\nHost: a\n\n"],
		["HTTP/1.1 without Host", "GET /api/health HTTP/1.1\r\n\r\n"],
		["a folded field", `GET /api/health HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`],
		["a length in words", `${post}Content-Length: two\r\n\r\n{}`],
		["a negative length", `${post}Content-Length: -1\r\n\r\n{}`],
		[
			"an endless length",
			`${post}Content-Length: 99999999999999999999\r\n\r\n{}`,
		],
		["two lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
		[
			"a length and chunks",
			`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
		],
		["an unknown coding", `${post}Transfer-Encoding: relax\r\n\r\n{}`],
		[
			"a chunk size in words",
			`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
		],
		[
			"a negative chunk size",
			`${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
		],
		[
			"an endless chunk size",
			`${post}Transfer-Encoding: chunked\r\n\r\n${"f".repeat(20)}\r\n{}\r\n0\r\n\r\n`,
		],
		["a list of lengths", smuggling("Content-Length: 2, 2\r\n", "{}")],
		["a length with a sign", smuggling("Content-Length: +2\r\n", "{}")],
		["a hexadecimal length", smuggling("Content-Length: 0x2\r\n", "{}")],
		[
			"chunks and a length",
			smuggling(`${chunked}Content-Length: 4\r\n`, "2\r\n{}\r\n0\r\n\r\n"),
		],
		[
			"a folded coding",
			smuggling("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"),
		],
		[
			"a coding after chunked",
			smuggling("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
		],
		[
			"a space before the colon",
			smuggling("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
		],
		[
			"a bare line feed after a chunk size",
			smuggling(chunked, "2;\n{}\r\n0\r\n\r\n"),
		],
		[
			"a hexadecimal prefix of a chunk size",
			smuggling(chunked, "0x2\r\n{}\r\n0\r\n\r\n"),
		],
		[
			"an endless chunk extension",
			smuggling(chunked, `2;${"a".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`),
		],
	])("%s", async (_, request) => {
		const answers = await exchange(server.port, { parts: [request] });
		for (const { status, body } of answers) {
			expect(status === 505 || (status >= 400 && status < 500)).toBe(true);
			expect(body).toBe("");
		}
	});
});
