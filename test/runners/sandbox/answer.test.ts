import { expect, it } from 'vitest'
import { parseAnswer } from '../../../src/runners/sandbox/answer.ts'

const read = (value: string) => parseAnswer(value, {}, (text) => text)
const ofLength = (length: number) => `{"ok":true,"value":"${'x'.repeat(length - 22)}"}`

it('the output of a sandbox has a limited number of characters', () => {
  expect(read(ofLength(4_000_000))).toMatchObject({ result: { ok: true } })
  expect(read(ofLength(4_000_001))).toMatchObject({
    failure: { message: 'The output is larger than 4000000 characters' },
  })
})
