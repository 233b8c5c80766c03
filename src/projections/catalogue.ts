import { asyncDelegationsProjection } from "./async-delegations.js";
import { compressionLocksProjection } from "./compression-locks.js";
import { gatewayRoutingProjection } from "./gateway-routing.js";
import { messagesProjection } from "./messages.js";
import type { Projection } from "./projection.js";
import { liveNames, withNames, type NameOf } from "./projection-sql.js";
import { schemaVersionProjection } from "./schema-version.js";
import { sessionModelUsageProjection } from "./session-model-usage.js";
import { sessionsProjection } from "./sessions.js";
import { stateMetaProjection } from "./state-meta.js";
import { telegramTopicsProjection } from "./telegram-topics.js";

/**
 * The documented tables. The handlers of one event run in this order: rows that refer to a session go before the
 * session does, so that foreign keys hold after every statement.
 */
export const documentedProjections: readonly Projection[] = [
  schemaVersionProjection,
  stateMetaProjection,
  sessionModelUsageProjection,
  telegramTopicsProjection,
  messagesProjection,
  sessionsProjection,
  gatewayRoutingProjection,
  compressionLocksProjection,
  asyncDelegationsProjection,
];

/**
 * The statements that make what a fresh file has of these projections, in order: all tables with their indexes, then
 * first rows, then derived objects. Tables on demand are left out. `nameOf` gives the objects other names.
 */
export function schemaStatements(projections: readonly Projection[], nameOf: NameOf = liveNames): readonly string[] {
  const fresh = projections.filter((projection) => projection.onDemand !== true);
  return [
    ...fresh.flatMap((projection) => projection.tables.flatMap((table) => [...table.schema, ...table.ownIndexes])),
    ...fresh.flatMap((projection) => projection.initial ?? []),
    ...fresh.flatMap((projection) => projection.derived ?? []),
  ].map((statement) => withNames(statement, nameOf));
}
