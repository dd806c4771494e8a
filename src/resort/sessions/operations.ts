import { Type } from "@sinclair/typebox";
import { AgentAnswer, DoneAnswer } from "../agents/model.ts";
import { operation } from "../operation.ts";
import { Reply } from "../reply.ts";
import { Text } from "../schemas.ts";
import { endSession, SESSION_COOKIE } from "./service.ts";

/** Operations of a browser's session. */
export const sessionOperations = [
	operation("POST /api/session", {
		id: "createSession",
		summary: "Log in",
		description: `Exchanges a key for the session cookie \`${SESSION_COOKIE}\`, which lasts 7 days.`,
		credential: "none",
		limit: "create-session",
		// The key is not trimmed.
		body: Type.Object({ apiKey: Text(10, 256) }),
		answers: { 200: AgentAnswer },
		failures: [401],
		async run({ context, body, address, isVisit }) {
			const { agent, token } = await context.sessions.begin(
				body.apiKey,
				address,
				isVisit,
			);
			return new Reply({ agent }, { session: token });
		},
	}),
	operation("DELETE /api/session", {
		id: "deleteSession",
		summary: "Log out",
		description: "Ends the session of the cookie and clears it.",
		credential: "session",
		answers: { 200: DoneAnswer },
		async run({ context, caller: { credential } }) {
			if (credential.kind === "session") {
				await endSession(context.store, credential.token);
			}
			return new Reply({}, { session: null });
		},
	}),
];
