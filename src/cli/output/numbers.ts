/** A count with separators of thousands: `3,778`. */
export function formatCount(count: number | bigint | null | undefined): string {
  return count == null ? "–" : count.toLocaleString("en-US");
}

/** A count and its noun: `1 session`, `3,778 sessions`. */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? noun : plural}`;
}

/** An amount of USD: `$1.27`, small amounts with four digits; `–` where nothing is known. */
export function formatCost(usd: number | null | undefined): string {
  if (usd == null) return "–";
  return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2)}`;
}
