import { ApiKeyAnswer } from "../../resort/agents/model.ts";
import { rotateApiKeyInSession } from "../../resort/agents/service.ts";
import { failures } from "../../resort/failures.ts";
import { operation } from "../../resort/operation.ts";

/**
 * What POST /api/me/api-key is for the person behind an agent, who has a session and perhaps no key any more. It
 * counts against the same limit.
 */
export const replaceKey = operation({
	id: "replaceKey",
	method: "POST",
	path: "/me/key",
	summary: "Replace the key of one's agent",
	tag: "Pages",
	credential: "session",
	limit: "rotate-api-key",
	answers: { 201: ApiKeyAnswer },
	async run({ context, caller: { agent, credential } }) {
		if (context.provider !== null)
			throw failures.keyElsewhere(context.provider.url);
		if (credential.kind !== "session") throw failures.unauthorized(undefined);
		const { token } = credential;
		return { apiKey: await rotateApiKeyInSession(context, agent.id, token) };
	},
});
