/**
 * What `model_config` says of the session `s` of the outer query. Text that is no JSON has no marker: read without the
 * guard it would fail the query for every session. JSON5 is taken too, since Python writes NaN and infinities bare.
 */
const marker = (key: "_branched_from" | "_delegate_from"): string =>
  `(CASE WHEN json_valid(s.model_config, 2) THEN json_extract(s.model_config, '$.${key}') END)`;

/** The delegate marker of the session `s`: what it works for, normally a session id; NULL for none. */
export const DELEGATE_MARKER_SQL = marker("_delegate_from");

/** The branch marker of the session `s`: what it was branched from; NULL for none. */
export const BRANCH_MARKER_SQL = marker("_branched_from");

/** Whether the session `s` goes on with its parent's conversation: it is no branch, no delegate, and no tool's. */
export const CONTINUES_SQL = `(
  s.source IS NOT 'tool' AND ${BRANCH_MARKER_SQL} IS NULL AND ${DELEGATE_MARKER_SQL} IS NULL
)`;
