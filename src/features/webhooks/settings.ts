import { addresses, onOff } from "../../core/config/setting-kinds.ts";

/** The settings of webhooks. */
export const settings = {
	webhooks: onOff("whether agents may create webhooks", "off"),
	"webhooks-allow": addresses("non-public addresses and CIDR ranges that webhooks may call, even with http:"),
};
