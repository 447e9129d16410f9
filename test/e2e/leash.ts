/**
 * `node leash.ts COMMAND ARGUMENTS…` runs a command in its own process group, and ends the group when whoever started it
 * is gone, however that came about: its end of the pipe closes with it.
 */
import { spawn } from 'node:child_process'

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
child.once('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
child.once('exit', (code) => process.exit(code ?? 1))
process.stdin.once('close', () => process.kill(-process.pid, 'SIGKILL')).resume()
