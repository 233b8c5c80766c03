import type { EventType } from "../../events/index.js";
import {
  ofExistingDelegation,
  rowCapturedRule,
  telegramTopicBoundRule,
  telegramTopicModeSetRule,
} from "./coordination-rules.js";
import { messageErasedRule } from "./erasure-rules.js";
import {
  messageAnnotatedRule,
  messageAppendedRule,
  messagesRewoundRule,
  transcriptRewrittenRule,
} from "./message-rules.js";
import { rule, type Rule } from "./rule.js";
import {
  ofExistingSession,
  sessionCreatedRule,
  sessionEndedRule,
  sessionImportedRule,
  sessionReopenedRule,
  sessionsDeletedRule,
  sessionUpdatedRule,
  titleSetRule,
} from "./session-rules.js";
import { usageRecordedRule } from "./usage-rules.js";

const rules: { readonly [T in EventType]: Rule<T> } = {
  SessionCreated: sessionCreatedRule,
  SessionEnded: sessionEndedRule,
  SessionReopened: sessionReopenedRule,
  TitleSet: titleSetRule,
  SessionUpdated: sessionUpdatedRule,
  ActivityRecorded: rule(ofExistingSession),
  SessionFlagsSet: rule(ofExistingSession),
  GatewayPeerRecorded: rule(ofExistingSession),
  HandoffChanged: rule(ofExistingSession),
  CompressionStateSet: rule(ofExistingSession),
  SessionsDeleted: sessionsDeletedRule,
  SessionImported: sessionImportedRule,
  MessageAppended: messageAppendedRule,
  TranscriptRewritten: transcriptRewrittenRule,
  MessagesRewound: messagesRewoundRule,
  MessagesRestored: rule(ofExistingSession),
  MessageAnnotated: messageAnnotatedRule,
  MessageErased: messageErasedRule,
  UsageRecorded: usageRecordedRule,
  GatewayRoutesChanged: rule({}),
  CompressionLockChanged: rule({}),
  MetaSet: rule({}),
  DelegationDispatched: rule({}),
  DelegationCompleted: rule(ofExistingDelegation),
  DelegationDeliveryChanged: rule(ofExistingDelegation),
  DelegationsRemoved: rule({}),
  TelegramTopicModeSet: telegramTopicModeSetRule,
  TelegramTopicBound: telegramTopicBoundRule,
  TelegramTopicUnbound: rule({}),
  RowCaptured: rowCapturedRule,
};

/** The rule of an event type. */
export function ruleOf<T extends EventType>(type: T): Rule<T> {
  return rules[type];
}
