import { Type } from "@sinclair/typebox";
import { operation } from "../operation.ts";
import { Reply } from "../reply.ts";
import { ErrorBody } from "../schemas.ts";
import { Checks, HealthAnswer } from "./model.ts";
import { checksOf, HEALTH_PATH, healthOf } from "./service.ts";

/** The health of the resort and its dependencies. */
export const healthOperations = [
	operation(`GET ${HEALTH_PATH}`, {
		id: "getHealth",
		summary: "Is the service well?",
		description:
			"503 when the database does not answer; with `deep=1` also when the identity provider, where there is one, does not.",
		credential: "none",
		query: Type.Object({
			deep: Type.Optional(Type.String()),
		}),
		answers: {
			200: HealthAnswer,
			503: Type.Composite([ErrorBody, Type.Object({ checks: Checks })]),
		},
		isFresh: true,
		async run({ context: { store, provider }, query }) {
			const isSilent =
				query.deep === "1" && provider !== null && !(await provider.ping());
			const isReadable = await store.isReadable();
			if (isReadable && !isSilent) return healthOf(provider);
			const checks = checksOf(provider);
			if (!isReadable) checks.database = "unavailable";
			if (isSilent) checks.identityProviderOrigin = "unavailable";
			const what = isReadable ? "Identity provider" : "Database";
			return new Reply(
				{ error: `${what} unavailable`, checks },
				{ status: 503, headers: { "retry-after": "1" } },
			);
		},
	}),
];
