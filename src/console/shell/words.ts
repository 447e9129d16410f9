import { type Checked, refused } from '../../core/tool/problem.ts'

/** A word of a command. */
export interface Word {
  readonly text: string
  /** Whether it has a variable where a shell would put what that holds. It stands there as it was written. */
  readonly hasVariable: boolean
}

/** What a shell does something with where no quote is around it, other than what parts words (2.2, 2.6 and 2.10). */
const ACTIVE = /[;&|<>()`#*?[\]{}~!]/
const VARIABLE = /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/

/**
 * Parts a command into its words as a POSIX shell does (Shell Command Language, sections 2.2 and 2.3), and does nothing else: what
 * would have a shell do more than read one command is refused, save for variables, which are told.
 */
export function wordsOf(command: string): Checked<readonly Word[]> {
  const words: Word[] = []
  let word: { text: string; hasVariable: boolean } | undefined
  let rest = command.replaceAll('\r\n', '\n').trim()
  const add = (text: string) => ((word ??= { text: '', hasVariable: false }).text += text)
  while (rest !== '') {
    const first = rest.charAt(0)
    if (/\s/.test(first)) {
      if (first === '\n') return refused('Holds more than one line: end each but the last with a backslash')
      if (word) words.push(word)
      word = undefined
      rest = rest.slice(1)
      continue
    }
    if (rest.startsWith('\\\n')) {
      rest = rest.slice(2)
      continue
    }
    const [read = ''] = /^(?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^])/.exec(rest) ?? []
    if (read === '' && /['"\\]/.test(first)) return refused(`Has no end of what begins with ${first}`)
    if (read.startsWith("'")) add(read.slice(1, -1))
    else if (read.startsWith('"')) {
      const inside = insideQuotes(read.slice(1, -1))
      if (inside === undefined) return refused('Would run a command within "…": put it in \'…\', where it is text')
      add(inside.text)
      if (inside.hasVariable && word) word.hasVariable = true
    } else if (read !== '') add(read.slice(1))
    if (read !== '') {
      rest = rest.slice(read.length)
      continue
    }
    const [variable] = VARIABLE.exec(rest) ?? []
    if (variable !== undefined) {
      add(variable)
      if (word) word.hasVariable = true
      rest = rest.slice(variable.length)
      continue
    }
    // Within a word, and in addresses, most of these are what they are
    if (first === '$' || /[;&|<>()`]/.test(first) || (ACTIVE.test(first) && !word)) {
      return refused(`Has ${first}, which a shell would act on: put the word in '…'`)
    }
    add(first)
    rest = rest.slice(1)
  }
  if (word) words.push(word)
  return { ok: true, value: words }
}

/** What stands between double quotes (2.2.3); undefined where it would run something. */
function insideQuotes(quoted: string): Word | undefined {
  let hasVariable = false
  let runs = false
  const text = quoted.replaceAll(/\\([$`"\\\n])|`|\$(?:\(|\{?[A-Za-z_])/g, (found, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped === '\n' ? '' : escaped
    if (found === '`' || found === '$(') runs = true
    else hasVariable = true
    return found
  })
  return runs ? undefined : { text, hasVariable }
}
