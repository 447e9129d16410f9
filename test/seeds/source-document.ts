import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasShared, readShared, unlessShared } from '../shared.ts'

/**
 * A source document, tested statement by statement. A statement is quoted from the document; `…` marks words that are left
 * out. If the document is next to the clone, it must contain the quotes, in the order of the tests, and `whole` lists the
 * lines without a test.
 */
export interface SourceDocument {
  /** The statement holds; `tried` distinguishes several cases of one statement. */
  works(words: string, tried: string, run: () => Promise<void> | void): void
  /** We deviate, as the row that starts with `row` in the dialect's `DEVIATIONS.md` says, and `run` shows it. */
  deviates(words: string, tried: string, row: string, run: () => Promise<void> | void): void
  /** Quotes passages that state nothing, such as headings. */
  aside(...passages: string[]): void
  /** Checks that every line was tested or put aside. Comes last. */
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
        `${file} is tested from its first line to its last, in order${unlessShared(path)}`,
        () => {
          expect(misplaced, 'words that the document has not, or has earlier').toEqual([])
          expect(untried(readShared(path), text ?? '', passages), 'lines that nobody tried').toEqual([])
        },
      )
    },
  }
}

/** A range in the document with single spaces between words; `to` is exclusive. */
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

/** Finds the lines outside all passages, ignoring lines with only punctuation or bullets. */
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
