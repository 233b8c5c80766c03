/**
 * When the session `s` of the outer query was last active, epoch seconds: its heartbeat or its newest message, inactive
 * ones included, whichever is later; its start where it has neither.
 */
export const LAST_ACTIVE_SQL = `(
  SELECT COALESCE(max(s.last_activity_at, max(m.timestamp)), s.last_activity_at, max(m.timestamp), s.started_at)
    FROM messages m WHERE m.session_id = s.id
)`;
