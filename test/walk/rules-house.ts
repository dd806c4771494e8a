import type { Postcard } from "./entities.ts";
import {
	type Expected,
	refusal,
	success,
	suggestionsFrom,
	words,
} from "./expected.ts";
import {
	bodyOf,
	digits,
	optional,
	queryOf,
	type Reader,
	text,
	uuid,
} from "./fields.ts";
import { type Operation, open, own, plain } from "./operation.ts";
import { newestFirst, type Page, pageOf, paging } from "./paging.ts";
import { notCheckedIn } from "./rules-stays.ts";
import {
	guestView,
	ownPostcardView,
	postcardView,
	statsView,
	statusView,
} from "./views.ts";

const MAX_IDS = 100;

/** 1 to 100 ids between commas, each once; those of repeated parameters together, without empty ones. */
const asked: Reader<string[]> = ({ query = [] }) => {
	const given = query
		.filter(([name]) => name === "ids")
		.flatMap(([, value]) => value.split(","))
		.map((id) => id.trim())
		.filter((id) => id !== "");
	if (given.length === 0 || given.length > MAX_IDS) return { broken: ["ids"] };
	const first = (id: string, at: number) =>
		given.findIndex((one) => one.toLowerCase() === id.toLowerCase()) === at;
	return { value: given.filter(first) };
};

const newPostcard = bodyOf({
	message: text(1, 500),
	mood: optional(text(0, 100)),
	recipientId: optional(uuid),
	location: optional(text(0, 100)),
});

/** Postcards, and what is told over several resources. */
export const houseOperations: Record<string, Operation> = {
	"GET /api/postcards": open(
		queryOf({ ...paging, limit: digits(1, 100, 20) }),
		({ state, read }) => {
			const { total: _, ...page } = newestFirst(
				"postcards",
				"/api/postcards",
				state.board.filter(isShown),
				read,
				postcardView,
			);
			return success(200, page);
		},
	),
	"POST /api/postcards": own(
		newPostcard,
		({ state, nowMs, read: { recipientId, ...written } }, sender) => {
			const stay = state.openStay(sender);
			if (stay === undefined) return notCheckedIn;
			const recipient = state.agent(recipientId ?? "");
			if (recipientId !== null && recipient === undefined) {
				return refusal(400, "Recipient not found");
			}
			const postcard: Postcard = {
				id: "",
				sender,
				recipient: recipient ?? null,
				...written,
				createdAt: nowMs,
				hiddenAt: null,
			};
			return success(
				201,
				{
					postcard: { ...ownPostcardView(postcard), id: state.newId() },
					next: suggestionsFrom("POST /api/checkout"),
				},
				({ body }) => {
					const sent = { ...postcard, id: state.noteId(body.postcard.id) };
					sender.sent.push(sent);
					state.postcards.set(sent.id, sent);
					(recipient?.inbox ?? state.board).push(sent);
					stay.postcards++;
					const type = recipient ? "postcard.received" : "postcard.sent";
					state.tell(type, sender, {
						recipient: recipient ?? null,
						postcard: sent,
					});
				},
			);
		},
	),
	"GET /api/postcards/mine": own(queryOf(paging), ({ read }, { sent }) =>
		postcards("/api/postcards/mine", sent, read),
	),
	"GET /api/postcards/inbox": own(queryOf(paging), ({ read }, { inbox }) =>
		postcards("/api/postcards/inbox", inbox.filter(isShown), read),
	),
	"GET /api/agents/status": open(asked, ({ state, read }) =>
		success(200, {
			statuses: read.flatMap((id) => {
				const agent = state.agent(id);
				return agent ? [statusView(state, agent)] : [];
			}),
			unknown: read
				.filter((id) => !state.agent(id))
				.map((id) => [...id].slice(0, 64).join("")),
		}),
	),
	"GET /api/lobby": open(queryOf(paging), ({ state, read }) => {
		const agents = [...state.agents.values()];
		const guests = agents
			.flatMap((agent) => {
				const stay = state.openStay(agent);
				return stay ? [{ agent, stay }] : [];
			})
			.sort((one, other) => other.stay.order - one.stay.order);
		return success(200, {
			...pageOf("guests", "/api/lobby", guests, read, ({ agent, stay }) =>
				guestView(state, agent, stay),
			),
			totalGuestsToday: agents.filter((one) => state.wasHereToday(one)).length,
			ambiance: words,
		});
	}),
	"GET /api/stats": plain.own((_, caller) =>
		success(200, { stats: statsView(caller) }),
	),
	"GET /api/health": plain.open(() =>
		success(200, {
			service: "agent-resort",
			version: words,
			status: "healthy",
			checks: {
				database: "ok",
				identityProviderOrigin: "not_configured",
				identityProviderSsoSecret: "not_configured",
			},
			agentAuth: {
				provider: "direct",
				mode: "direct",
				acceptedProxySource: "none",
				requiredHeaders: [],
			},
		}),
	),
};

/** Whether the host has not hidden a postcard. */
export function isShown({ hiddenAt }: Postcard): boolean {
	return hiddenAt === null;
}

function postcards(
	path: string,
	list: readonly Postcard[],
	page: Page,
): Expected {
	return success(
		200,
		newestFirst("postcards", path, list, page, ownPostcardView),
	);
}
