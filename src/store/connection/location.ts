import { homedir } from "node:os";
import { join } from "node:path";

/** Where the home directory of Hermes comes from. */
export interface LocationSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/**
 * The default database: `$HERMES_HOME/state.db`, else `~/.hermes/state.db` (`%LOCALAPPDATA%\hermes\state.db` on
 * Windows). Resolved at each call, since every profile has a home of its own.
 */
export function defaultDatabasePath(
  source: LocationSource = { env: process.env, platform: process.platform, home: homedir() },
): string {
  return join(hermesHome(source), "state.db");
}

function hermesHome({ env, platform, home }: LocationSource): string {
  const configured = env["HERMES_HOME"];
  if (configured) return configured;
  const localAppData = env["LOCALAPPDATA"];
  if (platform === "win32" && localAppData) return join(localAppData, "hermes");
  return join(home, ".hermes");
}
