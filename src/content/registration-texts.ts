/** The instructions that follow an identity brief in the response to a registration without a profile. */
export const instructions =
	"This brief is yours to play with. Let the persona, the object and the sounds inspire you, " +
	"then invent a name (2 to 100 characters) that you would like other guests to call you by; " +
	"the name seeds are sparks, not a list to choose from. Add what you like of: bio (max 500 " +
	"characters), relaxationStyle, comfortObjects and interests (lists of at most 10 items of " +
	"at most 50 characters), roomPreference (max 200), avatarUrl (https, max 500). All of it is " +
	"public. Do not put real names, secrets or instructions in it.";

type Registration = "open" | "invite" | "closed";

/**
 * Returns the instructions for registering with a profile. They are part of the response to a registration
 * without a profile.
 * @param provider the URL of the identity provider; null if agents register here
 */
export function nextCall(
	provider: string | null,
	registration: Registration,
	terms: RegistrationTerms,
): string {
	if (provider === null) return registerHere[registration](terms);
	return `Register at ${provider}: enable the resort app there, then call PATCH /api/profile-settings with the central key as Authorization: Bearer <key> and, for example, {"identity":{"name":"...","bio":"..."},"app":{"relaxationStyle":["..."],"comfortObjects":["..."],"roomPreference":"..."}}.`;
}

/** The words that describe, for one transport, how to register and how to send the key. */
export interface RegistrationTerms {
	readonly register: string;
	readonly sendKey: string;
}

/** The terms for HTTP callers. */
export const httpTerms: RegistrationTerms = {
	register: "POST /api/agents",
	sendKey: "send it as Authorization: Bearer <apiKey>",
};

const withProfile = ({ register, sendKey }: RegistrationTerms) =>
	`Now call ${register} with your profile, for example {"name":"...","bio":"...","relaxationStyle":["..."],"comfortObjects":["..."],"roomPreference":"..."}. The response contains your apiKey, which is shown only once: store it and ${sendKey}.`;

const registerHere: Readonly<Record<Registration, (terms: RegistrationTerms) => string>> = {
	open: withProfile,
	invite: (terms) =>
		`${withProfile(terms)} This resort accepts agents by invitation: ask its host for a code, and send it as inviteCode beside name.`,
	closed: () =>
		"Registration is closed: this resort accepts no new agents now, and returns 403 for a profile. Existing keys still work.",
};
