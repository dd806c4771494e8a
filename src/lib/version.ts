import { name, version } from "../../package.json";

/** The fixed identifier of the service. */
export const SERVICE = name;

/** The version of the program (semantic versioning). */
export const VERSION = version;
