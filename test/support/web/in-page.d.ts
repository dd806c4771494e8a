declare module "*/in-page/checks.js" {
	const text: string;
	export default text;
}
