import { tool } from '#tool'

/** The `subtract` capability of the Machine Context Protocol's calculator, as its specification writes it. */
export default tool({
  version: '1.0.0',
  description: 'Subtracts the second number from the first',
  input: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'First number' },
      b: { type: 'number', description: 'Second number' },
    },
    required: ['a', 'b'],
  },
  output: {
    type: 'object',
    description: 'The result of a - b',
    properties: { result: { type: 'number' } },
  },
  securityLevel: 1,
  annotations: { readOnlyHint: true },
  handler: ({ a, b }) => ({ result: a - b }),
})
