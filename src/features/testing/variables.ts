/** The variable in which `resort test COMMAND` passes the URL of its instance to the command. */
export const URL_VARIABLE = "RESORT_URL";

/**
 * The variable in which `resort test COMMAND` passes the keys of the fixtures' agents: a JSON object by agent
 * id. With the suffix `_FILE`, the path of a file with it.
 */
export const KEYS_VARIABLE = "RESORT_AGENT_KEYS";
