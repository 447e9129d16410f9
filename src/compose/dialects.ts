import type { Codec } from '../core/tool/codec.ts'
import { offered, withheld } from '../core/tool/metadata.ts'
import { bounded, type Format, type Writer } from '../core/publish/export.ts'
import { anthropic } from '../formats/anthropic.ts'
import { gemini } from '../formats/gemini.ts'
import { openai, openaiStrict } from '../formats/openai.ts'
import { openapi } from '../formats/openapi.ts'
import { machineContext } from '../dialects/machine-context/definition.ts'
import { mcp } from '../dialects/mcp/definition.ts'
import { openToolCalling } from '../dialects/open-tool-calling/definition.ts'
import { oxp } from '../dialects/oxp/definition.ts'
import { encodeFlat } from '../dialects/oxp/encode.ts'
import { plugin } from '../dialects/plugin/definition.ts'

export const codecs: readonly Codec[] = [oxp, openToolCalling, machineContext, plugin, mcp]

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ...[...codecs, { dialect: 'oxp-flat', encode: encodeFlat }].map(({ dialect, encode }): [string, Format] => [
    dialect,
    bounded(dialect, (record, _, budget) => encode(record, budget)),
  ]),
  ...Object.entries({ openai, 'openai-strict': openaiStrict, anthropic, gemini, openapi }).map(
    ([name, write]): [string, Format] => [name, bounded(name, forModels(write))],
  ),
])

function forModels(write: Writer): Writer {
  return (record, name, budget) => {
    const { document, losses } = write(offered(record), name, budget)
    const hidden = withheld(record)
    return { document, losses: hidden.length === 0 ? losses : [...losses, ...hidden] }
  }
}
