import type { Codec, FormatWriter } from '../core/tool/codec.ts'
import { omitContextParameters, contextParameterLosses } from '../core/tool/metadata.ts'
import { isShownTo } from '../core/page/page.ts'
import { withBudget, type ExportFormat } from '../core/publish/export.ts'
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

export const formats: ReadonlyMap<string, ExportFormat> = new Map<string, ExportFormat>([
  ...[...codecs, { dialect: 'oxp-flat', encode: encodeFlat }].map(({ dialect, encode }): [string, ExportFormat] => [
    dialect,
    withBudget(dialect, (record, _, budget) => encode(record, budget)),
  ]),
  ...Object.entries({ openai, 'openai-strict': openaiStrict, anthropic, gemini, openapi }).map(
    ([name, write]): [string, ExportFormat] => [name, refusePageTools(withBudget(name, forModels(write)))],
  ),
])

function refusePageTools(format: ExportFormat): ExportFormat {
  return (record, ...options) =>
    isShownTo('model', record)
      ? format(record, ...options)
      : {
          ok: false,
          problems: [{ path: '/_meta/ui/visibility', message: 'Only pages can call it; models do not see it' }],
        }
}

function forModels(write: FormatWriter): FormatWriter {
  return (record, name, budget) => {
    const { document, losses } = write(omitContextParameters(record), name, budget)
    const contextLosses = contextParameterLosses(record)
    return { document, losses: contextLosses.length === 0 ? losses : [...losses, ...contextLosses] }
  }
}
