import { describe, expect, it } from 'vitest'
import { createExample } from '../../../src/http/page/schema-example.ts'

describe('an example for a schema', () => {
  const schema = {
    type: 'object',
    required: ['to', 'when', 'level', 'count', 'size', 'tags', 'loud'],
    properties: {
      to: { type: 'string' },
      body: { type: 'string' },
      subject: { type: 'string', examples: ['Hello'] },
      when: { type: 'object', required: ['day'], properties: { day: { type: 'string' }, hour: { type: 'number' } } },
      level: { enum: ['low', 3, null] },
      count: { type: ['null', 'integer'] },
      size: { anyOf: [{ type: 'null' }, { type: 'number' }] },
      tags: { type: 'array', items: { type: 'string' } },
      loud: { const: true },
    },
  }
  const eitherOf = { ...schema, anyOf: [{ required: ['body'] }, { required: ['subject'] }] }
  const others = { level: 'low', count: 1, size: 1, loud: true, subject: 'Hello' }

  it('has each required field, and those with an example', () => {
    const example = { to: '', when: { day: '' }, tags: [''], ...others }
    for (const each of [schema, eitherOf]) expect(createExample(each)).toEqual(example)
  })

  it('has field names as texts if it is for a named thing', () => {
    expect(createExample(schema, 'input')).toEqual({ to: 'to', when: { day: 'day' }, tags: ['tags'], ...others })
  })
})
