/** The formats of definitions, as pages call them. The code that writes one is loaded where it is needed. */
export const FORMAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['oxp', 'OXP'],
  ['open-tool-calling', 'Open Tool Calling'],
  ['machine-context', 'Machine Context'],
  ['plugin', 'Plugin'],
  ['mcp', 'MCP'],
  ['oxp-flat', 'OXP, flat'],
  ['openai', 'OpenAI'],
  ['openai-strict', 'OpenAI, strict'],
  ['anthropic', 'Anthropic'],
  ['gemini', 'Gemini'],
  ['openapi', 'OpenAPI'],
])
