import { formatToolId } from '../../../core/tool/tool-id.ts'
import type { Implementation, ToolRecord } from '../../../core/tool/tool.ts'

/** What a tool is run from: the text of a code tool, or the hash under which a plugin's bytes are kept. */
export type Module =
  { readonly type: 'javascript'; readonly text: string } | { readonly type: 'wasm'; readonly blob: string }

/** What an implementation runs that is a file of its own; undefined where it is none. */
export function moduleOf({ kind, module, blob }: Implementation): Module | undefined {
  if (kind === 'code' && typeof module === 'string') return { type: 'javascript', text: module }
  if (kind === 'wasm' && typeof blob === 'string') return { type: 'wasm', blob }
  return undefined
}

/** `{id, digest, implementation, module?}`: the implementation as it was published, and where its module is as a file. */
export function encodeImplementation(record: ToolRecord, implementation: Implementation) {
  const id = formatToolId(record, record.version)
  return {
    id,
    digest: record.digest,
    implementation,
    ...(moduleOf(implementation) ? { module: `/tools/${encodeURIComponent(id)}/implementation/module` } : {}),
  }
}

/** So that a browser keeps what it is given, and runs none of it. */
export function moduleHeaders({ type }: Module, name: string): Record<string, string> {
  const ending = type === 'wasm' ? 'wasm' : 'js'
  return {
    'content-type': type === 'wasm' ? 'application/wasm' : 'text/javascript; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.${ending}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  }
}

export interface ImplementationAnswers {
  'GET /tools/:id/implementation': ReturnType<typeof encodeImplementation>
  'GET /tools/:id/implementation/module': Response
}
