import { existsSync } from "node:fs";
import { z } from "zod";

/** How the runner opens the store under test. */
export type OpenStore = (options: { path: string; clock: () => number; lockPatience: number }) => object;

const openable = z.object({ open: z.custom<OpenStore>((value) => typeof value === "function") });
const sessionModule = z.object({ SessionDB: z.custom<object>((value) => typeof value === "function") });

/** Opens a `SessionDB`, or null while there is none. */
export async function loadOpenStore(): Promise<OpenStore | null> {
  const url = new URL("../../../src/store/session-db.ts", import.meta.url);
  if (!existsSync(url)) return null;
  const loaded: unknown = await import(url.href);
  const { SessionDB } = sessionModule.parse(loaded);
  const open: unknown = Reflect.get(SessionDB, "open");
  openable.parse({ open });
  return (options) => {
    if (typeof open !== "function") throw new Error("SessionDB.open is no function.");
    const store: unknown = Reflect.apply(open, SessionDB, [options]);
    if (typeof store !== "object" || store === null) throw new Error("SessionDB.open returned no store.");
    return store;
  };
}
