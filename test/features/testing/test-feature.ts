import type { Static } from "@sinclair/typebox";
import { type Fault, FaultInjector } from "../../../src/features/testing/faults.ts";
import { controlsPart } from "../../../src/features/testing/part.ts";
import { CallRecorder, type RecordedCall } from "../../../src/features/testing/recorded-calls.ts";
import { deletesOf } from "../../../src/features/testing/service.ts";
import { tables } from "../../support/store.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** Whether the resort has the test controls `/test/...`; false by default. */
		readonly testControls?: boolean;
	}
	interface TestResort {
		readonly faults: FaultInjector;
		readonly calls: CallRecorder;
	}
}

declare module "../../support/body.ts" {
	interface Body {
		readonly calls: Static<typeof RecordedCall>[];
		readonly fault: Static<typeof Fault>;
		readonly faults: Static<typeof Fault>[];
	}
}

const deletes = deletesOf(tables);

/** Adds the test controls to a {@link TestResort} that is created with `testControls`. */
export const testing: TestFeature = {
	part({ testControls }, resort) {
		if (!testControls) return null;
		const startMs = resort.nowMs;
		return controlsPart({
			// The clock advances only when the test moves it.
			clock: {
				startMs,
				isFrozen: true,
				setTo(timeMs) {
					resort.nowMs = timeMs;
				},
				freeze() {},
				reset() {
					resort.nowMs = startMs;
				},
			},
			fixtures: null,
			restartRandom() {},
			deletes,
			faults: new FaultInjector(),
			calls: new CallRecorder(),
			openCalls: { streams: new Set(), calls: new Set() },
			hosts: [],
		});
	},
	members({ context: { testkit } }) {
		return testkit === undefined ? {} : { faults: testkit.faults, calls: testkit.calls };
	},
};
