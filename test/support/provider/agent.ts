import {
	calculateJwkThumbprint,
	exportJWK,
	generateKeyPair,
	type JWK,
	SignJWT,
} from "jose";
import type { Body } from "../body.ts";
import type { Subject } from "./central-keys.ts";
import type { User } from "./provider.ts";

/** What the provider answers to an execution. */
export interface Executed {
	readonly status: number;
	readonly data: Body;
	/** What went wrong: `Upstream API error <status>: <body>` when it was the operation. */
	readonly message: string;
}

/** Who an agent of a test is. */
export interface AgentSetup {
	readonly name?: string;
	/** The user for whom it acts; it is autonomous when left out. */
	readonly user?: User;
}

interface Configuration {
	readonly issuer: string;
	readonly endpoints: Readonly<Record<string, string>>;
}

interface Keys {
	readonly publicKey: JWK;
	readonly privateKey: CryptoKey;
}

/** An agent that speaks the Agent Auth Protocol, and knows the address of a provider alone. */
export class ProtocolAgent {
	private constructor(
		readonly configuration: Configuration,
		readonly id: string,
		/** Whose identity it has at the resort. */
		readonly subject: Subject,
		private readonly keys: Keys,
	) {}

	/** Registers a host and an agent, with keys of their own. */
	static async register(
		providerUrl: string,
		{ name = "Wren", user }: AgentSetup = {},
	): Promise<ProtocolAgent> {
		const configuration = await read<Configuration>(
			fetch(`${providerUrl}/.well-known/agent-configuration`),
		);
		const { issuer, endpoints } = configuration;
		const [host, keys] = await Promise.all([createKeys(), createKeys()]);
		if (user !== undefined) await enroll(issuer, user, host.publicKey);
		const token = await sign(host, "host+jwt", {
			iss: host.publicKey.kid,
			aud: issuer,
			host_name: name,
			host_public_key: host.publicKey,
			agent_public_key: keys.publicKey,
		});
		const registered = await read<{ agent_id: string; status: string }>(
			send(endpoints.register, token, {
				name,
				mode: user === undefined ? "autonomous" : "delegated",
			}),
		);
		if (registered.status !== "active") throw new Error(registered.status);
		const agentId = registered.agent_id;
		const session = await read<{ user: Subject }>(
			send(
				`${issuer}/agent/session`,
				await sign(keys, "agent+jwt", { sub: agentId, aud: issuer }),
			),
		);
		return new ProtocolAgent(configuration, agentId, session.user, keys);
	}

	async capabilities(): Promise<string[]> {
		const { issuer, endpoints } = this.configuration;
		const { capabilities } = await read<{
			capabilities: { name: string; grant_status: string }[];
		}>(send(endpoints.capabilities, await this.#token(issuer)));
		return capabilities
			.filter(({ grant_status }) => grant_status === "granted")
			.map(({ name }) => name);
	}

	async execute(capability: string, args: object = {}): Promise<Executed> {
		const { execute = "" } = this.configuration.endpoints;
		const response = await send(execute, await this.#token(execute), {
			capability,
			arguments: args,
		});
		const body = (await response.json()) as Omit<Executed, "status">;
		return { ...body, status: response.status };
	}

	#token(audience: string): Promise<string> {
		return sign(this.keys, "agent+jwt", { sub: this.id, aud: audience });
	}
}

async function createKeys(): Promise<Keys> {
	const { publicKey, privateKey } = await generateKeyPair("EdDSA", {
		crv: "Ed25519",
	});
	const jwk = await exportJWK(publicKey);
	const kid = await calculateJwkThumbprint(jwk);
	return { publicKey: { ...jwk, kid }, privateKey };
}

async function enroll(issuer: string, user: User, key: JWK): Promise<void> {
	await read(send(`${issuer}/host/create`, user.token, { public_key: key }));
}

/** A JWT of the protocol, good for a minute and for one request. An agent's token must name no issuer. */
function sign(
	{ privateKey, publicKey }: Keys,
	type: "host+jwt" | "agent+jwt",
	claims: Record<string, unknown>,
): Promise<string> {
	return new SignJWT({ ...claims, jti: crypto.randomUUID() })
		.setProtectedHeader({
			alg: "EdDSA",
			typ: type,
			kid: publicKey.kid ?? "",
		})
		.setIssuedAt()
		.setExpirationTime("1m")
		.sign(privateKey);
}

function send(url = "", token: string, body?: object): Promise<Response> {
	return fetch(url, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization: `Bearer ${token}`,
			"content-type": "application/json",
		},
		...(body && { body: JSON.stringify(body) }),
	});
}

async function read<Answer>(answer: Promise<Response>): Promise<Answer> {
	const response = await answer;
	if (!response.ok) throw new Error(await response.text());
	return (await response.json()) as Answer;
}
