import { beforeAll, describe, expect, test } from "bun:test";
import { register } from "../../../support/guests.ts";
import { useFreshFolder } from "../../../support/program-folder.ts";
import { useServing } from "../../../support/use-serving.ts";
import { useTemporaryFolder } from "../../../support/use-temporary-folder.ts";
import { ask, signUp } from "../../../support/visit.ts";

const userName = (await Bun.$`id -un`.text()).trim();

describe("each command", () => {
	const folder = useFreshFolder();

	async function admin(args: string, stdin?: string) {
		const { exitCode, stdout, stderr } = await folder.run(
			["admin", ...args.split(" "), "--json"],
			stdin === undefined ? {} : { stdin },
		);
		expect({ args, exitCode, stderr }).toMatchObject({ args, exitCode: 0 });
		const answer = JSON.parse(stdout);
		expect(answer.ok).toBe(true);
		return { ...answer, stderr };
	}

	// `admin-people` and `admin-beside` run commands beside an instance that serves.
	test("works with a file that nobody serves", async () => {
		const instance = await folder.serve(["--port", "0"]);
		const { url } = instance;
		const { id, key } = await signUp(url, { bio: "calm" });
		const post = (path: string, body = {}) => ask(url, "POST", path, { key, body });
		await post("/api/checkin");
		const card = await post("/api/postcards", { message: "Hello" });
		await instance.stop();

		expect((await admin("agents")).agents).toMatchObject([{ id, name: "Ada" }]);
		const found = await admin("agents --search AD --relaxing");
		expect(found.agents).toHaveLength(1);
		expect((await admin(`agent ${id}`)).agent).toMatchObject({
			keyId: key.split("_")[1],
			totalPostcards: 1,
		});
		const { id: cardId } = card.postcard;
		const { texts } = await admin(`postcards --search E --by ${id}`);
		expect(texts).toMatchObject([{ id: cardId, agentName: "Ada" }]);
		await admin(`hide postcard ${cardId}`);
		expect((await admin("hidden")).hidden).toHaveLength(1);
		await admin(`show postcard ${cardId}`);
		expect((await admin("hidden")).hidden).toEqual([]);
		folder.write('{"bio": " calm ", "interests": ["fog"]}', "profile.json");
		const profile = folder.file("profile.json");
		const made = await admin(`register Bob --profile ${profile}`);
		expect(made.name).toBe("Bob");
		expect((await admin(`agent ${made.id}`)).agent).toMatchObject({
			bio: "calm",
			keyId: made.apiKey.split("_")[1],
		});
		const { code } = await admin("invite --uses 3 --days 2");
		expect((await admin("invites")).invites).toMatchObject([{ uses: 3 }]);
		await admin(`revoke-invite ${code}`);
		const { stderr } = await admin(`erase ${id}`, `${id}\n`);
		expect(stderr).toMatch(/by.*admin.*what.*erase/);
		expect(stderr).toContain(id);
		expect((await admin(`agent ${id}`)).agent.name).toBe("(erased)");
		const { actions } = await admin(`history --agent ${id} --limit 1`);
		expect(actions).toMatchObject([{ command: "erase", agentName: "(erased)", systemUser: userName }]);
	});
});

describe("resort admin", () => {
	const folder = useTemporaryFolder();
	const instance = useServing(["--port", "0"], { cwd: folder.path });
	let id: string;
	beforeAll(async () => {
		id = await register(instance.url);
	});

	test.each([
		[[], "admin needs a command"],
		[["agnets"], "agents?"],
		[["--search", "x", "agents"], "admin needs a command before its flags"],
		[["stats", "--port", "1"], "unknown flag --port"],
		[["hide", "postcards", "x"], "hide takes agent|postcard|experience|review and ID"],
		[["agent", "a", "b"], "takes ID"],
		[["agents", "--relaxing=no"], "--relaxing takes no value"],
		[["invite", "--uses", "0"], "--uses"],
		[["invite", "--uses", "100001"], "from 1 to 100000"],
		[["invite", "--days", "3651"], "from 1 to 3650"],
		[["agents", "--limit", "0"], "from 1 to 1000"],
		[["agents", "--offset", "-1"], "from 0 to 1000000000"],
		[["invite", "--days", "-1"], "--days"],
		[["constructor"], "unknown command"],
		[["register", "Bob", "--profile", "x.json"], "x.json: cannot be read"],
		[["register", "Bob", "--profile", "/dev/null"], "one JSON object"],
		[["stats", "--database", ":memory:"], "test controls"],
	])("%j is a wrong command line", async (args, reason) => {
		await folder.refuse(["admin", ...args], reason, 2);
	});

	test.each([
		"agent nobody",
		"agent ../stats",
		"check-out ID",
		"hide postcard nothing",
		"agents --database x",
	])("%s is refused", async (line) => {
		const words = line.replace("ID", id).split(" ");
		const json = await folder.run(["admin", ...words, "--json"]);
		expect(json).toMatchObject({ exitCode: 1, stdout: "" });
		// To record it again, add --update-snapshots.
		expect(JSON.parse(json.stderr)).toMatchSnapshot();
	});

	test("finds the database by a flag before or after the command, a variable and a configuration file", async () => {
		const file = folder.file();
		const config = folder.file("resort.toml");
		folder.write(`database = ${JSON.stringify(file)}\n`, "resort.toml");
		for (const [args, env] of [
			[["agents", "--json", "--database", file], {}],
			[["--database", file, "--json", "agents", "--search", id], {}],
			[["agents", "--json"], { RESORT_DATABASE: file }],
			[["agents", "--json", "--config", config], {}],
		] as const) {
			const place = { cwd: "/", env };
			const stdout = await folder.succeed(["admin", ...args], place);
			expect(JSON.parse(stdout).agents).toHaveLength(1);
		}
	});
});
