import { prepareDocument } from '../../src/core/publish/prepare.ts'
import type { Publication } from '../../src/core/publish/registry.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { sha256 } from '../../src/storage/sha256.ts'
import { definition } from '../e2e/definition.ts'

/** What a publisher sends: a publication of one tool's version. */
export interface OneTool {
  readonly publication: Publication
  readonly record: ToolRecord
}

/** Every toolkit is there already, so that none is renamed. */
const source = { addressed: async () => undefined, current: async () => undefined, holds: async () => true }
const RUNNERS = new Map([['echo', { kind: 'echo', check: () => [] }]])

/** A tool's version as a publisher sends it; two that differ in their description are two that want one id. */
export async function oneTool(id: string, description: string): Promise<OneTool> {
  const body = JSON.parse(
    JSON.stringify({ definition: definition(id, { description }), implementation: { kind: 'echo' } }),
  )
  const prepared = await prepareDocument({ body }, { codecs: [oxp], runners: RUNNERS, sha256, source })
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  const { records, given } = prepared.value
  const [record] = records
  if (!record) throw new Error('No record')
  return { publication: { records, given, allowBreaking: true }, record }
}

const NAMES = ['Alpha.One', 'Alpha.Two', 'Beta.One']
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0']

/** All that is ever published: each version in two forms, of which one at most is ever to be seen. */
export async function allTools(): Promise<readonly [OneTool, ...OneTool[]]> {
  const ids = NAMES.flatMap((name) => VERSIONS.map((version) => `${name}@${version}`))
  const [first, ...others] = await Promise.all(ids.flatMap((id) => ['This', 'That'].map((form) => oneTool(id, form))))
  if (!first) throw new Error('No tool')
  return [first, ...others]
}
