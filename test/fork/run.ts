import { spawnSync } from 'node:child_process'
import { readCommand } from '../../src/node/command.ts'
import { fork } from './fork.ts'

readCommand('Runs the whole suite in a copy in which a tool was added, one changed and one removed.', {})
const made = fork()
console.log(`Added ${made.added}, changed ${made.changed}, removed ${made.removed} in ${made.folder}`)
const { status } = spawnSync('npm', ['test'], { cwd: made.folder, stdio: 'inherit' })
made.remove()
process.exitCode = status ?? 1
