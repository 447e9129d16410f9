import { PassThrough } from 'node:stream'
import { ReadStream, WriteStream } from 'node:tty'
import type { TerminalIO } from '../../src/cli/terminal.ts'

/** Where a command is run that is no terminal, or is one of so many columns; and what was printed there so far. */
export function surroundingsOf(columns?: number): { readonly surroundings: TerminalIO; printed(): string } {
  let text = ''
  const isTTY = columns !== undefined
  const out = () =>
    Object.assign(Object.create(WriteStream.prototype), new PassThrough(), {
      isTTY,
      columns,
      write: (part: string) => (text += part) !== '',
    })
  const stdin = Object.assign(Object.create(ReadStream.prototype), new PassThrough(), { isTTY })
  return {
    surroundings: { stdin, stdout: out(), stderr: out(), env: { XDG_CONFIG_HOME: '/nowhere' } },
    printed: () => text,
  }
}
