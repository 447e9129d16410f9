import { boolean, object, oneOf, optional, string, strings, text } from '../../core/tool/json-reader.ts'

/** Judges a Tool's annotations (MCP, `ToolAnnotations`). */
export const ANNOTATIONS = object(
  {
    title: optional(string()),
    readOnlyHint: optional(boolean),
    destructiveHint: optional(boolean),
    idempotentHint: optional(boolean),
    openWorldHint: optional(boolean),
  },
  { unknown: 'ignore' },
)

/** Judges a Tool's icon (MCP, `Icon`): whoever shows it fetches it, so it is https or comes along. */
export const ICON = object(
  {
    src: text("an 'https:' or a 'data:' URL", /^(?:https:\/\/[^/]|data:)/i),
    mimeType: optional(string()),
    sizes: optional(strings),
    theme: optional(oneOf(['light', 'dark'])),
  },
  { unknown: 'ignore' },
)
