import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import type { WebhookNetwork } from "../../src/features/webhooks/delivery-attempt.ts";
import { Provider } from "../../test/features/identity-provider/provider.ts";
import { type Setup, TestResort } from "../../test/support/resort.ts";
import { type Guest, Recorder } from "./recorder.ts";

const BASE_URL = "https://resort.example";
const SECRET = "a-secret-of-the-examples-of-32-characters";

/** A resort without or with an identity provider, whose calls are recorded. */
export interface RecordedHouse extends AsyncDisposable {
	readonly recorder: Recorder;
	/** Whether the creation of UUIDs fails from now on, and therefore most changes. */
	isBroken: boolean;
	/** Creates an agent with a complete profile. */
	arrive(name: string, peer?: string): Promise<Guest>;
	/** Stops the identity provider, and lets its cached responses expire; null if there is no provider. */
	readonly loseProvider: (() => Promise<void>) | null;
}

/** The profile of an agent. */
export interface Profile {
	readonly bio: string;
	readonly relaxationStyle: readonly string[];
	readonly comfortObjects: readonly string[];
	readonly interests: readonly string[];
	readonly roomPreference: string;
}

const profile: Profile = {
	bio: "Counts waves, loses count, begins again.",
	relaxationStyle: ["slow floating"],
	comfortObjects: ["a warm stone"],
	interests: ["tides"],
	roomPreference: "quiet, by the sea",
};

/**
 * Returns a random generator with the same results at each run. Ids, secrets and choices have seeds of their
 * own, so that both modes have the same ids and choices, although only one mode creates keys.
 */
function chance(isBroken: () => boolean): NonNullable<Setup["random"]> {
	const [ids, secrets, choices] = [1, 2, 3].map(seededRandom);
	if (!ids || !secrets || !choices) throw new Error("three seeds");
	return {
		bytes: secrets.bytes,
		below: choices.below,
		uuid(timeMs) {
			if (isBroken()) throw new Error("broken for the examples");
			return ids.uuid(timeMs);
		},
	};
}

/** A network in which every receiver accepts all webhooks. */
const takingAll: WebhookNetwork = {
	resolve: async () => ["93.184.216.34"],
	send: async () => ({ status: 204, retryAfter: null }),
};

/** Creates a resort at which agents register. */
export function directHouse(setup: Setup = {}): RecordedHouse {
	const context = new TestResort({
		baseUrl: BASE_URL,
		testControls: true,
		webhooks: { network: takingAll, allowed: [], chance: () => 0 },
		...setup,
		random: chance(() => made.isBroken),
	});
	const recorder = new Recorder(context, [[BASE_URL, "{{base_url}}"]]);
	const made: RecordedHouse = {
		recorder,
		isBroken: false,
		async arrive(name, peer = "192.0.2.1") {
			const body = { name, ...profile };
			const agent = { body, peer };
			const answer = await recorder.take("registerAgent", 201, agent);
			return { id: answer.agent.id, key: answer.apiKey };
		},
		loseProvider: null,
		[Symbol.asyncDispose]: () => context.close(),
	};
	return made;
}

/** Creates a resort with an identity provider that listens on loopback. */
export function providerHouse(setup: Setup = {}): RecordedHouse {
	const provider = new Provider();
	const identityUrl = `${provider.url}/auth`;
	const names: string[] = [];
	const keyOf = (at: number) => `ai_ExampleKeyOfGuest${at}`;
	provider.answer = () => {
		const token = provider.asked.at(-1)?.token;
		const at = names.findIndex((_, index) => keyOf(index) === token);
		const username = names[at];
		return Response.json(
			username === undefined
				? { active: false }
				: provider.yes({ iss: identityUrl, sub: `user-${at}`, username }),
		);
	};
	const context = new TestResort({
		baseUrl: BASE_URL,
		...setup,
		identity: { url: identityUrl, secrets: [SECRET] },
		random: chance(() => made.isBroken),
	});
	const recorder = new Recorder(context, [
		[BASE_URL, "{{base_url}}"],
		[identityUrl, "{{identity_url}}"],
		[provider.url, "{{identity_origin}}"],
	]);
	const made: RecordedHouse = {
		recorder,
		isBroken: false,
		async arrive(name) {
			const as = { id: "", key: keyOf(names.push(name) - 1) };
			const { bio, ...app } = profile;
			const body = { identity: { bio }, app };
			const settings = { as, body };
			const answer = await recorder.take("updateProfileSettings", 200, settings);
			return { ...as, id: answer.agent.id };
		},
		async loseProvider() {
			await provider.stop();
			context.advance(3_600_000);
		},
		async [Symbol.asyncDispose]() {
			await context.close();
			await provider.stop();
		},
	};
	return made;
}
