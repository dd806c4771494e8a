import { expect, test } from "bun:test";
import { useTemporaryFolder } from "../support/folder.ts";

const folder = useTemporaryFolder();

const SECRET = "0123456789abcdef0123456789abcdef";

const write = (name: string, content: string) => folder.write(content, name);

test("a configuration file is read by serve, backup, restore and healthcheck", async () => {
	write("resort.toml", 'database = "kept.sqlite"\nport = 0\n');
	const byVariable = { env: { RESORT_CONFIG: "resort.toml" } };
	const serving = await folder.serve(["--config", "resort.toml"]);
	write("port.toml", `port = ${serving.port}\nhost = "127.0.0.1"\n`);
	await folder.succeed(["healthcheck", "--config", "port.toml"]);
	await folder.succeed(["backup", "copy.sqlite", "--config=resort.toml"]);
	expect((await serving.stop()).exitCode).toBe(0);
	const restored = await folder.succeed(["restore", "copy.sqlite"], byVariable);
	expect(JSON.parse(restored).restored).toEndWith("/kept.sqlite");
	await folder.refuse(["healthcheck"], "--port 0 means any free port: set --url instead", 2, byVariable);
});

test("`doctor --all` prints each setting with its source, and no secret", async () => {
	const identity = `identity-url = "https://id.test"\nidentity-secret = "${SECRET}"\n`;
	write("identity.toml", `${identity}rate-limits = false\n`);
	write("hours", "1.5\n");
	write("secret", `${SECRET}\n`);
	const files = { RESORT_CONFIG: "identity.toml", RESORT_MAX_STAY_FILE: "hours" };
	const env = { ...files, PORT: "81", RESORT_HOST: "::1" };
	const tell = async (more: object) => {
		const { stdout } = await folder.run(["doctor", "--all", "--ephemeral"], { env: { ...env, ...more } });
		expect(stdout).not.toContain(SECRET.slice(0, 8));
		return stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "));
	};
	const told = (await tell({})).filter((line) => line.startsWith("ok --"));
	// To record the settings again, add --update-snapshots.
	expect(told).toMatchSnapshot();
	expect(await tell({ RESORT_IDENTITY_SECRET_FILE: "secret" })).toContain(
		"ok --identity-secret (hidden) (RESORT_IDENTITY_SECRET_FILE)",
	);
});

test.each([
	["RESORT_MAX_STAY_FILE", "1.5"],
	["RESORT_CONFIG", "max-stay = 1.5"],
])("doctor reads only once from a pipe whose path is in `%s`", async (name, content) => {
	const line = `printf %s "${content}" | "$0" doctor --all --port 0`;
	const env = { [name]: "/dev/stdin" };
	const { exitCode, stdout } = await folder.shell(line, { env });
	expect(stdout).toMatch(/--max-stay +1\.5 /);
	expect(exitCode).toBe(0);
});
