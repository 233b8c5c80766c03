import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a case says of a session before anything happens. Times are ISO text in UTC. */
export interface GivenSession {
  readonly id: string;
  readonly source: string;
  readonly title?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly user?: string;
  readonly chat?: string;
  readonly thread?: string;
  readonly directory?: string;
  readonly system_prompt?: string;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly end_reason?: string;
  readonly archived?: boolean;
  readonly parent?: string;
  /** What the parent is to the session. */
  readonly link?: "continuation" | "branch" | "reset" | "helper";
}

/** A message in the words of a case. */
export interface GivenMessage {
  readonly role: string;
  readonly content: unknown;
  /** The caller's own key. */
  readonly key?: string;
  readonly at?: string;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly reasoning?: string;
  readonly undone?: boolean;
}

/** One operation in the words of a case; what it takes besides depends on the operation. */
export interface Step {
  readonly op: string;
}

/** A case: what is given, what happens, and what must then hold. */
export interface CaseFile {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly given: {
    readonly config?: { readonly now?: string; readonly store_version?: number | string };
    readonly sessions?: readonly GivenSession[];
    readonly messages?: readonly (GivenMessage & { readonly session: string })[];
    readonly repeat?: readonly {
      readonly count: number;
      readonly session?: GivenSession;
      readonly message?: GivenMessage & { readonly session: string };
    }[];
    readonly ops?: readonly Step[];
  };
  readonly when: Step | readonly Step[];
  readonly then: {
    readonly outcome: "ok" | "refused" | "mixed";
    readonly values: Readonly<Record<string, unknown>>;
    readonly says: readonly string[];
  };
}

const folder = fileURLToPath(new URL("../data", import.meta.url));

/** All cases of the repository, by id. */
export function readCases(): CaseFile[] {
  return readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as CaseFile);
}

/** Epoch seconds of an ISO time. */
export function seconds(time: string): number {
  return Date.parse(time) / 1000;
}
