import type { Codec } from './core/codec.ts'
import type { Format } from './core/convert.ts'
import { anthropic } from './exports/anthropic.ts'
import { gemini } from './exports/gemini.ts'
import { openai } from './exports/openai.ts'
import { openaiStrict } from './exports/openai-strict.ts'
import { machineContext } from './faces/machine-context/definition.ts'
import { mcp } from './faces/mcp/definition.ts'
import { openToolCalling } from './faces/open-tool-calling/definition.ts'
import { encodeFlat, oxp } from './faces/oxp/definition.ts'
import { plugin } from './faces/plugin/definition.ts'

/** The dialects in which a definition can be published, in the order in which they are asked about its shape. */
export const codecs: readonly Codec[] = [oxp, openToolCalling, machineContext, plugin, mcp]

/** The ways a definition can be read: every dialect, and what model providers take. */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ...codecs.map(({ dialect, encode }): [string, Format] => [dialect, encode]),
  ['oxp-flat', encodeFlat],
  ['openai', openai],
  ['openai-strict', openaiStrict],
  ['anthropic', anthropic],
  ['gemini', gemini],
])
