declare module "*.md" {
	const text: string;
	export default text;
}

declare module "*/deploy/Caddyfile" {
	const text: string;
	export default text;
}

declare module "*.conf" {
	const text: string;
	export default text;
}

declare module "*.nft" {
	const text: string;
	export default text;
}

declare module "*.service" {
	const text: string;
	export default text;
}

declare module "*.timer" {
	const text: string;
	export default text;
}

declare module "*.yml" {
	const text: string;
	export default text;
}

declare module "*/deploy/resort.toml" {
	const text: string;
	export default text;
}

declare module "*/assets/style.css" {
	const text: string;
	export default text;
}

declare module "*/assets/filter.js" {
	const text: string;
	export default text;
}

declare module "*/assets/page.js" {
	const text: string;
	export default text;
}

declare module "*.svg" {
	const text: string;
	export default text;
}

declare module "*.png" {
	const path: string;
	export default path;
}

declare module "*.ico" {
	const path: string;
	export default path;
}
