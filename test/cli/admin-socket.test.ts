/** The socket by which the host reaches an instance: whose it is, where it is, and when it is left out. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { listenForHost, SocketTaken } from "../../src/server/admin/socket.ts";
import { run, serve, temporaryFolder } from "../support/executable.ts";
import { asUser, isRoot } from "../support/user.ts";

const SERVE = ["--port", "0"];
const modeOf = (path: string) => statSync(path).mode & 0o777;

let folder: ReturnType<typeof temporaryFolder>;
let socket: string;
beforeEach(() => {
	folder = temporaryFolder();
	socket = join(folder.path, "resort.sqlite-admin");
});
afterEach(() => folder[Symbol.dispose]());

const place = () => ({ cwd: folder.path });
const stats = (...args: string[]) => run(["admin", "stats", ...args], place());

describe("the socket beside the database", () => {
	test.each(["000", "022", "077"])(
		"is for its user alone with umask %s",
		async (umask) => {
			const before = ["sh", "-c", `umask ${umask}; exec "$@"`, "sh"];
			const instance = await serve(SERVE, { ...place(), before });
			expect(modeOf(socket)).toBe(0o600);
			await instance.stop();
			expect(existsSync(socket)).toBe(false);
		},
	);

	test("that an instance left behind when it was killed is taken over", async () => {
		const killed = await serve(SERVE, place());
		await killed.stop("SIGKILL");
		expect(existsSync(socket)).toBe(true);
		// With nobody behind it, the command opens the database.
		expect((await stats()).exitCode).toBe(0);
		const instance = await serve(SERVE, place());
		expect((await stats()).exitCode).toBe(0);
		await instance.stop();
		expect(existsSync(socket)).toBe(false);
	});

	test.each(["that is not there yet", "that was left behind"])(
		"%s is had by one of many that start at once",
		async (how) => {
			if (how === "that was left behind") {
				await (await serve(SERVE, place())).stop("SIGKILL");
			}
			const at = { path: socket, isGiven: false, isInOwnFolder: false };
			const told = await Promise.allSettled(
				Array.from({ length: 8 }, (_, number) =>
					listenForHost(at, () => new Response(`${number}`)),
				),
			);
			const had = told.flatMap((one) =>
				one.status === "fulfilled" ? [one.value] : [],
			);
			const refused = told.flatMap((one) =>
				one.status === "rejected" ? [one.reason] : [],
			);
			expect(had).toHaveLength(1);
			for (const reason of refused) expect(reason).toBeInstanceOf(SocketTaken);
			const answer = await fetch("http://localhost/", { unix: socket });
			expect(answer.status).toBe(200);
			await had[0]?.stop();
			expect(existsSync(socket)).toBe(false);
		},
	);

	test("is not removed by an instance that may not start, nor by one whose it is not", async () => {
		const instance = await serve(SERVE, place());
		const second = await run(SERVE, place());
		expect(second.exitCode).toBe(1);
		expect((await stats()).exitCode).toBe(0);
		await instance.stop();
	});

	test.each([
		["a plain file", () => writeFileSync(socket, "mine")],
		["a symbolic link", () => symlinkSync("/dev/null", socket)],
		["a folder", () => mkdirSync(socket)],
	])("leaves %s that is in its place, and warns", async (_, make) => {
		make();
		const before = lstatSync(socket).ino;
		const instance = await serve(SERVE, place());
		const { stderr } = await instance.stop();
		expect(stderr).toContain("resort.sqlite-admin is there, and is no socket");
		expect(lstatSync(socket).ino).toBe(before);
	});

	test.skipIf(!isRoot)("cannot be asked by another user", async () => {
		const instance = await serve(SERVE, place());
		chmodSync(folder.path, 0o755);
		const { exitCode, stderr } = await run(["admin", "stats"], {
			...place(),
			before: asUser(),
		});
		expect(exitCode).toBe(1);
		expect(stderr).toContain("run this as the user who serves");
		await instance.stop();
	});
});

describe("a folder in which others may replace the socket", () => {
	test.each([
		[0o777, false],
		[0o775, false],
		[0o1777, true],
		[0o755, true],
		[0o700, true],
	])("mode %o: has one: %p", async (mode, hasOne) => {
		chmodSync(folder.path, mode);
		const instance = await serve(SERVE, place());
		expect(existsSync(socket)).toBe(hasOne);
		const { stderr } = await instance.stop();
		expect(stderr.includes("others could replace")).toBe(!hasOne);
		expect(stderr.includes("(chmod go-w)")).toBe(!hasOne);
	});

	test("ends the start when the path was given", async () => {
		chmodSync(folder.path, 0o777);
		const args = [...SERVE, "--admin-socket", socket];
		const { exitCode, stderr } = await run(args, place());
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/^resort: others could replace[^\n]*\n$/m);
		expect(existsSync(socket)).toBe(false);
	});

	test.skipIf(!isRoot)("is one of another user, too", async () => {
		const before = asUser(folder.path);
		const other = join(folder.path, "of-root");
		mkdirSync(other);
		chmodSync(other, 0o755);
		const path = join(other, "socket");
		const args = [...SERVE, "--admin-socket", path];
		const { exitCode } = await run(args, { ...place(), before });
		expect(exitCode).toBe(1);
	});
});

describe("--admin-socket", () => {
	test("says where it is, and the command is told the same", async () => {
		const path = join(folder.path, "s");
		const instance = await serve([...SERVE, "--admin-socket", path], place());
		expect(modeOf(path)).toBe(0o600);
		expect(existsSync(socket)).toBe(false);
		expect((await stats("--admin-socket", path)).exitCode).toBe(0);
		// Nobody is at the usual place, and the database is locked.
		const missed = await stats();
		expect(missed.exitCode).toBe(1);
		expect(missed.stderr).toContain(`nobody answers at the socket ${socket}`);
		await instance.stop();
		expect(existsSync(path)).toBe(false);
	}, 30_000);

	test("off leaves it out", async () => {
		const env = { RESORT_ADMIN_SOCKET: "off" };
		const instance = await serve(SERVE, { ...place(), env });
		expect(existsSync(socket)).toBe(false);
		const [{ exitCode, stderr }, off] = await Promise.all([
			stats(),
			stats("--admin-socket", "off", "--json"),
		]);
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/in use|another process|lock/i);
		expect(JSON.parse(off.stderr).error).toContain("off it is not asked");
		const stopped = await instance.stop();
		expect(stopped.stderr).not.toContain("administration");
	}, 30_000);
});

test("where the path is too long it is in a folder of the user's own", async () => {
	const deep = join(folder.path, "x".repeat(60), "y".repeat(40));
	mkdirSync(deep, { recursive: true });
	const env = { XDG_RUNTIME_DIR: folder.path };
	const database = ["--database", join(deep, "resort.sqlite")];
	const instance = await serve([...SERVE, ...database], { ...place(), env });
	const own = join(folder.path, "resort");
	expect(modeOf(own)).toBe(0o700);
	const [name = ""] = readdirSync(own);
	expect(name).toMatch(/^[0-9a-f]{20}-admin$/);
	expect(modeOf(join(own, name))).toBe(0o600);
	const asked = await run(["admin", "stats", ...database], { ...place(), env });
	expect(asked.exitCode).toBe(0);
	await instance.stop();
	expect(readdirSync(own)).toEqual([]);
});

test("a folder of the user's own that is open to others is not used", async () => {
	const own = join(folder.path, "resort");
	mkdirSync(own);
	chmodSync(own, 0o755);
	const env = { XDG_RUNTIME_DIR: folder.path };
	const args = [...SERVE, "--database", ":memory:"];
	const instance = await serve(args, { ...place(), env });
	expect(readdirSync(own)).toEqual([]);
	// Nobody else may write there, but the folder is refused all the same.
	expect((await instance.stop()).stderr).toMatch(
		/others could replace.*all rights from group and others \(chmod 700\)/,
	);
	const { port } = new URL(instance.url);
	const asked = await run(["admin", "stats", "--port", port], {
		...place(),
		env,
	});
	expect(asked.exitCode).toBe(1);
	expect(asked.stderr).toContain("without the administration's socket");
});
