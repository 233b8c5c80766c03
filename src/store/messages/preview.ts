import { codePointLength, firstCodePoints, lastCodePoints, splitSpaces, strip } from "../values/text.js";
import { EXCERPT_GAP, skillDescription } from "./skill-invocation.js";

/**
 * A scalar subquery for the preview of the session `s` of the outer query: the content of its first user message by
 * time, active or not, as text, or NULL. Long content is cut to what {@link previewOf} looks at, so that a list of
 * sessions does not read megabytes; `previewOf` gives the same for the excerpt as for the whole content.
 */
export const PREVIEW_CONTENT_SQL = `(
  SELECT CASE
    WHEN m.content LIKE '[IMPORTANT: The user has invoked the %' THEN
      CASE WHEN length(CAST(m.content AS TEXT)) > 800
        THEN substr(CAST(m.content AS TEXT), 1, 400) || char(30) || substr(CAST(m.content AS TEXT), -400)
        ELSE substr(CAST(m.content AS TEXT), 1, 800)
      END
    ELSE substr(CAST(m.content AS TEXT), 1, 63)
  END
  FROM messages m
  WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL
  ORDER BY m.timestamp, m.id
  LIMIT 1
)`;

/** Folds the letter case of ASCII only, as LIKE does. */
const LOOKS_LIKE_SKILL = /^\[IMPORTANT: The user has invoked the /i;

const SKILL_TEXT_LIMIT = 800;
const SKILL_TEXT_END = 400;
const TEXT_LIMIT = 63;
const PREVIEW_LIMIT = 60;
const RECENT_LIMIT = 80;

/**
 * The preview of a session, at most 60 characters and `...`, from the stored content of its first user message, or
 * the excerpt of it that {@link PREVIEW_CONTENT_SQL} gives. `''` without a message, for structured content and for
 * white space.
 */
export function previewOf(content: string | null): string {
  if (content === null) return "";
  const text = strip(excerptOf(content).replace(/[\n\r]/g, " "));
  const [beforeGap = ""] = text.split(EXCERPT_GAP, 1);
  return shortened(skillDescription(text) ?? beforeGap, PREVIEW_LIMIT, PREVIEW_LIMIT);
}

/**
 * The preview of one message in a list of recent user messages, at most 80 characters, from its decoded content: the
 * description of a skill invocation or the text; the text parts of a list, or `[multimodal content]`; else `''`.
 */
export function recentUserPreview(content: unknown): string {
  return shortened(splitSpaces(recentTextOf(content)).join(" "), RECENT_LIMIT, RECENT_LIMIT - 3);
}

/** What SQL's text functions see: they stop at the first NUL, with which structured content starts. */
function excerptOf(content: string): string {
  const [visible = ""] = content.split("\u0000", 1);
  if (!LOOKS_LIKE_SKILL.test(visible)) return firstCodePoints(visible, TEXT_LIMIT);
  return codePointLength(visible) > SKILL_TEXT_LIMIT
    ? firstCodePoints(visible, SKILL_TEXT_END) + EXCERPT_GAP + lastCodePoints(visible, SKILL_TEXT_END)
    : visible;
}

function recentTextOf(content: unknown): string {
  if (typeof content === "string") return skillDescription(content) ?? content;
  if (!Array.isArray(content)) return "";
  return strip(content.flatMap(textOfPart).join(" ")) || "[multimodal content]";
}

function textOfPart(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  if (!("type" in part) || part.type !== "text" || !("text" in part) || typeof part.text !== "string") return [];
  return [part.text];
}

function shortened(text: string, limit: number, kept: number): string {
  return codePointLength(text) > limit ? `${firstCodePoints(text, kept)}...` : text;
}
