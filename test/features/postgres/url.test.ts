import { describe, expect, test } from "bun:test";
import { configuration } from "../../../src/cli/features.ts";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { parsePostgresUrl } from "../../../src/features/postgres/database-url.ts";
import { useTemporaryFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";

const folder = useTemporaryFolder();

const URL_WITH_PASSWORD = "postgres://ada:hunter2@db.test/resort";
const SHOWN = "postgres://ada@db.test:5432/resort?sslmode=verify-full";

const server = (host: string, port = 5432) => ({ host, port });

describe("parsePostgresUrl", () => {
	const read: [what: string, url: string, said: Partial<ReturnType<typeof parsePostgresUrl>>][] = [
		[
			"all parts of a URL",
			"postgres://ada:pw@db.test:5433/resort",
			{
				hosts: [server("db.test", 5433)],
				user: "ada",
				password: "pw",
				database: "resort",
				sslmode: "verify-full",
				sslrootcert: null,
				applicationName: null,
			},
		],
		[
			"a URL with only a host",
			"postgresql://db.test",
			{ hosts: [server("db.test")], user: null, password: null, database: null },
		],
		[
			"percent-encoded characters",
			"postgres://a%40da:p%3A%2F%40@db.test/n%2Fm",
			{ user: "a@da", password: "p:/@", database: "n/m" },
		],
		["an IPv6 address with the highest port", "postgres://[::1]:65535/n", { hosts: [server("::1", 65_535)] }],
		["omitted ports", "postgres://h:1,[::1],k/n", { hosts: [server("h", 1), server("::1"), server("k")] }],
		["10 hosts, the maximum", `postgres://${"h,".repeat(9)}h/n`, { hosts: Array(10).fill(server("h")) }],
		["a socket folder", "postgres:///n?host=/run/postgresql", { hosts: [server("/run/postgresql")] }],
		["a percent-encoded socket folder", "postgres://%2Frun%2Fpg:2/n", { hosts: [server("/run/pg", 2)] }],
		["one port for two hosts", "postgres:///n?host=h,k&port=7", { hosts: [server("h", 7), server("k", 7)] }],
		[
			"a user and a password in parameters",
			"postgres://h?user=ada&password=p%26w&application_name=a%20b",
			{ user: "ada", password: "p&w", applicationName: "a b" },
		],
	];
	const modes: [sslmode: string, url: string][] = [
		["verify-full", "postgres://db.test/n"],
		["verify-full", "postgres://127.0.0.1.test/n"],
		["verify-full", "postgres:///n?host=/run,db.test"],
		["prefer", "postgres://localhost/n"],
		["prefer", "postgres://LOCALHOST/n"],
		["prefer", "postgres://127.1.2.3,[::1]/n"],
		..."disable allow prefer require verify-ca verify-full"
			.split(" ")
			.map((mode): [string, string] => [mode, `postgres://db.test/n?sslmode=${mode}`]),
		["verify-full", "postgres://localhost/n?sslmode=verify-full"],
		["verify-ca", "postgres://h/n?sslmode=require&sslrootcert=/ca.pem"],
		["prefer", "postgres://h/n?sslmode=prefer&sslrootcert=/ca.pem"],
		["verify-full", "postgres://localhost/n?sslrootcert=system"],
	];

	test.each(read)("parses %s", (_, url, said) => {
		expect(parsePostgresUrl(url)).toMatchObject(said);
	});

	test.each(modes)("returns the sslmode `%s` for `%s`", (sslmode, url) => {
		expect(parsePostgresUrl(url)).toMatchObject({ sslmode });
	});

	test.each(["read-write", "primary"])("accepts the parameter `target_session_attrs=%s`", (attributes) => {
		expect(() => parsePostgresUrl(`postgres://h/n?target_session_attrs=${attributes}`)).not.toThrow();
	});

	const refused: [what: string, url: string, told: string][] = [
		["a URL without a host", "postgres://", "must name 1 to 10 hosts, each"],
		["a host that contains a space", "postgres://a b/n", "must name 1 to 10 hosts, each"],
		["an empty second host", "postgres://h,/n", "must name 1 to 10 hosts, each"],
		["an IPv6 address without the closing bracket", "postgres://[::1/n", "must name 1 to 10 hosts, each"],
		["11 hosts, one too many", `postgres://${"h,".repeat(10)}h/n`, "must name 1 to 10 hosts, each"],
		["the port 0", "postgres://h:0/n", "must name 1 to 10 hosts, each"],
		["the port 65536", "postgres://h:65536/n", "must name 1 to 10 hosts, each"],
		["two ports of one host", "postgres://h:1:2/n", "must name 1 to 10 hosts, each"],
		["two ports for three hosts", "postgres:///n?host=h,k,l&port=1,2", "must name 1 to 10 hosts, each"],
		["a second host as a parameter", "postgres://h/n?host=k", "host is given twice"],
		["a second password as a parameter", "postgres://a:hunter2@h/n?password=b", "password is given twice"],
		["a parameter without a value", "postgres://h/n?sslmode=", "a parameter must be NAME=VALUE"],
		["an unknown parameter", "postgres://h/n?ssl=true", 'unknown parameter "ssl"; must be one of appl'],
		["an unknown sslmode", "postgres://h/n?sslmode=on", 'unknown sslmode "on"'],
		["the sslmode Require", "postgres://h/n?sslmode=Require", '"Require" (require?); must be one of disable'],
		["sslmode=require (system CA)", "postgres://h/n?sslmode=require&sslrootcert=system", "requires sslmode"],
		[
			"`target_session_attrs=any`",
			"postgres://h/n?target_session_attrs=any",
			"must be one of primary, read-write",
		],
		["% without two hexadecimal digits", "postgres://h/%zz", "% must begin"],
		["an encoded NUL", "postgres://h/a%00b", "% must begin"],
		["an unencoded % in the password", "postgres://ada:%hunter2@h/n", "% must begin"],
		["an unencoded / in the password", "postgres://ada:hun/ter2@h/n", "%2F %3F %23 %40"],
		["an unencoded # in the password", "postgres://ada:hun#ter2@h/n", "%2F %3F %23 %40"],
		["an unencoded @ in the password", "postgres://ada:hun@ter2@h/n", "%2F %3F %23 %40"],
		["a user and a password without a host", "postgres://ada:hunter2", "must name 1 to 10 hosts, each"],
		["an unencoded ? in the password", "postgres://ada:1?hunter2", "a parameter must be NAME=VALUE"],
	];
	test.each(refused)("refuses %s", (_, url, told) => {
		const message = String(thrownBy(() => parsePostgresUrl(url)));
		expect(message).toContain(told);
		expect(message).not.toMatch(/hun|ter2/);
	});
});

/**
 * Returns all ways to set `--database`. Each has flags, environment variables, and the name that messages use
 * for the setting.
 */
function everywhere(database: string) {
	const toml = folder.write(`database = "${database}"\n`, "url.toml");
	const file = folder.write(database, "url");
	return [
		[{ database }, {}, "--database"],
		[{}, { RESORT_DATABASE: database }, "RESORT_DATABASE"],
		[{}, { RESORT_DATABASE_FILE: file }, "RESORT_DATABASE_FILE"],
		[{ config: toml }, {}, `${toml}: database`],
	] as const;
}

describe("the value of `--database`", () => {
	test("is shown without the password, whether a flag, a variable or a file sets it", () => {
		for (const [flags, environment, from] of everywhere(URL_WITH_PASSWORD)) {
			const { config, inForce } = configuration.describe(flags, environment);
			expect(config.database).toBe(URL_WITH_PASSWORD);
			const database = { name: "database" as const, text: SHOWN, from };
			expect(inForce).toContainEqual({ ...database, isDefault: false });
			expect(JSON.stringify(inForce)).not.toContain("hunter2");
		}
	});

	test.each([
		"sqlite:r.sqlite",
		"sqlite3://r.sqlite",
		"file:r.sqlite",
		"jdbc:sqlite:r.sqlite",
		"mysql://db.test:3306/n",
		"mysql://ada@db.test/n",
	])("is refused and shown in the message if it is %p", (database) => {
		expect(() => configuration.read({ database }, {})).toThrow(
			`--database "${database}": must be a file path without sqlite:// or file:, or begin with postgres://`,
		);
	});

	test("is shown in the message if it is a PostgreSQL URL that is invalid, but has no password", () => {
		const database = "postgres://ada@db.test:99999/n";
		expect(() => configuration.read({ database }, {})).toThrow(`--database "${database}": must name 1 to`);
	});

	test.each([
		["sqlite://ada:hunter2@h/n", "must be a file path without sqlite://"],
		["postgres://ada:hunter2@h/n?sslmod=allow", 'unknown parameter "sslmod"'],
		["postgres://ada:hun/ter2@db.test/n", "must be postgres://USER:PASS"],
		["postgres:/ada:hunter2@db.test/n", "must be postgres://USER:PASS"],
		["Postgres://ada:hunter2@db.test/n", "must be postgres://USER:PASS"],
		["mysql://ada:hunter2@db.test/n", "must be a file path without sqlite://"],
		["mysql://ada:hunter2/n", "must be a file path without sqlite://"],
		["libsql://db.test?authToken=hunter2", "must be a file path without sqlite://"],
		["postgres://ada:hunter2/n", "must name 1 to"],
		["jdbc:postgresql://h/db?user=u&password=hunter2", ""],
		["host=db user=ada password=hunter2 dbname=r", ""],
		["ada:hun/ter2@db.test/n", "must be a file path without sqlite://"],
	])("is refused, but its password is not shown in the message, if it is %p", (database, told) => {
		const list = folder.write(`database = ["${database}"]\n`, "list.toml");
		for (const [flags, environment, from] of [
			...everywhere(database),
			[{ config: list }, {}, `${list}: database`] as const,
		]) {
			const error = thrownBy(() => configuration.read(flags, environment));
			expect(error).toBeInstanceOf(StartError);
			expect(error).toMatchObject({ exitCode: 2 });
			expect(String(error)).toContain(from);
			if (!from.startsWith(list)) expect(String(error)).toContain(told);
			expect(String(error)).not.toMatch(/hun|ter2/);
		}
	});
});

test("`--database-connections` is a number from 4 to 1000, and 16 by default", () => {
	const read = (flags: Record<string, string>) => configuration.read(flags, {})["database-connections"];
	const database = URL_WITH_PASSWORD;
	expect(read({ database, "database-connections": "4" })).toBe(4);
	expect(read({ database, "database-connections": "1000" })).toBe(1_000);
	expect(read({})).toBe(16);
});

const notInRange = (text: string) =>
	`--database-connections "${text}": must be a whole number from 4 to 1000`;

test.each<[message: string, flags: Record<string, string>]>([
	[notInRange("3"), { database: URL_WITH_PASSWORD, "database-connections": "3" }],
	[notInRange("1001"), { database: URL_WITH_PASSWORD, "database-connections": "1001" }],
	["--database-connections requires a --database that is PostgreSQL", { "database-connections": "16" }],
	[
		"--ephemeral keeps nothing: it cannot be combined with a --database that is PostgreSQL",
		{ database: URL_WITH_PASSWORD, ephemeral: "on" },
	],
])("invalid flags are refused with the message `%s`", (message, flags) => {
	expect(thrownBy(() => configuration.read(flags, {}))).toMatchObject({ exitCode: 2, message });
});
