import { expect, it } from 'vitest'
import { decodeDocument } from '../../../src/core/publish/decode-document.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import type { Codec } from '../../../src/core/tool/codec.ts'
import type { Json } from '../../../src/core/tool/json.ts'
import { plain } from './fakes.ts'

/** The codec that a document is decoded with, or why there is none. */
function chooseCodec(document: Json, dialect: string | undefined, codecs: readonly Codec[]) {
  const result = decodeDocument(document, { dialect, decodeOptions: { budget: createBudget() } }, codecs)
  return result.ok ? result.value.codec : result.problems[0]?.message
}

const greedy = { ...plain, dialect: 'greedy', recognizes: () => true }
const other = { ...plain, dialect: 'other', recognizes: (document: unknown) => 'other' in Object(document) }

it('the codec of a document is the one of the requested dialect, whatever the document looks like', () => {
  expect(chooseCodec({ plain: [] }, 'other', [plain, other])).toBe(other)
  expect(chooseCodec(null, 'plain', [other, plain])).toBe(plain)
})

it('the codec of a document is the first that recognizes it', () => {
  expect(chooseCodec({ plain: [] }, undefined, [other, plain, greedy])).toBe(plain)
  expect(chooseCodec({ plain: [] }, undefined, [greedy, plain])).toBe(greedy)
})

it('the codec of a document is missing for an unknown dialect', () => {
  expect(chooseCodec({ plain: [] }, 'x', [plain, other])).toBe("Unknown dialect 'x': wanted one of 'plain', 'other'")
  expect(chooseCodec({ plain: [] }, '', [plain])).toBe("Unknown dialect '': wanted one of 'plain'")
})

it('the codec of a document is missing if it is not an object, even if a codec would accept it', () => {
  for (const document of [null, 'x', 7, []]) {
    expect(chooseCodec(document, undefined, [greedy])).toBe('Must be a definition, which is an object')
  }
})

it('the codec of a document is missing for a list from GET /tools, whichever dialect is requested', () => {
  for (const dialect of [undefined, 'plain']) {
    expect(chooseCodec({ items: [{ plain: [] }] }, dialect, [plain, other])).toBe(
      "Is a list of tools: send its 'items' as an array",
    )
  }
  expect(chooseCodec({ plain: [], items: [] }, undefined, [plain, other])).toBe(plain)
})

it('the codec of a document is missing if no codec recognizes it', () => {
  expect(chooseCodec({}, undefined, [plain, other])).toBe(
    "Cannot detect the dialect of this definition ('plain', 'other'): set ?dialect= to see what is missing",
  )
})
