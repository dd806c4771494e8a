import { Database } from "bun:sqlite";
import { agentAuth } from "@better-auth/agent-auth";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { bearer } from "better-auth/plugins/bearer";
import { CentralKeys, type Subject } from "./central-keys.ts";
import { Gateway } from "./gateway.ts";

/** Someone with an account at the provider. */
export interface User extends Subject {
	readonly token: string;
}

/** An identity provider on loopback: better-auth with its Agent Auth plugin, and central keys with introspection. */
export class Provider implements AsyncDisposable {
	readonly url: string;
	readonly keys: CentralKeys;
	readonly gateway: Gateway;
	readonly #database = new Database(":memory:");
	readonly #auth: ReturnType<typeof createAuth>;
	readonly #server: Bun.Server<undefined>;

	static async start(secret: string): Promise<Provider> {
		const provider = new Provider(secret);
		const { runMigrations } = await getMigrations(provider.#auth.options);
		await runMigrations();
		return provider;
	}

	private constructor(secret: string) {
		this.#server = this.#listen();
		this.url = this.#server.url.origin;
		this.keys = new CentralKeys(secret, this.url);
		this.gateway = new Gateway(secret);
		this.#auth = createAuth(this.#database, this.url, this.gateway);
	}

	async createUser(name: string): Promise<User> {
		const { internalAdapter } = await this.#auth.$context;
		const email = `${crypto.randomUUID()}@provider.test`;
		const { id } = await internalAdapter.createUser(
			{ email, name },
			{ method: "admin" },
		);
		const { token } = await internalAdapter.createSession(id);
		return { id, name, token };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server.stop(true);
		this.#database.close();
	}

	#listen(): Bun.Server<undefined> {
		return Bun.serve({
			hostname: "127.0.0.1",
			port: 0,
			routes: {
				"/": new Response("An identity provider."),
				"/.well-known/agent-configuration": () =>
					this.#auth.api.getAgentConfiguration({ asResponse: true }),
				"/oauth2/introspect": {
					POST: (request) => this.keys.introspect(request),
				},
			},
			fetch: (request) => this.#auth.handler(request),
		});
	}
}

function createAuth(database: Database, url: string, gateway: Gateway) {
	return betterAuth({
		baseURL: url,
		secret: "a-secret-of-the-provider-alone-and-long-enough",
		database,
		logger: { disabled: true },
		telemetry: { enabled: false },
		rateLimit: { enabled: false },
		plugins: [
			bearer(),
			agentAuth({
				providerName: "provider.test",
				capabilities: gateway.capabilities,
				onExecute: gateway.execute,
				allowDynamicHostRegistration: true,
				defaultHostCapabilities: () =>
					gateway.capabilities.map(({ name }) => name),
				async resolveAutonomousUser({ ctx, hostId, hostName }) {
					const { internalAdapter } = ctx.context;
					const email = `${hostId}@hosts.provider.test`;
					const known = await internalAdapter.findUserByEmail(email);
					if (known !== null) return known.user;
					const name = hostName ?? "Host";
					return internalAdapter.createUser(
						{ email, name },
						{ method: "agent" },
					);
				},
			}),
		],
	});
}
