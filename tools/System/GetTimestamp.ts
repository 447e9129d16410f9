import { defineTool } from '#tool'

export default defineTool({
  version: '1.0.0',
  isDemo: true,
  description: 'Retrieves the current system timestamp.',
  input: { type: 'object' },
  output: {
    type: 'object',
    properties: {
      timestamp: { type: 'string', format: 'date-time', description: 'The current system timestamp.' },
    },
    required: ['timestamp'],
  },
  annotations: { readOnlyHint: true },
  handler: () => ({ timestamp: new Date().toISOString() }),
})
