import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasShared, readShared, unlessShared } from '../shared.ts'

/**
 * A source document, tried statement by statement. A statement is given in the document's own words; `…` within them
 * stands for what is left out of a longer passage. Where the document lies beside the clone, the words have to stand in
 * it, in the order in which they are tried, and `whole` tells the lines that nobody has tried.
 */
export interface SourceDocument {
  /** What the document says holds; `tried` tells the cases of one statement apart. */
  works(words: string, tried: string, run: () => Promise<void> | void): void
  /** We do something else, as the row of the dialect's `DEVIATIONS.md` that begins with `row` says, and `run` shows it. */
  deviates(words: string, tried: string, row: string, run: () => Promise<void> | void): void
  /** Passages that state nothing, such as headings, by their words. */
  aside(...passages: string[]): void
  /** Every line has been tried, or put aside. Comes last. */
  whole(): void
}

/** @param file its name in `../shared/seeds`. @param dialect its room in `src/dialects`. */
export function openDocument(file: string, dialect: string): SourceDocument {
  const path = `seeds/${file}`
  const text = hasShared(path) ? oneSpaced(readShared(path)) : undefined
  const rows = readFileSync(
    fileURLToPath(new URL(`../../src/dialects/${dialect}/DEVIATIONS.md`, import.meta.url)),
    'utf8',
  )
  const passages: Passage[] = []
  const misplaced: string[] = []
  let reached = 0

  function note(words: string, inOrder: boolean) {
    if (text === undefined) return
    const passage = find(text, oneSpaced(words), inOrder ? reached : 0)
    if (!passage) misplaced.push(words)
    else {
      passages.push(passage)
      if (inOrder) reached = passage.from
    }
  }
  const named = (words: string, tried: string) => (tried === '' ? words : `${words} (${tried})`)

  return {
    works(words, tried, run) {
      note(words, true)
      it(named(words, tried), run)
    },
    deviates(words, tried, row, run) {
      note(words, true)
      it(`${named(words, tried)}: we deviate`, async () => {
        expect(rows, `a row of src/dialects/${dialect}/DEVIATIONS.md`).toContain(`\n| ${row}`)
        await run()
      })
    },
    aside(...put) {
      for (const words of put) note(words, false)
    },
    whole() {
      it.skipIf(text === undefined)(
        `${file} is tried from its first line to its last, in its order${unlessShared(path)}`,
        () => {
          expect(misplaced, 'words that the document has not, or has earlier').toEqual([])
          expect(untried(readShared(path), text ?? '', passages), 'lines that nobody tried').toEqual([])
        },
      )
    },
  }
}

/** From the first character to the one after the last, in the document with one space between words. */
interface Passage {
  readonly from: number
  readonly to: number
}

function oneSpaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function find(text: string, words: string, after: number): Passage | undefined {
  const parts = words.split('…').map((part) => part.trim())
  let from: number | undefined
  let to = after
  for (const part of parts) {
    const at = text.indexOf(part, to)
    if (at < 0) return
    from ??= at
    to = at + part.length
  }
  return { from: from ?? after, to }
}

/** The lines with no character in any of the passages; punctuation and bullets alone are no line. */
function untried(document: string, text: string, passages: readonly Passage[]): string[] {
  const lines: string[] = []
  let at = 0
  for (const raw of document.split('\n')) {
    const line = oneSpaced(raw)
    if (line === '') continue
    const from = text.indexOf(line, at)
    at = from + line.length
    const told = /[\p{L}\p{N}]/u.test(line)
    if (told && !passages.some((passage) => passage.from < at && from < passage.to)) lines.push(line)
  }
  return lines
}
