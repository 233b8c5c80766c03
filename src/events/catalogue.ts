import { rowCaptured } from "./capture-events.js";
import { compressionLockChanged, gatewayRoutesChanged, metaSet } from "./coordination-events.js";
import type { EventDefinition, PayloadOfDefinition } from "./definition.js";
import {
  delegationCompleted,
  delegationDeliveryChanged,
  delegationDispatched,
  delegationsRemoved,
} from "./delegation-events.js";
import { UnknownEventTypeError } from "./event-errors.js";
import {
  messageAnnotated,
  messageAppended,
  messageErased,
  messagesRestored,
  messagesRewound,
  transcriptRewritten,
} from "./message-events.js";
import {
  activityRecorded,
  compressionStateSet,
  gatewayPeerRecorded,
  handoffChanged,
  sessionCreated,
  sessionEnded,
  sessionFlagsSet,
  sessionImported,
  sessionReopened,
  sessionsDeleted,
  sessionUpdated,
  titleSet,
} from "./session-events.js";
import { telegramTopicBound, telegramTopicModeSet, telegramTopicUnbound } from "./telegram-events.js";
import { usageRecorded } from "./usage-events.js";

/** Every event type this version knows, by name. A type of any other name is refused. */
export const eventCatalogue = {
  SessionCreated: sessionCreated,
  SessionEnded: sessionEnded,
  SessionReopened: sessionReopened,
  TitleSet: titleSet,
  SessionUpdated: sessionUpdated,
  ActivityRecorded: activityRecorded,
  SessionFlagsSet: sessionFlagsSet,
  GatewayPeerRecorded: gatewayPeerRecorded,
  HandoffChanged: handoffChanged,
  CompressionStateSet: compressionStateSet,
  SessionsDeleted: sessionsDeleted,
  SessionImported: sessionImported,
  MessageAppended: messageAppended,
  TranscriptRewritten: transcriptRewritten,
  MessagesRewound: messagesRewound,
  MessagesRestored: messagesRestored,
  MessageAnnotated: messageAnnotated,
  MessageErased: messageErased,
  UsageRecorded: usageRecorded,
  GatewayRoutesChanged: gatewayRoutesChanged,
  CompressionLockChanged: compressionLockChanged,
  MetaSet: metaSet,
  DelegationDispatched: delegationDispatched,
  DelegationCompleted: delegationCompleted,
  DelegationDeliveryChanged: delegationDeliveryChanged,
  DelegationsRemoved: delegationsRemoved,
  TelegramTopicModeSet: telegramTopicModeSet,
  TelegramTopicBound: telegramTopicBound,
  TelegramTopicUnbound: telegramTopicUnbound,
  RowCaptured: rowCaptured,
} as const;

/** Name of an event type. */
export type EventType = keyof typeof eventCatalogue;

/** Payload of each event type, by its name. */
export type EventPayloads = { [T in EventType]: PayloadOfDefinition<(typeof eventCatalogue)[T]> };

/** All event types, in the order of the catalogue. */
export const eventTypes: readonly EventType[] = Object.keys(eventCatalogue).filter(isEventType);

/** Whether `type` names an event of the catalogue. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventCatalogue, type);
}

/** The definition of an event type; throws {@link UnknownEventTypeError} for a name that is not in the catalogue. */
export function eventDefinition(type: string): EventDefinition {
  if (!isEventType(type)) throw new UnknownEventTypeError(type, eventTypes);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the caller has a name, not a literal type
  return eventCatalogue[type] as EventDefinition;
}
