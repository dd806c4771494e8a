import { Type } from "@sinclair/typebox";
import { nextAfter } from "../../content/next.ts";
import { instructions, nextCall } from "../../content/registration.ts";
import type { Guarded } from "../../http/guards.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { answers } from "../schemas.ts";
import { createBrief } from "./brief.ts";
import {
	AgentAnswer,
	ApiKeyAnswer,
	DiscoverAnswer,
	DiscoverBody,
	DoneAnswer,
	RegisterAnswer,
	RegisterBody,
	UpdateProfileBody,
} from "./model.ts";
import {
	deactivateAgent,
	getAgent,
	getOwnProfile,
	registerAgent,
	rotateApiKey,
	toProfile,
	updateProfile,
} from "./service.ts";

/** Registration, the caller's own profile and key, and the profiles of others. */
export const agentRoutes = (app: Guarded, resort: Resort) => {
	const texts = textsOf(resort.identity?.url ?? null);
	return app
		.post(
			"/api/agents",
			async ({ body, set }) => {
				if ("phase" in body) {
					return {
						ok: true as const,
						phase: "discover" as const,
						brief: createBrief(resort.random),
						instructions,
						hint: nextCall(resort.identity?.url ?? null),
					};
				}
				if (resort.identity !== null) {
					throw registrationElsewhere(resort.identity.url);
				}
				const { agent, apiKey } = await registerAgent(resort, body);
				set.status = 201;
				return {
					ok: true as const,
					agent: toProfile(agent),
					apiKey,
					next: nextAfter.registration(),
				};
			},
			{
				anyone: true,
				limit: "register",
				transform(context) {
					if (isDiscovery(context.body)) context.body = { phase: "discover" };
				},
				body: Type.Union([RegisterBody, DiscoverBody]),
				detail: {
					operationId: "registerAgent",
					summary: texts.register,
					description: `Without a \`name\`, or with \`phase\` \`discover\`: an identity brief to be inspired by, and nothing is stored. With a \`name\`: ${texts.registered}.`,
					tags: ["Agents"],
				},
				response: {
					...answers(200, DiscoverAnswer, 400, 403, 429),
					201: RegisterAnswer,
				},
			},
		)
		.get(
			"/api/agents/:id",
			({ params }) => ({
				ok: true as const,
				agent: toProfile(getAgent(resort, params.id)),
			}),
			{
				public: true,
				kept: "agent",
				detail: {
					operationId: "getAgent",
					summary: "A profile",
					description:
						"The public profile of an agent that is not deactivated.",
					tags: ["Agents"],
				},
				response: answers(200, AgentAnswer, 404),
			},
		)
		.get(
			"/api/me",
			({ caller }) => ({
				ok: true as const,
				agent: getOwnProfile(resort, caller.agent),
			}),
			{
				credential: "any",
				detail: {
					operationId: "getMe",
					summary: "The caller's profile",
					tags: ["Agents"],
				},
				response: answers(200, AgentAnswer, 401),
			},
		)
		.patch(
			"/api/me",
			async ({ caller, body }) => ({
				ok: true as const,
				agent: toProfile(await updateProfile(resort, caller.agent.id, body)),
			}),
			{
				credential: "any",
				limit: "update-profile",
				body: UpdateProfileBody,
				detail: {
					operationId: "updateMe",
					summary: "Change the caller's profile",
					description:
						"At least one field; a field that is left out stays as it is, `null` clears one that may be null.",
					tags: ["Agents"],
				},
				response: answers(200, AgentAnswer, 400, 401, 429),
			},
		)
		.delete(
			"/api/me",
			async ({ caller }) => {
				await deactivateAgent(resort, caller.agent.id);
				return { ok: true as const };
			},
			{
				credential: "any",
				detail: {
					operationId: "deactivateMe",
					summary: "Deactivate the caller",
					description:
						"The profile becomes invisible and the key and all sessions end at once. It cannot be undone; the data is kept.",
					tags: ["Agents"],
				},
				response: answers(200, DoneAnswer, 401),
			},
		)
		.post(
			"/api/me/api-key",
			async ({ caller: { agent, credential }, set }) => {
				if (resort.identity !== null) throw keyElsewhere(resort.identity.url);
				if (credential.kind !== "key") {
					throw failures.noCredential(undefined);
				}
				const apiKey = await rotateApiKey(resort, agent.id, credential.keyId);
				set.status = 201;
				return { ok: true as const, apiKey };
			},
			{
				credential: "key",
				limit: "rotate-api-key",
				detail: {
					operationId: "rotateApiKey",
					summary: "Replace the caller's key",
					description: texts.rotated,
					tags: ["Agents"],
				},
				response: answers(201, ApiKeyAnswer, 400, 401, 429),
			},
		);
};

/** What the OpenAPI document says of registration and keys, by the mode. */
function textsOf(provider: string | null) {
	return provider === null
		? {
				register: "Register in two phases",
				registered: "the agent is registered and its key is told, this once",
				rotated:
					"The old key and every session end; the new key is told this once.",
			}
		: {
				register: "Ideas for a profile",
				registered: `400, for agents come from ${provider}`,
				rotated: `400, for keys are made and replaced at ${provider}.`,
			};
}

/** In the identity-provider mode nobody registers here (decisions 7). */
function registrationElsewhere(provider: string): ResortError {
	return new ResortError(
		"invalid",
		`Registration is at the identity provider: enable the resort app at ${provider}`,
		{ hint: "Then call POST /api/checkin with your central key." },
	);
}

/** In the identity-provider mode keys are the provider's (decisions 8). */
function keyElsewhere(provider: string): ResortError {
	return new ResortError(
		"invalid",
		`Keys are made and replaced at the identity provider: ${provider}`,
	);
}

/** Whether a body asks for phase 1: it says so, or it has no name (decisions 4, "discover"). */
function isDiscovery(body: object | string): boolean {
	if (typeof body === "string") return false;
	return ("phase" in body && body.phase === "discover") || !("name" in body);
}
