import type { ListOptions } from '../../../core/catalog/catalog.ts'
import { type IndexedTool, type ParsedPage, parsePage } from '../catalog/listed-tools.ts'
import type { PageReference } from '../catalog/manifest.ts'
import { createKvTexts, type KvTextsOptions } from './kv-texts.ts'

export interface KvPage extends ParsedPage {
  readonly hash: string
}

interface ReadOptions extends ListOptions {
  readonly isShown: (tool: IndexedTool) => boolean
}

/** In characters. Larger pages are dropped while their list waits for memory. */
const MAX_HELD_CHARACTERS = 65_536

/** Reads the pages of a list once there is memory for the tools that it shows. */
export function createKvPages(options: Omit<KvTextsOptions, 'kind'>) {
  const readTexts = createKvTexts({ ...options, kind: 'page' })

  async function readAll(references: readonly PageReference[]): Promise<readonly KvPage[] | undefined> {
    const texts = await readTexts(references.map(({ hash }) => hash))
    if (texts.length < references.length) return undefined
    return references.map(({ hash }, at) => ({ hash, ...parsePage(texts[at] ?? '') }))
  }

  /** Returns undefined if the text of a page no longer exists. */
  return async function readPages(references: readonly PageReference[], { isShown, reserve }: ReadOptions) {
    let pages = await readAll(references)
    if (!pages || !reserve) return pages
    const characters = countShownCharacters(pages, isShown)
    // Waiting for memory must not itself hold the pages
    if (characters > MAX_HELD_CHARACTERS) pages = undefined
    if (!(await reserve(characters))) return 'out-of-memory'
    return pages ?? readAll(references)
  }
}

/** Counts the characters of the lines as stored. */
function countShownCharacters(pages: readonly KvPage[], isShown: ReadOptions['isShown']): number {
  let sum = 0
  for (const { index, lines } of pages)
    for (const [at, tool] of index.entries()) if (isShown(tool)) sum += lines[at]?.length ?? 0
  return sum
}
