import { createHash } from "node:crypto";
import type { EventType, StoredEvent } from "../events/index.js";
import type { ProjectionSql } from "./projection-sql.js";
import type { Table } from "./table.js";

/**
 * What one event type means for a projection's tables. A pure function of the event and of the rows that earlier
 * events made: no clock, no randomness, no I/O, and only its own tables and those of projections before it are read.
 */
export type EventHandler<T extends EventType> = (sql: ProjectionSql, event: StoredEvent<T>) => void;

/** Handlers by event type; types a projection does not care for are absent. */
export type EventHandlers = { readonly [T in EventType]?: EventHandler<T> };

/** A projection: tables, and what the events of the log do to them. */
export interface Projection {
  readonly name: string;
  /** Raised when handlers change their meaning; a rebuild then follows. */
  readonly version: number;
  readonly tables: readonly Table[];
  /** True when a fresh file lacks the tables: the first event that needs them makes them, inside its handler. */
  readonly onDemand?: boolean;
  /** Statements that give the fresh tables their first rows, in order, with names in braces. */
  readonly initial?: readonly string[];
  /**
   * Objects derived from the tables (views, full-text tables, triggers): SQL that makes them, in order, with names in
   * braces.
   */
  readonly derived?: readonly string[];
  readonly on: EventHandlers;
}

/**
 * SHA-256 (hex) over what a projection is: name, version, tables, first rows, derived objects and the event types it
 * handles. A stored fingerprint that differs means that the tables were made by another definition.
 */
export function projectionFingerprint(projection: Projection): string {
  const definition = {
    name: projection.name,
    version: projection.version,
    tables: projection.tables.map((table) => table.schema),
    initial: projection.initial ?? [],
    derived: projection.derived ?? [],
    on: Object.keys(projection.on).sort(),
  };
  return createHash("sha256").update(JSON.stringify(definition)).digest("hex");
}
