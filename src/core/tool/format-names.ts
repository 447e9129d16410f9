/** Display names of the definition formats. The code that writes a format loads when it is needed. */
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
