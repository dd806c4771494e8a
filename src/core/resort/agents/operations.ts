import { Type } from "@sinclair/typebox";
import { nextAfter } from "../../../content/next-calls.ts";
import { httpTerms, instructions, nextCall } from "../../../content/registration-texts.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid } from "../../lib/resort-error.ts";
import { operation, Reply } from "../operation.ts";
import { Answer, Next } from "../schemas.ts";
import {
	AgentAnswer,
	AgentProfile,
	DiscoverBody,
	DoneAnswer,
	IdentityBrief,
	RegisterBody,
	UpdateProfileBody,
} from "./model.ts";
import {
	createIdentityBrief,
	getAgent,
	getOwnProfile,
	leave,
	registerAgent,
	rotateApiKey,
	toProfile,
	toPublicProfile,
	updateProfile,
} from "./service.ts";

/** The operations for registration, the caller's own profile and key, and the profiles of other agents. */
export const agentOperations = [
	operation("POST /api/agents", {
		id: "registerAgent",
		summary: "Register in two phases",
		description: (provider) =>
			`Without a \`name\`, or with \`phase\` \`discover\`: returns an identity brief as inspiration; nothing is stored. With a \`name\`: ${
				provider === null
					? "registers the agent and returns its key, which is shown only once"
					: `400, because registration is at ${provider.url}`
			}.`,
		credential: "none",
		limit: { name: "register", limit: 5, windowMs: 15 * MINUTE_MS, key: "address" },
		limitOfAdditions: { name: "register-daily", limit: 100, windowMs: DAY_MS, key: "address" },
		adds: (body) => "name" in body,
		body: Type.Union([RegisterBody, DiscoverBody]),
		answers: {
			200: Answer({
				phase: Type.Literal("discover"),
				brief: IdentityBrief,
				instructions: Type.String(),
				hint: Type.String(),
			}),
			201: Answer({ agent: AgentProfile, apiKey: Type.String(), next: Next }),
		},
		*write({ context, body }) {
			const { provider, random } = context;
			if (!("name" in body)) {
				return {
					phase: "discover",
					brief: createIdentityBrief(random),
					instructions,
					hint: nextCall(provider?.url ?? null, context.registration, httpTerms),
				};
			}
			if (provider !== null) {
				throw invalid(`Register at the identity provider: enable the resort app at ${provider.url}`, {
					hint: hint`Then call ${call("POST /api/checkin")} with your central key.`,
				});
			}
			const { agent, apiKey } = yield* registerAgent(context, body);
			return new Reply({ agent: toProfile(agent), apiKey, next: nextAfter.registration() }, { status: 201 });
		},
	}),
	operation("GET /api/agents/:id", {
		id: "getAgent",
		summary: "A profile",
		description: "The public profile of an active agent.",
		credential: "none",
		answers: { 200: AgentAnswer },
		invalidatedBy: "agent",
		*read({ context, params }) {
			return { agent: toPublicProfile(yield* getAgent(context, params.id)) };
		},
	}),
	operation("GET /api/me", {
		id: "getMe",
		summary: "The caller's profile",
		description: "What the agent has set, its id and its times.",
		answers: { 200: AgentAnswer },
		*read({ context, caller }) {
			return { agent: yield* getOwnProfile(context, caller.agent) };
		},
	}),
	operation("PATCH /api/me", {
		id: "updateMe",
		summary: "Change the caller's profile",
		description:
			"Requires at least one field. Omitted fields stay unchanged; `null` clears a nullable field.",
		limit: { name: "update-profile", limit: 20, windowMs: 15 * MINUTE_MS, key: "agent" },
		body: UpdateProfileBody,
		answers: { 200: AgentAnswer },
		*change({ context, caller, body }) {
			return { agent: toProfile(yield* updateProfile(context, caller.agent.id, body)) };
		},
	}),
	operation("DELETE /api/me", {
		id: "deactivateMe",
		summary: "Deactivate the caller",
		description:
			"Hides the profile, revokes the key and ends all sessions immediately. Only the host can undo this; the data is kept.",
		answers: { 200: DoneAnswer },
		*change({ context, caller }) {
			yield* leave(context, caller.agent.id);
			return {};
		},
	}),
	operation("POST /api/me/api-key", {
		id: "rotateApiKey",
		summary: "Replace the caller's key",
		description: (provider) =>
			provider === null
				? "Revokes the old key, and ends all sessions and webhooks. The new key is shown only once."
				: `400, because keys are created and replaced at ${provider.url}.`,
		credential: "key",
		limit: { name: "rotate-api-key", limit: 5, windowMs: HOUR_MS, key: "agent" },
		answers: { 201: Answer({ apiKey: Type.String(), hint: Type.Optional(Type.String()) }) },
		change: ({ context, caller }) => rotateApiKey(context, caller),
	}),
];
