import { messages } from "../../projections/messages.js";

/**
 * The columns of `messages` for a SELECT, by name: upgraded files have them in another order. `SELECT ${...}` of them
 * gives a `StoredMessageRow`.
 */
export const MESSAGE_COLUMNS = Object.keys(messages.columns).join(", ");
