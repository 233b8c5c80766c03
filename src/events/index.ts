/**
 * What can happen in a ledger: the catalogue of typed events, their payload schemas and JSON Schemas, the envelope,
 * the upcasters and the hash chain.
 *
 * @packageDocumentation
 */
export { eventCatalogue, eventDefinition, eventTypes, isEventType } from "./catalogue.js";
export type { EventPayloads, EventType } from "./catalogue.js";
export { defineEvent } from "./definition.js";
export type { EventBuilder, EventDefinition, PayloadOfDefinition, PayloadVersion } from "./definition.js";
export type { ErasedEvent, Envelope, EventMetadata, LogEvent, Origin, StoredEvent } from "./envelope.js";
export { EventVersionError, InvalidEventError, UnknownEventTypeError } from "./event-errors.js";
export { chainHash, GENESIS_HASH, headerText, payloadHash } from "./hash-chain.js";
export type { EventHeader } from "./hash-chain.js";
export { allPayloadJsonSchemas, payloadJsonSchema } from "./json-schema.js";
export type { JsonSchema } from "./json-schema.js";
export { LedgerError } from "./ledger-error.js";
export type { ErrorKind } from "./ledger-error.js";
export type { KeptMessage, MessageRecord } from "./message-events.js";
export { decodePayload, encodePayload } from "./payload-codec.js";
export { readPayload, upcast, validatePayload } from "./reading.js";
export type { UsageCounters } from "./usage-events.js";
