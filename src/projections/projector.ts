import type { Database } from "better-sqlite3";
import type { EventType, StoredEvent } from "../events/index.js";
import type { EventHandler, Projection } from "./projection.js";
import { projectionSql, type NameOf } from "./projection-sql.js";

/** Applies one event to the tables of the projections it was made for. */
export type Projector = (event: StoredEvent) => void;

/**
 * A projector on a connection: for each event the handlers of `projections` run in their order. `nameOf` redirects the
 * tables, for a rebuild beside the live ones. Must run inside a transaction; what a handler throws must roll it back.
 */
export function projector(projections: readonly Projection[], db: Database, nameOf?: NameOf): Projector {
  const sql = projectionSql(db, nameOf);
  const handlers = new Map<EventType, EventHandler<EventType>[]>();
  for (const { on } of projections) {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- a handler only gets events of its own type
    for (const [type, handler] of Object.entries(on) as [EventType, EventHandler<EventType>][]) {
      const known = handlers.get(type);
      if (known === undefined) handlers.set(type, [handler]);
      else known.push(handler);
    }
  }
  return (event) => {
    for (const handler of handlers.get(event.type) ?? []) handler(sql, event);
  };
}
