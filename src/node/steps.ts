/** `node src/node/steps.ts ABOUT STEP...`: runs commands in order until one fails. */
import { spawnSync } from 'node:child_process'
import { readCommand } from './command.ts'

const [about = '', ...steps] = process.argv.slice(2).filter((step) => step !== '--help')
readCommand([about, '', ...steps.map((step) => `  ${step}`)].join('\n'), {}, { operands: '' })
for (const step of steps) {
  const { status } = spawnSync(step, { shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
