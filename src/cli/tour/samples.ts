import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transcript, type Transcript } from "../../interop/transcripts/transcript.js";

/** The folder of sample transcripts; it lies beside `src/` and `dist/`, in the repository and in the package. */
export const samplesDirectory: string = fileURLToPath(new URL("../../../samples/", import.meta.url));

/** The sample transcripts that come with the package, in the order in which their sessions began. */
export function readSamples(): Transcript[] {
  const files = readdirSync(samplesDirectory).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(`${samplesDirectory}/${name}`, "utf8").trimEnd().split("\n"));
  return lines.map((line) => transcript.parse(JSON.parse(line))).sort((a, b) => a.started_at - b.started_at);
}
