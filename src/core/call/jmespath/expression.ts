import type { Json } from '../../tool/json.ts'
import { parseJson } from '../../tool/json-text.ts'
import {
  comparison,
  CURRENT,
  orExpression,
  createFieldPart,
  filterProjection,
  flatten,
  functionCall,
  index,
  literal,
} from './parts.ts'
import { multiSelectHash, multiSelectList, not, pipe, projection, slice, valueProjection } from './parts.ts'
import { type ExpressionPart, InvalidExpression } from './parts.ts'

const MAX_LENGTH = 2_000

const SPACE = /[\t\n\r ]*/y
const TOKEN =
  /[A-Za-z_][A-Za-z0-9_]*|-?\d{1,9}(?![\w-])|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\[[?\]]|&&|\|\||[=!<>]=|[.*@[\](){}:,!<>&|]/suy
const NAME = /^[A-Za-z_]/
const NUMBER = /^-?\d/

/** How tightly an operator binds its left side. Any other token ends an expression. */
const POWERS: Readonly<Record<string, number>> = { '|': 1, '||': 2, '&&': 3, '[]': 9, '[?': 21, '.': 40, '[': 55 }
const COMPARISONS = 5
const COMPARISON = /^(?:[=!<>]=|[<>])$/
const PROJECTED = 10
const STAR = 20
const NOT = 45

/** Parses an expression (JMESPath, "Grammar") by operator precedence (a Pratt parser). */
export function parse(text: string): ExpressionPart {
  if (text.length <= MAX_LENGTH) return parseTokens(tokenize(text))
  throw new InvalidExpression(`at most ${MAX_LENGTH} characters are taken, and it has ${text.length}`)
}

interface Token {
  readonly text: string
  readonly at: number
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0] ?? ''
  }
  for (;;) {
    at += match(SPACE).length
    const token = match(TOKEN)
    const sign = text.charAt(at)
    if (token === '' && /["'`]/.test(sign)) throw new InvalidExpression(`${sign} is not closed`, at)
    if (token === '' && sign !== '') throw unexpectedToken({ text: sign, at })
    tokens.push({ text: token, at })
    if (token === '') return tokens
    at += token.length
  }
}

function unexpectedToken({ text, at }: Token): InvalidExpression {
  return new InvalidExpression(text === '' ? 'the expression is incomplete' : `'${text}' cannot stand there`, at)
}

function parseTokens(tokens: readonly Token[]): ExpressionPart {
  let next = 0
  const tokenAt = (place: number): Token => tokens[place] ?? { text: '', at: 0 }
  const sign = () => tokenAt(next).text

  function skip(text: string): boolean {
    if (sign() !== text) return false
    next++
    return true
  }
  function expect(text: string): void {
    if (!skip(text)) throw unexpectedToken(tokenAt(next))
  }

  const powerAhead = () => (COMPARISON.test(sign()) ? COMPARISONS : (POWERS[sign()] ?? 0))

  function expression(power: number): ExpressionPart {
    let part = operand()
    while (powerAhead() > power) part = continued(part)
    return part
  }

  function operand(): ExpressionPart {
    const token = tokenAt(next)
    const { text } = token
    if (text === '[]' || text === '[?' || (text === '[' && isIndexed())) return continued(CURRENT)
    next++
    if (NAME.test(text) && skip('(')) return functionCall(text, list(')', argument))
    if (isName(text)) return createFieldPart(readName(token))
    if (text.startsWith("'")) return literal(text.slice(1, -1).replaceAll(/\\([\\'])/g, '$1'))
    if (text.startsWith('`')) return literal(json(text.slice(1, -1).replaceAll('\\`', '`'), 'the literal', token))
    switch (text) {
      case '@':
        return CURRENT
      case '*':
        return valueProjection(CURRENT, projected(STAR))
      case '!':
        return not(expression(NOT))
      case '&':
        throw new InvalidExpression("'&' is for arguments of functions alone")
      case '[':
        return multiSelectList(list(']', () => expression(0)))
      case '{':
        return multiSelectHash(list('}', member))
      case '(': {
        const part = expression(0)
        expect(')')
        return part
      }
      default:
        throw unexpectedToken(token)
    }
  }

  function continued(left: ExpressionPart): ExpressionPart {
    const power = powerAhead()
    const { text } = tokenAt(next++)
    switch (text) {
      case '|':
        return pipe(left, expression(power))
      case '||':
        return orExpression(left, expression(power), false)
      case '&&':
        return orExpression(left, expression(power), true)
      case '[]':
        return projection(flatten(left), projected(power))
      case '[?': {
        const condition = expression(0)
        expect(']')
        return filterProjection(left, condition, projected(power))
      }
      case '[':
        return indexed(left)
      case '.':
        return skip('*') ? valueProjection(left, projected(power)) : pipe(left, afterDot(power))
      default:
        return comparison(text, left, expression(power))
    }
  }

  function projected(power: number): ExpressionPart {
    if (powerAhead() < PROJECTED) return CURRENT
    return skip('.') ? afterDot(power) : expression(power)
  }

  function afterDot(power: number): ExpressionPart {
    const { text } = tokenAt(next)
    if (isName(text) || text === '*' || text === '{') return expression(power)
    expect('[')
    return multiSelectList(list(']', () => expression(0)))
  }

  function isIndexed(): boolean {
    const first = tokenAt(next + 1).text
    return NUMBER.test(first) || first === ':' || (first === '*' && tokenAt(next + 2).text === ']')
  }

  function indexed(left: ExpressionPart): ExpressionPart {
    if (skip('*')) {
      expect(']')
      return projection(left, projected(STAR))
    }
    const start = number()
    if (start !== undefined && skip(']')) return pipe(left, index(start))
    expect(':')
    const stop = number()
    const step = skip(':') ? number() : undefined
    expect(']')
    return projection(pipe(left, slice(start, stop, step)), projected(STAR))
  }

  function number(): number | undefined {
    const { text } = tokenAt(next)
    if (!NUMBER.test(text)) return undefined
    next++
    return Number(text)
  }

  function list<T>(close: ')' | ']' | '}', item: () => T): readonly T[] {
    if (close === ')' && skip(close)) return []
    const items = [item()]
    while (!skip(close)) {
      expect(',')
      items.push(item())
    }
    return items
  }

  function argument(): ExpressionPart {
    return skip('&') ? { ...expression(0), isReference: true } : expression(0)
  }

  function member(): readonly [name: string, ExpressionPart] {
    const token = tokenAt(next++)
    if (!isName(token.text)) throw unexpectedToken(token)
    const name = readName(token)
    expect(':')
    return [name, expression(0)]
  }

  const whole = expression(0)
  expect('')
  return whole
}

const isName = (text: string) => NAME.test(text) || text.startsWith('"')

function readName(token: Token): string {
  return NAME.test(token.text) ? token.text : String(json(token.text, 'the name', token))
}

function json(text: string, what: string, { at }: Token): Json {
  const read = parseJson(text)
  if (!read.ok) throw new InvalidExpression(`${what} is not JSON`, at)
  return read.value
}
