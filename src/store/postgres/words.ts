/**
 * What codes mean, in words for a person: SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html),
 * and those of the client and of TLS.
 */
const words: Readonly<Record<string, string>> = {
	"08P01": "what listens there does not understand PostgreSQL's protocol",
	"25006": "the server takes no writes: it is a standby, or read-only",
	"25P03": "the transaction was idle for too long",
	"28000":
		"the server does not let this user in: there is no such user, it may not log in, or pg_hba.conf has no line for it",
	"28P01":
		"the server refuses the password, or none was given, or it knows no such user",
	"3D000": "the server has no such database",
	"3F000": "the user has no schema of its own: it should own the database",
	"40001": "another change was in the way",
	"40P01": "another change was in the way",
	"40000": "the server rolled the change back",
	"42501": "the user lacks a right: it should own the database",
	"53100": "the server's disk is full",
	"53200": "the server is out of memory",
	"53300": "all connections that the user may have are taken",
	"55000": "the database takes no connections",
	"55P03": "a lock was not free in time",
	"57014": "the server did not finish in time",
	"57P01": "an administrator stopped the server, or this connection",
	"57P02": "the server has crashed",
	"57P03": "the server is starting or stopping",
	"57P04": "the database was dropped",
	ERR_POSTGRES_CONNECTION_CLOSED: "the connection was lost",
	ERR_POSTGRES_CONNECTION_FAILED: "the connection was lost",
	ERR_POSTGRES_CONNECTION_REFUSED:
		"it cannot be reached: nothing listens there, or no machine has this name",
	ERR_POSTGRES_CONNECTION_TIMEOUT: "it does not answer in time",
	ERR_POSTGRES_INVALID_SERVER_SIGNATURE:
		"it cannot prove that it knows the password",
	ERR_POSTGRES_SASL_SIGNATURE_MISMATCH:
		"it cannot prove that it knows the password",
	ERR_POSTGRES_INVALID_MESSAGE: "what listens there is no PostgreSQL server",
	ERR_POSTGRES_TLS_NOT_AVAILABLE:
		"the server has no TLS, which sslmode demands",
	ERR_POSTGRES_TLS_UPGRADE_FAILED: "TLS could not be set up",
	ERR_POSTGRES_UNEXPECTED_MESSAGE: "what listens there is no PostgreSQL server",
	ERR_POSTGRES_UNKNOWN_AUTHENTICATION_METHOD:
		"the server wants a login that resort does not know; scram-sha-256 is best",
	ERR_POSTGRES_UNSUPPORTED_AUTHENTICATION_METHOD:
		"the server wants a login that resort does not know; scram-sha-256 is best",
	CERT_HAS_EXPIRED: "the server's certificate has expired",
	CERT_NOT_YET_VALID:
		"the server's certificate is not valid yet: is the clock right?",
	DEPTH_ZERO_SELF_SIGNED_CERT:
		"the server's certificate is signed by itself: name it by sslrootcert",
	ERR_TLS_CERT_ALTNAME_INVALID:
		"the server's certificate is for another host name",
	SELF_SIGNED_CERT_IN_CHAIN:
		"the server's certificate is of an authority that is not known: name its file by sslrootcert",
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
		"the server's certificate is of an authority that is not known: name its file by sslrootcert",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE:
		"the server's certificate is of an authority that is not known: name its file by sslrootcert",
};

/** What the client says of every failure that the server reports; SQLSTATE says more. */
const ANY_FAILURE = "ERR_POSTGRES_SERVER_ERROR";

/**
 * Says what a failure means.
 * @param state SQLSTATE; empty when the server reported none
 * @param code the client's; empty when it gave none
 * @returns words with the codes in brackets behind them
 */
export function explain(
	state: string,
	code: string,
	constraint: string,
): string {
	const codes = [state, code === ANY_FAILURE ? "" : code, constraint];
	const told = codes.filter((one) => one !== "").join(" ");
	const known = [state, code].find((one) => Object.hasOwn(words, one));
	if (known !== undefined) return `${words[known]} (${told})`;
	return told === ""
		? "there is no connection to the database"
		: `the database reports a failure (${told})`;
}
