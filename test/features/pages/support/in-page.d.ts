declare module "*/in-page/checks.js" {
	const text: string;
	export default text;
}

declare module "*/in-page/guests-texts.js" {
	const text: string;
	export default text;
}
