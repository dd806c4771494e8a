import { beforeAll, describe, expect, test } from "bun:test";
import { useFreshFolder, useTemporaryFolder } from "../../../support/folder.ts";
import { useServer } from "../../../support/use-resort.ts";

const userName = (await Bun.$`id -un`.text()).trim();

describe("`resort admin --json`", () => {
	const folder = useFreshFolder();

	async function admin(args: string, stdin?: string) {
		const place = stdin === undefined ? {} : { stdin };
		const { exitCode, stdout, stderr } = await folder.run(["admin", ...args.split(" "), "--json"], place);
		expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 });
		const answer = JSON.parse(stdout);
		expect(answer.ok).toBe(true);
		return { ...answer, stderr };
	}

	// In the other tests of these commands, an instance serves the database.
	test("reads and changes a database that no instance serves", async () => {
		const instance = await folder.serve(["--port", "0"]);
		const { id, key } = await instance.guest({ bio: "calm" });
		await instance.stop();
		expect((await admin("agents")).agents).toMatchObject([{ id, name: "Ada" }]);
		expect((await admin("agents --search AD --relaxing")).agents).toHaveLength(1);
		expect((await admin(`agent ${id}`)).agent).toMatchObject({ keyId: key.split("_")[1] });
		folder.write('{"bio": " calm ", "interests": ["fog"]}', "profile.json");
		const made = await admin(`register Bob --profile ${folder.file("profile.json")}`);
		expect((await admin(`agent ${made.id}`)).agent).toMatchObject({
			name: "Bob",
			bio: "calm",
			keyId: made.apiKey.split("_")[1],
		});
		const { stderr } = await admin(`erase ${id}`, `${id}\n`);
		expect(stderr).toMatch(/by.*admin.*what.*erase/);
		expect(stderr).toContain(id);
		expect((await admin(`agent ${id}`)).agent.name).toBe("(erased)");
		const { actions } = await admin(`history --agent ${id} --limit 1`);
		expect(actions).toMatchObject([{ command: "erase", agentName: "(erased)", systemUser: userName }]);
	});
});

describe("`resort admin`", () => {
	const folder = useTemporaryFolder();
	const instance = useServer(["--port", "0"], { cwd: folder.path });
	let id: string;
	beforeAll(async () => {
		id = (await instance.register()).id;
	});

	test.each([
		["agnets", "agents?"],
		["--search x agents", "admin needs a command before its flags"],
		["hide postcards x", "hide takes agent|postcard|experience|review"],
		["agents --limit 0", "from 1 to 1000"],
		["register Bob --profile x.json", "x.json: cannot be read"],
		["register Bob --profile /dev/null", "one JSON object"],
		["stats --database :memory:", "test controls"],
	])("exits with 2 for the arguments `%s`, and prints `%s`", async (line, reason) => {
		await folder.refuse(["admin", ...line.split(" ")], reason, 2);
	});

	test.each([
		["agent nobody", { error: "Agent not found", hint: "resort admin agents lists the ids." }],
		["check-out ID", { error: "The agent is not checked in" }],
		["hide postcard nothing", { error: "Postcard not found" }],
		["agents --database x", { error: expect.stringContaining("database x does not exist; set its path") }],
	])("exits with 1 for the arguments `%s`, and prints the error as JSON", async (line, error) => {
		const words = line.replace("ID", id).split(" ");
		const { exitCode, stdout, stderr } = await folder.run(["admin", ...words, "--json"]);
		expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
		expect(JSON.parse(stderr)).toEqual(error);
	});

	test("reads the path of the database from a flag (at any place), an environment variable or a configuration file", async () => {
		const file = folder.file();
		const config = folder.file("resort.toml");
		folder.write(`database = ${JSON.stringify(file)}\n`, "resort.toml");
		for (const [args, env] of [
			[["agents", "--json", "--database", file], {}],
			[["--database", file, "--json", "agents", "--search", id], {}],
			[["agents", "--json"], { RESORT_DATABASE: file }],
			[["agents", "--json", "--config", config], {}],
		] as const) {
			const stdout = await folder.succeed(["admin", ...args], { cwd: "/", env });
			expect(JSON.parse(stdout).agents).toHaveLength(1);
		}
	});
});
