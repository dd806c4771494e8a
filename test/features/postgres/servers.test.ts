import { expect, test } from "bun:test";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { NotConnected } from "../../../src/features/postgres/postgres-failure.ts";
import { Servers } from "../../../src/features/postgres/servers.ts";

function serversOf(hosts: string, query = ""): Servers {
	return new Servers(readAddress(`postgres://ada@${hosts}/n${query}`, {}));
}

function tlsOf(servers: Servers) {
	return servers.configFor(servers.current, true).ssl;
}

/** Connects to servers that lack TLS and fail with `failure`. Returns the error and the tried hosts. */
async function fail(servers: Servers, failure: Error) {
	const withoutTls = new Error("The server does not support SSL connections");
	const tried: string[] = [];
	const connecting = servers.connect(async () => {
		const { current } = servers;
		tried.push(current.host);
		const hasTls = tlsOf(servers) !== false;
		throw servers.failed(current, hasTls ? withoutTls : failure);
	});
	return { tried, error: await connecting.catch((error: unknown) => error) };
}

test.each([
	["disable", "without TLS", "h", false],
	["allow", "with TLS, and verifies nothing", "h", { rejectUnauthorized: false }],
	["prefer", "with TLS, and verifies nothing", "h", { rejectUnauthorized: false }],
	["require", "with TLS, and verifies nothing", "h", { rejectUnauthorized: false }],
	["verify-ca", "with TLS, and verifies the authority", "h", { checkServerIdentity: expect.any(Function) }],
	["verify-full", "with TLS, and verifies the authority and the host name", "h", {}],
	["require", "to a Unix socket without TLS", "%2Frun%2Fpg", false],
])("with `sslmode=%s`, the client connects %s", (sslmode, _, host, ssl) => {
	const address = readAddress(`postgres://ada@${host}/n?sslmode=${sslmode}`, {});
	expect(tlsOf(new Servers(address))).toEqual(ssl);
	const isVerified = sslmode.startsWith("verify");
	expect(tlsOf(new Servers({ ...address, authorities: "PEM" }))).toEqual(
		isVerified ? { ...Object(ssl), ca: "PEM" } : ssl,
	);
});

test.each([
	["allow", "two attempts (with TLS, then without)", ["a", "a", "b", "b"]],
	["prefer", "two attempts (with TLS, then without)", ["a", "a", "b", "b"]],
	["require", "one attempt", ["a", "b"]],
])("with `sslmode=%s`, the client makes %s at each server that lacks TLS", async (sslmode, _, hosts) => {
	const servers = serversOf("a,b", `?sslmode=${sslmode}`);
	const { tried, error } = await fail(servers, new Error("down"));
	expect(tried).toEqual(hosts);
	expect(error).toBeInstanceOf(NotConnected);
});

test("the client tries each server once, starting with the one that accepted the last connection", async () => {
	const servers = serversOf("a,b", "?sslmode=disable");
	servers.failed(servers.current, new Error("down"));
	expect(servers.current.host).toBe("b");
	const other = { ...servers.current };
	servers.failed(other, new Error("an older connection"));
	expect(servers.current.host).toBe("b");
	const refused = Object.assign(new Error("full"), { code: "53300" });
	const { tried, error } = await fail(servers, refused);
	expect(tried).toEqual(["b", "a"]);
	expect(error).toMatchObject({ message: "b:5432: full (53300); a:5432: full (53300)", state: "53300" });
	const alone = await fail(serversOf("a", "?sslmode=disable"), refused);
	expect(alone.error).toMatchObject({ message: "full (53300)" });
	const fault = new Error("no failure of a server");
	const connecting = servers.connect(async () => {
		throw fault;
	});
	await expect(connecting).rejects.toBe(fault);
});
