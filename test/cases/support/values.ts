import { answersTo, type Run } from "./harness.js";
import { isoTime, type Answer } from "./operations.js";

/** What a case calls by a name and compares. */
type Value = (run: Run) => unknown;

const last = (run: Run, op: string): Answer | undefined => answersTo(run, op).at(-1);
const shown = (run: Run): NonNullable<Answer["shown"]> => last(run, "show")?.shown ?? [];
const hits = (run: Run): number[] => answersTo(run, "search").map(({ search }) => search?.total ?? -1);
const stats = (run: Run): NonNullable<Answer["stats"]> => last(run, "stats")?.stats ?? {};
const pruned = (run: Run, preview: boolean): NonNullable<Answer["pruned"]> => {
  const found = run.answers.find(({ step }) => step.op === "prune" && "preview" in step === preview);
  return found?.answer.pruned ?? { sessions: [], open: -1 };
};
const listed = (run: Run, index: number): Answer => answersTo(run, "list")[index] ?? { outcome: "failed" };
const sorted = (ids: readonly string[] = []): string[] => [...ids].sort();
/** One operation gives its number, several give a list. */
const single = (values: readonly number[]): unknown => (values.length === 1 ? values[0] : values);

const readers: Readonly<Record<string, Value>> = {
  outcomes: ({ answers }) => answers.map(({ answer }) => answer.outcome),
  candidates: ({ answers }) => answers.find(({ answer }) => answer.candidates !== undefined)?.answer.candidates,
  sessions: ({ world }) => world.db.sessionIds().length,
  messages: ({ world }) => world.db.messageCount(),
  current_version_told: (run) => {
    const conflict = answersTo(run, "append").find(({ outcome }) => outcome === "conflict");
    const { currentVersion } = conflict?.error as { currentVersion: number };
    // The stream of the session also has the event that made it; a case counts messages.
    return currentVersion - 1;
  },
  hits: (run) => single(hits(run)),
  hits_after_rebuild: (run) => hits(run).at(-1),
  hits_at_least: (run) => hits(run)[0],
  hits_red: (run) => hits(run)[1],
  hits_by_query: ({ answers, file }) => {
    const asked = Object.keys(file.then.values["hits_by_query"] as object);
    const found = answers.map(({ step, answer }): [string, number] => [
      (step as unknown as { query: string }).query,
      answer.search?.total ?? -1,
    ]);
    return Object.fromEntries(found.filter(([query]) => asked.includes(query)));
  },
  hit: (run) => {
    const { hits: [hit] = [], titles: [title] = [] } = last(run, "search")?.search ?? {};
    return { session: hit?.session_id, title, at: isoTime(hit?.timestamp ?? 0) };
  },
  hit_sessions: (run) => sorted([...new Set(last(run, "search")?.search?.hits.map(({ session_id }) => session_id))]),
  snippet_contains: (run) => last(run, "search")?.search?.hits[0]?.snippet,
  context_messages: (run) => answersTo(run, "search")[0]?.search?.hits[0]?.context.length,
  shown: (run) => (answersTo(run, "show").length === 1 ? shown(run).length : answersTo(run, "show")[0]?.shown?.length),
  shown_with_undone: (run) => shown(run).length,
  roles: (run) => shown(run).map(({ role }) => role),
  tool_call_ids: (run) => shown(run).flatMap(({ tool_call_id }) => tool_call_id ?? []),
  // A place in the history whose content cannot be shown.
  marked_bad: (run) => shown(run).flatMap(({ content }, index) => (content === null ? [index + 1] : [])),
  fields_present: ({ world }) =>
    world.count("SELECT count(*) FROM pragma_table_info('messages') WHERE name = 'reasoning'") > 0 ? ["reasoning"] : [],
  doctor: (run) => {
    const { chain } = last(run, "doctor")?.verified ?? {};
    return `finds ${chain?.problem === null ? 0 : 1}`;
  },
  files_with_the_word: (run) => last(run, "scan-files")?.files?.length,
  positions: ({ world }) => world.db.getMessages("s-1", { include_inactive: true }).length,
  files_equal: ({ world }) => world.files.get("file-1") === world.files.get("file-2"),
  files_unchanged: (run) => last(run, "compare-files")?.files?.length === 0,
  store_version: ({ world }) => world.count("SELECT version FROM schema_version"),
  totals: (run) => answersTo(run, "stats").map((answer) => answer.stats?.total),
  input: (run) => stats(run).input,
  by_model: (run) => stats(run).by_model,
  session_total: ({ world }) => {
    const row = world.db.getSession("s-1");
    return Number(row?.input_tokens) + Number(row?.output_tokens);
  },
  new_sessions: (run) => last(run, "import")?.imported?.imported,
  new_messages: (run) => last(run, "import")?.imported?.messages,
  known_sessions: (run) => last(run, "import")?.imported?.skipped,
  list_all: (run) => listed(run, 0).listed?.length,
  stats_all: (run) => stats(run).sessions,
  list_cron: (run) => listed(run, 2).listed?.length,
  stats_cron: (run) => stats(run).by_source?.["cron"],
  stats_archived: (run) => stats(run).archived,
  listed: (run) => sorted(last(run, "list")?.listed),
  archived: (run) => sorted(last(run, "list")?.listed).filter((id) => run.world.db.getSession(id)?.archived === 1),
  would_delete: (run) => pruned(run, true).sessions,
  deleted: (run) => pruned(run, false).sessions,
  kept: ({ world }) => sorted(world.db.sessionIds()),
  skipped_as_open: (run) => pruned(run, false).open,
  parent_of: ({ world, file }) =>
    Object.fromEntries(
      Object.keys(file.then.values["parent_of"] as object).map((id) => [
        id,
        world.db.getSession(id)?.parent_session_id,
      ]),
    ),
  hook_calls: ({ world }) => world.hookCalls,
  log_events_added: ({ world, eventsBefore }) => world.db.log.head().events - eventsBefore,
  resumed: (run) => answersTo(run, "resume").map(({ session }) => session),
  messages_in: ({ world, file }) =>
    Object.fromEntries(
      Object.keys(file.then.values["messages_in"] as object).map((session_id) => [
        session_id,
        world.db.messageCount({ session_id }),
      ]),
    ),
  titles: ({ world }) => Object.fromEntries(world.db.sessionIds().map((id) => [id, world.db.getSessionTitle(id)])),
  refusal_names: ({ answers }) => {
    const { session } = answers[0]?.answer.error as { session: { id: string; source: string; archived: boolean } };
    return { session: session.id, source: session.source, archived: session.archived };
  },
  "s-1": (run) => sessionFacts(run, "s-1"),
  "s-2": (run) => sessionFacts(run, "s-2"),
};

/** What a value that a case names is after the case was run. A name that nobody knows fails. */
export function valueOf(run: Run, name: string): unknown {
  const read = readers[name];
  if (read === undefined) throw new Error(`Nobody knows how to find the value ${name}`);
  return read(run);
}

/** The facts about a session that the case names. */
function sessionFacts({ world, file }: Run, id: string): Record<string, unknown> {
  const row = world.db.getSession(id);
  const facts: Record<string, unknown> = {
    end_reason: row?.end_reason,
    parent: row?.parent_session_id,
    first_message: world.db.getMessages(id)[0]?.content,
    source: row?.source,
    user: row?.user_id,
    chat: row?.chat_id,
    thread: row?.thread_id,
    directory: row?.cwd,
  };
  const named = Object.keys(file.then.values[id] as object);
  return Object.fromEntries(named.map((name) => [name, facts[name]]));
}
