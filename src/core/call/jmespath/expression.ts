import { compile } from '@jmespath-community/jmespath'
import { parseJson } from '../../tool/json.ts'
import { FUNCTIONS } from './functions.ts'

/** A JMESPath expression as the library's parser gives it. */
export type Node = ReturnType<typeof compile>

/** An expression that may be evaluated; or what is wrong with it, and at which of its characters, counted from 0. */
export type Parsed =
  { readonly ok: true; readonly node: Node } | { readonly ok: false; readonly message: string; readonly at?: number }

/** Characters, and levels of one part within another: both more than anybody writes, and few enough to be read at once. */
const MAX_LENGTH = 2_000
const MAX_DEPTH = 64

const MISPLACED = "'&' is for arguments of functions alone"

const SPACE = /[\t\n\r ]+/y
/** Names, numbers, the three kinds of quotes, and signs (JMESPath, "Grammar"). */
const TOKEN =
  /[A-Za-z_][A-Za-z0-9_]*|-?\d{1,9}(?![\w-])|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\[\?|&&|\|\||[=!<>]=|[.*@[\](){}:,!<>&|]/suy
const ENDS_OPERAND = /[\w"'`@*)\]}]$/
const BEGINS_OPERAND = /^(?:["'`@{]|[\w-]|!$|&$)/

/**
 * Reads an expression (JMESPath, "Grammar"). The parser is the library's; what it lets through beyond the grammar, and the
 * additions of its own dialect (arithmetic, variables, `let`), are refused here, as are unknown functions and wrong numbers
 * of arguments.
 */
export function parse(text: string): Parsed {
  if (text.length > MAX_LENGTH) return wrong(`at most ${MAX_LENGTH} characters are taken, and it has ${text.length}`)
  const starts = tokenStarts(text)
  if (!Array.isArray(starts)) return starts
  try {
    const node = compile(text)
    if (node.type === 'ExpressionReference') return wrong(MISPLACED)
    return judge(node, MAX_DEPTH) ?? { ok: true, node }
  } catch (error) {
    if (endsTooEarly(error)) return wrong('it ends too early', text.length)
    const at = culprit(text, starts)
    return wrong(`'${tokenAt(text, at)}' cannot stand there`, at)
  }
}

/** Where each token begins, or what is none. */
function tokenStarts(text: string): number[] | Parsed {
  const starts: number[] = []
  let before = ''
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const token = tokenAt(text, at)
    if (token === '') {
      const [sign = ''] = text.slice(at)
      return wrong(/["'`]/.test(sign) ? `${sign} is not closed` : `'${sign}' cannot stand there`, at)
    }
    if (isNoJson(token)) return wrong(`${token.charAt(0) === '"' ? 'the name' : 'the literal'} is no JSON`, at)
    // The parser takes lists without commas, and with one too many
    const isStray = before === ',' ? /^[)\]}]$/.test(token) : ENDS_OPERAND.test(before) && BEGINS_OPERAND.test(token)
    if (isStray) return wrong(`'${token}' cannot stand there`, at)
    starts.push(at)
    before = token
    at = skipSpace(text, at + token.length)
  }
  return starts
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at
  return at + (SPACE.exec(text)?.[0].length ?? 0)
}

function tokenAt(text: string, at: number): string {
  TOKEN.lastIndex = at
  return TOKEN.exec(text)?.[0] ?? ''
}

function isNoJson(token: string): boolean {
  if (token.startsWith('"')) return parseJson(token) === undefined
  return token.startsWith('`') && parseJson(token.slice(1, -1).replaceAll('\\`', '`')) === undefined
}

/** Where the token begins that no expression goes on with: what stands before it may still become one. */
function culprit(text: string, starts: readonly number[]): number {
  let fine = 0
  let broken = starts.length
  while (broken - fine > 1) {
    const middle = (fine + broken) >> 1
    if (mayGoOn(text.slice(0, starts[middle]))) fine = middle
    else broken = middle
  }
  return starts[fine] ?? 0
}

function mayGoOn(text: string): boolean {
  try {
    compile(text)
    return true
  } catch (error) {
    return endsTooEarly(error)
  }
}

/** The parser's errors name the token that they are about, and the end as one. */
function endsTooEarly(error: unknown): boolean {
  return error instanceof Error && /(?:\(EOF\)|got: EOF|type: EOF)/.test(error.message)
}

/** What is wrong with a parsed expression; undefined where nothing is. */
function judge(node: Node, levels: number): Parsed | undefined {
  if (levels === 0) return wrong(`its parts nest deeper than ${MAX_DEPTH} levels`)
  const parts = partsOf(node)
  if (!parts) return wrong(`it uses '${node.type}', which is no part of JMESPath`)
  if (node.type === 'Function') {
    const wanted = FUNCTIONS.get(node.name)
    if (!wanted) return wrong(`there is no function '${node.name}'`)
    const { least, most } = wanted
    const { length } = node.children
    if (length < least || length > most) {
      const number = least === most ? `${least}` : `at least ${least}`
      return wrong(`the function '${node.name}' takes ${number} argument${least === 1 ? '' : 's'}, and has ${length}`)
    }
    const [stray] = node.children.filter(
      (child, index) => (child.type === 'ExpressionReference') !== (wanted.expression === index),
    )
    if (stray) return wrong(`the function '${node.name}' takes ${expressionWords(wanted.expression)}`)
  }
  if (node.type === 'Slice' && node.step === 0) return wrong('the step of a slice cannot be 0')
  for (const part of parts) {
    if (part.type === 'ExpressionReference' && node.type !== 'Function') {
      return wrong(MISPLACED)
    }
    const problem = judge(part, levels - 1)
    if (problem) return problem
  }
  return undefined
}

function expressionWords(index: number | undefined): string {
  return index === undefined ? 'no expression (&)' : `one expression (&), as argument ${index + 1}`
}

/** The parts of a node; undefined for what is no node of JMESPath. */
function partsOf(node: Node): readonly Node[] | undefined {
  switch (node.type) {
    case 'Field':
    case 'Literal':
    case 'Index':
    case 'Slice':
    case 'Identity':
    case 'Current':
      return []
    case 'Subexpression':
    case 'IndexExpression':
    case 'Pipe':
    case 'Projection':
    case 'ValueProjection':
    case 'OrExpression':
    case 'AndExpression':
    case 'Comparator':
      return [node.left, node.right]
    case 'FilterProjection':
      return [node.left, node.condition, node.right]
    case 'Flatten':
    case 'NotExpression':
    case 'ExpressionReference':
      return [node.child]
    case 'MultiSelectList':
    case 'Function':
      return node.children
    case 'MultiSelectHash':
      return node.children.map(({ value }) => value)
    default:
      return undefined
  }
}

function wrong(message: string, at?: number): Parsed {
  return at === undefined ? { ok: false, message } : { ok: false, message, at }
}
