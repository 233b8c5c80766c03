import { z } from "zod";
import { defineEvent } from "./definition.js";
import { key, real, textValue } from "./values.js";

export const gatewayRoutesChanged = defineEvent(
  "GatewayRoutesChanged",
  "Routing entries of the messaging gateway were saved, replaced or removed.",
  z.strictObject({
    scope: key,
    replace_all: z.boolean(),
    removed: z.array(key),
    /** Key and entry JSON, in the order of writing. */
    entries: z.array(z.tuple([key, textValue])),
    updated_at: real.nullable(),
  }),
).done(() => "$routing");

export const compressionLockChanged = defineEvent(
  "CompressionLockChanged",
  "A compression lock was taken, extended or released (holder null).",
  z.strictObject({
    session_id: key,
    holder: textValue.nullable(),
    acquired_at: real.nullable(),
    expires_at: real.nullable(),
  }),
).done(() => "$locks");

export const metaSet = defineEvent(
  "MetaSet",
  "A key of the store's metadata was set.",
  z.strictObject({ key, value: textValue.nullable() }),
).done(() => "$meta");
