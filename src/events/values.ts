import { z } from "zod";

/**
 * The building blocks of payload schemas. A payload carries what SQLite stores, so these are storage classes:
 * text, integers (a bigint where a number cannot hold them exactly), reals and bytes.
 */

/** Stored text. */
export const text = z.string();

/** Bytes, as they stand in a BLOB; on the wire `{"base64": "…"}`. The inferred type would refuse shared memory. */
export const bytes: z.ZodCustom<Uint8Array, Uint8Array> = z.instanceof(Uint8Array);

/** What a TEXT column may hold. */
export const textValue = z.union([z.string(), bytes]);

const bigInteger = z.bigint();

/** Row ids, versions, counts of rows: always exact as a number. */
export const count = z.int().nonnegative();

/** Epoch seconds or another real; may be infinite, never NaN. On the wire infinities are `{"$real": "inf"}`. */
export const real = z.custom<number>((value) => typeof value === "number" && !Number.isNaN(value), "expected a number");

/** A counter as it is added: whole or fractional, any sign. */
export const numeric = z.union([real, bigInteger]);

/** What an INTEGER or untyped column may hold once its affinity was applied. */
export const scalar = z.union([real, bigInteger, z.string(), bytes]);

/** 0 or 1. */
export const flag = z.union([z.literal(0), z.literal(1)]);

/** A session id or another key: any text, the empty one included. */
export const key = z.string();
