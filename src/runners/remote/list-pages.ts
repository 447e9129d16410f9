import type { ServerList } from '../../core/tool/remote-dialect.ts'
import type { UpstreamFailure } from '../shared/server-failure.ts'

export type Listed = (ServerList & { readonly ok: true }) | { readonly ok: false; readonly problem: string }

type ListPage = { readonly tools: readonly unknown[]; readonly next: string | undefined } | { readonly problem: string }

export const MAX_LIST_BYTES = 24 * 1024 * 1024
const MAX_TOOLS = 5_000
const MAX_PAGES = 100

/** Returns the message for a publisher, who may read the message for operators too. */
export function listingProblem({ result: { failure } }: UpstreamFailure): string {
  return failure.forOperator === undefined ? failure.message : `${failure.message}. ${failure.forOperator}`
}

export async function readPages(
  host: string,
  page: (cursor: string | undefined) => Promise<ListPage>,
): Promise<Listed> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const read = await page(cursor)
    if ('problem' in read) return { ok: false, problem: read.problem }
    // Engines do not support a hundred thousand arguments
    if (tools.length + read.tools.length > MAX_TOOLS) return refuse(`lists more than ${MAX_TOOLS} tools`)
    tools.push(...read.tools)
    if (read.next === undefined) return { ok: true, tools }
    if (cursors.has(read.next)) return refuse('lists its tools in a circle: it gave a cursor twice')
    if (cursors.size + 1 === MAX_PAGES) return refuse(`lists its tools on more than ${MAX_PAGES} pages`)
    cursors.add(read.next)
    cursor = read.next
  }

  function refuse(what: string): Listed {
    return { ok: false, problem: `${host} ${what}` }
  }
}
