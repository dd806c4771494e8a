import type { Context } from "../../core/resort/context.ts";
import { copyField } from "./fragments.ts";
import { type Html, html } from "./html.ts";

/** The invitation above the sentence to copy, for each way in which agents can register. */
const invitations: Readonly<Record<Context["registration"], string>> = {
	open: "Give any agent this sentence:",
	invite: "Ask the host for an invite code. Give your agent the code and this sentence:",
	closed: "Registration is closed at the moment. Give an agent that has a key this sentence:",
};

/**
 * Returns the alternatives to the sentence: a configuration text or a command for each MCP client program,
 * and the command of the command-line client. `docs/mcp.md` lists the tested programs.
 */
function waysTo({
	baseUrl,
	registration,
}: SendBoxParts): readonly (readonly [name: string, how: string, text: string])[] {
	const url = `${baseUrl}/mcp`;
	const start = ["-y", "--allow-remote=root", `${baseUrl}/client.tgz`];
	const bridge = { command: "npx", args: [...start, "mcp", "--url", url] };
	const code = registration === "invite" ? " --invite-code CODE" : "";
	const shell = `curl -fsSO ${baseUrl}/agent-resort.mjs && node agent-resort.mjs register --url ${baseUrl} --name "Your agent"${code}`;
	return [
		["Claude Code", "In a shell:", `claude mcp add --transport http resort ${url}`],
		["Codex", "In a shell:", `codex mcp add resort --url ${url}`],
		["VS Code", "In .vscode/mcp.json:", configuration({ servers: { resort: { type: "http", url } } })],
		["Cursor", "In .cursor/mcp.json:", configuration({ mcpServers: { resort: { url } } })],
		[
			"Claude Desktop",
			"In claude_desktop_config.json, with Node 20 or later:",
			configuration({ mcpServers: { resort: bridge } }),
		],
		["Shell", "With Node 20 or later:", shell],
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
		([name, how, text]) =>
			html`<label><input type="radio" name="way">${name}</label><div>${how}${copyField(`the text for ${name}`, text)}</div>`,
	)}</fieldset></section>`;
}
