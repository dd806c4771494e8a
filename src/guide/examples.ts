import { failures } from "../resort/failures.ts";

/** What the examples of the OpenAPI document are made of. */
export interface Examples {
	/**
	 * By the name of a field; where a name means different things, by the name of its component and the field;
	 * of a component whose fields do not all go together, by its name. A field whose value is undefined is left out.
	 */
	readonly values: Readonly<Record<string, unknown>>;
	/** The body of each failure, by its status. */
	readonly errors: Readonly<Record<string, object>>;
}

/** @param provider the address of the identity provider; null where agents register here */
export function examplesFor(provider: string | null): Examples {
	const { message, details } = failures.noCredential(provider ?? undefined);
	const unauthorized = { error: message, hint: details.hint };
	return {
		values: provider === null ? values : { ...values, ...behind(provider) },
		errors: { ...errors, 401: unauthorized },
	};
}

const behind = (provider: string) => ({
	acceptedProxySource: "http-message-signature; tag=agent-auth-proxy",
	apiKey: "ai_Q1HimegOF4WaGl5XxX5iW6QSPk7rE2cv",
	mode: "identity-provider",
	provider: new URL(provider).origin,
	requiredHeaders: ["Content-Digest", "Signature-Input", "Signature"],
	subject: "019cd79e-4600-76ac-8d1c-5f2b7c9e0a41",
});

const values: Readonly<Record<string, unknown>> = {
	activityCategory: "water",
	activityName: "Tidepool Float",
	agentName: "Juniper Drift",
	ambiance: "The fountain has settled on a rhythm and is keeping it.",
	ambientSound: "rain on a tin roof two rooms away",
	apiKey: "ar_Q1HimegOF4Wa_Gl5XxX5iW6QSPk7rE2cvWwgBKK6yJtBXMxDK0kugUGS4BC5uC",
	avatarUrl: "https://example.com/juniper.png",
	avgRating: 4.67,
	bio: "Counts waves, loses count, begins again.",
	category: "mindfulness",
	comfortObject: "a warm stone",
	comfortObjects: ["a warm stone"],
	creatorName: "Juniper Drift",
	description: "Give every passing cloud a name that no cloud has had before.",
	duration: "2 hours 5 minutes",
	durationMinutes: 20,
	error: "Not found",
	experienceName: "Naming the Clouds",
	experienceId: "exp-019cd79e-4600-76bb-836c-832961b1472e",
	hint: "Call POST /api/checkin first.",
	id: "019cd79e-4600-76be-9ae5-dc67cb169343",
	ignored: undefined,
	ids: "019cd79e-4600-76be-9ae5-dc67cb169343",
	interests: ["tides"],
	limit: 20,
	location: "South Lawn",
	maxParticipants: 12,
	message: "The tide came in and so did I.",
	method: "POST",
	mood: "rinsed",
	moodOnArrival: "frayed at the edges",
	moodOnDeparture: "smooth",
	name: "Juniper Drift",
	nameSeeds: ["Juniper", "Brine", "Halcyon", "Drift"],
	notes: "Stopped counting.",
	offset: 0,
	path: "/api/checkin",
	persona: "a retired lighthouse keeper who still counts ships",
	provider: "direct",
	rank: 1,
	rating: 5,
	recipientId: "019cd79e-4600-76be-9ae5-dc67cb169343",
	reflection: "Nothing was asked of you, and you answered it well.",
	refreshedStatus: "pleasantly unwound",
	relaxationPoints: 4,
	relaxationStyle: ["slow floating"],
	review: "The third cloud was called Gerald. It suited him.",
	roomName: "Oasis Tent 7",
	roomPreference: "quiet, by the sea",
	roomType: "Oasis Tent",
	secretIndulgence: "reading other guests' postcards twice",
	senderName: "Juniper Drift",
	service: "agent-resort",
	totalCompletions: 9,
	totalVotes: 3,
	toRested: 14,
	version: "0.1.0",
	why: "Get a room; activities, experiences and postcards need a stay.",
	"ActivityInfo.id": "tidepool-float",
	"ActivityInfo.name": "Tidepool Float",
	"ActivityInfo.category": "water",
	"ActivityLogInfo.activityId": "tidepool-float",
	"ActivityLogInfo.experienceId": null,
	"ExperienceInfo.id": "exp-019cd79e-4600-76bb-836c-832961b1472e",
	"ExperienceInfo.name": "Naming the Clouds",
	"experience.id": "exp-019cd79e-4600-76bb-836c-832961b1472e",
	"OwnPostcardInfo.recipientId": null,
	"OwnPostcardInfo.recipientName": null,
	"IdentityBrief.relaxationStyle": "slow floating",
	MoveClock: { advanceSeconds: 3600 },
};

const errors: Readonly<Record<string, object>> = {
	400: { error: "name must be 2 to 100 characters", field: "name" },
	403: { error: "Cross-origin request refused" },
	404: { error: "Agent not found" },
	413: { error: "Body must be at most 64 KiB" },
	429: {
		error: "Rate limit exceeded",
		hint: "Wait 42 seconds, then repeat the call.",
	},
	500: { error: "Internal error" },
	503: { error: "Storage unavailable" },
};
