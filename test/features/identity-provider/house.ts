import type { CapabilityCall } from "../../../examples/sign-call.ts";
import type { CallOptions } from "../../support/calls.ts";
import { type Setup, TestResort } from "../../support/resort.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { SECRETS, sign } from "./calls.ts";
import { Provider } from "./provider.ts";

/** Returns the nth central key of a subject: a key that the identity provider has issued. */
export function keyOf(subject: string, number = 1): string {
	return `ai_${subject}_${String(number).padStart(9, "0")}`;
}

/** The changes to a valid signed call, and the body of the call. */
type Changes = Partial<CapabilityCall> & { readonly json?: object };

/** The header fields and the body of a signed call. */
type Proxied = CallOptions & { readonly headers: Record<string, string> };

/** Makes a provider accept every key, in responses that also contain the given members. */
export function sayYes(provider: Provider, members: Record<string, unknown> = {}): void {
	provider.answer = () => {
		const [, sub] = provider.asked.at(-1)?.token.split("_") ?? [];
		return Response.json(provider.yes({ sub, ...members }));
	};
}

/** Creates a signed call. */
export function proxied(
	method: string,
	url: string,
	capability: string,
	{ json, ...changes }: Changes & { readonly nowMs: number },
): Proxied {
	const body = json === undefined ? undefined : JSON.stringify(json);
	const own = { method, url, capability, ...(body !== undefined && { body }) };
	const headers = sign({ ...own, ...changes });
	return {
		...(body !== undefined && { raw: body }),
		headers: { "content-type": "application/json", ...headers },
	};
}

/** A resort with an identity provider that accepts all keys from {@link keyOf}. */
export class House implements AsyncDisposable {
	readonly provider: Provider;
	readonly resort: TestResort;
	readonly #baseUrl: string;

	constructor(
		setup: Omit<Setup, "identity"> & {
			readonly path?: string;
			/** The identity provider; a new one by default. */
			readonly provider?: Provider;
		} = {},
	) {
		const { path = "", provider = new Provider(), ...rest } = setup;
		this.provider = provider;
		this.#baseUrl = setup.baseUrl ?? "http://resort.test";
		this.resort = new TestResort({ ...rest, identity: { url: this.provider.url + path, secrets: SECRETS } });
		this.answerWith({});
	}

	/** @see sayYes */
	answerWith(members: Record<string, unknown>): void {
		sayYes(this.provider, members);
	}

	/** @see proxied */
	proxied(method: string, path: string, capability: string, changes: Changes = {}): Proxied {
		const { nowMs } = this.resort;
		const url = this.#baseUrl + path;
		return proxied(method, url, capability, { nowMs, ...changes });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.resort.close();
		await this.provider.stop();
	}
}

/** Opens a {@link House} for each test of the file or of the describe block. */
export function useHouse(setup: ConstructorParameters<typeof House>[0] = {}): House {
	return useDisposable(() => new House(setup));
}
