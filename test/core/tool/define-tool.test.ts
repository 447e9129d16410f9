import { expect, it } from 'vitest'
import { defineTool } from '../../../src/core/tool/define-tool.ts'
import { contextFor } from '../../tools/context.ts'

const text = { type: 'string', description: 'A text.' } as const
const about = { version: '1.0.0', description: 'Greets.', output: { type: 'string' } } as const

it('a handler cannot ask for a parameter that no schema describes', () => {
  const input = { type: 'object', properties: { name: text }, required: ['name'] } as const
  // @ts-expect-error the parameter is called `name`
  const mistyped = defineTool({ ...about, input, handler: ({ nme }) => `Hello, ${nme}!` })
  const right = defineTool({ ...about, input, handler: ({ name }) => `Hello, ${name.toUpperCase()}!` })
  const { context } = contextFor()
  expect(mistyped.handler({ name: 'Ann' }, context)).toBe('Hello, undefined!')
  expect(right.handler({ name: 'Ann' }, context)).toBe('Hello, ANN!')
})

it('a handler can ask for any parameter if a schema describes all others together', () => {
  const input = { type: 'object', additionalProperties: { type: 'number' } } as const
  const sum = defineTool({ ...about, input, handler: ({ a = 0, b = 0 }) => `${a + b}` })
  expect(sum.handler({ a: 1, b: 2 }, contextFor().context)).toBe('3')
})
