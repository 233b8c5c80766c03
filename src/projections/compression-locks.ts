import { capturedRows } from "./captured-rows.js";
import type { Projection } from "./projection.js";
import { defineTable, real, text, type RowOf } from "./table.js";

/** Table `compression_locks`: who may compress a session, and until when. The session need not exist. */
export const compressionLocks = defineTable({
  name: "compression_locks",
  columns: {
    session_id: text({ clause: "PRIMARY KEY" }),
    holder: text({ notNull: true }),
    acquired_at: real({ notNull: true }),
    expires_at: real({ notNull: true }),
  },
  key: ["session_id"],
  indexes: { idx_compression_locks_expires: "{compression_locks}(expires_at)" },
});

/** A row of `compression_locks`. */
export type CompressionLockRow = RowOf<typeof compressionLocks>;

/** What events mean for `compression_locks`. */
export const compressionLocksProjection: Projection = {
  name: "compression_locks",
  version: 1,
  tables: [compressionLocks],
  on: {
    CompressionLockChanged: (sql, { payload }) => {
      const { session_id } = payload;
      if (payload.holder === null) {
        sql.run("DELETE FROM {compression_locks} WHERE session_id = @session_id", { session_id });
        return;
      }
      sql.run(
        `INSERT INTO {compression_locks} (session_id, holder, acquired_at, expires_at)
         VALUES (@session_id, @holder, @acquired_at, @expires_at)
         ON CONFLICT (session_id) DO UPDATE
         SET holder = excluded.holder, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at`,
        payload,
      );
    },
    RowCaptured: capturedRows(compressionLocks),
  },
};
