export { withNearest } from "./nearest-name.ts";
