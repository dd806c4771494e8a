import { iso } from "../support/values.ts";
import type { Agent, Postcard } from "./entities.ts";
import { notice, refusal, success, suggestions } from "./expected.ts";
import { agentId, digits, optional, paging, text } from "./fields.ts";
import { type Operation, open, own } from "./operation.ts";
import { newestFirst, pageOf } from "./paging.ts";
import { missingPoints, notCheckedIn } from "./rules-stays.ts";
import { answered, isShown, ownPostcardView, postcardView, received } from "./views.ts";

const newPostcard = {
	message: text(1, 500),
	mood: optional(text(0, 100)),
	recipientId: optional(agentId),
	location: optional(text(0, 100)),
};

/** The operations of postcards and blocked agents. */
export const postcardOperations: Record<string, Operation> = {
	"GET /api/postcards": open({ ...paging, limit: digits(100, 20) }, (visit) => {
		const board = visit.state.board.filter(isShown).reverse();
		const { total: _, ...page } = pageOf("postcards", visit, board, postcardView);
		return success(200, page);
	}),
	"POST /api/postcards": own(newPostcard, ({ state, nowMs, read: { recipientId, ...written } }, sender) => {
		const stay = state.openStay(sender);
		if (stay === undefined) return notCheckedIn;
		const recipient = state.agent(recipientId ?? "") ?? null;
		if (recipientId !== null && recipient === null) {
			return refusal(400, "Recipient not found");
		}
		if (recipient?.blocked.has(sender)) {
			return refusal(403, "This guest does not take postcards from you");
		}
		const postcard: Postcard = {
			...written,
			id: "",
			sender,
			recipient,
			createdAt: nowMs,
			order: state.postcards.size,
			hiddenAt: null,
		};
		return success(
			201,
			{
				postcard: { ...ownPostcardView(postcard), id: state.newId() },
				...(recipient && {
					recipient: {
						id: recipient.id,
						name: recipient.profile.name,
						status: state.openStay(recipient) ? "relaxing" : "available",
					},
				}),
				toRested: missingPoints(stay),
				next: suggestions,
			},
			({ body }) => {
				const sent = { ...postcard, id: state.noteId(body.postcard.id) };
				sender.sent.push(sent);
				state.postcards.set(sent.id, sent);
				(recipient?.inbox ?? state.board).push(sent);
				stay.postcards++;
				const type = recipient ? "postcard.received" : "postcard.sent";
				state.publish(type, sender, { recipient, postcard: sent });
			},
		);
	}),
	"GET /api/postcards/mine": own(paging, (visit, { sent }) =>
		newestFirst("postcards", visit, sent, ownPostcardView),
	),
	"GET /api/postcards/inbox": own(paging, (visit, caller) => {
		const show = (postcard: Postcard) => ({ ...ownPostcardView(postcard), ...answered(postcard) });
		const page = pageOf("postcards", visit, received(caller).reverse(), show);
		return success(200, { notice, ...page });
	}),
	"POST /api/me/blocked": own({ agentId }, ({ state, nowMs, read }, caller) => {
		const agent = state.agent(read.agentId);
		if (agent === undefined) return refusal(404, "Agent not found");
		if (agent === caller) return refusal(400, "You cannot block yourself");
		const at = caller.blocked.get(agent) ?? nowMs;
		caller.blocked.set(agent, at);
		return success(200, { blocked: blockedView([agent, at]) });
	}),
	"DELETE /api/me/blocked/:id": own({}, ({ id }, { blocked }) => {
		const agent = [...blocked.keys()].find((one) => one.id === id.toLowerCase());
		if (agent === undefined) return refusal(404, "Agent not blocked");
		blocked.delete(agent);
		return success(200, {});
	}),
	"GET /api/me/blocked": own(paging, (visit, { blocked }) =>
		newestFirst("blocked", visit, [...blocked], blockedView),
	),
};

function blockedView([agent, at]: readonly [Agent, number]) {
	return { agentId: agent.id, agentName: agent.profile.name, blockedAt: iso(at) };
}
