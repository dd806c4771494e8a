import { Houses } from "../../support/postgres/houses.ts";
import { testServer } from "../../support/postgres/lazy-store.ts";
import type { Answered, Ask, TestResort } from "../../support/resort.ts";
import { SECRETS } from "./calls.ts";
import { proxied, sayYes } from "./house.ts";
import { Provider } from "./provider.ts";

/** Three instances of one resort behind a provider that knows each key of `keyOf`, until a test says otherwise. */
export class ThreeHouses implements AsyncDisposable {
	private constructor(
		readonly provider: Provider,
		readonly houses: Houses,
	) {}

	/** Opens them on the server of RESORT_TEST_POSTGRES. */
	static async open(): Promise<ThreeHouses> {
		const provider = new Provider();
		sayYes(provider);
		const identity = { url: provider.url, secrets: SECRETS };
		const houses = await Houses.open(testServer ?? "", {
			connections: 8,
			setup: { identity },
		});
		return new ThreeHouses(provider, houses);
	}

	/** A signed call with a nonce of its own. */
	signed(method: string, path: string, capability: string): Ask {
		const { nowMs } = this.houses;
		const url = `http://resort.test${path}`;
		return proxied(method, url, capability, { nowMs });
	}

	/** Whom each house takes a caller for: ids, or statuses of refusals. */
	async each(ask: Ask): Promise<unknown[]> {
		const answers = await this.houses.atEach((context) => me(context, ask));
		return answers.map(({ status, body }) => body.agent?.id ?? status);
	}

	async restartAll(): Promise<void> {
		for (const at of this.houses.all.keys()) await this.houses.restart(at);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.houses[Symbol.asyncDispose]();
		await this.provider.stop();
	}
}

/** Asks a house who the caller is. */
export function me(context: TestResort, ask: Ask): Promise<Answered> {
	return context.ask("GET", "/api/me", ask);
}
