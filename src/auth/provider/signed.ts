/** Whether a request carries a signature, good or not: such a request is never judged by another credential. */
export function isSigned(headers: Headers): boolean {
	return headers.has("signature") || headers.has("signature-input");
}
