/**
 * The functions of the platform that the testing module uses. They are read when the module is loaded,
 * because tests replace timers and `http.request` later. `fetch` is not used, because jsdom lacks it, and
 * because it may use a proxy or a mocked dispatcher.
 */
import childProcess from "node:child_process";
import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import timers from "node:timers";
import { runInThisContext } from "node:vm";

export const { spawn } = childProcess;
export const { setTimeout, clearTimeout } = timers;
const requesters = { "http:": http.request, "https:": https.request };

/** The process object that Node itself uses. Jest gives tests a copy, whose `nextTick` Node does not call. */
const core: NodeJS.Process = runInThisContext("process");
const { nextTick } = core;

/** @throws Error if `process.nextTick` is fake: Node then neither sends requests nor starts processes */
export function requireNextTick(): void {
	if (core.nextTick === nextTick) return;
	throw new Error(
		'process.nextTick is fake, and Node sends no request without it: call useFakeTimers({ toNotFake: ["nextTick"] })',
	);
}

/** Sends a request over a connection of its own, without a proxy. Does not follow redirects. */
export async function sendRequest(url: string, method: string, json?: string) {
	requireNextTick();
	const request = requesters[url.startsWith("https:") ? "https:" : "http:"];
	const headers = { "content-type": "application/json" };
	const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
		request(url, { method, headers, agent: false }, resolve).on("error", reject).end(json);
	});
	return { status: response.statusCode, text: await text(response) };
}
