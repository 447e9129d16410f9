import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionFor } from '../../src/cli/completion.ts'
import { createProgram, leavesOf } from '../../src/cli/program.ts'

const program = createProgram(
  () => expect.unreachable(),
  () => undefined,
)
const hasBash = (() => {
  try {
    return execFileSync('bash', ['-c', 'echo $BASH_VERSION'], { encoding: 'utf8' }).trim() !== ''
  } catch {
    return false
  }
})()

/** What bash offers after these words, of which the last is not finished. */
function offered(...words: readonly string[]): string[] {
  const all = ['switchboard', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${completionFor('bash', program)}\nCOMP_WORDS=(${all}); COMP_CWORD=${words.length}; _switchboard; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: '/' }).trim().split('\n')
}

describe.skipIf(!hasBash)('bash completes', () => {
  it('commands', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['list', 'call', 'keys', '--version']))
    expect(offered('se')).toEqual(['search'])
  })

  it('commands below commands', () => expect(offered('keys', 'r')).toEqual(['rotate', 'revoke']))

  it('options of the command that stands there', () => {
    expect(offered('call', 'Gmail.Send', '--no')).toEqual(['--no-open', '--no-wait'])
    expect(offered('--no')).toEqual([''])
  })

  it('what an argument may be', () => expect(offered('completion', 'f')).toEqual(['fish']))
})

it.each(['bash', 'zsh', 'fish'])('%s has every command, with every option', (shell) => {
  const script = completionFor(shell, program)
  const leaves = leavesOf(program)
  expect(leaves.length).toBeGreaterThan(10)
  for (const leaf of leaves) {
    expect(script).toContain(leaf.name())
    for (const { long } of leaf.options) expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long)
  }
})
