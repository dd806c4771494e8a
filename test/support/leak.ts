/** What no answer may tell: stack frames, SQL, files. */
export const LEAK =
	/\n\s+at |\bat (?!https?:)\S+:\d+|\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b|SQLITE|sqlite|node_modules|\.ts\b|\/src\/|\$bunfs/;

/** What no sentence for a reader has in it. */
export const SCHEMA_DUMP =
	/[{}[\]<>$^]|\b(type|schema|expected|received|property|validat|undefined|anyOf|minLength|maxLength|Kind)\b/i;
