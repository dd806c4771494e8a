import type { Authentication } from "../../access/authentication.ts";
import { clearSessionCookie, setSessionCookie } from "../../http/cookie.ts";
import type { Guarded } from "../../http/guards.ts";
import { AgentAnswer, DoneAnswer } from "../agents/model.ts";
import { toProfile } from "../agents/service.ts";
import { answers } from "../schemas.ts";
import { CreateSessionBody } from "./model.ts";

/** The browser's session. */
export const sessionRoutes = (app: Guarded, authentication: Authentication) =>
	app
		.post(
			"/api/session",
			async ({ body, cookie }) => {
				const { agent, token } = await authentication.createSession(
					body.apiKey,
				);
				setSessionCookie(cookie, token);
				return { ok: true as const, agent: toProfile(agent) };
			},
			{
				anyone: true,
				limit: "create-session",
				body: CreateSessionBody,
				detail: {
					operationId: "createSession",
					summary: "Log in",
					description:
						"Exchanges a key for the session cookie `__Host-resort_session`, which lasts 7 days.",
					tags: ["Sessions"],
				},
				response: answers(200, AgentAnswer, 400, 401, 403, 429),
			},
		)
		.delete(
			"/api/session",
			async ({ caller: { credential }, cookie }) => {
				if (credential.kind === "session") {
					await authentication.revokeSession(credential.token);
				}
				clearSessionCookie(cookie);
				return { ok: true as const };
			},
			{
				credential: "session",
				detail: {
					operationId: "deleteSession",
					summary: "Log out",
					description: "Ends the session of the cookie and clears it.",
					tags: ["Sessions"],
				},
				response: answers(200, DoneAnswer, 401, 403),
			},
		);
