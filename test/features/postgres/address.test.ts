import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { withoutPassword } from "../../../src/features/postgres/database-url.ts";
import { postgresEngine } from "../../../src/features/postgres/postgres-engine.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";

const folder = useTemporaryFolder();

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMII=\n";

function fileOf(content: string, name = "file", mode = 0o600): string {
	const path = folder.write(content, name);
	chmodSync(path, mode);
	return path;
}

function passwordsOf(url: string, environment: Record<string, string>) {
	return readAddress(url, environment).hosts.map(({ password }) => password);
}

test("the user comes from the URL, else from PGUSER, else from the operating system", () => {
	const url = "postgres://db.test";
	const own = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
	expect(own).not.toBe("");
	for (const [at, PGUSER, user, database] of [
		["postgres://bob@db.test", "ada", "bob", "bob"],
		[url, "ada", "ada", "ada"],
		[url, undefined, own, own],
		[`${url}/n`, "", own, "n"],
	]) {
		expect(readAddress(at ?? "", { PGUSER, USER: "eve" })).toMatchObject({ user, database });
	}
});

describe("the password for PostgreSQL", () => {
	const PGPASSFILE = fileOf("*:*:*:*:of file\n", "any");
	const HOME = join(folder.path, "home");
	mkdirSync(HOME);
	fileOf("*:*:*:*:at home", "home/.pgpass");
	const all = { PGPASSWORD: "of variable", PGPASSFILE };

	test.each([
		["comes from the URL even if all variables are set", "postgres://a:of%20url@h/n", all, "of url"],
		["comes from PGPASSWORD if the password in the URL is empty", "postgres://a:@h/n", all, "of variable"],
		["comes from PGPASSWORD even if PGPASSFILE is set", "postgres://a@h/n", all, "of variable"],
		[
			"comes from the file PGPASSFILE if PGPASSWORD is empty",
			"postgres://a@h/n",
			{ ...all, PGPASSWORD: "" },
			"of file",
		],
		["comes from PGPASSFILE rather than HOME/.pgpass", "postgres://a@h/n", { HOME, PGPASSFILE }, "of file"],
		["comes from the file HOME/.pgpass", "postgres://a@h/n", { HOME }, "at home"],
		["is null if the folder HOME does not exist", "postgres://a@h/n", { HOME: folder.file("nobody") }, null],
		["is null if the URL has none and no variable is set", "postgres://a@h/n", {}, null],
	])("%s", (_, url, environment, password) => {
		expect(passwordsOf(url, { ...environment })).toEqual([password]);
	});

	test.each([
		["p", "a line with the host, port, database and user of the URL", "h:5432:n:a:p"],
		["p", "a line that ends with CRLF", "h:5432:n:a:p\r\n"],
		[null, "the host in upper case", "H:5432:n:a:p"],
		[null, "another port", "h:5433:n:a:p"],
		[null, "another database", "h:5432:m:a:p"],
		[null, "another user", "h:5432:n:b:p"],
		["first", "two lines that match", "h:5432:n:a:first\n*:*:*:*:second"],
		["p", "a comment and an empty line first", "#*:*:*:*:comment\n\n*:*:*:*:p"],
		["a:b\\c", "an escaped colon and an escaped backslash", "*:*:*:*:a\\:b\\\\c"],
		["a", "another field after the password", "*:*:*:*:a:b"],
		[null, "an escaped asterisk as the host", "\\*:*:*:*:p"],
		["p", "an escaped letter as the user", "*:*:*:\\a:p"],
		[null, "an empty host", ":*:*:*:p"],
		[null, "no field for the password", "*:*:*:*"],
		[null, "an empty password", "*:*:*:*:"],
		[null, "no content", ""],
	])("is %j if the password file has %s", (password, _, lines) => {
		const environment = { PGPASSFILE: fileOf(lines) };
		expect(passwordsOf("postgres://a@h/n", environment)).toEqual([password]);
	});

	test("is looked up in the password file for each host of the URL separately", () => {
		const lines = "h:*:*:*:1\n[*]:*:*:*:x\n\\:\\:1:9:*:*:2\n/run/pg:*:*:*:3\nlocalhost:*:*:*:4";
		const environment = { PGPASSFILE: fileOf(lines) };
		const of = (url: string) => passwordsOf(url, environment);
		expect(of("postgres://a@h,k,[::1]:9/n")).toEqual(["1", null, "2"]);
		expect(of("postgres://a@/n?host=/run/pg,/tmp,localhost")).toEqual(["3", "4", "4"]);
	});

	test.each(["640", "620", "601"])("is refused if its file is open to other users (mode %s)", (mode) => {
		const path = fileOf("h:*:*:*:hunter2", "open", Number.parseInt(mode, 8));
		const of = (url: string) => passwordsOf(url, { PGPASSFILE: path });
		expect(thrownBy(() => of("postgres://a@h/n"))).toMatchObject({
			exitCode: 2,
			message: `the password file "${path}": others can read or change it: restrict it to its owner (chmod 600)`,
		});
		expect(of("postgres://a:p@h/n")).toEqual(["p"]);
		expect(of("postgres://a@k/n")).toEqual([null]);
	});

	test.each([
		["a missing file", "nope", "no such file or directory (ENOENT)"],
		["a device such as /dev/zero", "/dev/zero", "must be a file of at most 64 KiB"],
	])("cannot be read if PGPASSFILE names %s", (_, path, told) => {
		const read = () => readAddress("postgres://a@h/n", { PGPASSFILE: path });
		expect(thrownBy(read)).toMatchObject({ exitCode: 2, message: expect.stringContaining(told) });
	});
});

describe("the URL parameter `sslrootcert`", () => {
	const read = (path: string) =>
		readAddress(`postgres://a@h/n?sslrootcert=${encodeURIComponent(path)}`, {}).authorities;

	test('accepts a file of certificates up to 1 MiB, or the word "system"', () => {
		const path = fileOf(CERTIFICATE, "a certificate.pem", 0o644);
		expect(read(path)).toBe(CERTIFICATE);
		const large = CERTIFICATE.padEnd(1024 * 1024);
		expect(read(fileOf(large))).toBe(large);
		expect(read("system")).toBeNull();
		expect(readAddress("postgres://a@h/n", {}).authorities).toBeNull();
	});

	test.each([
		["a missing file", () => "nope", "no such file or directory"],
		["a file without a certificate", () => fileOf("hunter2"), "must be a file of PEM"],
		["a file of more than 1 MiB", () => fileOf(CERTIFICATE.padEnd(1024 * 1024 + 1)), "at most 1024 KiB"],
	])("refuses %s", (_, make, told) => {
		const error = thrownBy(() => read(make()));
		expect(error).toMatchObject({
			exitCode: 2,
			message: expect.stringMatching(
				new RegExp(`^(?!.*hunter2)sslrootcert "[^"]+" of --database: .*${told}`),
			),
		});
	});
});

describe("withoutPassword", () => {
	const certificate = fileOf(CERTIFICATE, "ca, cert&.pem");

	test.each([
		["a host", "postgres://ada:hunter2@db.test/n", "postgres://ada@db.test:5432/n?sslmode=verify-full"],
		[
			"escaped characters",
			"postgres://a%40b:hunter2@%2Frun%2Fpg/n%2F%3F?application_name=a%20%26b",
			"postgres://a%40b@/n%2F%3F?host=/run/pg&port=5432&sslmode=prefer&application_name=a%20%26b",
		],
		[
			"two hosts in the query",
			"postgres://ada:hunter2@/n?host=/run,::1&port=1,2",
			"postgres://ada@/n?host=/run,::1&port=1,2&sslmode=prefer",
		],
		[
			"a file of certificates",
			`postgres://ada@h/n?sslrootcert=${encodeURIComponent(certificate)}`,
			`postgres://ada@h:5432/n?sslmode=verify-full&sslrootcert=${folder.path}/ca,%20cert%26.pem`,
		],
	])("removes the password, but nothing else, from a URL with %s", (_, url, told) => {
		const address = readAddress(url, { PGPASSWORD: "hunter2" });
		expect(withoutPassword(address)).toBe(told);
		const again = readAddress(told, { PGPASSWORD: "hunter2" });
		expect(again).toEqual(address);
	});
});

test("for PostgreSQL, `resort backup` and `resort restore` print commands whose arguments are quoted for a shell", async () => {
	const authority = fileOf(CERTIFICATE, "authority.pem");
	const location = {
		database: `postgres://o'k:hunter2@h,k/$(x)%20\`y\`?sslmode=verify-ca&sslrootcert=${authority}`,
		environment: { PGPASSWORD: "hunter2" },
		signal: new AbortController().signal,
	};
	const file = `-it's "b" $c\n`;
	const url = `postgres://o'k@h:5432,k:5432/%24(x)%20%60y%60?sslmode=verify-ca&sslrootcert=${authority}&target_session_attrs=read-write`;
	const commandOf = (refused: Promise<unknown>) =>
		refused.then(String, ({ message }: Error) => message.replace(/^[^:]*program[^:]*: /, ""));
	const wordsOf = (line: string) => {
		const shell = ["sh", "-c", `printf '%s\\0' ${line}`];
		return Bun.spawnSync(shell).stdout.toString().split("\0").slice(0, -1);
	};
	const dump = await commandOf(postgresEngine.backUp(location, file));
	expect(dump).toMatch(/^\(umask 077; .*\)$/s);
	const words = wordsOf(dump.slice("(umask 077; ".length, -1));
	expect(words).toEqual(["pg_dump", "--format=custom", `--file=${file}`, url]);
	const toStdout = await commandOf(postgresEngine.backUp(location, null));
	expect(wordsOf(toStdout)).toEqual(["pg_dump", "--format=custom", url]);
	const restore = await commandOf(postgresEngine.restore(location, file));
	expect(wordsOf(restore)).toEqual(
		"pg_restore --clean --if-exists --no-owner --single-transaction"
			.split(" ")
			.concat(`--dbname=${url}`, `./${file}`),
	);
});
