declare module "*.md" {
	const text: string;
	export default text;
}

declare module "*/deploy/Caddyfile" {
	const text: string;
	export default text;
}

declare module "*/deploy/nginx.conf" {
	const text: string;
	export default text;
}

declare module "*/deploy/resort.service" {
	const text: string;
	export default text;
}

declare module "*/deploy/resort.toml" {
	const text: string;
	export default text;
}
