/** Where messages of the Model Context Protocol are sent. */
export const MCP_PATH = "/mcp";
