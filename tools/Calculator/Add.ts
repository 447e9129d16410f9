import { defineTool } from '#tool'

export default defineTool({
  version: '1.0.0',
  isDemo: true,
  description: 'Adds two numbers together.',
  input: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'The first number to add.' },
      b: { type: 'number', description: 'The second number to add.' },
    },
    required: ['a', 'b'],
  },
  output: { type: 'number', description: 'The sum of the two numbers.' },
  annotations: { readOnlyHint: true },
  handler: ({ a, b }) => a + b,
})
