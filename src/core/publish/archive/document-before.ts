import type { Sha256 } from '../../tool/digest.ts'
import type { ToolRecord } from '../../tool/tool.ts'
import { judgeText } from '../judge.ts'
import type { KeptDocument } from '../registry.ts'
import type { LineOf } from './line.ts'

/** The document that stands before the versions that were made of it; the next one takes its place. */
export function createDocumentBefore(sha256: Sha256) {
  let last: KeptDocument | undefined

  return {
    /** Gives why it cannot be taken. */
    async take({ dialect, toolkit, itself, tools, document }: LineOf<'document'>): Promise<string | undefined> {
      last = undefined
      const [unfit] = judgeText(document ?? null, 'a definition', '/document')
      if (unfit) return unfit.message
      const text = JSON.stringify(document ?? null)
      const hash = await sha256(text)
      last = { dialect, hash, text, toolkit, tools, ...(itself ? { itself } : {}) }
      return undefined
    },

    /** The document of a version, where that is the last one: it names it, or holds it and is one of its tools. */
    of({ toolkit, tool, version, source }: ToolRecord): KeptDocument | undefined {
      if (!last || last.toolkit !== toolkit || last.dialect !== source.dialect) return undefined
      if (source.hash !== undefined) return source.hash === last.hash ? last : undefined
      return last.itself?.version === version && Object.values(last.tools).includes(tool) ? last : undefined
    },
  }
}
