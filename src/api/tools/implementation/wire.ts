import { formatToolId } from '../../../core/tool/tool-id.ts'
import type { Implementation, ToolRecord } from '../../../core/tool/tool.ts'

export type Module =
  { readonly type: 'javascript'; readonly text: string } | { readonly type: 'wasm'; readonly blob: string }

export function moduleOf({ kind, module, blob }: Implementation): Module | undefined {
  if (kind === 'code' && typeof module === 'string') return { type: 'javascript', text: module }
  if (kind === 'wasm' && typeof blob === 'string') return { type: 'wasm', blob }
  return undefined
}

export function encodeImplementation(record: ToolRecord, implementation: Implementation) {
  const id = formatToolId(record, record.version)
  return {
    id,
    digest: record.digest,
    implementation,
    ...(moduleOf(implementation) ? { module: `/tools/${encodeURIComponent(id)}/implementation/module` } : {}),
  }
}

/** A browser is to save the module, and run none of it. */
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
