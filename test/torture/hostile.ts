const HOST = "Host: resort.test\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const GET = `GET /api/health HTTP/1.1\r\n${HOST}\r\n`;
const POST = `POST /api/agents HTTP/1.1\r\n${HOST}${JSON_TYPE}`;
const BLOCK = " ".repeat(65_536);

/** A way to hold a connection. */
export interface Manner {
	readonly name: string;
	/** Of a hundred connections, how many are held so. */
	readonly share: number;
	/** What is sent at once. */
	readonly first: string;
	/** What is sent each second from then on. */
	readonly drip: string;
	/** The client ends its side after `first`. */
	readonly halfClosed?: true;
	/** The client reads nothing. */
	readonly deaf?: true;
}

/** Slow and greedy clients; none of them ever sends what could be a whole further request. */
export const manners: readonly Manner[] = [
	{ name: "silent", share: 10, first: "", drip: "" },
	{
		name: "a header, a byte a second",
		share: 20,
		first: `GET /api/health HTTP/1.1\r\n${HOST}X-Slow: `,
		drip: "a",
	},
	{
		name: "headers without end",
		share: 15,
		first: `GET /api/health HTTP/1.1\r\n${HOST}`,
		drip: "X-More: 1\r\n",
	},
	{
		name: "a body, a byte a second",
		share: 20,
		first: `${POST}Content-Length: 60000\r\n\r\n{`,
		drip: " ",
	},
	{
		name: "a chunk of a byte a second",
		share: 15,
		first: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
		drip: "1\r\n \r\n",
	},
	{
		name: "a huge body, declared",
		share: 1,
		first: `${POST}Content-Length: 1000000000000\r\n\r\n`,
		drip: BLOCK,
	},
	{
		name: "a huge body, in chunks",
		share: 1,
		first: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
		drip: `10000\r\n${BLOCK}\r\n`,
	},
	{
		name: "half-closed within a head",
		share: 6,
		first: "GET /api/health HT",
		drip: "",
		halfClosed: true,
	},
	{
		name: "half-closed within a body",
		share: 6,
		first: `${POST}Content-Length: 100\r\n\r\n{`,
		drip: "",
		halfClosed: true,
	},
	{
		name: "1,000 calls at once, answers not read",
		share: 1,
		first: GET.repeat(1_000),
		drip: "",
		deaf: true,
	},
	{ name: "answered, then silent", share: 5, first: GET, drip: "" },
];

/** A request that two servers in a row may read in two ways, and a second one that would be smuggled in. */
export interface Shape {
	readonly name: string;
	readonly sent: string;
	/** The status of its one answer; absent when any refusal is right. */
	readonly status?: number;
}

const refused = (name: string, head: string, body: string): Shape => ({
	name,
	sent: `${POST}${head}\r\n${body}${GET}`,
});

const chunked = (name: string, body: string): Shape =>
	refused(name, "Transfer-Encoding: chunked\r\n", body);

/** What must be refused, with the connection closed and nothing after it read. */
export const shapes: readonly Shape[] = [
	refused(
		"CL and TE",
		"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
		"0\r\n\r\nX",
	),
	refused(
		"TE and CL",
		"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
		"2\r\n{}\r\n0\r\n\r\n",
	),
	refused("two CLs", "Content-Length: 0\r\nContent-Length: 5\r\n", "hello"),
	refused("a list of CLs", "Content-Length: 2, 2\r\n", "{}"),
	refused("CL +2", "Content-Length: +2\r\n", "{}"),
	refused("CL -1", "Content-Length: -1\r\n", ""),
	refused("CL 0x2", "Content-Length: 0x2\r\n", "{}"),
	refused("CL past 64 bits", "Content-Length: 99999999999999999999\r\n", ""),
	refused("folded TE", "Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"),
	refused("a folded field", "X-A: b\r\n c\r\nContent-Length: 0\r\n", ""),
	refused("TE xchunked", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
	refused(
		"chunked is not last",
		"Transfer-Encoding: chunked, identity\r\n",
		"0\r\n\r\n",
	),
	refused(
		"space before the colon",
		"Transfer-Encoding : chunked\r\n",
		"0\r\n\r\n",
	),
	refused("bare LF in the head", "X-A: b\nContent-Length: 0\r\n", ""),
	{ name: "bare LF only", sent: "GET /api/health HTTP/1.1\nHost: x\n\n" },
	chunked("bare LF after a chunk size", "2;\n{}\r\n0\r\n\r\n"),
	chunked("chunk size -1", "-1\r\n{}\r\n0\r\n\r\n"),
	chunked("chunk size 0x2", "0x2\r\n{}\r\n0\r\n\r\n"),
	chunked("chunk size past 64 bits", "FFFFFFFFFFFFFFFFF\r\n{}"),
	chunked(
		"a chunk extension of 100 kB",
		`2;${"a".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
	),
	{
		name: "a header of 200 kB",
		sent: `GET /api/health HTTP/1.1\r\n${HOST}X-A: ${"a".repeat(200_000)}\r\n\r\n`,
		status: 431,
	},
	{
		name: "500 headers",
		sent: `GET /api/health HTTP/1.1\r\n${HOST}${"X-A: 1\r\n".repeat(500)}\r\n`,
		status: 431,
	},
	{ name: "no Host", sent: "GET /api/health HTTP/1.1\r\n\r\n", status: 400 },
	{ name: "HTTP/2", sent: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
	{
		name: "TLS",
		sent: `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${"a".repeat(500)}`,
	},
];
