/** Those of `dialects.ts`, which most calls and lists need not load. */
export const FORMAT_NAMES = [
  'oxp',
  'open-tool-calling',
  'machine-context',
  'plugin',
  'mcp',
  'oxp-flat',
  'openai',
  'openai-strict',
  'anthropic',
  'gemini',
  'openapi',
]
