import { Type } from "@sinclair/typebox";
import { HOUR_MS, MINUTE_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import { AgentAnswer, DoneAnswer } from "../agents/model.ts";
import { publishInternal } from "../events/publish.ts";
import { ownList } from "../lists.ts";
import { operation, Reply } from "../operation.ts";
import { Lines } from "../schemas.ts";
import { SessionInfo } from "./model.ts";
import { deleteOtherSessions, deleteSession, openSessions } from "./queries.ts";
import { SESSION_COOKIE, tokenOf, toSessionInfo } from "./service.ts";

/** The operations for browser sessions. */
export const sessionOperations = [
	operation("POST /api/session", {
		id: "createSession",
		summary: "Log in",
		description: `Exchanges a key for the session cookie \`${SESSION_COOKIE}\`, which lasts 7 days.`,
		credential: "none",
		limit: { name: "create-session", limit: 10, windowMs: 15 * MINUTE_MS, key: "address" },
		// The pipeline trims all strings in request bodies except `apiKey`. `Lines` allows a line break after the
		// key.
		body: Type.Object({ apiKey: Lines(10, 256) }),
		answers: { 200: AgentAnswer },
		failures: [401],
		async run({ context, body, address, isVisit }) {
			const { agent, token } = await context.sessions.begin(body.apiKey, address, isVisit);
			return new Reply({ agent }, { session: token });
		},
	}),
	operation("DELETE /api/session", {
		id: "deleteSession",
		summary: "Log out",
		description: "Ends the cookie's session and clears the cookie.",
		credential: "session",
		answers: { 200: DoneAnswer },
		*change({ context: { store }, caller: { agent, credential } }) {
			yield* deleteSession(store).run({ tokenHash: sha256(tokenOf(credential)) });
			yield* publishInternal(store, "credential.ended", agent.id);
			return new Reply({}, { session: null });
		},
	}),
	ownList("/api/sessions", {
		id: "listSessions",
		summary: "The caller's sessions",
		description: "Newest first. `lastUsedAt` is accurate to 5 minutes.",
		field: "sessions",
		entry: SessionInfo,
		list: openSessions,
		show: toSessionInfo,
	}),
	operation("DELETE /api/sessions", {
		id: "endSessions",
		summary: "End all other sessions",
		description:
			"Ends all the caller's sessions except the one making the call; with a key, all of them. Webhooks stay; `GET /api/webhooks` lists them.",
		limit: { name: "end-sessions", limit: 20, windowMs: HOUR_MS, key: "agent" },
		answers: { 200: DoneAnswer },
		*change({ context: { store }, caller: { agent, credential } }) {
			yield* deleteOtherSessions(store).run({ agentId: agent.id, kept: sha256(tokenOf(credential)) });
			yield* publishInternal(store, "credential.ended", agent.id);
			return {};
		},
	}),
];
