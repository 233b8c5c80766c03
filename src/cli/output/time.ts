/** A time in epoch seconds as local date and time (`2026-01-12 09:15`); `–` where there is none. */
export function formatTime(seconds: number | null | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  if (Number.isNaN(date.getTime())) return "–";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** {@link formatTime} with seconds. */
export function formatExactTime(seconds: number | null | undefined): string {
  const minutes = formatTime(seconds);
  if (minutes === "–") return minutes;
  const second = Math.floor((((seconds ?? 0) % 60) + 60) % 60);
  return `${minutes}:${String(second).padStart(2, "0")}`;
}

/** How long something took: `0.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
