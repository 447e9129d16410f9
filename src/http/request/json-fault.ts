import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'

class Fault extends Error {}

/** Where a text stops being JSON, and why: `JSON.parse` says no position for short texts, and quotes the text. */
export function faultOf(text: string): string {
  if (text.trim() === '') return 'it is empty'
  const closers: string[] = []
  const raise = (code: ParseErrorCode, offset: number, _length: number, line: number, character: number) => {
    const what = FAULTS[printParseErrorCode(code)] ?? 'JSON expected'
    const closer = closers.at(-1) ?? ''
    const where = `line ${line + 1}, column ${character + 1} (offset ${offset})`
    throw new Fault(`${what.replace('CLOSER', `'${closer}'`)} at ${where}`)
  }
  try {
    visit(
      text,
      {
        onObjectBegin: () => void closers.push('}'),
        onArrayBegin: () => void closers.push(']'),
        onObjectEnd: () => void closers.pop(),
        onArrayEnd: () => void closers.pop(),
        onError: raise,
      },
      { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
    )
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
  return 'JSON expected'
}

const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unknown word or sign',
  InvalidNumberFormat: 'malformed number',
  PropertyNameExpected: 'name in double quotes expected',
  ValueExpected: 'value expected',
  ColonExpected: "':' expected",
  CommaExpected: "',' or CLOSER expected",
  CloseBraceExpected: "'}' expected",
  CloseBracketExpected: "']' expected",
  EndOfFileExpected: 'end expected',
  InvalidCommentToken: 'comment not allowed',
  UnexpectedEndOfComment: 'comment not allowed',
  UnexpectedEndOfString: 'string without an end',
  UnexpectedEndOfNumber: 'number without an end',
  InvalidUnicode: 'malformed \\u escape',
  InvalidEscapeCharacter: 'unknown escape',
  InvalidCharacter: 'control character in a string',
}
