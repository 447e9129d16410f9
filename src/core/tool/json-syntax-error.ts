export type ExpectedToken = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'end'

export function formatPosition(text: string, offset: number): string {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return ` at line ${line}, column ${offset - start + 1} (offset ${offset})`
}

const EXPECTED: Readonly<Record<Exclude<ExpectedToken, 'comma'>, string>> = {
  'value': 'value',
  'first value': 'value',
  'name': 'name in double quotes',
  'first name': 'name in double quotes',
  'colon': "':'",
  'end': 'end',
}

export function formatExpected(expected: ExpectedToken, inList: boolean): string {
  return `${expected === 'comma' ? `',' or '${inList ? ']' : '}'}'` : EXPECTED[expected]} expected`
}

/** `offset` is where reading a string failed. */
export function explainBadString(text: string, offset: number): string {
  if (text.startsWith('\\u', offset)) return 'malformed \\u escape'
  if (text.startsWith('\\', offset)) return 'unknown escape'
  return offset === text.length || /[\n\r]/.test(text.charAt(offset))
    ? 'string without an end'
    : 'control character in a string'
}

/** For a token other than a string, read from `start` to `end`. */
export function explainBadScalar(text: string, start: number, end: number): string | undefined {
  if (end > start) return end < text.length && '.eE'.includes(text.charAt(end)) ? 'number without an end' : undefined
  if (',:{}[]'.includes(text.charAt(start))) return undefined
  return /^\/[/*]/.test(text.slice(start, start + 2)) ? 'comment not allowed' : 'unknown word or sign'
}
