export { commandIndex as commandAt } from "./command-line.ts";
