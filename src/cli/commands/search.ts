import { Command, Option } from "commander";
import type { SessionDB } from "../../store/session-db.js";
import { print, withReadStore, type Cli, type Runner } from "../cli.js";
import { repeated, wholeNumber } from "../options.js";
import { counted, formatCount } from "../output/numbers.js";
import { snippetLines } from "../output/snippet.js";
import { fitText, oneLine, visibleText } from "../output/text.js";
import { formatTime } from "../output/time.js";

interface SearchOptions {
  readonly source?: string[];
  readonly excludeSource?: string[];
  readonly role?: string[];
  readonly sort: "relevance" | "newest" | "oldest";
  readonly limit: number;
  readonly offset: number;
  readonly inactive?: boolean;
}

type SearchAnswer = ReturnType<SessionDB["search"]>;

/** `search` */
export function searchCommand(run: Runner): Command {
  return new Command("search")
    .summary("Search the messages of all sessions.")
    .description('Search the messages of all sessions: words (all of them), "phrases", AND, OR, NOT, prefix*.')
    .argument("<query...>", "what to look for; several words need no quotes")
    .option("--source <name>", "only sessions from there (may be repeated)", repeated)
    .option("--exclude-source <name>", "no sessions from there (may be repeated)", repeated)
    .option("--role <role>", "only messages of this role: user, assistant, tool, … (may be repeated)", repeated)
    .addOption(
      new Option("--sort <order>", "what comes first").choices(["relevance", "newest", "oldest"]).default("relevance"),
    )
    .option("--limit <number>", "show at most so many", wholeNumber(0), 20)
    .option("--offset <number>", "leave out the first ones", wholeNumber(0), 0)
    .option("--inactive", "messages that were rewound too")
    .action(run(search));
}

async function search(cli: Cli, words: string[], options: SearchOptions): Promise<void> {
  const query = words.join(" ");
  await withReadStore(cli, (db) => {
    const answer = db.search(query, {
      ...(options.source === undefined ? {} : { source_filter: options.source }),
      ...(options.excludeSource === undefined ? {} : { exclude_sources: options.excludeSource }),
      ...(options.role === undefined ? {} : { role_filter: options.role }),
      sort: options.sort,
      limit: options.limit,
      offset: options.offset,
      include_inactive: options.inactive ?? false,
    });
    print(cli, { query, ...answer }, () => answerText(cli, db, query, answer));
  });
}

function answerText(cli: Cli, db: SessionDB, query: string, { hits, total, notice }: SearchAnswer): string {
  const note = notice === null ? [] : [cli.style.yellow(`note: ${visibleText(notice)}`)];
  if (hits.length === 0) return ["Nothing found.", ...note].join("\n");
  const shown =
    hits.length === total ? counted(total, "message") : `${formatCount(hits.length)} of ${counted(total, "message")}`;
  return [...hits.map((hit) => `${hitText(cli, db, query, hit)}\n`), cli.style.dim(shown), ...note].join("\n");
}

/** What is shown of a message that a search found. */
export interface ShownHit {
  readonly id: number;
  readonly session_id: string;
  readonly role: string;
  readonly snippet: string | null;
  readonly timestamp: number;
  readonly source: string;
}

const INDENT = "  ";

/** A message that was found, for people: where it stands, then the part around the match. */
export function hitText(
  { style, width }: Pick<Cli, "style" | "width">,
  db: SessionDB,
  query: string,
  hit: ShownHit,
): string {
  const { session_id, role, source, timestamp, snippet } = hit;
  const title = db.getSessionTitle(session_id);
  const place = [oneLine(session_id), role, oneLine(source), formatTime(timestamp)].join("  ");
  const lines = snippet === null ? [] : snippetLines(snippet, query, { style, width: width - INDENT.length });
  const heading = title === null ? [] : [style.bold(fitText(oneLine(title), width))];
  return [...heading, style.dim(fitText(place, width)), ...lines.map((line) => INDENT + line)].join("\n");
}
