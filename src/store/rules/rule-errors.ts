import { LedgerError } from "../../events/index.js";
import { pythonRepr } from "../values/text.js";

/** The session does not exist. */
export class SessionNotFoundError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "constraint",
      "SESSION_NOT_FOUND",
      `Session '${sessionId}' does not exist; nothing was changed. Create it first, or list the sessions there are.`,
    );
    this.sessionId = sessionId;
  }
}

/** A session with this id is already there. */
export class SessionExistsError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("constraint", "SESSION_EXISTS", `Session '${sessionId}' already exists; nothing was changed.`);
    this.sessionId = sessionId;
  }
}

/** The parent named for a session does not exist. */
export class ParentNotFoundError extends LedgerError {
  readonly sessionId: string;
  readonly parentSessionId: string;

  constructor(sessionId: string, parentSessionId: string) {
    super(
      "constraint",
      "PARENT_NOT_FOUND",
      `Parent session '${parentSessionId}' of '${sessionId}' does not exist; nothing was changed.`,
    );
    this.sessionId = sessionId;
    this.parentSessionId = parentSessionId;
  }
}

/** Another session has the title. */
export class TitleInUseError extends LedgerError {
  readonly title: string;
  /** The session that has it. */
  readonly session: { readonly id: string; readonly source: string; readonly archived: boolean };

  constructor(title: string, session: { id: string; source: string; archived: boolean }) {
    super("validation", "TITLE_IN_USE", `Title '${title}' is already in use by session ${session.id}`);
    this.title = title;
    this.session = session;
  }
}

/** An imported session has a title that another session has. */
export class ImportedTitleTakenError extends LedgerError {
  readonly title: string;
  readonly sessionId: string;
  /** Who has it. */
  readonly holderId: string;

  constructor(title: string, sessionId: string, holderId: string) {
    super(
      "constraint",
      "IMPORTED_TITLE_TAKEN",
      `Title '${title}' of session '${sessionId}' is already in use by session '${holderId}'; nothing was imported. ` +
        "Change one of the two titles, or import the session without its title.",
    );
    this.title = title;
    this.sessionId = sessionId;
    this.holderId = holderId;
  }
}

/** The session was ended by compression; its continuation takes messages now. */
export class SessionClosedError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super(
      "closed",
      "SESSION_CLOSED",
      `Session ${pythonRepr(sessionId)} is closed by compression; adopt its live continuation before appending messages`,
    );
    this.sessionId = sessionId;
  }
}

/** Another writer holds the session's compression lock. */
export class SessionBusyError extends LedgerError {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super("busy", "SESSION_BUSY", `Session ${pythonRepr(sessionId)} is being compressed by another writer`);
    this.sessionId = sessionId;
  }
}

/** The stored state does not allow the event. */
export class EventNotAllowedError extends LedgerError {
  readonly type: string;

  constructor(type: string, problem: string) {
    super("state", "EVENT_NOT_ALLOWED", `${type} is not possible: ${problem}. Nothing was appended.`);
    this.type = type;
  }
}

/** A message named by an event is not there, or not where the event says. */
export class MessageNotFoundError extends LedgerError {
  readonly sessionId: string;
  readonly messageId: number;

  constructor(sessionId: string, messageId: number) {
    super("validation", "MESSAGE_NOT_FOUND", `message ${messageId} not found in session ${sessionId}`);
    this.sessionId = sessionId;
    this.messageId = messageId;
  }
}

/** A message id given by an emitter was given out before, or lies before one that was. */
export class MessageIdTakenError extends LedgerError {
  readonly messageId: number;
  readonly nextId: number;

  constructor(messageId: number, nextId: number) {
    super(
      "constraint",
      "MESSAGE_ID_TAKEN",
      `Message id ${messageId} is not free, ids are never reused; nothing was appended. ` +
        `Leave the id out, or use one from ${nextId} on.`,
    );
    this.messageId = messageId;
    this.nextId = nextId;
  }
}
