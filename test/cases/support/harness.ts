import { LedgerError } from "../../../src/events/index.js";
import type { CaseFile, Step } from "./case-file.js";
import { LOOKING, operations, type Answer, type Outcome } from "./operations.js";
import { setUp, World } from "./world.js";

/** A case that was run. */
export interface Run {
  readonly file: CaseFile;
  readonly world: World;
  /** What the operations of the case answered, in order. */
  readonly answers: readonly { readonly step: Step; readonly answer: Answer }[];
  /** Events in the log before the operations of the case. */
  readonly eventsBefore: number;
  /** Where a rule that all cases share was broken: looking changes nothing, what is refused leaves no trace. */
  readonly broken: readonly string[];
}

const UNCHANGING: ReadonlySet<Outcome> = new Set(["already-stored", "conflict", "refused", "ambiguous", "not-found"]);

/** Makes the world of a case, up to its operations. */
export async function givenWorld(file: CaseFile): Promise<World> {
  const world = new World();
  setUp(world, file.given);
  for (const step of file.given.ops ?? []) {
    const { outcome, error } = await perform(world, step);
    if (outcome !== "ok" && outcome !== "stored" && outcome !== "interrupted") {
      throw new Error(`Preparing the case, ${step.op} was not done: ${outcome}`, { cause: error });
    }
  }
  const version = file.given.config?.store_version;
  if (typeof version === "number") {
    world.tamper((db) => db.prepare("UPDATE schema_version SET version = ?").run(version));
  }
  world.hookCalls = 0;
  return world;
}

/** Runs a case. */
export async function runCase(file: CaseFile): Promise<Run> {
  const world = await givenWorld(file);
  const eventsBefore = world.count("SELECT count(*) FROM ledger_events");
  const steps = stepsOf(file);
  // Closing the store to look at its files would end what the case has registered.
  if (steps.some(({ op }) => op === "compare-files")) world.noteFiles();
  const answers: { step: Step; answer: Answer }[] = [];
  const broken: string[] = [];
  let before = world.dump();
  for (const step of steps) {
    const answer = await perform(world, step);
    answers.push({ step, answer });
    const after = world.dump();
    const { outcome } = answer;
    if (isLooking(step) && after !== before) broken.push(`${step.op} changed the store`);
    if (UNCHANGING.has(outcome) && after !== before) broken.push(`${step.op} was ${outcome} and left a trace`);
    before = after;
  }
  return { file, world, answers, eventsBefore, broken };
}

/** One operation, with what it refused as its answer. Errors that are no refusals end the test. */
export async function perform(world: World, step: Step): Promise<Answer> {
  const operation = operations[step.op];
  if (operation === undefined) throw new Error(`There is no operation ${step.op}`);
  try {
    return await operation(world, step);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    const conflict = error.kind === "version_conflict" || error.kind === "duplicate_conflict";
    return { outcome: conflict ? "conflict" : "refused", error };
  }
}

/** The operations of a case as a list. */
export function stepsOf(file: CaseFile): readonly Step[] {
  return "op" in file.when ? [file.when] : file.when;
}

/** Whether an operation only looks, so that it must change nothing. */
function isLooking(step: Step): boolean {
  return LOOKING.has(step.op) || ("preview" in step && step.preview === true);
}

const DONE: ReadonlySet<Outcome> = new Set(["ok", "stored", "already-stored"]);
/** What the harness itself does says nothing of how the product answered. */
const OF_THE_HARNESS: ReadonlySet<string> = new Set(["compare-files", "scan-files"]);

/** How a case ended as a whole. */
export function outcomeOf({ answers }: Run): CaseFile["then"]["outcome"] {
  const outcomes = answers
    .filter(({ step }) => !OF_THE_HARNESS.has(step.op))
    .map(({ answer }) => DONE.has(answer.outcome));
  if (outcomes.every((done) => done)) return "ok";
  return outcomes.some((done) => done) ? "mixed" : "refused";
}

/** The answers to one kind of operation, in order. */
export function answersTo(run: Run, op: string): Answer[] {
  return run.answers.filter(({ step }) => step.op === op).map(({ answer }) => answer);
}
