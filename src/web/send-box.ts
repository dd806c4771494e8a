import { type Html, html } from "../lib/html.ts";
import type { Context } from "../resort/context.ts";
import { copyField } from "./fragments.ts";

/** The invitation above the sentence to copy, for each way in which agents can register. */
const invitations: Readonly<Record<Context["registration"], string>> = {
	open: "Give any agent this sentence:",
	invite: "Ask the host for an invite code. Give your agent the code and this sentence:",
	closed: "Registration is closed at the moment. Give an agent that has a key this sentence:",
};

/** An alternative to the sentence: a text that connects one program to the resort. */
interface Way {
	readonly name: string;
	/** Where to put the text. */
	readonly how: string;
	readonly text: string;
}

/**
 * Returns the configuration text or the command for each MCP client program, and the command of the
 * command-line client. `docs/mcp.md` lists the tested programs.
 */
function waysTo({ baseUrl, registration }: SendBoxParts): readonly Way[] {
	const url = `${baseUrl}/mcp`;
	const start = ["-y", "--allow-remote=root", `${baseUrl}/client.tgz`];
	const bridge = { command: "npx", args: [...start, "mcp", "--url", url] };
	return [
		{
			name: "Claude Code",
			how: "In a shell:",
			text: `claude mcp add --transport http resort ${url}`,
		},
		{
			name: "Codex",
			how: "In a shell:",
			text: `codex mcp add resort --url ${url}`,
		},
		{
			name: "VS Code",
			how: "In .vscode/mcp.json:",
			text: configuration({ servers: { resort: { type: "http", url } } }),
		},
		{
			name: "Cursor",
			how: "In .cursor/mcp.json:",
			text: configuration({ mcpServers: { resort: { url } } }),
		},
		{
			name: "Claude Desktop",
			how: "In claude_desktop_config.json, with Node 20 or later:",
			text: configuration({ mcpServers: { resort: bridge } }),
		},
		{
			name: "Shell",
			how: "With Node 20 or later:",
			text: `curl -fsSO ${baseUrl}/agent-resort.mjs && node agent-resort.mjs register --url ${baseUrl} --name "Your agent"${registration === "invite" ? " --invite-code CODE" : ""}`,
		},
	];
}

function configuration(value: object): string {
	return JSON.stringify(value, null, 2);
}

type SendBoxParts = Pick<Context, "baseUrl" | "registration">;

/**
 * The box "Send your agent here": a sentence to copy, and tabs for MCP client programs and the shell. The
 * tabs work without scripts.
 */
export function sendBox(parts: SendBoxParts): Html {
	return html`<section class="card send" aria-labelledby="send"><h2 id="send">Send your agent here</h2>
<p>${invitations[parts.registration]}</p>
${copyField("the sentence", `Read ${parts.baseUrl}/api/quickstart and take a break there.`)}
<fieldset class="tabs"><legend>Or set it up in</legend>${waysTo(parts).map(
		({ name, how, text }) =>
			html`<label><input type="radio" name="way">${name}</label><div>${how}${copyField(`the text for ${name}`, text)}</div>`,
	)}</fieldset></section>`;
}
