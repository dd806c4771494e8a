/**
 * Serves a fake language model that needs no network: its first answer calls a tool, later ones are the text
 * `done`. The server speaks the protocols of OpenAI and of Gemini.
 */
export function serveModel(name: string, args: object) {
	/** The bodies of the requests, oldest first. */
	const requests: { tools?: unknown }[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const isFirst = requests.push(Object(await request.json())) === 1;
			return Response.json(
				request.url.includes("generateContent")
					? geminiAnswer(isFirst ? { functionCall: { name, args } } : { text: "done" })
					: openaiAnswer(
							isFirst
								? {
										tool_calls: [
											{ id: "call", type: "function", function: { name, arguments: JSON.stringify(args) } },
										],
									}
								: { content: "done" },
						),
			);
		},
	});
	return { url: server.url.origin, requests, [Symbol.dispose]: () => server.stop(true) };
}

const geminiAnswer = (part: object) => ({
	candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }],
});

const openaiAnswer = (message: object) => ({
	id: "1",
	object: "chat.completion",
	created: 1,
	model: "model",
	choices: [
		{
			index: 0,
			finish_reason: "tool_calls" in message ? "tool_calls" : "stop",
			message: { role: "assistant", content: null, ...message },
		},
	],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
