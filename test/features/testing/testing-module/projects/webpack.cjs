/** Bundles a file with webpack. Fails if webpack reports an error or a warning. */
const webpack = require(process.env.WEBPACK);
const [, , source, filename] = process.argv;
const output = { path: __dirname, filename };
webpack({ mode: "production", target: "node", entry: `./${source}`, output }, (error, stats) => {
	if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
	process.stderr.write(String(error ?? stats));
	process.exit(1);
});
